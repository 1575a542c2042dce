//! Units that lie far apart, directions without effect, and penalties that are next to nothing, on the command line: status zero and the right numbers.
//!
//! The answers are exact, as in the adapters' tests of the same name. A case fails if it panics or does not end; those in `KNOWN_FAILURES` do, and no others.
#![allow(missing_docs)]

use crate::common::{Folder, number, numbers};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

const TOLERANCE: f64 = 1e-9;
const PATIENCE: Duration = Duration::from_secs(20);

const LINE: &str = "x,y\n1,0.3\n2,1.1\n3,0.2\n4,1.6\n6,1.4\n7,3.1\n";
const OVERLAP: &str = "x,label\n0,-1\n1,-1\n2,1\n3,-1\n4,1\n5,1\n";
const INCOME: &str = "income,age,owner,share,spend\n19090000,43,1,0.05,33.6\n10090000,69,1,0.61,30.9\n9130000,56,0,0.64,24.0\n3740000,58,1,0.68,21.5\n\
21920000,64,0,0.39,38.0\n19210000,62,1,0.6,38.4\n13260000,25,1,0.55,26.3\n5980000,54,1,0.56,24.9\n";
const EQUAL_INPUTS: &str = r#"{"A": [[1, 1], [0, 1]], "B": [[0.5, 0.5], [1, 1]], "Q": [[1, 0], [0, 1]], "R": [[0, 0], [0, 0]],
 "horizon": 3, "lower": [-1, -1], "upper": [1, 1]}"#;

type Case = (String, Box<dyn FnOnce()>);

fn case(name: impl Into<String>, run: impl FnOnce() + 'static) -> Case {
    (name.into(), Box::new(run))
}

/// Fails unless the cases that panic are those that are known to.
fn expect_failures(cases: Vec<Case>, known: &[&str]) {
    let fails = |run: Box<dyn FnOnce()>| catch_unwind(AssertUnwindSafe(run)).is_err();
    let failing: Vec<String> = cases.into_iter().filter_map(|(name, run)| fails(run).then_some(name)).collect();
    let repaired: Vec<_> = known.iter().filter(|name| !failing.iter().any(|f| f == *name)).collect();
    assert!(repaired.is_empty(), "these pass now, take them from the list: {repaired:?}");
    let new: Vec<_> = failing.iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert!(new.is_empty(), "these fail: {new:?}");
}

/// The document of a command that must end with status zero in little time.
fn json(folder: &Folder, arguments: &str) -> Value {
    let out = folder.path().join("stdout");
    let file = std::fs::File::create(&out).expect("a file");
    let mut child = folder.command(arguments).stdout(file).stderr(Stdio::null()).spawn().expect("the program runs");
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill().expect("it runs");
            child.wait().expect("a status");
            panic!("{arguments}: no end");
        }
        sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(0), "{arguments}");
    serde_json::from_slice(&std::fs::read(out).expect("a file")).expect("one JSON document")
}

/// Relative to the expected value or, where that is smaller, to `scale`.
fn close(what: &str, found: f64, expected: f64, scale: f64) {
    let near = (found - expected).abs() <= TOLERANCE * expected.abs().max(scale);
    assert!(near, "{what}: {found}, not {expected}");
}

/// The last of each column of a path.
fn last(report: &Value) -> Vec<f64> {
    let columns = report["path"]["columns"].as_array().expect("columns");
    columns.iter().map(|column| *numbers(column).last().expect("an end")).collect()
}

fn least_squares(table: &str, x: &[f64], scales: &[f64]) {
    let folder = Folder::new();
    folder.write("a.csv", table);
    let found = last(&json(&folder, "path nnls --train a.csv --json"));
    for (j, x) in x.iter().enumerate() {
        close(&format!("x[{j}]"), found[j], *x, scales[j]);
    }
}

fn income_in_cents(options: &str) {
    let folder = Folder::new();
    folder.write("a.csv", INCOME);
    let found = json(&folder, &format!("path lasso --train a.csv --bias intercept --json {options}"));
    let alpha = number(&found["fit"]["alpha"]);
    let (w, objective) = if alpha == 0.1 {
        ([9.487011175237608e-07, 0.17213255736983943, 2.5828676084649405, 0.0], 0.5204949092356296)
    } else {
        ([1.0076727054315962e-06, 0.17017293668856392, 3.3302754125780334, 2.4016763357101407], 0.15788455766089532)
    };
    close("objective", number(&found["fit"]["objective"]), objective, 0.0);
    numbers(&found["fit"]["coefficients"]).iter().zip(w).for_each(|(found, w)| close("w", *found, w, 0.0));
}

