//! Every command serves every problem: the same keys, the same answers from a path, from a point of it and from nothing.

use crate::common::{Folder, number};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const CLASSES: &str =
    "x1,x2,y\n0.3,1.2,1\n-0.4,0.9,-1\n1.5,0.2,1\n0.1,-0.7,-1\n0.9,1.1,1\n-1.2,0.4,-1\n0.2,0.3,-1\n1.1,-0.2,1\n";
const NUMBERS: &str = "x1,x2,y\n1,2,3.1\n2,1,2.7\n3,5,9.2\n4,2,5.9\n5,7,14.1\n6,1,6.6\n7,3,11.2\n8,9,18.3\n";
const RETURNS: &str =
    "a,b,c\n0.01,0.03,-0.02\n0.02,-0.01,0.01\n-0.01,0.02,0.03\n0.015,0.05,0\n0.005,-0.03,0.02\n0.012,0.004,0.001\n";
const PLANT: &str = r#"{"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]],
 "horizon": 4, "lower": [-1], "upper": [1]}"#;

/// A problem with its options, its main file, a value of its parameter, and whether rows can be predicted.
struct Case {
    problem: &'static str,
    options: &'static str,
    file: &'static str,
    value: &'static str,
    predicts: bool,
}

const fn case(
    problem: &'static str,
    options: &'static str,
    file: &'static str,
    value: &'static str,
    predicts: bool,
) -> Case {
    Case { problem, options, file, value, predicts }
}

const PROGRAM: &str = r#"{"z": [[1, 0], [0, 1], [1, 1]], "c": [[-1, 1], [2, -3], [0.5, 0]], "lower": [[0, 0], [0, 0], [-1, 0]],
 "upper": [[2, 0], [2, 0], null], "rows": [{"a": [1, 1, 1], "lower": [1, 0.5], "upper": [1, 0.5]}, {"a": {"0": 1, "2": -1}, "upper": [0.5, 0]}]}"#;

const CASES: [Case; 24] = [
    case("quantile-svm", "--train classes.csv --lambda 0.1", "classes.csv", "0.4", true),
    case("cost-svm", "--train classes.csv --bias intercept --to 20", "classes.csv", "3.5", true),
    case("kqr", "--train numbers.csv --kernel rbf:0.1 --lambda 0.05", "numbers.csv", "0.3", true),
    case("svr", "--train numbers.csv --kernel linear --c 2", "numbers.csv", "0.7", true),
    case("one-class-svm", "--train numbers.csv --kernel rbf:0.1", "numbers.csv", "0.6", true),
    case("lasso", "--train numbers.csv --bias intercept", "numbers.csv", "0.4", true),
    case("lasso", "--train numbers.csv --ridge 0.3 --scale standard", "numbers.csv", "0.2", true),
    case("lasso", "--train numbers.csv --rows zero.csv --bias intercept", "numbers.csv", "0.1", true),
    case("lasso", "--train numbers.csv --rows box.csv --ridge 0.1", "numbers.csv", "0.3", true),
    case("dantzig", "--train numbers.csv --bias intercept", "numbers.csv", "3.5", true),
    case("l1-svm", "--train classes.csv", "classes.csv", "0.7", true),
    case("nnls", "--train numbers.csv", "numbers.csv", "11", true),
    case("nnls", "--train numbers.csv --toward x2", "numbers.csv", "0.35", true),
    case("trend-filtering", "--train numbers.csv --order 1", "numbers.csv", "0.8", false),
    case("shape-regression", "--train numbers.csv --feature x2 --shape concave", "numbers.csv", "-0.2", true),
    case("critical-line", "--train returns.csv --upper 0.7", "returns.csv", "0.02", false),
    case("critical-line", "--train returns.csv --rows sectors.csv", "returns.csv", "0.02", false),
    case("quantile-regression", "--train numbers.csv", "numbers.csv", "0.3", true),
    case("quantile-regression", "--train numbers.csv --l1 0.5 --bias none", "numbers.csv", "0.6", true),
    case("quantile-regression", "--train numbers.csv --vary lambda --tau 0.4", "numbers.csv", "1.5", true),
    case("quantile-planes", "--train numbers.csv", "numbers.csv", "1.5", true),
    case("quantile-planes", "--train numbers.csv --taus 0.2,0.4,0.6,0.8 --bias none", "numbers.csv", "2.5", true),
    case("qp", "--problem program.json", "program.json", "0.3", false),
    case("mpc", "--model plant.json --from -9,-4 --to 8,5", "plant.json", "0.3", false),
];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("classes.csv", CLASSES).write("numbers.csv", NUMBERS);
    folder.write("returns.csv", RETURNS).write("plant.json", PLANT);
    folder.write("program.json", PROGRAM);
    folder.write("zero.csv", "x1,x2,lower,upper\n1,1,0,0\n");
    folder.write("box.csv", "x2,x1,lower,upper\n1,0,0.25,\n1,-1,,0.5\n");
    folder.write("sectors.csv", "a,b,c,lower,upper\n1,1,0,,0.6\n0,0,1,0.1,0.9\n");
    folder
}

