//! Lower envelopes in floating point: against the definition, against exact arithmetic, and close to coincidences.

use crate::common::branches::family;
use pathqp::envelope::{Branch, Envelope, EnvelopeBuilder, RationalFunction};
use pathqp::testing::Random;
use pathqp::{Exact, Scalar, Settings};

type Numbered = (u64, Branch<f64>);

fn branch(origin: f64, numerator: [f64; 3], denominator: [f64; 2], from: f64, to: f64) -> Branch<f64> {
    Branch::new(RationalFunction { origin, numerator, denominator }, from, to).unwrap()
}

fn envelope(branches: &[Numbered]) -> Envelope<f64> {
    Envelope::of(branches.iter().cloned(), &Settings::default())
}

/// Pieces as (number, from, to).
fn pieces(envelope: &Envelope<f64>) -> Vec<(u64, f64, f64)> {
    envelope.pieces().iter().map(|p| (p.id, *p.from.number().unwrap(), *p.to.number().unwrap())).collect()
}

/// A float as the rational number that it is.
fn rational(x: f64) -> Exact {
    let bits = x.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let power = (0..exponent.abs()).fold(Exact::ONE, |power, _| power * Exact::integer(2));
    let size = if exponent < 0 { Exact::integer(mantissa) / power } else { Exact::integer(mantissa) * power };
    if x < 0.0 { -size } else { size }
}

fn exact_function(f: &RationalFunction<f64>) -> RationalFunction<Exact> {
    RationalFunction {
        origin: rational(f.origin),
        numerator: f.numerator.map(rational),
        denominator: f.denominator.map(rational),
    }
}

fn exact_branch(b: &Branch<f64>) -> Branch<Exact> {
    Branch::new(exact_function(b.function()), rational(*b.from()), rational(*b.to())).unwrap()
}

/// |n₀| + |n₁δ| + |n₂δ²| over the denominator: what rounding of a value is relative to.
fn size(f: &RationalFunction<f64>, t: f64) -> f64 {
    let (delta, [n0, n1, n2]) = (t - f.origin, f.numerator);
    (n0.abs() + (n1 * delta).abs() + (n2 * delta * delta).abs()) / f.denominator_at(&t)
}

/// m branches of all lengths on [0, 1], with origins at their beginnings.
fn random_branches(random: &mut Random, m: usize) -> Vec<Numbered> {
    let one = |random: &mut Random| {
        let length = random.unit().powi(3);
        let from = (1.0 - length) * random.unit();
        let numerator = [random.between(0.0, 4.0), random.between(-8.0, 8.0), random.between(-8.0, 8.0)];
        branch(from, numerator, [random.between(0.5, 2.0), random.between(-0.4, 2.0)], from, from + length)
    };
    (0..m as u64).map(|id| (id, one(random))).collect()
}

/// At t the envelope has the least value, up to rounding.
fn check_at(branches: &[Numbered], envelope: &Envelope<f64>, t: f64) {
    let defined = branches.iter().filter(|(_, b)| *b.from() <= t && t <= *b.to());
    let least = defined.clone().filter_map(|(_, b)| b.function().value(&t)).reduce(f64::min);
    let size = defined.map(|(_, b)| size(b.function(), t)).fold(0.0, f64::max);
    match (envelope.at(&t), least) {
        (None, None) => {}
        (Some(found), Some(least)) => {
            assert!((found.value - least).abs() <= 1e-13 * size, "at {t}: {found:?}, least {least}, size {size}");
        }
        (found, least) => panic!("at {t}: {found:?}, least {least:?}"),
    }
}

/// Pieces in order and of positive length, and both branches equal where they change places: the value of f − g there is rounding
/// of the terms of f and g, measured exactly.
fn check_ends(envelope: &Envelope<f64>, branches: &[Numbered]) {
    let ends: Vec<f64> = branches.iter().flat_map(|(_, b)| [*b.from(), *b.to()]).collect();
    for piece in envelope.pieces() {
        assert!(piece.from < piece.to);
    }
    for pair in envelope.pieces().windows(2) {
        let t = *pair[0].to.number().unwrap();
        assert!(pair[0].to <= pair[1].from);
        if pair[0].to < pair[1].from || ends.contains(&t) {
            continue;
        }
        let [f, g] = [pair[0].branch.function(), pair[1].branch.function()];
        let [u, v] = [f, g].map(|f| exact_function(f).value(&rational(t)).unwrap());
        let off = (u - v).to_f64().value().abs();
        // The slope of f − g is at most some hundred here, so that rounding of t itself is in this bound.
        assert!(off <= 1e-13 * (size(f, t) + size(g, t)), "{off:e} at {t}: {f:?} {g:?}");
    }
}

