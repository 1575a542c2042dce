//! The lower envelope of m branches, streamed into a builder: how long it takes, and how many pieces are held at most.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pathqp::envelope::{Branch, Envelope, EnvelopeBuilder, RationalFunction};
use pathqp::{Exact, Scalar, Settings};

/// How branches lie on [0, 1].
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// All of them over the whole range.
    Long,
    /// About 100 of them over each t, from left to right, as a sweep finds them.
    Sweep,
    /// The same in random order.
    Shuffled,
}

/// Numbers in [0, 1) from a fixed linear congruential sequence.
fn uniform() -> impl FnMut() -> f64 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// m branches around smooth curves, each with its origin at its beginning.
fn branches(layout: Layout, m: usize) -> Vec<(u64, Branch<f64>)> {
    let mut uniform = uniform();
    let width = 200.0 / m as f64;
    let mut all: Vec<(f64, u64, Branch<f64>)> = (0..m)
        .map(|id| {
            let (from, length) = match layout {
                Layout::Long => (0.0, 1.0),
                Layout::Sweep | Layout::Shuffled => ((1.0 - width) * uniform(), width * uniform()),
            };
            let mut about = |middle: f64, half: f64| middle + half * (2.0 * uniform() - 1.0);
            // Slopes are such that a branch changes by about as much as branches differ.
            let numerator = [about(2.0, 2.0), about(0.0, 4.0) / length, about(0.0, 4.0) / (length * length)];
            let denominator = [about(1.2, 0.7), about(0.8, 1.2) / length];
            let function = RationalFunction { origin: from, numerator, denominator };
            let order = if matches!(layout, Layout::Shuffled) { uniform() } else { from };
            (order, id as u64, Branch::new(function, from, from + length).expect("the denominator is positive"))
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, id, branch)| (id, branch)).collect()
}

fn stream(branches: &[(u64, Branch<f64>)]) -> Envelope<f64> {
    Envelope::of(branches.iter().cloned(), &Settings::default())
}

fn floating(c: &mut Criterion) {
    let mut group = c.benchmark_group("envelope");
    group.sample_size(10);
    for m in [100_000, 1_000_000] {
        for layout in [Layout::Long, Layout::Sweep, Layout::Shuffled] {
            let branches = branches(layout, m);
            let mut builder = EnvelopeBuilder::new(&Settings::default());
            let mut most = 0;
            for (id, branch) in branches.iter().cloned() {
                builder.add(id, branch);
                most = most.max(builder.size());
            }
            let pieces = builder.finish().pieces().len();
            println!("{layout:?}, m = {m}: {pieces} pieces, {most} held at most");
            group.throughput(Throughput::Elements(m as u64));
            group.bench_with_input(BenchmarkId::new(format!("{layout:?}"), m), &branches, |b, branches| {
                b.iter(|| stream(branches));
            });
        }
    }
}

/// 1,000 branches with small integers on exact scalars.
fn exact(c: &mut Criterion) {
    let mut uniform = uniform();
    let mut integer = |from: i64, to: i64| Exact::integer(from + (uniform() * (to - from + 1) as f64) as i64);
    let branches: Vec<(u64, Branch<Exact>)> = (0..1000)
        .map(|id| {
            let numerator = [integer(0, 40), integer(-20, 20), integer(-2, 2)];
            let denominator = [integer(1, 4), integer(0, 2)];
            let from = integer(0, 80);
            let to = from.clone() + integer(1, 20);
            let function = RationalFunction { origin: from.clone(), numerator, denominator };
            (id, Branch::new(function, from, to).expect("the denominator is positive"))
        })
        .collect();
    let settings = Settings::default();
    let mut group = c.benchmark_group("envelope");
    group.sample_size(10);
    group.bench_function("Exact/1000", |b| b.iter(|| Envelope::of(branches.iter().cloned(), &settings)));
}

criterion_group!(benches, floating, exact);
criterion_main!(benches);
