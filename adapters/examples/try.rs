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
    println!("{} x {} {}", f.rows(), f.columns(), matches!(f, Features::Sparse { .. }));
    let svm = QuantileSvm::new(Arc::new(f), labels, None, lambda, kernel, bias).unwrap();
    let mut s = Settings::default(); if let Ok(v) = std::env::var("QR") { s.qr_columns = v.parse().unwrap(); }
    let qp = svm.qp(&s).unwrap();
    let line = qp.line(&[from], &[to]).unwrap();
    let t = std::time::Instant::now();
    let mut f = match Follower::new(&line, &Start::Anywhere, s.clone()) {
        Ok(f) => f,
        Err(e) => {
            println!("START {e}");
            return;
        }
    };
    println!("start {:?} {:?}", t.elapsed(), f.stats());
    let t = std::time::Instant::now();
    let r = f.run(&mut ());
    println!("run {:?} {:?}", t.elapsed(), r.as_ref().map_err(|e| e.to_string()));
    let path = f.into_path();
    println!("{:?}", path.stats());
    println!("breakpoints {} segments {}", path.breakpoints().len(), path.segments().len());
    if std::env::var("CHECK").is_ok() {
        let t = std::time::Instant::now();
        let v = pathqp::validate::validate(&path, &line, &1e-9);
        let mut prev = 0.0;
        if std::env::var("TAIL").is_ok() {
            for s in path.segments().iter().rev().take(12).rev() {
                println!(
                    "t {} 1-t {:e} len {:e} free {} floating {} y {} dy {}",
                    s.t,
                    1.0 - s.t,
                    s.t - prev,
                    path.free_on(path.segments().iter().position(|q| q.t == s.t).unwrap()).len(),
                    s.floating,
                    s.y,
                    s.dy
                );
                prev = s.t;
            }
        }
        let back = qp.line(&[to], &[from]).unwrap();
        match trace(&back, &Start::Anywhere, &s, &mut ()) {
            Err(e) => println!("BACK {}", e.0),
            Ok(b) => {
                let mut x: Vec<f64> = path.breakpoints().iter().map(|t| path.parameter(t)[0]).collect();
                let mut y: Vec<f64> = b.breakpoints().iter().map(|t| b.parameter(t)[0]).collect();
                x.sort_by(f64::total_cmp);
                y.sort_by(f64::total_cmp);
                let d = x.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                println!("back: {} {} worst {d:e}", x.len(), y.len());
                let near = |v: &Vec<f64>, a: f64| {
                    let k = v.partition_point(|b| *b < a - 1e-11);
                    v.get(k).is_some_and(|b| (b - a).abs() <= 1e-11)
                };
                let (ox, oy): (Vec<f64>, Vec<f64>) = (
                    x.iter().copied().filter(|a| !near(&y, *a)).collect(),
                    y.iter().copied().filter(|a| !near(&x, *a)).collect(),
                );
                println!(
                    "only forward {} {:?} only back {} {:?}",
                    ox.len(),
                    &ox[..ox.len().min(8)],
                    oy.len(),
                    &oy[..oy.len().min(8)]
                );
                if x.len() != y.len() {
                    for (a, b) in x.iter().zip(&y) {
                        if (a - b).abs() > 1e-11 {
                            println!("first difference {a} {b}");
                            break;
                        }
                    }
                }
            }
        }
        println!("violations {} {:?} {:?}", v.len(), t.elapsed(), v.iter().take(3).collect::<Vec<_>>());
    }
}
