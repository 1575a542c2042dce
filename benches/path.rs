//! Whole paths over all τ on real data read from a folder beside the project (skipped where it is absent), and the
//! recovery of one τ.

use criterion::{Criterion, criterion_group, criterion_main};
use pathqp::settings::Pricing;
use pathqp::{Settings, Start, trace};
use pathqp_adapters::dataset::{ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::{Bias, PathProblem};
use std::path::PathBuf;
use std::sync::Arc;

fn load(name: &str) -> Option<QuantileSvm> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/binary").join(name);
    let data = read(&file, &ReadOptions::default()).ok()?;
    let (labels, _) = two_classes(&data, None).ok()?;
    let features = Scaler::fit(&data.features, Scaling::MinMax).apply(&data.features).ok()?.compact();
    QuantileSvm::new(Arc::new(features), labels, None, 1e-3, KernelKind::Linear, Bias::Augmented(1.0)).ok()
}

fn paths(c: &mut Criterion) {
    let mut group = c.benchmark_group("path");
    group.sample_size(10);
    for name in ["pima.svm", "spambase.svm"] {
        let Some(svm) = load(name) else {
            println!("{name}: data not found, skipped");
            continue;
        };
        for pricing in [Pricing::Certified, Pricing::Full] {
            let settings = Settings { pricing, ..Settings::default() };
            let qp = svm.qp(&settings).expect("the data are valid");
            let line = qp.line(&[0.0], &[1.0]).expect("0 and 1 lie in the domain");
            group.bench_function(format!("{name} {pricing:?}"), |b| {
                b.iter(|| trace(&line, &Start::Anywhere, &settings, &mut ()).expect("the path can be followed"));
            });
        }
        let settings = Settings::default();
        let qp = svm.qp(&settings).expect("the data are valid");
        let line = qp.line(&[0.0], &[1.0]).expect("0 and 1 lie in the domain");
        let path = trace(&line, &Start::Anywhere, &settings, &mut ()).expect("the path can be followed");
        let mut tau = 0.0;
        group.bench_function(format!("{name} recover one tau"), |b| {
            b.iter(|| {
                tau = (tau + 0.618_033_988_749_895) % 1.0;
                path.at(&tau).expect("tau lies on the path")
            });
        });
    }
}

criterion_group!(benches, paths);
criterion_main!(benches);