#[test]
fn random_branches_against_the_definition() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let m = 1 + random.below(60);
        let branches = random_branches(&mut random, m);
        let envelope = envelope(&branches);
        check_ends(&envelope, &branches);
        for k in 0..=1000 {
            check_at(&branches, &envelope, k as f64 / 1000.0);
        }
        for (_, b) in &branches {
            check_at(&branches, &envelope, *b.from());
            check_at(&branches, &envelope, *b.to());
        }
    }
}

#[test]
fn random_branches_against_exact_arithmetic() {
    let mut compared = 0;
    for seed in 0..150 {
        let mut random = Random(1000 + seed);
        let m = 2 + random.below(14);
        let branches = random_branches(&mut random, m);
        let found = pieces(&envelope(&branches));
        let exact = Envelope::of(branches.iter().map(|(id, b)| (*id, exact_branch(b))), &Settings::default());
        let expected: Vec<_> = exact
            .pieces()
            .iter()
            .map(|p| (p.id, p.from.to_f64(), p.to.to_f64()))
            .filter(|p| p.2 - p.1 > 1e-9)
            .collect();
        let found: Vec<_> = found.into_iter().filter(|p| p.2 - p.1 > 1e-9).collect();
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        for (f, e) in found.iter().zip(&expected) {
            assert_eq!(f.0, e.0, "seed {seed}");
            assert!((f.1 - e.1).abs() <= 1e-12 && (f.2 - e.2).abs() <= 1e-12, "seed {seed}: {f:?} {e:?}");
            compared += 1;
        }
    }
    assert!(compared > 800, "{compared}");
}

#[test]
fn coincidences_on_integers_have_the_pieces_of_exact_arithmetic() {
    let mut slivers = 0;
    for seed in 0..20_000 {
        let whole = family(&mut Random(seed), 9);
        let rounded = Envelope::<f64>::of(whole.iter().map(|b| (b.id, b.branch())), &Settings::default());
        let exact = Envelope::<Exact>::of(whole.iter().map(|b| (b.id, b.branch())), &Settings::default());
        let list: Vec<_> = exact.pieces().iter().map(|p| (p.id, p.from.to_f64(), p.to.to_f64())).collect();
        // A crossing in a triple root is known to the third root of rounding only. Where a branch ends at one, that much of another
        // branch can be left.
        let wide = |p: &(u64, f64, f64)| p.2 - p.1 > 1e-4;
        let list: Vec<_> = list.into_iter().filter(wide).collect();
        let found: Vec<_> = pieces(&rounded).into_iter().filter(wide).collect();
        slivers += usize::from(found.len() < rounded.pieces().len());
        assert_eq!(found.len(), list.len(), "seed {seed}: {found:?} {list:?}");
        for (f, e) in found.iter().zip(&list) {
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-4;
            assert!(f.0 == e.0 && close(f.1, e.1) && close(f.2, e.2), "seed {seed}: {f:?} {e:?}");
        }
        let found: Vec<u64> = rounded.isolated().iter().map(|i| i.id).collect();
        let expected: Vec<u64> = exact.isolated().iter().map(|i| i.id).collect();
        assert_eq!(found, expected, "seed {seed}");
    }
    assert!(slivers <= 10, "{slivers}");
}

