//! A follower that is resumed from a checkpoint finds the same path as one that was never interrupted, to the last bit.

use crate::common::instances::{KINDS, ROWS, instance};
use crate::common::{Form, Raw, wide_lasso};
use crate::rows;
use crate::rows::families::FAMILIES;
use pathqp::hessian::{Dense, Gram, Rows, Sparse};
use pathqp::observe::{Event, Observer};
use pathqp::path::{Checkpoint, Follower, Start, Stop};
use pathqp::settings::Pricing;
use pathqp::testing::Random;
use pathqp::{Affine, Exact, Line, ParametricQp, PathError, Range, Scalar, Settings, trace};
use std::sync::Arc;

/// Keeps a checkpoint at every event, and stops at the last of them.
struct Keep<S> {
    all: Vec<Checkpoint<S>>,
    stop_after: usize,
}

impl<S: Scalar> Observer<S> for Keep<S> {
    fn event(&mut self, event: &Event<'_, S>) -> bool {
        assert_eq!(self.all.last().map(Checkpoint::position), Some(event.t));
        self.all.len() < self.stop_after
    }
    fn checkpoint(&mut self, make: &dyn Fn() -> Checkpoint<S>) {
        self.all.push(make());
    }
}

/// Through the bytes of a file.
fn written_and_read(checkpoint: &Checkpoint<f64>) -> Checkpoint<f64> {
    postcard::from_bytes(&postcard::to_stdvec(checkpoint).expect("it can be written")).expect("and read")
}

fn resumes_everywhere(line: &Line<f64>, settings: &Settings, what: &str) -> usize {
    let whole = trace(line, &Start::Anywhere, settings, &mut ()).unwrap_or_else(|e| panic!("{what}: {}", e.0));
    let mut keep = Keep { all: Vec::new(), stop_after: usize::MAX };
    let watched = trace(line, &Start::Anywhere, settings, &mut keep).unwrap_or_else(|e| panic!("{what}: {}", e.0));
    assert_eq!(whole, watched);
    for checkpoint in &keep.all {
        let at = *checkpoint.position();
        let mut follower = Follower::resume(line, written_and_read(checkpoint), settings.clone()).expect(what);
        follower.run(&mut ()).unwrap_or_else(|e| panic!("{what} from {at}: {e}"));
        assert_eq!(follower.into_path(), whole, "{what} from {at}");
    }
    keep.all.len()
}

#[test]
fn every_event_is_a_place_to_go_on_from() {
    let mut places = 0;
    for (k, (rows, kind)) in ROWS.iter().flat_map(|r| KINDS.iter().map(move |k| (*r, *k))).enumerate() {
        let mut random = Random(4000 + k as u64);
        let spec = instance(rows, kind, 8 + k % 9, &mut random);
        for form in [Form::Gram, Form::Sparse, Form::Dense] {
            for pricing in [Pricing::Certified, Pricing::Full] {
                let settings = Settings { pricing, ..Settings::default() };
                let what = format!("{rows:?} {kind:?} {form:?} {pricing:?}");
                places += resumes_everywhere(&spec.line(form, false), &settings, &what);
            }
        }
    }
    assert!(places > 1000, "{places}");
}

/// Anchored pricing, and sparse products of rows with borders that come and go.
#[test]
fn wide_and_sparse_paths_go_on_too() {
    let settings = Settings::default();
    assert!(resumes_everywhere(&wide_lasso(40, 200, false, 1), &settings, "a wide lasso") > 30);
    // The differences along the edges of a grid of 17 × 16 values, in a box that opens.
    let (wide, high) = (17, 16);
    let right = (0..wide * high).filter(|i| i % wide + 1 < wide).map(|i| [i, i + 1]);
    let edges: Vec<[usize; 2]> = right.chain((0..wide * (high - 1)).map(|i| [i, i + wide])).collect();
    let mut random = Random(3);
    let y: Vec<f64> = (0..wide * high).map(|_| random.normal()).collect();
    let (m, indices) = (edges.len(), edges.iter().flatten().map(|i| *i as u32).collect());
    let (starts, values) = ((0..=m).map(|k| 2 * k).collect(), [1.0, -1.0].repeat(m));
    let rows = Rows::Sparse { columns: y.len(), starts, indices, values };
    let h = Arc::new(Gram::new(m, rows, 1.0).unwrap().with_sparse_products());
    let costs = edges.iter().map(|[a, b]| y[*b] - y[*a]).collect();
    let bound = |slope: f64| Affine::line(vec![0.0; m], vec![slope; m]);
    let qp = ParametricQp::new(h, vec![Range::new(0.0, 0.4)], Affine::constant(costs, 1)).unwrap();
    let qp = qp.lower(bound(-1.0)).unwrap().upper(bound(1.0)).unwrap();
    assert!(resumes_everywhere(&qp.line(&[0.0], &[0.4]).unwrap(), &settings, "a grid") > 60);
}

