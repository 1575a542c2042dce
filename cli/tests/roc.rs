//! `pathqp roc`: curves, questions, figures, the experiment, and refusals.
#![allow(missing_docs)]

use crate::common::Folder;
use serde_json::Value;

/// Two overlapping clouds on a spiral of whole and half numbers, without randomness.
fn rows(n: usize, offset: usize) -> String {
    let row = |i: usize| {
        let (sine, cosine) = ((i + offset) as f64 * 2.4).sin_cos();
        let y = if i.is_multiple_of(3) { 1.0 } else { -1.0 };
        format!("{:.6},{:.6},{y}\n", 0.6 * y + 1.5 * sine * ((i % 7) as f64).sqrt(), 0.4 * y + 1.2 * cosine)
    };
    "a,b,y\n".to_owned() + &(0..n).map(row).collect::<String>()
}

fn curve(document: &Value) -> Vec<[f64; 2]> {
    let point = |p: &Value| [p[0].as_f64().expect("FPR"), p[1].as_f64().expect("TPR")];
    document.as_array().expect("a curve").iter().map(point).collect()
}

/// TPR of an upper envelope at an FPR.
fn height(hull: &[[f64; 2]], fpr: f64) -> f64 {
    let inside = |p: &&[[f64; 2]]| p[0][0] <= fpr && fpr <= p[1][0] && p[0][0] < p[1][0];
    let heights =
        hull.windows(2).filter(inside).map(|p| p[0][1] + (p[1][1] - p[0][1]) * (fpr - p[0][0]) / (p[1][0] - p[0][0]));
    heights.fold(0.0, f64::max)
}

fn assert_curves(report: &Value) {
    assert_eq!((&report["recounted"], &report["recount"]["withdrawn"]), (&Value::from(true), &Value::from(0)));
    assert!(report["recount"]["points"].as_u64().expect("a count") > 0);
    let both = curve(&report["curves"]["both"]);
    let hull = curve(&report["hull"]);
    for name in ["intercept", "asymmetry", "both"] {
        let points = curve(&report["curves"][name]);
        assert_eq!((points[0], points[points.len() - 1]), ([0.0, 0.0], [1.0, 1.0]), "{name}");
        assert!(points.iter().all(|p| p[1] <= height(&both, p[0]) + 1e-12), "{name}");
        assert!(points.iter().all(|p| p[1] <= height(&hull, p[0]) + 1e-12), "{name}");
    }
    let auc = |name: &str| report["auc"][name].as_f64().expect("an area");
    assert!(auc("intercept") <= auc("both") && auc("asymmetry") <= auc("both") && auc("both") <= auc("hull"));
}

#[test]
fn both_is_never_below_on_a_test_set_or_on_folds() {
    let folder = Folder::new();
    folder.write("train.csv", rows(60, 0)).write("test.csv", rows(45, 100));
    for validation in ["--test test.csv", "--folds 5", "--folds 3 --sum 2 --kernel rbf:0.5", "--folds 4 --bias none"] {
        let run = folder.run(&format!("roc --train train.csv {validation} --json"));
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert_curves(&serde_json::from_str(&run.stdout).expect("JSON"));
    }
}

/// The answers' weights, applied to the test rows by hand.
#[test]
fn answers_are_classifiers() {
    let folder = Folder::new();
    folder.write("train.csv", rows(60, 0)).write("test.csv", rows(45, 100));
    let run = folder.run("roc --train train.csv --test test.csv --max-fpr 0,0.1,0.5 --cost-ratio 0.25,4 --json");
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let answers = report["answers"].as_array().expect("answers");
    assert_eq!(answers.len(), 5);
    let hull = curve(&report["hull"]);
    for answer in answers {
        let number = |value: &Value| value.as_f64().expect("a number");
        let (w, constant) = (&answer["w"], number(&answer["intercept"]));
        let mut counts = [[0.0; 2]; 2];
        for line in rows(45, 100).lines().skip(1) {
            let row: Vec<f64> = line.split(',').map(|v| v.parse().expect("a number")).collect();
            let f = number(&w[0]) * row[0] + number(&w[1]) * row[1] + constant;
            counts[usize::from(row[2] > 0.0)][usize::from(f > 0.0)] += 1.0;
        }
        let [fpr, tpr] = counts.map(|c| c[1] / (c[0] + c[1]));
        assert_eq!((number(&answer["fpr"]), number(&answer["tpr"])), (fpr, tpr));
        match (answer["max_fpr"].as_f64(), answer["cost_ratio"].as_f64()) {
            (Some(most), _) => assert!(fpr <= most),
            (_, Some(ratio)) => {
                let cost = |p: &[f64; 2]| (ratio * (1.0 - p[1]) * 15.0 + p[0] * 30.0) / 45.0 * 2.0 / (1.0 + ratio);
                let least = hull.iter().map(cost).fold(f64::INFINITY, f64::min);
                assert!((number(&answer["cost"]) - least).abs() < 1e-12 && (cost(&[fpr, tpr]) - least).abs() < 1e-12);
            }
            _ => panic!("{answer}"),
        }
    }
}

#[test]
fn figures_and_tables_are_made() {
    let folder = Folder::new();
    folder.write("train.csv", rows(60, 0));
    let run = folder.run("roc --train train.csv --folds 4 --max-fpr 0.2 --plot curves.svg --plot-lines lines.svg");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("roc\n") && run.stdout.contains("FPR ≤ 0.2: TPR"), "{}", run.stdout);
    assert!(folder.text("curves.svg").contains("varying both") && folder.text("lines.svg").contains("n₊C₊ = n₋C₋"));
    // The work is the same whatever the threads do.
    let experiment = "roc --train train.csv --experiment --folds 3 --asymmetries 20 --json";
    let [a, b] = [0, 1].map(|_| {
        let run = folder.run(experiment);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let mut report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        report["seconds"] = Value::Null;
        report
    });
    assert_eq!(a, b);
    assert_eq!((&a["n"], &a["sum"]), (&Value::from(60), &Value::from(2.0)));
    let table = folder.run("roc --train train.csv --experiment --folds 3 --asymmetries 5").stdout;
    assert!(table.contains("| train | 2 | 60 |") && table.contains("γ (train)"), "{table}");
}

#[test]
fn wrong_questions_are_one_line() {
    let folder = Folder::new();
    folder.write("train.csv", rows(30, 0)).write("positive.csv", "a,b,y\n1,2,1\n0,1,1\n").write("two.csv", rows(4, 0));
    for (arguments, expected) in [
        ("--test positive.csv", "positive.csv: only one class (+1) in 2 rows"),
        ("--folds 1", "train.csv: 1 folds of 30 rows"),
        ("--folds 31", "31 folds of 30 rows"),
        ("--test positive.csv --folds 3", "cannot be used with"),
        ("--sum 0", "must be a positive finite number"),
        ("--multiples 1,-1", "must be a positive finite number"),
        ("--max-fpr 2", "must be a number from 0 to 1"),
        ("--experiment --asymmetries 0", "asymmetries = 0: it must be at least one"),
        ("--plot a.svg --plot-lines a.svg", "--plot-lines a.svg is the file of --plot"),
        ("--plot train.csv", "--plot train.csv is the file of --train"),
    ] {
        let run = folder.run(&format!("roc --train train.csv {arguments}"));
        assert_eq!(run.status, 2, "{arguments}: {}", run.stderr);
        assert!(run.stderr.contains(expected) && run.stderr.lines().count() == 1, "{arguments}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
    let run = folder.run("roc --train two.csv --folds 2");
    assert!(run.status == 0 || run.stderr.contains("folds"), "{}", run.stderr);
}
