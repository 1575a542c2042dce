//! `cost-svm`: lines in the plane of costs, and what is kept of them.

use crate::common::*;
use serde_json::{Value, json};

/// (0, k) of the class −1 against (2, k) of the class +1, k = 0 … 4: w = (min(10C, 1), 0), the intercept any in [−1, 1 − 20C]
/// up to C = 1/10 and −1 from there on.
const PARALLEL: &str = "-1\n-1 2:1\n-1 2:2\n-1 2:3\n-1 2:4\n1 1:2\n1 1:2 2:1\n1 1:2 2:2\n1 1:2 2:3\n1 1:2 2:4\n";
/// Equal class means: nothing ever happens, and no plane separates the rows.
const CENTRED: &str = "y,a,b\n1,0,1\n1,2,-1\n1,4,3\n-1,1,0\n-1,2,2\n-1,3,1\n";
/// Separable: the last event is at C = 1/3.
const SEPARABLE: &str = "y,a,b\n1,2,2\n1,3,1\n1,3,3\n1,5,2\n-1,0,0\n-1,1,0\n-1,0,1\n-1,-2,-1\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("parallel.svm", PARALLEL).write("centred.csv", CENTRED).write("separable.csv", SEPARABLE);
    folder
}

fn near(value: &Value, expected: f64) {
    assert!((number(value) - expected).abs() <= 1e-12, "{value} and {expected}");
}

#[test]
fn the_c_path_of_ten_rows_that_tie() {
    let folder = folder();
    let report =
        folder.json("path cost-svm --train parallel.svm --bias intercept --vary c --from 0 --to 1 --out a.path --json");
    assert_eq!((&report["vary"], &report["breakpoints"], &report["complete"]), (&json!("c"), &json!(1), &json!(true)));
    assert_eq!(report["fixed"], json!({}));
    let at = folder.json("at a.path --param 0,0.05,0.1,1 --json");
    for (solution, (c, w, b)) in at.as_array().expect("an array").iter().zip([
        (0.0, 0.0, [-1.0, 1.0]),
        (0.05, 0.5, [-1.0, 0.0]),
        (0.1, 1.0, [-1.0, -1.0]),
        (1.0, 1.0, [-1.0, -1.0]),
    ]) {
        assert_eq!(solution["param"], json!({ "c": c }));
        near(&solution["objective"], if c < 0.1 { 10.0 * c - 50.0 * c * c } else { 0.5 });
        near(&solution["w"][0], w);
        if c == 0.0 {
            // Errors cost nothing.
            assert_eq!(solution["intercept"], json!([null, null]));
            continue;
        }
        match solution["intercept"].as_array() {
            Some(ends) => ends.iter().zip(b).for_each(|(found, expected)| near(found, expected)),
            None => b.iter().for_each(|expected| near(&solution["intercept"], *expected)),
        }
    }
    let check = folder.json("check a.path --train parallel.svm --points 1000 --json");
    assert_eq!(check["passed"], json!(true));
    assert!(number(&check["max_relative_gap"]) <= 1e-12, "{check}");
}

#[test]
fn every_line_of_the_plane_meets_the_others() {
    let folder = folder();
    let run = |options: &str, file: &str| {
        folder.json(&format!("path cost-svm --train separable.csv --response y --kernel rbf:0.1 --bias augmented:0.5 {options} --out {file} --json"))
    };
    let towards = run("--vary c --to 2 --direction 1,0.25", "a.path");
    assert_eq!(towards["direction"], json!("1,0.25"));
    run("--vary c-pos --c-neg 0.2 --from 0.1 --to 3", "b.path");
    run("--vary c-neg --c-pos 0.8 --to 1", "c.path");
    let sum = run("--vary c-pos --sum 1", "d.path");
    assert_eq!((&sum["from"], &sum["to"], &sum["fixed"]), (&json!(0.0), &json!(1.0), &json!({"sum": 1.0})));
    // All four meet in (0.8, 0.2).
    let at = |file: &str, value: f64| folder.json(&format!("at {file} --param {value} --full --json"))[0].clone();
    let first = at("a.path", 0.8);
    for (file, value) in [("b.path", 0.8), ("c.path", 0.2), ("d.path", 0.8)] {
        let other = at(file, value);
        near(&other["objective"], number(&first["objective"]));
        assert_eq!(other["theta"].as_object().map(|o| o.len()), Some(2));
        near(&other["theta"]["c-pos"], 0.8);
        near(&other["theta"]["c-neg"], 0.2);
        let both = other["alpha"].as_array().into_iter().flatten().zip(first["alpha"].as_array().into_iter().flatten());
        both.for_each(|(a, b)| near(a, number(b)));
        assert_eq!(other["w"], Value::Null);
    }
    for file in ["a.path", "b.path", "c.path", "d.path"] {
        assert_eq!(folder.json(&format!("check {file} --train separable.csv --json"))["passed"], json!(true));
    }
}

#[test]
fn the_hard_margin_is_the_end_of_a_ray() {
    let folder = folder();
    let command = "path cost-svm --response y --bias intercept --to inf --plot a.svg --out a.path --json --train";
    let report = folder.json(&format!("{command} separable.csv"));
    assert_eq!((&report["complete"], &report["stop"], &report["to"]), (&json!(true), &json!("target"), &json!(null)));
    let at = folder.json("at a.path --param 100 --json");
    near(&at[0]["objective"], 4.0 / 9.0);
    near(&at[0]["w"][0], 2.0 / 3.0);
    near(&at[0]["intercept"], -5.0 / 3.0);
    assert_eq!(folder.json("check a.path --train separable.csv --json")["passed"], json!(true));
    assert_eq!(folder.text("a.svg").matches("</svg>").count(), 1);
    folder.json(&format!("{command} separable.csv").replace("a.path", "a.json"));
    assert_eq!(folder.ok("at a.json --param 0.1,7"), folder.ok("at a.path --param 0.1,7"));
    let outcome = folder.run(&format!("{command} centred.csv"));
    assert_eq!(outcome.status, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("no limit at infinity"), "{outcome:?}");
}

#[test]
fn a_row_of_half_the_weight_costs_half() {
    let folder = Folder::new();
    folder
        .write("w.csv", "y,w,a\n1,1,2\n1,1,0.5\n-1,0.5,0\n-1,0.5,1\n")
        .write("u.csv", "y,a\n1,2\n1,0.5\n-1,0\n-1,1\n");
    folder.json("path cost-svm --train w.csv --response y --weights w --bias intercept --to 5 --out w.path --json");
    folder
        .json("path cost-svm --train u.csv --response y --direction 1,0.5 --bias intercept --to 5 --out u.path --json");
    let at = |file: &str| folder.json(&format!("at {file} --param 0.5,3 --full --json"));
    let (w, u) = (at("w.path"), at("u.path"));
    for k in 0..2 {
        near(&w[k]["objective"], number(&u[k]["objective"]));
        near(&w[k]["w"][0], number(&u[k]["w"][0]));
    }
}
