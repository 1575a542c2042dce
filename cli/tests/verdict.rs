//! Verdicts of the command line: exit 0 means that KKT residual and relative gap hold, and where double precision cannot tell the answer
//! the program says so and what helps.
#![allow(missing_docs)]

use crate::common::*;

/// The smallest sums of ρ_τ are 0.45, 1.08, 1.3 and 0.66 for τ = 0.1, 0.25, 0.5 and 0.8, with any small penalty; with ε-tubes they are 2.6, 2.4 and 1.8 for
/// ε = 0, 0.05 and 0.2, with any large cost.
const LINE: &str = "x,y\n1,0.3\n2,1.1\n3,0.2\n4,1.6\n6,1.4\n7,3.1\n";

/// Six points on a line, of which no threshold tells the classes: the least sum of hinge losses is 8/3.
const CLASSES: &str = "x,label\n0,-1\n1,-1\n2,1\n3,-1\n4,1\n5,1\n";

fn files() -> Folder {
    let folder = Folder::new();
    folder.write("line.csv", LINE).write("classes.csv", CLASSES);
    folder
}

/// The command succeeds with this objective, in units of `unit`, or has exit status 3 and a line that says what fails, where, and what to do.
fn right_or_told(folder: &Folder, arguments: &str, unit: f64, expected: f64) -> bool {
    let outcome = folder.run(&format!("{arguments} --json"));
    let told = ["above 1e-9", "put the columns on one scale", "a larger penalty, a smaller cost"];
    if outcome.status == 3 {
        let is_refused = outcome.stderr.contains("scale the columns alike");
        assert!(is_refused || told.iter().all(|word| outcome.stderr.contains(word)), "{outcome:?}");
        return false;
    }
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
    let objective = number(&report["objective"]) / unit;
    assert!((objective - expected).abs() <= 1e-6 * expected, "{arguments}: {objective}, {expected} expected");
    assert!(number(&report["kkt_residual"]) <= 1e-9 && number(&report["relative_gap"]) <= 1e-9, "{outcome:?}");
    true
}

#[test]
fn a_penalty_or_cost_without_any_weight_left_is_right_or_told() {
    let folder = files();
    for lambda in ["1e-7", "1e-9", "1e-11", "1e-13", "1e-14", "1e-16", "1e-20"] {
        for (tau, sum) in [(0.1, 0.45), (0.25, 1.08), (0.5, 1.3), (0.8, 0.66)] {
            let model = format!("kqr --kernel linear --train line.csv --bias intercept --lambda {lambda}");
            right_or_told(&folder, &format!("solve {model} --tau {tau}"), 1.0, sum);
        }
    }
    for cost in ["1e7", "1e9", "1e11", "1e13", "1e14", "1e16", "1e20"] {
        let unit: f64 = cost.parse().expect("a number");
        for (epsilon, sum) in [(0.0, 2.6), (0.05, 2.4), (0.2, 1.8)] {
            let model = format!("svr --kernel linear --train line.csv --bias intercept --c {cost}");
            right_or_told(&folder, &format!("solve {model} --epsilon {epsilon}"), unit, sum);
        }
        let model = format!("cost-svm --train classes.csv --bias intercept --c {cost}");
        right_or_told(&folder, &format!("solve {model}"), unit, 8.0 / 3.0);
    }
}

/// Paths and checks of the same: either both hold, and then the answer is right, or `path` says what helps, and so does `check`.
#[test]
fn a_path_without_any_weight_left_is_right_or_told() {
    let folder = files();
    for lambda in ["1e-9", "1e-13", "1e-16"] {
        let path = folder
            .run(&format!("path kqr --kernel linear --train line.csv --bias intercept --lambda {lambda} --out q.path"));
        let (holds, state) = (path.status == 0, if path.status == 0 { "holds" } else { "FAILS" });
        assert!([0, 3].contains(&path.status), "{path:?}");
        let complete = path.stdout.contains("complete");
        assert!(!complete || path.stdout.contains(&format!("certificate   {state} (tolerance 1e-9)")), "{path:?}");
        assert!(holds || path.stderr.contains("columns"), "{path:?}");
        if holds {
            assert!(folder.ok("check q.path --train line.csv").contains("passed"));
            for (tau, sum) in [(0.1, 0.45), (0.25, 1.08), (0.5, 1.3), (0.8, 0.66)] {
                let at = folder.json(&format!("at q.path --param {tau} --json"));
                assert!((number(&at[0]["objective"]) - sum).abs() <= 1e-6, "{lambda}: {at}");
            }
        }
    }
}

#[test]
fn sensible_parameters_succeed_and_the_verdict_is_named() {
    let folder = files();
    for lambda in ["1", "1e-3"] {
        let model = format!("kqr --kernel linear --train line.csv --bias intercept --lambda {lambda}");
        let text = folder.ok(&format!("path {model} --out q.path"));
        assert!(text.contains("certificate   holds (tolerance 1e-9)"), "{text}");
        assert!(folder.ok("check q.path --train line.csv").contains("passed (tolerance 1e-9)"));
        assert!(folder.ok("at q.path --param 0.3").contains("certificate     holds (tolerance 1e-9)"));
        let text = folder.ok(&format!("solve {model} --tau 0.5"));
        assert!(text.contains("certificate     holds (tolerance 1e-9)"), "{text}");
    }
    for cost in ["1", "1e3"] {
        folder.ok(&format!("path svr --kernel linear --train line.csv --bias intercept --c {cost}"));
        folder.ok(&format!("path cost-svm --train classes.csv --bias intercept --to {cost}"));
    }
    let map = "map kqr --kernel linear --train line.csv --bias intercept --domain 0.2:0.8,0.1:1";
    assert!(folder.ok(map).contains("certificate   holds (tolerance 1e-9)"));
}

/// Engel's data (beside the project, skipped where they are absent): the median line has the slope 0.5601806 (Koenker and Bassett 1982). Either it
/// is found with next to no penalty, or the program does not succeed.
#[test]
fn engels_median_is_right_or_fails() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/regression/engel.csv");
    if !std::path::Path::new(data).exists() {
        println!("{data} not found, skipped");
        return;
    }
    let folder = Folder::new();
    for lambda in ["1e-3", "1e-6", "1e-9", "1e-12"] {
        let arguments =
            format!("solve kqr --kernel linear --train {data} --bias intercept --lambda {lambda} --tau 0.5 --json");
        let outcome = folder.run(&arguments);
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
        let slope = number(&report["w"][0]);
        let right = (slope - 0.560_180_6).abs() < 1e-6;
        assert!(outcome.status == 3 || outcome.status == 0 && right, "{lambda}: {slope}, {}", outcome.stderr);
    }
}
