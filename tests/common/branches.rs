//! Branches with small integer coefficients, and families of them full of coincidences.

use pathqp::envelope::{Branch, RationalFunction};
use pathqp::testing::Random;
use pathqp::{Exact, Scalar};

/// (n₀ + n₁t + n₂t²)/(d₀ + d₁t) for from ≤ t ≤ to.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    pub id: u64,
    pub n: [i64; 3],
    pub d: [i64; 2],
    pub from: i64,
    pub to: i64,
}

impl Whole {
    /// The slope of the denominator is dropped if it does not keep its sign.
    pub fn with_positive_denominator(mut self) -> Self {
        let [d0, d1] = self.d;
        if d0 + d1 * self.from <= 0 || d0 + d1 * self.to <= 0 {
            self.d = [d0.abs().max(1), 0];
        }
        self
    }

    pub fn branch<S: Scalar>(&self) -> Branch<S> {
        let function = RationalFunction {
            origin: S::zero(),
            numerator: self.n.map(S::integer),
            denominator: self.d.map(S::integer),
        };
        Branch::new(function, S::integer(self.from), S::integer(self.to)).unwrap()
    }

    /// The value, from the definition.
    pub fn value(&self, t: &Exact) -> Option<Exact> {
        let inside = Exact::integer(self.from) <= *t && *t <= Exact::integer(self.to);
        let [n0, n1, n2] = self.n.map(Exact::integer);
        let [d0, d1] = self.d.map(Exact::integer);
        inside.then(|| (n0 + n1 * t + n2 * t * t) / (d0 + d1 * t))
    }

    /// Whether both are one function: N_f D_g = N_g D_f, coefficient by coefficient.
    pub fn same_function(&self, other: &Self) -> bool {
        let product = |n: &[i64; 3], d: &[i64; 2]| {
            [n[0] * d[0], n[1] * d[0] + n[0] * d[1], n[2] * d[0] + n[1] * d[1], n[2] * d[1]]
        };
        product(&self.n, &other.d) == product(&other.n, &self.d)
    }
}

/// Up to `most` branches on [0, 6]: many of them the same function as another one with another scale, touching another
/// one in a double root, crossing it in a triple root, beginning where it ends, or of no length.
pub fn family(random: &mut Random, most: usize) -> Vec<Whole> {
    let mut branches: Vec<Whole> = Vec::new();
    let small = |random: &mut Random, k: usize| random.integer(k) as i64;
    for id in 0..1 + random.below(most) {
        let ends = [random.below(7) as i64, random.below(7) as i64];
        let (mut from, mut to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        if random.chance(0.15) {
            to = from;
        }
        let n = [small(random, 5), small(random, 5), small(random, 2)];
        let mut d = [1 + random.below(3) as i64, small(random, 1)];
        let mut n = if random.chance(0.3) { [n[0], n[1], 0] } else { n };
        if let Some(other) = (!branches.is_empty()).then(|| branches[random.below(branches.len())].clone()) {
            let (p, q) = (other.n, other.d);
            let c = random.below(7) as i64;
            match random.below(6) {
                0 => {
                    let scale = 1 + random.below(3) as i64;
                    (n, d) = (p.map(|n| n * scale), q.map(|d| d * scale));
                }
                1 => {
                    // N + k(t − c)² over the same denominator.
                    let k = small(random, 2);
                    (n, d) = ([p[0] + k * c * c, p[1] - 2 * k * c, p[2] + k], q);
                }
                2 if q[1] == 0 && p[2] != 0 => {
                    // With D = d₀ + d₁t and N/q₀ = p the numerator pD + k(t − c)³ is quadratic for k = −p₂d₁.
                    d = [7 * q[0], -q[0]];
                    let k = p[2];
                    n = [7 * p[0] - k * c * c * c, 7 * p[1] - p[0] + 3 * k * c * c, 7 * p[2] - p[1] - 3 * k * c];
                }
                3 => (from, to) = (other.to, other.to + random.below((7 - other.to) as usize) as i64),
                _ => {}
            }
        }
        let branch = Whole { id: id as u64, n, d, from, to };
        let [d0, d1] = branch.d;
        let positive = d0 + d1 * from > 0 && d0 + d1 * to > 0;
        branches.push(if positive { branch } else { branch.with_positive_denominator() });
    }
    // Numbers are not in the order of the list.
    let order = random.order(branches.len());
    branches.iter_mut().zip(order).for_each(|(branch, id)| branch.id = id as u64);
    branches
}