#[test]
fn columns_in_unlike_units() {
    let cases = vec![
        case("2 columns, 1e4 apart", || least_squares("a1,a2,b\n9,60000,2\n8,40000,5\n", &[0.4, 0.0], &[0.5, 1e-4])),
        case("2 columns, 1e10 apart", || least_squares("a1,a2,b\n7,9e10,7\n2,2e10,2\n", &[1.0, 0.0], &[1.0, 1e-10])),
        case("3 columns", || {
            let table = "a1,a2,a3,b\n-4,4e10,-2e5,9\n-1,2e10,-2e5,-4\n1,0,-8e5,7\n-9,7e10,5e5,9\n";
            least_squares(table, &[19.0 / 90.0, 4.7e-10 / 3.0, 0.0], &[1.0, 1e-10, 1e-5]);
        }),
        case("income in cents", || income_in_cents("")),
        case("income in cents, to 0.1", || income_in_cents("--to 0.1")),
    ];
    expect_failures(cases, &[]);
}

/// The least cost, and the sums of the inputs at the three steps.
fn check_inputs(found: &Value, (cost, sums): (f64, [f64; 3])) {
    close("cost", number(&found["cost"]), cost, 0.0);
    let inputs = found["inputs"].as_array().expect("inputs");
    assert_eq!(inputs.len(), 3);
    for (step, sum) in inputs.iter().zip(sums) {
        close("inputs", numbers(step).iter().sum(), sum, 1.0);
    }
}

const CONTROLLED: [(&str, (f64, [f64; 3])); 3] = [
    ("5,-2", (16_409.0 / 365.0, [-238.0 / 365.0, 656.0 / 365.0, 48.0 / 73.0])),
    ("8,-4", (17_893.0 / 154.0, [25.0 / 77.0, 2.0, 109.0 / 77.0])),
    ("-1,3", (582.0 / 41.0, [-2.0, -80.0 / 41.0, 30.0 / 41.0])),
];

fn equal_inputs(command: impl Fn(&str) -> String, of: impl Fn(&Value) -> &Value) {
    let folder = Folder::new();
    folder.write("plant.json", EQUAL_INPUTS);
    for (state, answer) in CONTROLLED {
        check_inputs(of(&json(&folder, &command(state))), answer);
    }
}

#[test]
fn directions_without_effect() {
    const KNOWN_FAILURES: &[&str] = &[];
    let cases = vec![
        case("path mpc", || {
            equal_inputs(
                |state| format!("path mpc --model plant.json --from={state} --to 0,0 --json"),
                |found| &found["ends"][0],
            );
        }),
        case("map mpc", || {
            let command =
                |state: &str| format!("map mpc --model plant.json --domain=-10:10,-10:10 --param={state} --json");
            equal_inputs(command, |found| &found["at"]);
        }),
        case("a column and its negative", || {
            let folder = Folder::new();
            folder.write("a.csv", "a,minus_a,b1,b\n-0.1,0.1,-3,2\n-0.1,0.1,6,-9\n-0.5,0.5,4,1\n");
            let found = json(&folder, "path nnls --train a.csv --toward b1 --lower -1 --upper 1 --json");
            let columns: Vec<Vec<f64>> = (0..2).map(|j| numbers(&found["path"]["columns"][j])).collect();
            close("x1 - x2 at s = 0", columns[0][0] - columns[1][0], 20.0 / 27.0, 0.0);
            let end = columns[0].len() - 1;
            close("x1 - x2 at s = 1", columns[0][end] - columns[1][end], -2.0, 0.0);
        }),
    ];
    expect_failures(cases, KNOWN_FAILURES);
}

/// w and b of each value asked for, from a path that also passes its check; none where the program says that it cannot tell, which it may `beyond` what double
/// precision tells.
fn lines(table: &str, path: &str, values: &[f64], beyond: bool) -> Vec<(f64, f64)> {
    let folder = Folder::new();
    folder.write("a.csv", table);
    if beyond {
        let outcome = folder.run(&format!("path {path} --train a.csv"));
        if outcome.status == 3 {
            assert!(outcome.stderr.contains("put the columns on one scale"), "{outcome:?}");
            return Vec::new();
        }
    }
    let found = json(&folder, &format!("path {path} --train a.csv --out a.path --json"));
    assert_eq!(found["complete"], true);
    assert!(number(&found["max_kkt_residual"]) <= TOLERANCE && number(&found["max_relative_gap"]) <= TOLERANCE);
    assert_eq!(json(&folder, "check a.path --train a.csv --json")["passed"], true);
    let values: Vec<String> = values.iter().map(f64::to_string).collect();
    let at = json(&folder, &format!("at a.path --param {} --json", values.join(",")));
    let constant = |b: &Value| b.as_f64().unwrap_or_else(|| numbers(b).iter().sum::<f64>() / 2.0);
    at.as_array().expect("points").iter().map(|p| (number(&p["w"][0]), constant(&p["intercept"]))).collect()
}