/// Equal to 1e-9 of the size of numbers, key by key.
fn same(a: &Value, b: &Value, what: &str) {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => {
            let (a, b) = (number(a), number(b));
            assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-6), "{what}: {a}, not {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{what}");
            a.iter().zip(b).for_each(|(a, b)| same(a, b, what));
        }
        _ => assert_eq!(a, b, "{what}"),
    }
}

#[test]
fn every_command_serves_every_problem() {
    let folder = folder();
    for case in CASES {
        let Case { problem, options, file, value, predicts } = case;
        let report = folder.json(&format!(
            "path {problem} {options} --param {value} --out kept.path --plot f.svg --checkpoint c.ck --threads 2 --json"
        ));
        for key in ["problem", "n", "d", "fixed", "vary", "from", "to", "stop", "complete", "breakpoints", "events"] {
            assert!(report.get(key).is_some(), "{problem}: no {key} in {report}");
        }
        for key in ["max_free", "max_kkt_residual", "max_relative_gap", "seconds", "stats"] {
            assert!(report.get(key).is_some(), "{problem}: no {key} in {report}");
        }
        assert_eq!(report["complete"], true, "{problem}");
        for key in ["read", "start", "path", "total"] {
            assert!(report["seconds"][key].is_number(), "{problem}: no seconds.{key}");
        }
        assert!(number(&report["max_kkt_residual"]) <= 1e-9 && number(&report["max_relative_gap"]) <= 1e-9);
        assert!(folder.text("f.svg").contains("<svg"), "{problem}");
        // The point on the way, from the kept file, and from nothing.
        let at = folder.json(&format!("at kept.path --param {value} --json"));
        let solved =
            folder.json(&format!("solve {problem} {} --param {value} --json", without_range(options, problem)));
        for key in ["objective", "w", "intercept", "x", "y", "unique", "fitted", "weights", "inputs"] {
            let what = format!("{problem} {options}: {key}");
            let found = at[0].get(key).unwrap_or(&Value::Null);
            same(found, report["at"][0].get(key).unwrap_or(&Value::Null), &what);
            same(found, solved.get(key).unwrap_or(&Value::Null), &what);
        }
        assert!(number(&at[0]["kkt_residual"]) <= 1e-9, "{problem}");
        assert!((number(&at[0]["objective"]) - number(&at[0]["dual_objective"])).abs() <= 1e-7, "{problem}: {at}");
        folder.ok(&format!("at kept.path --param {value} --full"));
        let checked = folder.json(&format!("check kept.path --train {file} --json"));
        assert_eq!(checked["passed"], true, "{problem}");
        folder.ok(&format!("report kept.path --train {file} --out page.html"));
        assert!(folder.text("page.html").contains(problem), "{problem}");
        let predict = format!("predict kept.path --data {file} --param {value}");
        match predicts {
            true => assert_eq!(folder.ok(&predict).lines().count(), 9, "{problem}"),
            false => folder.run(&predict).refused(&[problem, "nothing to predict"]),
        }
    }
}

/// A range of the parameter belongs to a path; the ends of a line of states are data.
fn without_range(options: &str, problem: &str) -> String {
    if problem == "mpc" { options.into() } else { options.replace(" --to 20", "") }
}

