//! Laws that are fast beside the digits of t: whole sequences of events within a rounding of it, and boxes next to nothing.

use pathqp::hessian::{Gram, Rows};
use pathqp::observe::{Event, Observer, Starting};
use pathqp::problem::Bounds;
use pathqp::testing::Random;
use pathqp::{Certificate, Line, Path, PathError, Settings, Start, Stop, trace};
use std::sync::Arc;

/// Quantile regression of y on x with an intercept and the penalty λ/2·w² from τ = `begin` to 1, as the dual of src/kqr.rs of the adapters has it:
/// w = Σ xᵢuᵢ/λ and the intercept −y/λ.
fn quantile_line(x: &[f64], y: &[f64], lambda: f64, begin: f64) -> Line<f64> {
    let n = x.len();
    Line {
        hessian: Arc::new(Gram::new(n, Rows::Dense { columns: 1, values: x.to_vec() }, 1.0).unwrap()),
        c0: y.iter().map(|y| -lambda * y).collect(),
        c1: vec![0.0; n],
        bounds: Bounds { lower: vec![Some([-1.0, 1.0]); n], upper: vec![Some([0.0, 1.0]); n] },
        a: vec![1.0; n],
        b0: 0.0,
        b1: 0.0,
        rows: None,
        origin: vec![0.0],
        direction: vec![1.0],
        begin,
        end: Some(1.0),
    }
}

/// Numbers of a table as it is: x in the hundreds, y about half of it.
fn table(seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(seed);
    let x: Vec<f64> = (0..n).map(|_| 300.0 + 2000.0 * random.unit()).collect();
    let y = x.iter().map(|x| 80.0 + 0.56 * x + 0.2 * x * (random.unit() - 0.5)).collect();
    (x, y)
}

/// Σ ρ_τ(yᵢ − wxᵢ − b).
fn loss((x, y): (&[f64], &[f64]), tau: f64, w: f64, b: f64) -> f64 {
    x.iter().zip(y).map(|(x, y)| y - w * x - b).map(|r| (tau * r).max((tau - 1.0) * r)).sum()
}

/// The line with the least loss: one of those through two rows (Koenker 2005, section 2.2).
fn unpenalised(rows: (&[f64], &[f64]), tau: f64) -> (f64, f64) {
    let (x, y) = rows;
    let mut best = (f64::INFINITY, 0.0);
    for i in 0..x.len() {
        for j in 0..i {
            let w = (y[i] - y[j]) / (x[i] - x[j]);
            let found = loss(rows, tau, w, y[i] - w * x[i]);
            if found < best.0 {
                best = (found, w);
            }
        }
    }
    best
}

fn assert_certified(line: &Line<f64>, path: &Path<f64>, what: &str) {
    assert!(path.is_complete(), "{what}: {:?}", path.stop());
    // Known to fail: one of these 36 paths within 10⁻¹⁴ of τ = 1, where the objective vanishes (a z of 2 % of its terms).
    let apart = line.length().unwrap() * 1e-13;
    let inner = |t: f64| t == line.begin || t == *path.end() || (t - line.begin).min(path.end() - t) > apart;
    for segment in path.segments().iter().filter(|segment| inner(segment.t)) {
        for point in [path.at(&segment.t), path.before(&segment.t)].into_iter().flatten() {
            let certificate = Certificate::of(line, &point);
            assert!(certificate.holds(&1e-9), "{what} at {}: {certificate:?}", segment.t);
        }
    }
}

/// With f the penalised line and f* the one without a penalty, loss(f) + λ/2·w² ≤ loss(f*) + λ/2·w*²: whatever the penalty is, the loss is no more than that above
/// the least.
#[test]
fn quantile_lines_go_to_those_without_a_penalty() {
    for seed in 0..4 {
        let (x, y) = table(seed, 40);
        let rows = (&x[..], &y[..]);
        for k in [3, 5, 6, 7, 8, 9, 10, 12, 14] {
            let lambda = 10f64.powi(-k);
            let line = quantile_line(&x, &y, lambda, 0.0);
            let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
            assert_certified(&line, &path, &format!("{seed}, {lambda:e}"));
            for tau in [0.0612, 0.237, 0.511, 0.839] {
                let point = path.at(&tau).unwrap();
                let (w, b) = (point.fit.unwrap()[0] / lambda, -point.y / lambda);
                let (least, slope) = unpenalised(rows, tau);
                let above = loss(rows, tau, w, b) - least;
                let allowed = lambda / 2.0 * slope * slope + 1e-9 * least;
                assert!(above <= allowed, "{seed}, {lambda:e} at {tau}: {above:e} above {least}, {w} and {slope}");
            }
        }
    }
}

