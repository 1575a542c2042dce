//! `path --tolerance`: what it promises, what is kept, and what `check` makes of it.

use crate::common::*;
use serde_json::{Value, json};

const TWO: &str = "path quantile-svm --train two.svm --lambda 1 --bias none";

/// 60 points in the plane, two overlapping classes.
fn sixty() -> Folder {
    let folder = Folder::new();
    let row = |i: usize| {
        let label = i % 2;
        format!("{label} 1:{} 2:{}\n", (i * 37) % 61 + 20 * label, (i * 23) % 59 + 10 * label)
    };
    let data: String = (0..60).map(row).collect();
    folder.write("data.svm", data);
    folder
}

#[test]
fn a_chord_by_hand() {
    // From τ = 0 to 1, (α₁, α₂) goes from (1, 0) to (0, 1/4). On the chord w = α₁ + 2α₂ = 1 − τ/2, α₁ is at its bound, and
    // z₂ = 2w − 1 = 1 − τ with α₂ = τ/4: the gap is τ(1 − τ)/4, at most 1/16.
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    let report = folder.json(&format!("{TWO} --tolerance 0.07 --out two.path --json"));
    assert_eq!((&report["breakpoints"], &report["tolerance"]), (&json!(0), &json!(0.07)));
    assert_eq!(report["complete"], json!(true));
    close(number(&report["max_gap_bound"]), 0.0625);
    assert!(number(&report["max_gap_bound"]) >= 0.0625 && number(&report["max_kkt_residual"]) <= 1e-9);
    assert_eq!(keys(&report["seconds"]), ["approximate", "path", "read", "start", "total"]);

    let reports = folder.json("at two.path --param 0,0.5,1 --full --json");
    for (report, (tau, w, alpha)) in [(0.0, 1.0, [1.0, 0.0]), (0.5, 0.75, [0.5, 0.125]), (1.0, 0.5, [0.0, 0.25])]
        .into_iter()
        .enumerate()
        .map(|(k, expected)| (&reports[k], expected))
    {
        all_close(&numbers(&report["w"]), &[w]);
        all_close(&numbers(&report["alpha"]), &alpha);
        close(number(&report["objective"]) - number(&report["dual_objective"]), tau * (1.0 - tau) / 4.0);
    }
    let check = folder.json("check two.path --train two.svm --points 9 --json");
    let fields = ["gap_tolerance", "max_gap", "max_gap_bound", "passed", "points", "segments"];
    assert!(fields.iter().all(|field| keys(&check).contains(field)), "{check}");
    assert_eq!((&check["passed"], &check["segments"], &check["points"]), (&json!(true), &json!(1), &json!(12)));
    close(number(&check["max_gap"]), 0.0625);
    close(number(&check["max_gap_bound"]), 0.0625);
    assert_eq!(check["gap_tolerance"], json!(0.07));
    let text = folder.ok(&format!("{TWO} --tolerance 0.07"));
    assert!(text.contains("gap 6.3e-2 at most between stored points (tolerance 0.07)"), "{text}");
    let text = folder.ok("check two.path --train two.svm");
    assert!(text.contains("bound 6.2e-2 (tolerance 0.07)") && text.contains("passed"), "{text}");

    // Less than 1/16: the exact path.
    let report = folder.json(&format!("{TWO} --tolerance 0.06 --out two.path --json"));
    assert_eq!((&report["breakpoints"], &report["max_gap_bound"]), (&json!(1), &json!(0.0)));
    all_close(&numbers(&folder.json("at two.path --param 0.5 --json")[0]["w"]), &[0.5]);
}

#[test]
fn fewer_points_are_kept_and_checked() {
    let folder = sixty();
    for bias in ["augmented", "intercept"] {
        let base = format!("path quantile-svm --train data.svm --lambda 0.01 --scale minmax --bias {bias} --json");
        let exact = folder.json(&format!("{base} --out exact.path"))["breakpoints"].as_u64().expect("a count");
        let mut before = 0;
        for tolerance in ["1e-1", "1e-2", "1e-3", "1e-4", "1e-12"] {
            let report = folder.json(&format!("{base} --tolerance {tolerance} --out few.json"));
            let stored = report["breakpoints"].as_u64().expect("a count");
            assert!(before <= stored && number(&report["max_gap_bound"]) <= number(&report["tolerance"]));
            let check = folder.json("check few.json --train data.svm --points 50 --json");
            assert_eq!((&check["passed"], &check["breakpoints"]), (&json!(true), &json!(stored)));
            let [gap, bound, allowed] = ["max_gap", "max_gap_bound", "gap_tolerance"].map(|k| number(&check[k]));
            assert!(gap <= bound + 1e-13 && bound <= allowed, "{check}");
            before = stored;
        }
        let report = folder.json(&format!("{base} --tolerance 1e-2 --out few.path"));
        assert!(report["breakpoints"].as_u64().expect("a count") * 4 < exact, "{exact}");
        for tau in ["0.1", "0.33", "0.5", "0.77"] {
            let value = |file: &str| number(&folder.json(&format!("at {file} --param {tau} --json"))[0]["objective"]);
            let excess = value("few.path") - value("exact.path");
            assert!((-1e-12..=1e-2).contains(&excess), "{excess}");
        }
        folder.ok("predict few.path --data data.svm --param 0.3 --probability");
    }
}