#[test]
fn a_run_that_was_interrupted_goes_on_to_the_same_path() {
    let folder = folder();
    for Case { problem, options, .. } in CASES {
        let whole = folder.json(&format!("path {problem} {options} --out whole.csv --json"));
        if number(&whole["events"]) < 2.0 {
            continue;
        }
        let stopped = folder.run(&format!("path {problem} {options} --max-events 1 --checkpoint c.ck --json"));
        assert!(stopped.stdout.contains("max-events"), "{problem}: {stopped:?}");
        let resumed = folder.json(&format!("path {problem} {options} --resume c.ck --out resumed.csv --json"));
        assert_eq!(resumed["events"], whole["events"], "{problem}");
        assert_eq!(folder.text("resumed.csv"), folder.text("whole.csv"), "{problem}");
        let other = if problem == "mpc" { options.replace("-9", "-8") } else { format!("{options} --to 0.31") };
        if !options.contains("--to 20") {
            folder.run(&format!("path {problem} {other} --resume c.ck")).refused(&["c.ck", "checkpoint"]);
        }
    }
}

#[test]
fn an_approximate_path_keeps_its_promise_whatever_the_problem() {
    let folder = folder();
    for Case { problem, options, file, .. } in CASES {
        // On a ray there is no last point to approximate towards.
        if ["trend-filtering", "critical-line"].contains(&problem) {
            continue;
        }
        let report = folder.json(&format!("path {problem} {options} --tolerance 1e-2 --out kept.path --json"));
        assert!(number(&report["max_gap_bound"]) <= 1e-2, "{problem}: {report}");
        folder.ok(&format!("check kept.path --train {file}"));
    }
}

#[test]
fn the_help_of_a_problem_has_its_own_options_only() {
    let folder = folder();
    let help = folder.ok("path lasso --help");
    assert!(help.contains("--ridge") && help.contains("coefficients at every l1 penalty alpha"), "{help}");
    for other in ["--kernel", "--tau", "--c-pos", "--weights", "--test", "--risk-free"] {
        assert!(!help.contains(other), "{other} in {help}");
    }
    let help = folder.ok("path kqr --help");
    assert!(help.contains("--tau") && help.contains("[default: intercept]") && !help.contains("--epsilon"), "{help}");
    folder.run("map lasso --train numbers.csv --domain 0:1,0:1").refused(&["lasso", "one parameter"]);
}

/// An example's program, which `cargo test` builds beside the tests.
fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_pathqp")).parent().expect("a folder").join("examples");
    let found = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(found.exists(), "the example {name} was not built: cargo build -p pathqp-cli --examples");
    found
}

/// What an example's program prints in a folder; it must succeed.
fn run_in(folder: &Folder, program: &PathBuf, arguments: &str) -> String {
    let mut command = Command::new(program);
    let output = command.args(arguments.split_whitespace()).current_dir(folder.path()).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{arguments}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn a_problem_with_rows_of_another_crate_has_every_command() {
    let program = example("tracker");
    let folder = Folder::new();
    let period = |t: u32| {
        let asset = |j: u32| 0.01 * f64::from(t * (j + 2) + j * j).sin() + 0.001 * f64::from(j);
        format!("{},{},{},{}\n", asset(0), asset(1), asset(2), 0.5 * asset(0) + 0.5 * asset(1))
    };
    folder.write("returns.csv", format!("a,b,c,index\n{}", (0..12).map(period).collect::<String>()));
    let run = |arguments: &str| run_in(&folder, &program, arguments);
    let path = run("path index-tracker --train returns.csv --response index --out t.path --plot t.svg --json");
    let path: Value = serde_json::from_str(&path).expect("JSON");
    assert_eq!((path["complete"].clone(), path["vary"].clone()), (true.into(), "lead".into()));
    let to = number(&path["to"]);
    let (half, most) = (to / 2.0, to * (1.0 - 1e-12));
    let at: Value = serde_json::from_str(&run(&format!("at t.path --param 0,{half},{most} --json"))).expect("JSON");
    for (k, lead) in [0.0, half, most].into_iter().enumerate() {
        let w: Vec<f64> = at[k]["weights"].as_array().expect("weights").iter().map(number).collect();
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12 && w.iter().all(|w| *w >= -1e-12), "{w:?}");
        assert!(number(&at[k]["price"]) >= -1e-12 && number(&at[k]["kkt_residual"]) <= 1e-9, "{lead}: {at}");
    }
    run("check t.path --train returns.csv");
    let returns = run(&format!("predict t.path --data returns.csv --param {half}"));
    assert_eq!(returns.lines().count(), 13);
    run("report t.path --train returns.csv --out t.html");
    let solve = run(&format!("solve index-tracker --train returns.csv --response index --lead {half} --json"));
    let solved: Value = serde_json::from_str(&solve).expect("JSON");
    let pairs =
        solved["weights"].as_array().expect("weights").iter().zip(at[1]["weights"].as_array().expect("weights"));
    pairs.for_each(|(a, b)| assert!((number(a) - number(b)).abs() < 1e-9, "{solved} {at}"));
}