#[test]
fn scales_of_values_and_of_the_parameter() {
    for seed in 0..100 {
        let mut random = Random(2000 + seed);
        let branches = random_branches(&mut random, 30);
        let expected = pieces(&envelope(&branches));
        for (value, width) in [(1e-12, 1.0), (1e12, 1.0), (1.0, 1e-12), (1.0, 1e12), (1e12, 1e-12), (1e-12, 1e12)] {
            // λ = the denominator may have any scale as well: both polynomials times the same.
            for denominator in [1e-70, 1e-12, 1.0, 1e12, 1e70] {
                let scaled = branches.iter().map(|(id, b)| {
                    let (f, r) = (b.function(), value * denominator);
                    let [n0, n1, n2] = f.numerator;
                    let numerator = [r * n0, r * n1 / width, r * n2 / width / width];
                    let denominator = [denominator * f.denominator[0], denominator * f.denominator[1] / width];
                    (*id, branch(f.origin * width, numerator, denominator, b.from() * width, b.to() * width))
                });
                let found = pieces(&envelope(&scaled.collect::<Vec<_>>()));
                assert_eq!(found.len(), expected.len(), "seed {seed}: {value:e} {width:e}");
                for (f, e) in found.iter().zip(&expected) {
                    let close = |a: f64, b: f64| (a / width - b).abs() <= 1e-11;
                    assert!(f.0 == e.0 && close(f.1, e.1) && close(f.2, e.2), "seed {seed}: {f:?} {e:?}");
                }
            }
        }
    }
}

#[test]
fn far_from_zero_an_origin_nearby_keeps_all_digits() {
    // t − 10⁹ ∈ [0, 1]: crossing at δ = 1/4 and 3/4, exact as (δ − 1/4)(δ − 3/4) vanishes there.
    let o = 1e9;
    let f = branch(o, [0.1875, -1.0, 1.0], [1.0, 1.0], o, o + 1.0);
    let g = branch(o, [0.0, 0.0, 0.0], [1.0, 0.0], o, o + 1.0);
    assert_eq!(
        pieces(&envelope(&[(0, f), (1, g)])),
        [(1, o, o + 0.25), (0, o + 0.25, o + 0.75), (1, o + 0.75, o + 1.0)]
    );
}

#[test]
fn the_same_within_rounding_is_the_same() {
    for seed in 0..300 {
        let mut random = Random(3000 + seed);
        let (_, f) = random_branches(&mut random, 1).swap_remove(0);
        let noise = |random: &mut Random, x: f64, size: f64| x * (1.0 + random.between(-size, size));
        let noisy = |random: &mut Random, size: f64| {
            let RationalFunction { origin, numerator, denominator } = f.function().clone();
            let numerator = numerator.map(|n| noise(random, n, size));
            branch(origin, numerator, denominator.map(|d| noise(random, d, size)), *f.from(), *f.to())
        };
        let copies: Vec<Numbered> = (0..8).map(|id| (id, noisy(&mut random, 5e-16))).collect();
        assert_eq!(pieces(&envelope(&copies)), [(0, *f.from(), *f.to())], "seed {seed}");
        // Differences well above rounding are seen: a value lower by 10⁻¹² of its terms, everywhere.
        let mut lower = f.function().clone();
        let terms = size(&lower, *f.from()).max(size(&lower, *f.to()));
        let d = lower.denominator;
        for (n, d) in lower.numerator.iter_mut().zip([d[0], d[1]]) {
            *n -= 1e-12 * terms.max(1.0) * d;
        }
        let lower = Branch::new(lower, *f.from(), *f.to()).unwrap();
        assert_eq!(pieces(&envelope(&[(0, f.clone()), (1, lower)])), [(1, *f.from(), *f.to())], "seed {seed}");
    }
}

#[test]
fn touching_is_no_crossing_and_close_roots_are_two() {
    let zero = branch(0.0, [0.0; 3], [1.0, 0.0], 0.0, 1.0);
    for seed in 0..1000 {
        let mut random = Random(4000 + seed);
        let (c, k) = (random.between(0.01, 0.99), random.between(0.1, 10.0));
        let d = [random.between(0.5, 2.0), random.between(-0.4, 2.0)];
        let parabola = |w: f64| branch(0.0, [k * (c * c - w * w), -2.0 * k * c, k], d, 0.0, 1.0);
        assert_eq!(pieces(&envelope(&[(0, zero.clone()), (1, parabola(0.0))])), [(0, 0.0, 1.0)], "seed {seed}");
        for w in [1e-2, 1e-4, 1e-6] {
            let found = pieces(&envelope(&[(0, zero.clone()), (1, parabola(w))]));
            let lower = found.iter().filter(|p| p.0 == 1).map(|p| (p.1, p.2)).collect::<Vec<_>>();
            let [(from, to)] = lower.as_slice() else { panic!("seed {seed}, {w:e}: {found:?}") };
            // The coefficients carry rounding of 10⁻¹⁶, by which roots 2w apart move by 10⁻¹⁶/w.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-15 / w;
            assert!(close(*from, (c - w).max(0.0)) && close(*to, (c + w).min(1.0)), "seed {seed}, {w:e}: {found:?}");
        }
    }
}