#[test]
fn a_path_that_was_cut_is_approximated_as_far_as_it_goes() {
    let folder = sixty();
    let base = "path quantile-svm --train data.svm --lambda 0.01 --scale minmax --tolerance 1e-3 --json";
    let report = folder.json(&format!("{base} --max-events 20 --out part.path --plot part.svg --test data.svm"));
    assert_eq!(
        (&report["complete"], &report["stop"], &report["events"]),
        (&json!(false), &json!("max-events"), &json!(20))
    );
    let reached = number(&report["reached"]);
    folder.json(&format!("at part.path --param 0,{reached} --json"));
    let check = folder.json("check part.path --train data.svm --json");
    assert_eq!((&check["complete"], &check["passed"]), (&json!(false), &json!(true)));
    let report = folder.json(&format!("{base} --max-seconds 0 --out none.path"));
    assert_eq!((&report["stop"], &report["max_gap_bound"]), (&json!("max-seconds"), &json!(0.0)));
    folder.ok("check none.path --train data.svm");
}

#[test]
fn a_broken_promise_fails_the_check() {
    let folder = sixty();
    folder.ok("path quantile-svm --train data.svm --lambda 0.01 --scale minmax --tolerance 1e-2 --out few.json");
    let mut kept: Value = serde_json::from_str(&folder.text("few.json")).expect("JSON");
    let failing = |kept: &Value, command: &str, word: &str| {
        folder.write("bad.json", kept.to_string());
        let outcome = folder.run(command);
        assert_eq!((outcome.status, outcome.stderr.matches('\n').count()), (3, 1), "{outcome:?}");
        assert!(outcome.stderr.contains(word), "{outcome:?}");
    };
    let tau = kept["solution"]["line"]["path"]["segments"][1]["t"].as_f64().expect("a position") / 2.0;
    let (check, at) = ("check bad.json --train data.svm", format!("at bad.json --param {tau}"));
    kept["solution"]["line"]["path"]["approximation"]["tolerance"] = json!(1e-4);
    failing(&kept, check, "the bound on the duality gap is");
    failing(&kept, &at, "a duality gap is");
    // Another solution in the file than the data have.
    kept["solution"]["line"]["path"]["approximation"]["tolerance"] = json!(1e-2);
    kept["solution"]["line"]["path"]["x"][0] = json!(0.5);
    failing(&kept, check, "the KKT residual");
    kept["solution"]["line"]["path"]["approximation"]["tolerance"] = json!(-1.0);
    folder.write("bad.json", kept.to_string());
    folder.run(check).refused(&["bad.json", "damaged"]);
}

#[test]
fn a_tolerance_is_a_positive_number() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    for value in ["0", "-0.1", "nan", "inf", "x", "1e999"] {
        folder.run(&format!("{TWO} --tolerance {value}")).refused(&["--tolerance", value, "positive"]);
    }
}

#[test]
fn inexact_solutions_keep_to_the_tolerance() {
    let folder = sixty();
    let base = "path quantile-svm --train data.svm --lambda 0.01 --scale minmax";
    for bias in ["augmented", "intercept", "none"] {
        let base = format!("{base} --bias {bias}");
        let exact = folder.json(&format!("{base} --json --out exact.path"));
        for tolerance in ["1e-1", "1e-2", "1e-3"] {
            let report = folder.json(&format!("{base} --tolerance {tolerance} --inexact --out few.path --json"));
            assert_eq!(report["complete"], json!(true));
            assert!(number(&report["max_gap_bound"]) <= number(&report["tolerance"]), "{report}");
            assert!(number(&report["breakpoints"]) < number(&exact["breakpoints"]), "{bias} {tolerance}: {report}");
            let check = folder.json("check few.path --train data.svm --points 50 --json");
            let [gap, bound, allowed] = ["max_gap", "max_gap_bound", "gap_tolerance"].map(|k| number(&check[k]));
            assert!(gap <= bound && bound <= allowed, "{check}");
            // The objective is that close to the least one, wherever it is asked for.
            let objectives = |file: &str| -> Vec<f64> {
                let reports = folder.json(&format!("at {file} --param 0,0.1,0.35,0.5,0.77,1 --json"));
                reports.as_array().unwrap().iter().map(|r| number(&r["objective"])).collect()
            };
            for (inexact, exact) in objectives("few.path").iter().zip(objectives("exact.path")) {
                assert!((-1e-12..=allowed).contains(&(inexact - exact)), "{bias} {tolerance}: {inexact} and {exact}");
            }
        }
    }
}

#[test]
fn what_inexact_solutions_cannot_do_is_said() {
    let folder = sixty();
    folder.write("table.csv", "a,y\n1,2\n2,3\n4,4\n");
    let svm = "path quantile-svm --train data.svm --lambda 0.01";
    folder.run(&format!("{svm} --inexact")).refused(&["--tolerance"]);
    folder.run(&format!("{svm} --inexact --tolerance 0.1 --checkpoint state")).refused(&["--inexact", "--checkpoint"]);
    folder.run("path lasso --train table.csv --inexact --tolerance 0.1").refused(&[
        "--tolerance",
        "bound",
        "exact path",
    ]);
    let rows = "path quantile-regression --train table.csv --inexact --tolerance 0.1";
    folder.run(rows).refused(&["--tolerance", "exact path"]);
    // Where rounding hides the gap, the exact path is followed, and every segment kept.
    let kept = |option: &str| {
        let report = folder.json(&format!("{svm} {option} --tolerance 1e-18 --json"));
        (report["breakpoints"].clone(), report["max_gap_bound"].clone(), report["complete"].clone())
    };
    assert_eq!(kept("--inexact"), kept(""));
    assert_eq!(kept("").1, json!(0.0));
}
