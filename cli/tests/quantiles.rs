//! `kqr`: quantiles along τ and λ.

use crate::common::*;
use serde_json::{Value, json};

/// A constant feature: f is a sample quantile of −2, −1, ½, ½, 1, 2.5, 3, 4, 6, 7.
const CONSTANT: &str = "x,y\n3,2.5\n3,-1\n3,0.5\n3,4\n3,0.5\n3,7\n3,3\n3,-2\n3,1\n3,6\n";

/// A curve with ties and repeated x.
const CURVE: &str =
    "x,y\n0,1\n0.5,1\n0.5,1.5\n1,1.5\n1,2\n1.5,2\n2,2\n2,3\n2.5,2.5\n3,2.5\n3,1\n3.5,1.5\n4,0.5\n4,1\n4.5,1\n5,0.5\n";

fn near(value: &Value, expected: f64) {
    assert!((number(value) - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value} and {expected}");
}

#[test]
fn sample_quantiles_and_their_intervals() {
    let folder = Folder::new();
    let report =
        folder.write("constant.csv", CONSTANT).json("path kqr --train constant.csv --lambda 1 --out a.path --json");
    assert_eq!(
        (&report["vary"], &report["classes"], &report["bias"]),
        (&json!("tau"), &json!(null), &json!("intercept"))
    );
    let at = folder.json("at a.path --param 0.25,0.3,0.5,0.65 --json");
    for (solution, (value, low, high)) in at.as_array().expect("an array").iter().zip([
        (8.125, 0.5, 0.5),
        (8.95, 0.5, 0.5),
        (11.75, 1.0, 2.5),
        (10.975, 3.0, 3.0),
    ]) {
        near(&solution["objective"], value);
        near(&solution["dual_objective"], value);
        let ends = solution["intercept"]
            .as_array()
            .map_or([solution["intercept"].clone(), solution["intercept"].clone()], |e| [e[0].clone(), e[1].clone()]);
        near(&ends[0], low);
        near(&ends[1], high);
    }
    // Both ends are answers.
    let ends = folder.json("at a.path --param 0,1 --json");
    near(&ends[0]["objective"], 0.0);
    near(&ends[1]["objective"], 0.0);
}

#[test]
fn a_tau_path_and_a_lambda_path_meet() {
    let folder = Folder::new();
    folder.write("curve.csv", CURVE);
    let run = |options: &str| folder.json(&format!("path kqr --train curve.csv --kernel rbf:0.5 --json {options}"));
    run("--vary tau --lambda 0.2 --out a.path --plot a.svg");
    assert!(folder.text("a.svg").contains("</svg>"));
    let falling = run("--vary lambda --tau 0.25 --from 10 --to 0.01 --out b.path");
    assert_eq!((&falling["from"], &falling["to"], &falling["complete"]), (&json!(0.01), &json!(10.0), &json!(true)));
    let natural = run("--vary lambda --tau 0.25");
    assert!(number(&natural["to"]) > 1.0 && number(&natural["from"]) < 0.01, "{natural}");
    // C = 1/λ = 5: 5 times the least value is 9.23431088181331, b = 1.016353337039.
    for (file, value) in [("a.path", 0.25), ("b.path", 0.2)] {
        let at = folder.json(&format!("at {file} --param {value} --json"));
        near(&at[0]["objective"], 9.23431088181331 / 5.0);
        near(&at[0]["intercept"], 1.016353337039);
        let check = folder.json(&format!("check {file} --train curve.csv --points 1000 --json"));
        assert_eq!(check["passed"], json!(true));
    }
    folder.write("other.csv", CURVE.replace("0.5,1\n", "0.5,1.25\n"));
    folder.run("check a.path --train other.csv").refused(&["other.csv, line 3", "row 2 has another response"]);
}

#[test]
fn quantiles_of_new_rows() {
    let folder = Folder::new();
    folder.write("curve.csv", CURVE).write("new.csv", "x\n0.25\n2.25\n7\n");
    folder.json("path kqr --train curve.csv --kernel rbf:0.5 --lambda 0.01 --out a.path --json");
    let predict = "predict a.path --data new.csv --param 0.1,0.5,0.9";
    let rows = |options: &str| -> (String, Vec<Vec<f64>>) {
        let text = folder.ok(&format!("{predict} {options}"));
        let (header, body) = text.split_once('\n').expect("a header");
        let row = |line: &str| line.split(',').map(|v| v.parse().unwrap_or(f64::NAN)).collect();
        (header.into(), body.lines().map(row).collect())
    };
    let (header, plain) = rows("");
    assert_eq!((header.as_str(), plain.len()), ("tau=0.1,tau=0.5,tau=0.9", 3));
    let (header, more) = rows("--monotone --distribution 0.5,2 --crossings");
    assert_eq!(header, "tau=0.1,tau=0.5,tau=0.9,P(Y<=0.5),P(Y<=2),falls,fall_from,fall_to");
    for (plain, more) in plain.iter().zip(&more) {
        assert!(more[0] <= more[1] && more[1] <= more[2], "{more:?}");
        assert!(0.0 <= more[3] && more[3] <= more[4] && more[4] <= 1.0, "{more:?}");
        if more[5] == 0.0 {
            assert!(plain.iter().zip(more).all(|(a, b)| (a - b).abs() <= 1e-9), "{plain:?} {more:?}");
        } else {
            assert!(more[6] <= more[7], "{more:?}");
        }
    }
    folder.json("path kqr --train curve.csv --kernel rbf:0.5 --vary lambda --tau 0.5 --out b.path --json");
    folder.run("predict b.path --data new.csv --param 0.05 --monotone").refused(&["b.path", "lambda varies"]);
    folder.run("predict a.path --data new.csv --param 0.5 --probability").refused(&["P(Y = 1|x)"]);
}