#[test]
fn three_crossings() {
    // f − g = k(t − a)(t − b)(t − c)/(D(1 + t)): with f = 0 over 1 it would need a cubic; over D = d₀ − t the product gD cancels it.
    for seed in 0..500 {
        let mut random = Random(5000 + seed);
        let mut roots = [random.unit(), random.unit(), random.unit()];
        roots.sort_by(f64::total_cmp);
        if roots[1] - roots[0] < 1e-3 || roots[2] - roots[1] < 1e-3 || roots[0] < 1e-3 || roots[2] > 0.999 {
            continue;
        }
        let [a, b, c] = roots;
        let (d0, p0, p1) = (random.between(1.5, 3.0), random.between(-2.0, 2.0), random.between(-2.0, 2.0));
        // p(t) = p₀ + p₁t + t², N = p(d₀ − t) + (t − a)(t − b)(t − c), whose cubic terms cancel.
        let n = [p0 * d0 - a * b * c, p1 * d0 - p0 + a * b + a * c + b * c, d0 - p1 - (a + b + c)];
        let f = branch(0.0, [p0, p1, 1.0], [1.0, 0.0], 0.0, 1.0);
        let g = branch(0.0, n, [d0, -1.0], 0.0, 1.0);
        let found = pieces(&envelope(&[(0, f), (1, g)]));
        assert_eq!(found.iter().map(|p| p.0).collect::<Vec<_>>(), [1, 0, 1, 0], "seed {seed}");
        for (piece, root) in found.iter().skip(1).zip(roots) {
            assert!((piece.1 - root).abs() <= 1e-9, "seed {seed}: {found:?} {roots:?}");
        }
    }
}

#[test]
fn what_lies_above_leaves_nothing_behind() {
    // 50,000 branches of which few are ever lowest: the builder holds their envelopes only.
    let mut random = Random(6);
    let mut builder = EnvelopeBuilder::new(&Settings::default());
    let mut most = 0;
    for id in 0..50_000 {
        let numerator = [random.between(0.0, 4.0), random.between(-8.0, 8.0), random.between(-8.0, 8.0)];
        builder.add(id, branch(0.0, numerator, [random.between(0.5, 2.0), random.between(-0.4, 2.0)], 0.0, 1.0));
        most = most.max(builder.size());
    }
    let envelope = builder.finish();
    assert!(envelope.pieces().len() < 60 && most < 200, "{} {most}", envelope.pieces().len());
}

#[test]
fn many_branches_through_one_point_leave_no_slivers() {
    // p(δ)/(d₀ + d₁δ) + v with p(0) = 0, δ = t − c: all of them pass through (c, v); written about 0, so that rounding moves them.
    for seed in 0..1000 {
        let mut random = Random(7000 + seed);
        let (c, v) = (random.between(0.1, 0.9), random.between(-2.0, 2.0));
        let branches: Vec<Numbered> = (0..12)
            .map(|id| {
                let (p1, p2) = (random.between(-3.0, 3.0), random.between(-0.1, 0.1));
                let (d0, d1) = (random.between(0.5, 2.0), random.between(-0.4, 2.0));
                let n = [p2 * c * c - p1 * c + v * d0, p1 - 2.0 * p2 * c + v * d1, p2];
                (id, branch(0.0, n, [d0, d1], 0.0, 1.0))
            })
            .collect();
        let found = pieces(&envelope(&branches));
        assert!(found.iter().all(|p| p.2 - p.1 > 1e-10), "seed {seed}: {found:?}");
        let at = found.iter().find(|p| (p.1 - c).abs() < 1e-12);
        assert!(at.is_some(), "seed {seed}: {found:?}, {c}");
    }
}
