use pathqp::Settings;
use pathqp::complex::{self, Options};
use pathqp::Range;
use pathqp_adapters::{Adapter, Bias};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (file, kernel, n): (&str, KernelKind, usize) = (&args[1], args[2].parse().unwrap(), args[3].parse().unwrap());
    let tau: Vec<f64> = args[4].split(',').map(|s| s.parse().unwrap()).collect();
    let (hi, lo, factor): (f64, f64, f64) = (args[5].parse().unwrap(), args[6].parse().unwrap(), args[7].parse().unwrap());
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<Vec<f64>> = text.lines().skip(1).take(n).map(|l| l.split(',').map(|v| v.trim().parse().unwrap()).collect()).collect();
    let d = rows[0].len() - 1;
    let mut x: Vec<f64> = rows.iter().flat_map(|r| r[..d].to_vec()).collect();
    let y: Vec<f64> = rows.iter().map(|r| r[d]).collect();
    if args.get(8).is_some() {
        for j in 0..d {
            let col: Vec<f64> = (0..rows.len()).map(|i| x[i * d + j]).collect();
            let m = col.iter().sum::<f64>() / col.len() as f64;
            let s = (col.iter().map(|v| (v - m) * (v - m)).sum::<f64>() / col.len() as f64).sqrt();
            for i in 0..rows.len() { x[i * d + j] = (x[i * d + j] - m) / s; }
        }
    }
    let kqr = Kqr::new(Arc::new(Features::Dense { rows: rows.len(), columns: d, values: x }), y, None, kernel, Bias::Intercept).unwrap();
    let settings = Settings::default();
    for t in [0.13, 0.37, 0.51, 0.83] { println!("largest knot at {t}: {:?}", kqr.largest_knot(t, &settings)); }
    let mut top = hi;
    while top > lo {
        let from = top / factor;
        let qp = kqr.qp(&settings).unwrap().within(vec![Range::new(tau[0], tau[1]), Range::new(from, top)]).unwrap();
        let point = [tau[0], top];
        let start = kqr.start(&qp, &point, &settings);
        let options = Options { point: Some(point), start, settings: settings.clone(), scale: [1.0, 1.0] };
        let clock = Instant::now();
        let (mut regions, mut area, mut free, mut weak) = (0, 0.0, 0, 0);
        let whole = (tau[1] - tau[0]) * (top - from);
        let out = complex::stream(&qp, &options, &mut |_, r| {
            regions += 1;
            let c = r.corners(&qp, &options).unwrap();
            let n = c.len();
            let a: f64 = (0..n).map(|k| { let (p, q) = (c[k].0, c[(k + 1) % n].0); p[0] * q[1] - p[1] * q[0] }).sum::<f64>() / 2.0;
            area += a;
            free = free.max(r.free().count());
            weak += usize::from(!r.is_unique());
            area < whole * 1.001
        });
        println!("λ {from:.3e} to {top:.3e}: {regions} regions, {weak} weak, covered {:.3e}, max free {free}, {:?} {:.2} s", area / whole - 1.0, out.map(|o| (o.1, o.0.changed, o.0.followed)), clock.elapsed().as_secs_f64());
        top = from;
    }
}
