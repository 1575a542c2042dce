//! scratch
use pathqp::*;
use pathqp_adapters::{dataset::*, kernel::KernelKind, quantile_svm::*};
use std::sync::Arc;
fn main() {
    let f = Features::Dense { rows: 3, columns: 2, values: vec![0.0, 1.0, 1.0, 0.0, 2.0, 2.0] };
    let svm = QuantileSvm::new(Arc::new(f), vec![1.0, -1.0, -1.0], None, 0.01, KernelKind::Linear, Bias::None).unwrap();
    let s = Settings::default();
    let qp = svm.qp(&s).unwrap();
    let line = qp.line(&[0.0], &[1.0]).unwrap();
    let mut f = Follower::new(&line, &Start::Anywhere, s.clone()).unwrap();
    loop { let r = f.step(); println!("t {} {:?} {:?} {:?}", f.position(), f.status(), r, f.stats().zero_steps); if r.unwrap().is_some() { break } }
    let path = trace(&line, &Start::Anywhere, &s, &mut ()).unwrap();
    for (k, seg) in path.segments().iter().enumerate() {
        let p = path.law_at(k, &seg.t).unwrap();
        println!("{} {:?} {:?} bp {}", seg.t, path.status_on(k), p.x, seg.breakpoint);
    }
    println!("{:?} {:?}", path.stop(), path.stats());
    println!("{:?}", pathqp::validate::validate(&path, &line, &1e-9));
}