fn points(table: &str) -> Vec<(f64, f64)> {
    let parse = |line: &str| {
        let (x, y) = line.split_once(',').expect("two cells");
        (x.parse().expect("a number"), y.parse().expect("a number"))
    };
    table.lines().skip(1).map(parse).collect()
}

fn quantile_lines(lambda: f64) {
    let answers = [(0.1, 0.45), (0.25, 1.08), (0.5, 1.3), (0.8, 0.66)];
    let path = format!("kqr --kernel linear --lambda {lambda:e}");
    for ((w, b), (tau, loss)) in lines(LINE, &path, &answers.map(|a| a.0), lambda < 1e-7).into_iter().zip(answers) {
        let rho = |(x, y): (f64, f64)| (tau * (y - w * x - b)).max((tau - 1.0) * (y - w * x - b));
        close(&format!("loss at tau = {tau}"), points(LINE).into_iter().map(rho).sum(), loss, 0.0);
    }
}

#[test]
fn quantile_regression_with_next_to_no_penalty() {
    const KNOWN_FAILURES: &[&str] = &[];
    let penalties = [1e-8, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-16];
    let cases = penalties.map(|lambda| case(format!("lambda = {lambda:e}"), move || quantile_lines(lambda)));
    expect_failures(cases.into(), KNOWN_FAILURES);
}

fn tubes(cost: f64) {
    let answers = [(0.0, 13.0 / 30.0, 2.6), (0.05, 0.4, 2.4), (0.2, 0.3, 1.8)];
    let path = format!("svr --kernel linear --c {cost:e}");
    for ((w, b), (epsilon, slope, loss)) in
        lines(LINE, &path, &answers.map(|a| a.0), cost > 1e14).into_iter().zip(answers)
    {
        close(&format!("w at epsilon = {epsilon}"), w, slope, 0.0);
        let outside = |(x, y): (f64, f64)| ((y - w * x - b).abs() - epsilon).max(0.0);
        close(&format!("loss at epsilon = {epsilon}"), points(LINE).into_iter().map(outside).sum(), loss, 0.0);
    }
}

fn costs(cost: f64) {
    let path = format!("cost-svm --kernel linear --bias intercept --to {cost:e}");
    for (w, b) in lines(OVERLAP, &path, &[1.0, cost], false) {
        close("w", w, 2.0 / 3.0, 0.0);
        let hinge = |(x, y): (f64, f64)| (1.0 - y * (w * x + b)).max(0.0);
        close("sum of hinge losses", points(OVERLAP).into_iter().map(hinge).sum(), 8.0 / 3.0, 0.0);
    }
}

#[test]
fn costs_beside_which_nothing_counts() {
    const KNOWN_FAILURES: &[&str] = &[];
    let tubes = [1e1, 1e8, 1e10, 1e12, 1e13, 1e14, 1e16].map(|c| case(format!("svr --c {c:e}"), move || tubes(c)));
    let costs = [1e1, 1e8, 1e11, 1e12, 1e14, 1e16].map(|c| case(format!("cost-svm --to {c:e}"), move || costs(c)));
    expect_failures(tubes.into_iter().chain(costs).collect(), KNOWN_FAILURES);
}

fn least_variance(covariance: &str) {
    let folder = Folder::new();
    folder.write("mean.csv", "a,b,c\n0.1,0.02,0.03\n").write("cov.csv", format!("a,b,c\n{covariance}"));
    let found = json(&folder, "path critical-line --mean mean.csv --cov cov.csv --param 0 --json");
    let at = &found["at"][0];
    let weights = numbers(&at["weights"]);
    for (w, expected) in weights.iter().zip([0.0, 57.0 / 134.0, 77.0 / 134.0]) {
        close("weight", *w, expected, 1.0);
    }
    close("variance", number(&at["variance"]), 6.333e-8 / 134.0, 0.0);
}

#[test]
fn variances_of_very_different_sizes() {
    const KNOWN_FAILURES: &[&str] = &[];
    let cases = vec![
        case("1e8 apart", || {
            least_variance("0.15,0.000011,-0.00000072\n0.000011,1.8e-9,-5.1e-10\n-0.00000072,-5.1e-10,1.2e-9\n")
        }),
        case("1e10 apart", || {
            least_variance("15,0.00011,-0.0000072\n0.00011,1.8e-9,-5.1e-10\n-0.0000072,-5.1e-10,1.2e-9\n")
        }),
        case("1e16 apart", || least_variance("15000000,0.11,-0.0072\n0.11,1.8e-9,-5.1e-10\n-0.0072,-5.1e-10,1.2e-9\n")),
    ];
    expect_failures(cases, KNOWN_FAILURES);
}