/// Rows with bounds: linear programs, Gram and dense H, rows by their entries, ties.
#[test]
fn paths_with_rows_go_on_too() {
    let mut places = 0;
    for (k, family) in FAMILIES.iter().enumerate() {
        for seed in 0..12 {
            let problem = family.problem(seed);
            let form = [rows::problem::Form::Gram, rows::problem::Form::Dense, rows::problem::Form::Sparse][k % 3];
            let Ok(line) = problem.line::<f64>(form, false) else { continue };
            // What has no path at all has no checkpoint.
            if Follower::new(&line, &Start::Anywhere, Settings::default()).is_err() {
                continue;
            }
            for pricing in [Pricing::Certified, Pricing::Full] {
                let settings = Settings { pricing, ..Settings::default() };
                places += resumes_everywhere(&line, &settings, &format!("{family:?} {seed} {form:?}"));
            }
        }
    }
    assert!(places > 200, "{places}");
}

/// Many rows of a regression; and a basis that is large enough for sparse factors, with borders that come and go.
#[test]
fn long_paths_with_rows_go_on_too() {
    let (settings, mut random) = (Settings::default(), Random(11));
    let x: Vec<Vec<f64>> = (0..60).map(|_| vec![1.0, random.normal(), random.normal()]).collect();
    let y: Vec<f64> = (0..60).map(|_| random.normal()).collect();
    let regression = rows::regression::quantiles(&x, &y).unwrap().line(&[0.0], &[1.0]).unwrap();
    assert!(resumes_everywhere(&regression, &settings, "a regression") > 60);
    let n = 220;
    let entries = (0..n).flat_map(|i| [(i, i, 2.5), (i, (i + 1) % n, -1.0), ((i + 1) % n, i, -1.0)]);
    let h = Arc::new(Sparse::new(n, entries).unwrap());
    let [c0, c1] = [0.6, 3.0].map(|size| (0..n).map(|_| size * random.normal()).collect::<Vec<f64>>());
    let qp = ParametricQp::new(h, vec![Range::new(0.0, 1.0)], Affine::line(c0, c1)).unwrap();
    let bound = |v: f64| Affine::constant(vec![v; n], 1);
    let halves = (0..2 * n).map(|k| f64::from(u8::from((k < n) == (k % n < n / 2)))).collect();
    let sums = Affine::constant(vec![0.5, -0.5], 1);
    let qp = qp.lower(bound(-1.0)).unwrap().upper(bound(1.0)).unwrap();
    let qp = qp.rows(Rows::Dense { columns: n, values: halves }, sums.clone(), sums).unwrap();
    let line = qp.line(&[0.0], &[1.0]).unwrap();
    let places = resumes_everywhere(&line, &settings, "a chain with two sums");
    assert!(places > 60, "{places}");
}

#[test]
fn a_path_with_rows_that_a_limit_ended_goes_on() {
    let mut random = Random(12);
    let x: Vec<Vec<f64>> = (0..20).map(|_| vec![1.0, random.normal()]).collect();
    let y: Vec<f64> = (0..20).map(|_| random.normal()).collect();
    goes_on_after_limits(&rows::regression::quantiles(&x, &y).unwrap().line(&[0.0], &[1.0]).unwrap());
}