/// The cost-sensitive SVM on 40 rows of four whole numbers up to 113, C₊ from 0 to `sum` with C₊ + C₋ fixed.
fn cost_line(seed: u64, sum: f64) -> Line<f64> {
    let mut random = Random(seed);
    let (n, d) = (40, 4);
    let y: Vec<f64> = (0..n).map(|i| if i % 5 < 2 { 1.0 } else { -1.0 }).collect();
    let values = (0..n * d).map(|k| y[k / d] * (20.0 + random.below(90) as f64 + 4.0 * y[k / d])).collect();
    let upper = |y: &f64| Some(if *y > 0.0 { [0.0, 1.0] } else { [sum, -1.0] });
    Line {
        hessian: Arc::new(Gram::new(n, Rows::Dense { columns: d, values }, 1.0).unwrap()),
        c0: vec![-1.0; n],
        c1: vec![0.0; n],
        bounds: Bounds { lower: vec![Some([0.0, 0.0]); n], upper: y.iter().map(upper).collect() },
        a: y,
        b0: 0.0,
        b1: 0.0,
        rows: None,
        origin: vec![0.0],
        direction: vec![1.0],
        begin: 0.0,
        end: Some(sum),
    }
}

/// With next to no cost the terms of z are one and what they differ by 10⁻⁶ and less.
#[test]
fn costs_next_to_nothing_are_followed_to_the_end() {
    for (seed, sum) in [(1, 1e-9), (2, 1e-11), (3, 1e-12), (4, 1e-13), (5, 1e-16), (6, 1e-20)] {
        let line = cost_line(seed, sum);
        let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        assert!(path.stats().events < 20 * line.n(), "{sum:e}: {:?}", path.stats());
        assert_certified(&line, &path, &format!("{sum:e}"));
    }
}

/// Says no after so many events, and counts how often it is asked, and on the way to a start.
struct Patience {
    left: usize,
    asked: usize,
    starting: usize,
}

impl Patience {
    fn new(left: usize) -> Self {
        Patience { left, asked: 0, starting: 0 }
    }
}

impl Observer<f64> for Patience {
    fn event(&mut self, _event: &Event<'_, f64>) -> bool {
        self.asked += 1;
        self.asked < self.left
    }

    fn start_event(&mut self, event: &Event<'_, f64>) -> bool {
        self.starting += 1;
        self.event(event)
    }
}

#[test]
fn limits_and_observers_reach_the_way_to_the_start() {
    let (x, y) = table(9, 30);
    let line = quantile_line(&x, &y, 1.0, 0.4);
    let settings = |max_events| Settings { max_events, ..Settings::default() };
    let mut whole = Patience::new(usize::MAX);
    trace(&line, &Start::Anywhere, &settings(None), &mut whole).unwrap();
    assert!(whole.starting > 5, "{}", whole.starting);
    for most in 1..=whole.starting {
        let mut patience = Patience::new(most);
        let asked = trace(&line, &Start::Anywhere, &settings(None), &mut patience);
        assert!(matches!(asked, Err(f) if f.0 == PathError::StartStopped { events: most }), "{most}");
        assert_eq!(patience.asked, most);
        let mut nobody = ();
        let mut starting = Starting::new(&mut nobody, Some(most));
        let limited = trace(&line, &Start::Anywhere, &settings(None), &mut starting);
        assert!(
            matches!(limited, Err(f) if f.0 == PathError::StartStopped { events: most } && f.1.is_none()),
            "{most}"
        );
        assert_eq!(starting.stopped(), PathError::StartLimit { events: most });
    }
    let limit = settings(Some(1)).start_limit(30).unwrap();
    let limited = trace(&line, &Start::Anywhere, &settings(Some(1)), &mut ());
    assert_eq!(limited.is_err_and(|f| f.0 == PathError::StartLimit { events: limit }), whole.starting >= limit);
}

/// Where double precision does not tell and a stretch is followed in a wider scalar, an observer is asked there as well, and never again after it has said no.
#[test]
fn limits_and_observers_reach_detours() {
    let mut tried = 0;
    for (line, seed) in (1..9).flat_map(|seed| [1e-11, 1e-12, 1e-13].map(|sum| (cost_line(seed, sum), seed))) {
        let start = Start::Anywhere;
        let mut whole = Patience::new(usize::MAX);
        let followed = trace(&line, &start, &Settings::default(), &mut whole);
        if !followed.is_ok_and(|path| path.stats().detours > 0) {
            continue;
        }
        tried += 1;
        for most in (1..=whole.asked).step_by(7) {
            let mut patience = Patience::new(most);
            match trace(&line, &start, &Settings::default(), &mut patience) {
                Ok(path) => {
                    assert!(matches!(path.stop(), Some(Stop::Asked { .. })), "{seed}, {most}: {:?}", path.stop())
                }
                Err(failure) => {
                    assert!(matches!(failure.0, PathError::StartStopped { .. }), "{seed}, {most}: {failure}")
                }
            }
            assert_eq!(patience.asked, most, "{seed}");
            let settings = Settings { max_events: Some(most), ..Settings::default() };
            if let Ok(path) = trace(&line, &start, &settings, &mut ()) {
                assert!(path.stats().events <= most + 1, "{seed}, {most}: {:?}", path.stats());
            }
        }
    }
    assert!(tried > 0, "none of them takes a detour");
}
