//! `path` and `at` on problems that are solved by hand.

use crate::common::*;
use serde_json::{Value, json};

const TWO: &str = "path quantile-svm --train two.svm --lambda 1 --bias none";

#[test]
fn the_summary_has_the_promised_fields() {
    let folder = Folder::new();
    let report = folder.write("two.svm", TWO_POINTS).json(&format!("{TWO} --json"));
    let fields = [
        "bias",
        "breakpoints",
        "certified",
        "classes",
        "complete",
        "d",
        "events",
        "fixed",
        "from",
        "kernel",
        "max_free",
        "max_kkt_residual",
        "max_relative_gap",
        "n",
        "problem",
        "reached",
        "seconds",
        "stats",
        "stop",
        "to",
        "vary",
    ];
    assert_eq!(keys(&report), fields);
    assert_eq!(keys(&report["seconds"]), ["path", "read", "start", "total"]);
    let counters = ["appends", "deletes", "events", "exchanges", "jumps", "max_tied", "priced", "refactors"];
    assert_eq!(keys(&report["stats"]), counters);
    for (field, expected) in [
        ("problem", json!("quantile-svm")),
        ("n", json!(2)),
        ("d", json!(1)),
        ("classes", json!({"negative": -1.0, "positive": 1.0})),
        ("kernel", json!("linear")),
        ("bias", json!("none")),
        ("fixed", json!({"lambda": 1.0})),
        ("vary", json!("tau")),
        ("from", json!(0.0)),
        ("to", json!(1.0)),
        ("reached", json!(1.0)),
        ("stop", json!("target")),
        ("complete", json!(true)),
        ("breakpoints", json!(1)),
    ] {
        assert_eq!(report[field], expected, "{field}");
    }
    assert!(counters.iter().all(|c| report["stats"][c].is_u64()));
    assert!(["read", "start", "path", "total"].iter().all(|s| number(&report["seconds"][s]) >= 0.0));
    assert!(number(&report["max_kkt_residual"]) <= 1e-9 && number(&report["max_relative_gap"]) <= 1e-9);
}

#[test]
fn the_table_says_which_label_is_which() {
    let folder = Folder::new();
    folder.write("four.svm", FOUR_POINTS);
    let text = folder.ok("path quantile-svm --train four.svm --lambda 1 --bias intercept");
    assert!(text.contains("+1 is 1 (2 rows), -1 is 0 (2 rows)"), "{text}");
    let text = folder.ok("path quantile-svm --train four.svm --lambda 1 --bias intercept --positive 0");
    assert!(text.contains("+1 is 0 (2 rows), -1 is 1 (2 rows)"), "{text}");
}

#[test]
fn the_solution_is_the_one_by_hand() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS).ok(&format!("{TWO} --out two.path"));
    let reports = folder.json("at two.path --param 0.25,0.75,1 --full --json");
    let expected = [
        // τ, w, α₁, α₂, objective
        (0.25, 0.75, 0.75, 0.0, 0.75 * 0.75 / 2.0 + 0.75 * 0.25),
        (0.75, 0.5, 0.25, 0.125, 0.125 + 0.25 * 0.5),
        (1.0, 0.5, 0.0, 0.25, 0.125),
    ];
    assert_eq!(reports.as_array().expect("an array").len(), expected.len());
    for (k, (tau, w, first, second, objective)) in expected.into_iter().enumerate() {
        let report = &reports[k];
        let fields =
            ["alpha", "dual_objective", "free", "intercept", "kkt_residual", "objective", "param", "relative_gap", "w"];
        assert_eq!(keys(report), fields);
        assert_eq!(report["param"], json!({"tau": tau}));
        all_close(&numbers(&report["w"]), &[w]);
        all_close(&numbers(&report["alpha"]), &[first, second]);
        close(number(&report["objective"]), objective);
        close(number(&report["dual_objective"]), objective);
        close(number(&report["intercept"]), 0.0);
        assert_eq!(report["free"], json!(usize::from(tau > 0.5)));
        assert!(number(&report["kkt_residual"]) <= 1e-9 && number(&report["relative_gap"]) <= 1e-9);
    }
    let plain = folder.json("at two.path --param 0.25 --json");
    assert!(plain[0].get("alpha").is_none());
    let text = folder.ok("at two.path --param 0.25");
    assert!(text.contains("objective       0.46875\n") && text.contains("\nw\n  w1  0.75\n"), "{text}");
}

#[test]
fn an_intercept_may_be_an_interval() {
    let folder = Folder::new();
    folder.write("four.svm", FOUR_POINTS);
    folder.ok("path quantile-svm --train four.svm --lambda 1 --bias intercept --out four.path");
    let reports = folder.json("at four.path --param 0,0.25,0.5,0.75,1 --json");
    let expected = [
        (json!([1.0, null]), 0.0),
        (json!(1.0), 0.5),
        (json!([-1.0, 1.0]), 1.0),
        (json!(-1.0), 0.5),
        (json!([null, -1.0]), 0.0),
    ];
    for (k, (intercept, objective)) in expected.into_iter().enumerate() {
        assert_eq!(reports[k]["intercept"], intercept, "{}", reports[k]);
        close(number(&reports[k]["objective"]), objective);
        all_close(&numbers(&reports[k]["w"]), &[0.0]);
    }
    let text = folder.ok("at four.path --param 0,0.5");
    assert!(text.contains("any in [1, inf)") && text.contains("any in [-1, 1]"), "{text}");
}