#[test]
fn a_checkpoint_of_other_rows_is_refused() {
    let line = |n: usize| {
        let x: Vec<Vec<f64>> = (0..n).map(|i| vec![1.0, (i * i % 7) as f64]).collect();
        let y: Vec<f64> = (0..n).map(|i| (i * 5 % 11) as f64).collect();
        rows::regression::quantiles(&x, &y).unwrap().line(&[0.0], &[1.0]).unwrap()
    };
    let own = line(20);
    let mut keep = Keep { all: Vec::new(), stop_after: 2 };
    trace(&own, &Start::Anywhere, &Settings::default(), &mut keep).unwrap();
    let refused = |line: &Line<f64>, checkpoint: &Checkpoint<f64>| {
        let resumed = Follower::resume(line, checkpoint.clone(), Settings::default());
        matches!(resumed.err(), Some(PathError::Checkpoint { .. }))
    };
    assert!(!refused(&own, &keep.all[1]));
    assert!(refused(&line(21), &keep.all[1]));
    assert!(refused(&Line { rows: None, ..own.clone() }, &keep.all[1]));
    let plain = instance(ROWS[1], KINDS[1], 10, &mut Random(9)).line(Form::Gram, false);
    assert!(refused(&plain, &keep.all[1]));
    let mut other = Keep { all: Vec::new(), stop_after: 2 };
    trace(&plain, &Start::Anywhere, &Settings::default(), &mut other).unwrap();
    assert!(refused(&own, &other.all[1]));
}

#[test]
fn a_path_that_a_limit_ended_goes_on() {
    let spec = instance(ROWS[3], KINDS[1], 30, &mut Random(7));
    goes_on_after_limits(&spec.line(Form::Gram, false));
}

/// With one event more every time, from the checkpoint of the time before.
fn goes_on_after_limits(line: &Line<f64>) {
    let whole = trace(line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    let mut checkpoint = None;
    for limit in 1..100 {
        let settings = Settings { max_events: Some(limit), ..Settings::default() };
        let mut follower = match checkpoint.take() {
            Some(checkpoint) => Follower::resume(line, checkpoint, settings).unwrap(),
            None => Follower::new(line, &Start::Anywhere, settings).unwrap(),
        };
        let stop = follower.run(&mut ()).unwrap();
        if stop == Stop::Target {
            assert!(limit > 5);
            assert_eq!(follower.into_path(), whole);
            return;
        }
        assert!(matches!(stop, Stop::EventLimit { events, .. } if events == limit), "{stop:?}");
        checkpoint = Some(written_and_read(&follower.checkpoint()));
    }
    panic!("the path did not end");
}

#[test]
fn exact_scalars_go_on_too() {
    let raw = Raw {
        z: vec![vec![1, 1], vec![2, 1], vec![1, 1], vec![-1, 2]],
        c: vec![(-2, -2); 4],
        lower: vec![Some((0, 0)); 4],
        upper: vec![Some((0, 4)); 4],
        row: None,
        unit: 2,
        length: 1,
    };
    let line = raw.spec::<Exact>().line(Form::Gram, false);
    let whole = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    let mut keep = Keep { all: Vec::new(), stop_after: 2 };
    trace(&line, &Start::Anywhere, &Settings::default(), &mut keep).unwrap();
    assert_eq!(keep.all.len(), 2);
    for checkpoint in keep.all {
        let mut follower = Follower::resume(&line, checkpoint, Settings::default()).unwrap();
        follower.run(&mut ()).unwrap();
        assert_eq!(follower.into_path(), whole);
    }
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let line = |n: usize, form: Form| instance(ROWS[1], KINDS[1], n, &mut Random(9)).line(form, false);
    let own = line(10, Form::Gram);
    let mut keep = Keep { all: Vec::new(), stop_after: 2 };
    trace(&own, &Start::Anywhere, &Settings::default(), &mut keep).unwrap();
    let refused = |line: &Line<f64>| {
        let resumed = Follower::resume(line, keep.all[1].clone(), Settings::default());
        matches!(resumed.err(), Some(PathError::Checkpoint { .. }))
    };
    assert!(!refused(&own));
    assert!(refused(&line(11, Form::Gram)));
    // The same bounds with another H, which is factored in another form.
    let identity = (0..10).map(|i| (0..10).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let other = Line { hessian: Arc::new(Dense::new(identity).unwrap()), ..own.clone() };
    assert!(refused(&other));
    assert!(refused(&instance(ROWS[1], KINDS[2], 10, &mut Random(9)).line(Form::Gram, false)));
}
