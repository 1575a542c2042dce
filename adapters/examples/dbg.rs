//! scratch
use pathqp::*;
use pathqp_adapters::{dataset::*, kernel::KernelKind, quantile_svm::*};
use std::sync::Arc;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let data = read(std::path::Path::new(&a[1]), &ReadOptions::default()).unwrap();
    let lambda: f64 = a[2].parse().unwrap();
    let kernel: KernelKind = a[3].parse().unwrap();
    let bias = match a[4].as_str() {
        "intercept" => Bias::Intercept,
        "augmented" => Bias::Augmented(1.0),
        _ => Bias::None,
    };
    let (from, to): (f64, f64) = (a[5].parse().unwrap(), a[6].parse().unwrap());
    let scaling: Scaling = a.get(7).map_or(Scaling::None, |s| s.parse().unwrap());
    let (labels, _) = two_classes(&data, None).unwrap();
    let f = Scaler::fit(&data.features, scaling).apply(&data.features).unwrap().compact();
    let svm = QuantileSvm::new(Arc::new(f), labels, None, lambda, kernel, bias).unwrap();
    let s = Settings::default();
    let qp = svm.qp(&s).unwrap();
    let line = qp.line(&[from], &[to]).unwrap();
    let mut f = Follower::new(&line, &Start::Anywhere, s.clone()).unwrap();
    let r = f.run(&mut ());
    println!("{:?}", r.as_ref().map_err(|e| e.to_string()));
    let path = f.into_path();
    let segs = path.segments();
    for v in pathqp::validate::validate(&path, &line, &1e-10).iter().take(5) {
        if let pathqp::validate::Violation::Residual { t, residual, index } = v {
            println!("--- t {t} residual {residual:e} index {index}");
            let k = segs.partition_point(|s| s.t < *t);
            for j in k.saturating_sub(2)..(k + 3).min(segs.len()) {
                let next = segs.get(j + 1).map_or(*path.end(), |s| s.t);
                for (w, tt) in [("start", segs[j].t), ("end", next)] {
                    let p = path.law_at(j, &tt).unwrap();
                    let c = Certificate::new(&line, &tt, &p.x, &p.y);
                    println!(
                        "seg {j} {w} t {tt} len {:e} free {} status {:?} x {:e} u {:e} primal {:e} stat {:e} row {:e} worst {} inF {}",
                        next - segs[j].t,
                        p.free.len(),
                        path.status_on(j)[*index],
                        p.x[*index],
                        line.bounds.upper_at(*index, &tt).unwrap(),
                        c.primal,
                        c.stationarity,
                        c.row,
                        c.worst,
                        p.free.contains(&c.worst)
                    );
                }
            }
        }
    }
}
