//! scratch
use pathqp::*;
use pathqp_adapters::{dataset::*, kernel::KernelKind, quantile_svm::*};
use std::sync::Arc;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let data = read(std::path::Path::new(&a[1]), &ReadOptions::default()).unwrap();
    let (labels, _) = two_classes(&data, None).unwrap();
    let f = data.features.clone();
    let svm = QuantileSvm::new(Arc::new(f), labels, None, 1e-3, KernelKind::Linear, Bias::Augmented(1.0)).unwrap();
    let s = Settings::default();
    let qp = svm.qp(&s).unwrap();
    for (from, to) in [(0.0, 1.0), (1.0, 0.0)] {
        let line = qp.line(&[from], &[to]).unwrap();
        let path = trace(&line, &Start::Anywhere, &s, &mut ()).unwrap();
        let segs = path.segments();
        let pat = |k: usize| -> Vec<f64> {
            let next = segs.get(k + 1).map_or(*path.end(), |s| s.t);
            let t = (segs[k].t + next) / 2.0;
            let p = path.law_at(k, &t).unwrap();
            let mut hx = pathqp::hessian::multiply(qp.hessian().as_ref(), &p.x);
            hx.iter_mut().for_each(|v| *v -= 1.0);
            hx
        };
        for k in 1..segs.len() {
            let th = path.parameter(&segs[k].t)[0];
            if (th > 0.87154 && th < 0.87168) || (th > 0.99607 && th < 0.996096) {
                let (p, q) = (pat(k - 1), pat(k));
                let cls = |v: f64| {
                    if v.abs() < 1e-12 {
                        0
                    } else if v > 0.0 {
                        1
                    } else {
                        -1
                    }
                };
                let d: Vec<_> = (0..p.len()).filter(|&i| cls(p[i]) != cls(q[i])).map(|i| (i, p[i], q[i])).collect();
                let st = (path.status_on(k - 1), path.status_on(k));
                let ch: Vec<_> = (0..p.len())
                    .filter(|&i| st.0[i] != st.1[i])
                    .map(|i| format!("{i}:{:?}->{:?}", st.0[i], st.1[i]))
                    .collect();
                println!(
                    "{th:.12} bp {} len {:e} free {} diff {:?} changes {:?}",
                    segs[k].breakpoint,
                    segs.get(k + 1).map_or(*path.end(), |s| s.t) - segs[k].t,
                    path.free_on(k).len(),
                    &d[..d.len().min(6)],
                    ch
                );
            }
        }
        println!("======");
    }
}
