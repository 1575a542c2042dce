//! scratch
use pathqp::*;
use pathqp_adapters::{dataset::*, kernel::KernelKind, quantile_svm::*};
use std::sync::Arc;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let data = read(std::path::Path::new(&a[1]), &ReadOptions::default()).unwrap();
    let (labels, _) = two_classes(&data, None).unwrap();
    let f = Scaler::fit(&data.features, Scaling::MinMax).apply(&data.features).unwrap().compact();
    let svm = QuantileSvm::new(Arc::new(f), labels, None, 1e-3, KernelKind::Linear, Bias::Augmented(1.0)).unwrap();
    let s = Settings::default();
    let qp = svm.qp(&s).unwrap();
    let line = qp.line(&[0.0], &[1.0]).unwrap();
    let mut f = Follower::new(&line, &Start::Anywhere, s.clone()).unwrap();
    loop {
        let before = f.status().to_vec();
        match f.step() {
            Ok(Some(s)) => {
                println!("{s:?}");
                break;
            }
            Ok(None) => {}
            Err(e) => {
                println!("{e}");
                break;
            }
        }
        if *f.position() > 0.99985 {
            let ch: Vec<_> = before
                .iter()
                .zip(f.status())
                .enumerate()
                .filter(|(_, (a, b))| a != b)
                .map(|(i, (a, b))| format!("{i}:{a:?}->{b:?}"))
                .collect();
            println!(
                "t {} free {} {:?} zero {} jumps {}",
                f.position(),
                f.status().iter().filter(|s| **s == pathqp::Status::Free).count(),
                ch,
                f.stats().zero_steps,
                f.stats().jumps
            );
        }
    }
}
