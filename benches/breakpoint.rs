//! The cost of a breakpoint against n (number of variables) and k (size of the free set), quantile SVM on generated data.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pathqp::settings::Pricing;
use pathqp::{Follower, Settings};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::{Bias, PathProblem};
use std::sync::Arc;

/// Two overlapping clouds in d dimensions, from a fixed linear congruential sequence.
fn clouds(n: usize, d: usize) -> (Features, Vec<f64>) {
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let labels: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let mut values = Vec::with_capacity(n * d);
    for y in &labels {
        for j in 0..d {
            let noise: f64 = (0..4).map(|_| uniform()).sum::<f64>() - 2.0;
            values.push(noise + if j < 3 { 0.3 * y } else { 0.0 });
        }
    }
    (Features::Dense { rows: n, columns: d, values }, labels)
}

/// Where the events begin: beyond the degenerate stretch at τ = 0, in which the fit is constant.
const FROM: f64 = 0.12;

/// 1,000 events.
fn events(c: &mut Criterion) {
    const EVENTS: usize = 1000;
    let mut group = c.benchmark_group("breakpoint");
    group.throughput(Throughput::Elements(EVENTS as u64)).sample_size(10);
    for (n, d) in [(1_000, 20), (10_000, 20), (100_000, 20), (10_000, 5), (10_000, 80)] {
        let (features, labels) = clouds(n, d);
        let svm = QuantileSvm::new(Arc::new(features), labels, None, 1e-3, KernelKind::Linear, Bias::Augmented(1.0))
            .expect("generated data are valid");
        for pricing in [Pricing::Certified, Pricing::Full] {
            if pricing == Pricing::Full && n > 10_000 {
                continue;
            }
            let settings = Settings { pricing, max_events: Some(EVENTS), ..Settings::default() };
            let qp = svm.qp(&settings).expect("the data are valid");
            let line = qp.line(&[FROM], &[1.0]).expect("both ends lie in [0, 1]");
            let start = svm.start(&qp, &[FROM], &settings);
            group.bench_function(BenchmarkId::new(format!("{pricing:?}"), format!("n={n} d={d}")), |b| {
                b.iter_batched_ref(
                    || Follower::new(&line, &start, settings.clone()).expect("the active set is optimal"),
                    |follower| follower.run(&mut ()).expect("the path can be followed"),
                    criterion::BatchSize::PerIteration,
                );
            });
        }
    }
}

criterion_group!(benches, events);
criterion_main!(benches);
