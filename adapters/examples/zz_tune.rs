use pathqp::Settings;
use pathqp_adapters::bilevel::{Domain, Fold, bilevel, recount};
use pathqp_adapters::Bias;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use std::sync::Arc;

fn cpu() -> f64 {
    std::fs::read_to_string("/proc/self/schedstat").ok().and_then(|s| s.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) as f64 / 1e9
}

fn read(file: &str, stats: &mut Option<Vec<(f64, f64)>>, standard: bool, most: usize) -> (Features, Vec<f64>) {
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<Vec<f64>> = text.lines().skip(1).take(most).map(|l| l.split(',').map(|v| v.trim().parse().unwrap()).collect()).collect();
    let d = rows[0].len() - 1;
    let mut x: Vec<f64> = rows.iter().flat_map(|r| r[..d].to_vec()).collect();
    let y: Vec<f64> = rows.iter().map(|r| r[d]).collect();
    if standard {
        let n = rows.len();
        let s = stats.get_or_insert_with(|| (0..d).map(|j| {
            let m = (0..n).map(|i| x[i * d + j]).sum::<f64>() / n as f64;
            let s = ((0..n).map(|i| (x[i * d + j] - m).powi(2)).sum::<f64>() / n as f64).sqrt();
            (m, if s > 0.0 { s } else { 1.0 })
        }).collect());
        for i in 0..n { for j in 0..d { x[i * d + j] = (x[i * d + j] - s[j].0) / s[j].1; } }
    }
    (Features::Dense { rows: rows.len(), columns: d, values: x }, y)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |name: &str| std::env::var(name).ok();
    let kernel: KernelKind = args[2].parse().unwrap();
    let standard = get("STANDARD").is_some();
    let mut stats = None;
    let most = get("N").and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let (x, y) = read(&args[1], &mut stats, standard, most);
    let settings = Settings::default();
    let folds = match args[3].parse::<usize>() {
        Ok(k) => Fold::split(&x, &y, None, kernel, Bias::Intercept, k).unwrap(),
        Err(_) => {
            let (v, w) = read(&args[3], &mut stats, standard, usize::MAX);
            vec![Fold::new(Kqr::new(Arc::new(x), y, None, kernel, Bias::Intercept).unwrap(), v, w, None).unwrap()]
        }
    };
    let number = |name: &str| get(name).and_then(|v| v.parse::<f64>().ok());
    let domain = Domain {
        lambda_from: number("FROM"),
        lambda_to: number("TO"),
        everywhere: get("ALL").is_some(),
        ..Domain::tau(number("T0").unwrap_or(0.1), number("T1").unwrap_or(0.9))
    };
    let before = cpu();
    let path = match bilevel(&folds, &domain, &settings) { Ok(p) => p, Err(e) => { println!("ERROR {e}"); return } };
    let spent = cpu() - before;
    println!("{:.2} s, λ {:?} {} at end {}, complete {} pieces {} gaps {} {:?}", spent, path.tuned_range(), path.end().name(), path.at_end(), path.is_complete(), path.pieces().len(), path.gaps(), path.stats());
    for t in get("AT").unwrap_or_default().split(',').filter_map(|t| t.parse::<f64>().ok()) { println!("  {:?}", path.at(t)); }
    if get("RECOUNT").is_some() {
        let before = cpu();
        let r = recount(&folds, &path, &settings);
        println!("  {:?} {:.2} s", r, cpu() - before);
    }
}
