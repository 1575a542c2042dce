//! Events of hot starts from L-BFGS and of cold ones.

use pathqp::observe::{Event, Observer};
use pathqp::{Certificate, Follower, ParametricQp, Settings, Start};
use pathqp_adapters::dataset::{ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::guess::{self, guess};
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::{Adapter, Bias};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Counts events: changes of the active set.
#[derive(Default)]
struct Count(usize);

impl Observer<f64> for Count {
    fn event(&mut self, event: &Event<'_, f64>) -> bool {
        self.start_event(event)
    }

    fn start_event(&mut self, event: &Event<'_, f64>) -> bool {
        self.0 += usize::from(!event.changes.is_empty());
        true
    }
}

fn measure(adapter: &dyn Adapter, qp: &ParametricQp<f64>, theta: &[f64], settings: &guess::Settings, cold: bool) {
    let engine = Settings::default();
    let line = qp.line(theta, theta).unwrap();
    let report = |name: &str, start: &Start<f64>, before: usize, seconds: f64| {
        let (mut count, clock) = (Count::default(), Instant::now());
        match Follower::watched(&line, start, engine.clone(), &mut count) {
            Ok(follower) => {
                let mut follower = follower;
                let stop = follower.run(&mut ());
                let path = follower.into_path();
                let point = path.at(&0.0).unwrap();
                let c = Certificate::new(&line, &0.0, &point.x, &point.y);
                let model = adapter.model(theta, &point);
                println!("  {name:10} events {:6} seconds {:8.3} + {:8.3} free {} objective {:.12e} kkt {:.1e} {:?}", count.0 + before, seconds, clock.elapsed().as_secs_f64(), point.free.len(), model.objective, c.kkt_residual(), stop);
            }
            Err(e) => println!("  {name:10} events {} failed {e}", count.0),
        }
    };
    let g = guess(&line, settings).unwrap();
    println!("theta {theta:?}: smoothing {:.2e} iterations {} evaluations {}", g.smoothing, g.iterations, g.evaluations);
    report("lbfgs", &Start::Guess(g.x.clone()), 0, g.seconds);
    if cold {
        report("anywhere", &Start::Anywhere, 0, 0.0);
        let (mut count, clock) = (Count::default(), Instant::now());
        let start = adapter.start_watched(qp, theta, &engine, &mut count).unwrap();
        report("natural", &start, count.0, clock.elapsed().as_secs_f64());
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let kernel = args[3].parse().unwrap();
    let data = read(Path::new(&args[2]), &ReadOptions::default()).unwrap();
    let features = Arc::new(Scaler::fit(&data.features, Scaling::Standard).apply(&data.features).unwrap());
    let mut settings = guess::Settings::default();
    let var = |n: &str| std::env::var(n).ok().and_then(|v| v.parse::<f64>().ok());
    if let Some(v) = var("STAGES") { settings.stages = v as usize }
    if let Some(v) = var("SHRINK") { settings.shrink = v }
    if let Some(v) = var("WIDTH") { settings.width = v }
    if let Some(v) = var("TOL") { settings.descent.tolerance = v }
    if let Some(v) = var("MEM") { settings.descent.memory = v as usize }
    if let Some(v) = var("ITS") { settings.descent.iterations = v as u64 }
    let cold = std::env::var("COLD").is_ok();
    let bias = Bias::Intercept;
    let numbers: Vec<f64> = args[4..].iter().map(|v| v.parse().unwrap()).collect();
    match args[1].as_str() {
        "qsvm" => {
            let (labels, _) = two_classes(&data, None).unwrap();
            let svm = QuantileSvm::new(features, labels, None, numbers[0], kernel, bias).unwrap();
            let qp = svm.qp(&Settings::default()).unwrap();
            for tau in &numbers[1..] { measure(&svm, &qp, &[*tau], &settings, cold) }
        }
        _ => {
            let kqr = Kqr::new(features, data.response.clone(), None, kernel, bias).unwrap();
            let qp = kqr.qp(&Settings::default()).unwrap();
            for tau in &numbers[1..] { measure(&kqr, &qp, &[*tau, numbers[0]], &settings, cold) }
        }
    }
}