#[test]
fn an_augmented_bias_is_reported_as_the_intercept() {
    // The points x = 1 (+1) and x = −2 (−1) with the constant feature B = 2 are the columns of two features.
    let folder = Folder::new();
    folder.write("one.svm", TWO_POINTS).write("both.svm", "+1 1:1 2:2\n-1 1:-2 2:2\n");
    folder.ok("path quantile-svm --train one.svm --lambda 1 --bias augmented:2 --out one.path");
    folder.ok("path quantile-svm --train both.svm --lambda 1 --bias none --out both.path");
    for tau in ["0.1", "0.5", "0.8"] {
        let one = &folder.json(&format!("at one.path --param {tau} --json"))[0];
        let both = &folder.json(&format!("at both.path --param {tau} --json"))[0];
        let (w, w_both) = (numbers(&one["w"]), numbers(&both["w"]));
        all_close(&[w[0], number(&one["intercept"])], &[w_both[0], 2.0 * w_both[1]]);
        close(number(&one["objective"]), number(&both["objective"]));
    }
}

#[test]
fn a_path_may_run_backwards_and_over_a_part() {
    let folder = Folder::new();
    let report = folder
        .write("two.svm", TWO_POINTS)
        .json(&format!("{TWO} --vary tau --from 0.9 --to 0.2 --out back.path --json"));
    assert_eq!((&report["from"], &report["to"], &report["reached"]), (&json!(0.9), &json!(0.2), &json!(0.2)));
    assert_eq!(report["breakpoints"], json!(1));
    let reports = folder.json("at back.path --param 0.2,0.9 --json");
    all_close(&numbers(&reports[0]["w"]), &[0.8]);
    all_close(&numbers(&reports[1]["w"]), &[0.5]);
    folder.run("at back.path --param 0.95").refused(&["--param 0.95", "back.path", "0.9", "0.2"]);
    folder.run("at back.path --param 0.5,0.1").refused(&["--param 0.1", "back.path"]);
}

#[test]
fn a_precomputed_kernel_and_equal_weights_change_nothing() {
    let folder = Folder::new();
    // K = x xᵀ for x = (1, −2).
    folder.write("kernel.csv", "a,b,y\n1,-2,1\n-2,4,-1\n").write("weighted.csv", "y,x,v\n1,1,2\n-1,-2,2\n");
    folder.ok("path quantile-svm --train kernel.csv --lambda 1 --kernel precomputed --bias none --out kernel.path");
    let report = &folder.json("at kernel.path --param 0.75 --full --json")[0];
    assert_eq!(report["w"], Value::Null);
    close(number(&report["objective"]), 0.25);
    all_close(&numbers(&report["alpha"]), &[0.25, 0.125]);
    folder.ok(
        "path quantile-svm --train weighted.csv --response y --weights v --lambda 1 --bias none --out weighted.path",
    );
    let report = &folder.json("at weighted.path --param 0.75 --full --json")[0];
    all_close(&numbers(&report["alpha"]), &[0.25, 0.125]);
}

#[test]
fn limits_end_a_path_in_good_order() {
    let folder = Folder::new();
    let data: String = (0..60).map(|i| format!("{} 1:{} 2:{}\n", i % 2, (i * 37) % 61, (i * 23) % 59)).collect();
    folder.write("data.svm", data);
    let base = "path quantile-svm --train data.svm --lambda 0.1 --scale minmax --json";
    let report = folder.json(&format!("{base} --max-events 3 --out part.path"));
    assert_eq!((&report["complete"], &report["stop"]), (&json!(false), &json!("max-events")));
    let reached = number(&report["reached"]);
    assert!(reached > 0.0 && reached < 1.0);
    folder.json(&format!("at part.path --param 0,{reached} --json"));
    folder.run("at part.path --param 1").refused(&["--param 1", "part.path"]);
    let check = folder.json("check part.path --train data.svm --json");
    assert_eq!((&check["complete"], &check["passed"]), (&json!(false), &json!(true)));
    let report = folder.json(&format!("{base} --max-seconds 0"));
    assert_eq!((&report["complete"], &report["stop"]), (&json!(false), &json!("max-seconds")));
}

#[test]
fn a_figure_is_drawn() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    let report = folder.json(&format!("{TWO} --plot two.svg --test two.svm --json"));
    // Both points are classified rightly all along: w > 0.
    assert_eq!(report["test"], json!({"n": 2, "best_accuracy": 1.0, "at": [0.0, 1.0]}));
    let svg = folder.text("two.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for word in ["weights", "dual variables", "test rows", "TPR", "TNR", "accuracy", "tau"] {
        assert!(svg.contains(word), "{word}");
    }
    assert_eq!(folder.names(), ["two.svg", "two.svm"]);
}
