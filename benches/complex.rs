//! What a critical region costs: whole complexes of random problems with positive definite H, boxes, and linear terms that move with both
//! parameters. `cargo bench --bench complex`; `-- write FILE` also writes the problems for other programs, as JSON.

use pathqp::complex::{self, Options};
use pathqp::hessian::Dense;
use pathqp::testing::Random;
use pathqp::{Affine, ParametricQp, Range};
use std::sync::Arc;
use std::time::Instant;

/// H = AAᵀ/n + I/10 with normal A, c(θ) = a + θ₁b₁ + θ₂b₂ with normal entries, −1/2 ≤ x ≤ 1/2, Θ = [−1, 1]².
struct Problem {
    h: Vec<Vec<f64>>,
    c: [Vec<f64>; 3],
}

impl Problem {
    fn new(n: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut normals = || (0..n).map(|_| random.normal()).collect::<Vec<f64>>();
        let a: Vec<Vec<f64>> = (0..n).map(|_| normals()).collect();
        let dot = |i: usize, j: usize| a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum::<f64>() / n as f64;
        let entry = |i: usize, j: usize| dot(i, j) + if i == j { 0.1 } else { 0.0 };
        let h = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        Problem { h, c: [normals(), normals(), normals()] }
    }

    fn qp(&self) -> ParametricQp<f64> {
        let n = self.h.len();
        let [a, b, c] = self.c.clone();
        let h = Arc::new(Dense::new(self.h.clone()).unwrap());
        let domain = vec![Range::new(-1.0, 1.0); 2];
        let all = |v: f64| Affine::constant(vec![v; n], 2);
        let qp = ParametricQp::new(h, domain, Affine { constant: a, slopes: vec![b, c] }).unwrap();
        qp.lower(all(-0.5)).unwrap().upper(all(0.5)).unwrap()
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let sizes = [10, 20, 30, 50, 100, 200];
    println!("| n | regions | edges | vertices | covered − 1 | s | regions a second | by one change | by a path |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for n in sizes {
        let problem = Problem::new(n, 7 + n as u64);
        if let [write, folder] = arguments.as_slice()
            && write == "write"
        {
            let text = serde_json::json!({ "h": problem.h, "c": problem.c }).to_string();
            std::fs::write(format!("{folder}/boxes_{n}.json"), text).unwrap();
        }
        let qp = problem.qp();
        let clock = Instant::now();
        let complex = complex::explore(&qp, &Options::default()).unwrap();
        let seconds = clock.elapsed().as_secs_f64();
        let (t, s) = (complex.topology(), complex.stats());
        let violations = complex.validate();
        assert!(violations.is_empty(), "n = {n}: {violations:?}");
        println!(
            "| {n} | {} | {} | {} | {:.0e} | {seconds:.4} | {:.0} | {} | {} |",
            t.regions(),
            t.edges(),
            t.vertices(),
            complex.covered() - 1.0,
            t.regions() as f64 / seconds,
            s.changed,
            s.followed
        );
    }
}