#[test]
fn a_problem_of_another_crate_has_every_command() {
    let program = example("balls");
    let folder = Folder::new();
    let points: String = (0..30)
        .map(|i| {
            let angle = f64::from(i) * 2.4;
            let radius = (f64::from(i) / 30.0).sqrt();
            format!("{},{}\n", radius * angle.cos(), radius * angle.sin())
        })
        .collect();
    folder.write("points.csv", format!("x,y\n{points}2.5,0\n-2,2\n0,-3\n"));
    let run = |arguments: &str| run_in(&folder, &program, arguments);
    let report: Value = serde_json::from_str(&run(
        "path enclosing-balls --train points.csv --param 0.5 --out b.path --plot b.svg --json",
    ))
    .expect("JSON");
    // The balls that docs/adapters.md prints for the same points.
    assert_eq!((report["complete"].clone(), report["n"].clone()), (true.into(), 33.into()));
    let at: Value = serde_json::from_str(&run("at b.path --param 1,0.5,0.1 --json")).expect("JSON");
    let outside: Vec<f64> = (0..3).map(|k| number(&at[k]["outside"])).collect();
    // At most νn points lie outside.
    assert!(outside.iter().zip([33.0, 16.5, 3.3]).all(|(count, most)| *count <= most), "{outside:?}");
    for k in 0..3 {
        assert!(number(&at[k]["kkt_residual"]) <= 1e-9 && number(&at[k]["relative_gap"]) <= 1e-9, "{at}");
        let gap = number(&at[k]["objective"]) - number(&at[k]["dual_objective"]);
        assert!(gap.abs() <= 1e-9 * number(&at[k]["objective"]), "{at}");
    }
    run("check b.path --train points.csv");
    assert_eq!(run("predict b.path --data points.csv --param 0.1").lines().count(), 34);
    run("report b.path --train points.csv --out b.html");
    let solved: Value =
        serde_json::from_str(&run("solve enclosing-balls --train points.csv --nu 0.1 --json")).expect("JSON");
    same(&solved["centre"], &at[2]["centre"], "centre");
    assert!(run("path --help").contains("enclosing-balls"));
    run("path enclosing-balls --train points.csv --out b.csv");
    assert!(folder.text("b.csv").starts_with("nu,x,y,radius,outside\n"), "{}", folder.text("b.csv"));
}

/// A table does not compute whole solutions: its rows are those of `at` all the same.
#[test]
fn the_rows_of_a_table_are_those_of_solutions() {
    let folder = folder();
    for (bias, out) in [("intercept", "q.csv"), ("none", "r.csv")] {
        let path = format!("path quantile-regression --train numbers.csv --bias {bias}");
        folder.ok(&format!("{path} --out {out}"));
        folder.ok(&format!("{path} --out kept.path"));
        let table = std::fs::read_to_string(folder.path().join(out)).expect("a table");
        let rows: Vec<Vec<f64>> =
            table.lines().skip(1).map(|row| row.split(',').map(|v| v.parse().expect("a number")).collect()).collect();
        assert!(rows.len() > 4, "{table}");
        for row in rows {
            let at = folder.json(&format!("at kept.path --param {} --json", row[0]));
            let mut known: Vec<f64> = at[0]["w"].as_array().expect("w").iter().map(number).collect();
            known.extend((bias == "intercept").then(|| number(&at[0]["intercept"])));
            assert_eq!(row[1..], known, "{table}");
        }
    }
}
