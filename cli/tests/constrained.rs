//! `--rows` of the lasso and of portfolios, the Dantzig selector and the l1-norm SVM from files.
#![allow(missing_docs)]

use crate::common::*;

const SHARES: &str = "a,b,c,y\n0.1,1.2,-0.4,1.1\n0.9,-0.3,0.2,2.3\n-0.7,0.5,1.4,-0.8\n1.3,0.1,-0.9,3.1\n-0.2,-1.1,0.6,0.2\n0.4,0.8,0.3,1.0\n-1.5,0.2,0.1,-2.2\n0.6,-0.6,-1.2,2.0\n";
const ZERO_SUM: &str = "a,b,c,lower,upper\n1,1,1,0,0\n";
const RETURNS: &str =
    "a,b,c\n0.01,0.03,-0.02\n0.02,-0.01,0.01\n-0.01,0.02,0.03\n0.015,0.05,0\n0.005,-0.03,0.02\n0.012,0.004,0.001\n";

fn sum(values: &serde_json::Value) -> f64 {
    numbers(values).iter().sum()
}

#[test]
fn coefficients_satisfy_their_rows_in_every_command() {
    let folder = Folder::new();
    folder.write("t.csv", SHARES).write("rows.csv", ZERO_SUM);
    for model in ["--bias intercept", "--bias none --ridge 0.2", "--bias intercept --scale standard"] {
        let path =
            folder.json(&format!("path lasso --train t.csv {model} --rows rows.csv --out l.path --plot l.svg --json"));
        assert_eq!((path["complete"].as_bool(), path["constraints"].as_u64()), (Some(true), Some(1)), "{path}");
        assert!(number(&path["max_kkt_residual"]) < 1e-9 && number(&path["max_relative_gap"]) < 1e-9);
        let largest = number(&path["alpha_max"]);
        let at = folder.json(&format!("at l.path --param {largest},{},0 --json", largest / 2.0));
        for found in at.as_array().expect("values") {
            assert!(sum(&found["w"]).abs() < 1e-13, "{model}: {found}");
            assert!((number(&found["objective"]) - number(&found["dual_objective"])).abs() < 1e-12, "{model}: {found}");
            assert_eq!(numbers(&found["y"]).len(), 1);
        }
        assert!(numbers(&at[0]["w"]).iter().all(|w| w.abs() < 1e-14), "{model}: {}", at[0]);
        // Beyond the beginning nothing changes.
        let beyond = folder.json(&format!("at l.path --param {} --json", 10.0 * largest));
        all_close(&numbers(&beyond[0]["w"]), &numbers(&at[0]["w"]));
        let half = largest / 2.0;
        let solved = folder.json(&format!("solve lasso --train t.csv {model} --rows rows.csv --param {half} --json"));
        all_close(&numbers(&solved["w"]), &numbers(&at[1]["w"]));
        assert_eq!(folder.ok("predict l.path --data t.csv --param 0.1").lines().count(), 9);
        assert_eq!(folder.json("check l.path --train t.csv --json")["passed"], true);
        folder.ok("report l.path --train t.csv --out page.html");
        folder.ok(&format!("path lasso --train t.csv {model} --rows rows.csv --out kept.json"));
        assert_eq!(folder.json(&format!("at kept.json --param {half} --json"))[0]["w"], at[1]["w"]);
    }
    // Another order of columns, bounds in the middle, no bound on one side, numbers for infinity; and by position.
    folder.write("order.csv", "upper,c,lower,a,b\n0,1,0,1,1\ninf,0,-inf,1,0\n,0,,0,1\n");
    folder.write("plain.csv", "1,1,1,0,0\n");
    let command = "path lasso --train t.csv --bias intercept --json --param 0.1 --rows";
    let [named, ordered, plain] = ["rows.csv", "order.csv", "plain.csv"]
        .map(|rows| numbers(&folder.json(&format!("{command} {rows}"))["at"][0]["w"]));
    all_close(&named, &ordered);
    all_close(&named, &plain);
    // Inequalities: the largest coefficient at least 1, another at most 0.2, at every alpha.
    folder.write("box.csv", "a,b,c,lower,upper\n1,0,0,1,\n0,0,1,,0.2\n");
    let path = folder.json("path lasso --train t.csv --bias intercept --rows box.csv --param 5,0 --json");
    assert!((numbers(&path["at"][0]["w"])[0] - 1.0).abs() < 1e-12, "{path}");
    assert!(numbers(&path["at"][1]["w"])[2] <= 0.2 + 1e-12, "{path}");
    // Other rows than those of the path.
    folder.write("rows.csv", ZERO_SUM.replace("0,0\n", "0,1\n"));
    folder.run("check l.path --train t.csv").refused(&["not the data", "t.csv"]);
    let path = folder.json("path lasso --train t.csv --rows box.csv --tolerance 0.1 --out few.path --json");
    assert!(number(&path["max_gap_bound"]) <= 0.1, "{path}");
    assert_eq!(folder.json("check few.path --train t.csv --json")["passed"], true);
}

#[test]
fn alpha_is_chosen_under_the_rows() {
    let folder = Folder::new();
    folder.write("t.csv", SHARES).write("rows.csv", ZERO_SUM);
    for how in ["--criterion bic", "--criterion cp --sigma 0.4", "--folds 4", "--folds 4 --rule one-se"] {
        let path = folder.json(&format!("path lasso --train t.csv --bias intercept --rows rows.csv {how} --json"));
        let chosen = &path["chosen"];
        assert!(number(&chosen["alpha"]) >= 0.0 && number(&chosen["loss"]).is_finite(), "{how}: {chosen}");
    }
}

#[test]
fn rows_of_weights_are_kept() {
    let folder = Folder::new();
    // a and b together at most 0.6, c at least 0.1; by name.
    folder.write("returns.csv", RETURNS).write("rows.csv", "c,a,b,lower,upper\n0,1,1,,0.6\n1,0,0,0.1,\n");
    let command = "path critical-line --train returns.csv --rows rows.csv --json";
    let path = folder.json(&format!("{command} --target 0.0085 --target-risk 0.006 --out p.path --plot p.svg"));
    assert_eq!((path["complete"].as_bool(), path["constraints"].as_u64()), (Some(true), Some(2)), "{path}");
    assert!((number(&path["at"][0]["return"]) - 0.0085).abs() < 1e-14, "{path}");
    assert!((number(&path["at"][1]["risk"]) - 0.006).abs() < 1e-14, "{path}");
    for portfolio in [&path["at"][0], &path["at"][1], &path["least_variance"], &path["max_sharpe"]] {
        let w = numbers(&portfolio["weights"]);
        assert!(w[0] + w[1] <= 0.6 + 1e-13 && w[2] >= 0.1 - 1e-13, "{portfolio}");
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-13, "{portfolio}");
    }
    assert_eq!(folder.json("check p.path --train returns.csv --json")["passed"], true);
    folder.run(&format!("{command} --target-risk 5")).refused(&["the risk 5", "choose one from"]);
    // Over a year of twelve periods: the same portfolios, twelve times the return and the variance.
    let year = folder.json(&format!("{command} --periods-per-year 12 --risk-free 0"));
    for key in ["least_variance", "max_sharpe"] {
        all_close(&numbers(&year[key]["weights"]), &numbers(&path[key]["weights"]));
        assert!((number(&year[key]["return"]) - 12.0 * number(&path[key]["return"])).abs() < 1e-14, "{year}");
        assert!((number(&year[key]["variance"]) - 12.0 * number(&path[key]["variance"])).abs() < 1e-15, "{year}");
    }
    // Prices that were these returns.
    let prices: String = (0..7)
        .map(|k| {
            let grown = |j: usize| {
                let returns = RETURNS.lines().skip(1).take(k);
                returns
                    .map(|row| 1.0 + row.split(',').nth(j).expect("a cell").parse::<f64>().expect("a number"))
                    .product::<f64>()
            };
            format!("{},{},{}\n", grown(0), grown(1), grown(2))
        })
        .collect();
    folder.write("prices.csv", format!("a,b,c\n{prices}"));
    let of_prices = folder.json("path critical-line --prices prices.csv --rows rows.csv --periods-per-year 12 --json");
    all_close(&numbers(&of_prices["max_sharpe"]["weights"]), &numbers(&year["max_sharpe"]["weights"]));
    folder
        .run("path critical-line --mean returns.csv --cov returns.csv --periods-per-year 12")
        .refused(&["--periods-per-year"]);
}

#[test]
fn tables_of_rows_that_are_none_are_refused_by_their_place() {
    let folder = Folder::new();
    folder.write("t.csv", SHARES).write("returns.csv", RETURNS);
    for (content, words) in [
        ("a,b,c,lower,upper\n1,x,1,0,0\n", &["rows.csv, line 2, column b", "`x`"][..]),
        ("a,b,c,lower,upper\n1,1,1,0,0\n\n1,,1,0,0\n", &["rows.csv, line 4, column b", "missing"]),
        ("a,b,c,lower,upper\n1,1,1,0\n", &["rows.csv, line 2", "4 fields, 5 expected"]),
        ("a,b,c,lower,upper\n1,1,1,0,zero\n", &["rows.csv, line 2, column upper", "`zero`"]),
        ("a,b,c,lower,upper\n1,1,1,inf,\n", &["rows.csv, line 2, column lower", "not finite"]),
        ("a,b,c,lower,upper\n1,1,1,nan,\n", &["rows.csv, line 2, column lower"]),
        ("a,b,d,lower,upper\n1,1,1,0,0\n", &["rows.csv", "missing: 'c'", "unknown: 'd'"]),
        ("a,b,lower,upper\n1,1,0,0\n", &["rows.csv", "missing: 'c'"]),
        ("a,b,b,lower,upper\n1,1,1,0,0\n", &["rows.csv, line 1", "both named `b`"]),
        ("a,b,c,low,high\n1,1,1,0,0\n", &["rows.csv", "lower", "a, b, c, low, high"]),
        ("1,1,0,0\n", &["rows.csv", "2 columns, and 3 are needed"]),
        ("a,b,c,lower,upper\n", &["rows.csv", "no rows"]),
        ("a,b,c,lower,upper\n1,1,1,2,1\n", &["rows.csv", "line 2", "lower bound 2", "upper bound 1"]),
        ("a,b,c,lower,upper\n1,1,0,1,\n0,0,1,-9,9\n1,1,0,,0\n", &["rows.csv", "line 2 (times", "line 4 (times"]),
    ] {
        folder.write("rows.csv", content);
        folder.run("path lasso --train t.csv --rows rows.csv").refused(words);
        let is_infeasible = content.contains("-9");
        if !is_infeasible {
            folder.run("path critical-line --train returns.csv --rows rows.csv").refused(words);
        }
    }
    folder.run("path lasso --train t.csv --rows nothing.csv").refused(&["nothing.csv", "no such file"]);
    folder.write("rows.txt", "1 1:1\n").run("path lasso --train t.csv --rows rows.txt").refused(&["rows.txt", ".csv"]);
    folder.write("rows.csv", "a,b,c,lower,upper\n1,1,1,1.5,\n");
    folder.run("path critical-line --train returns.csv --rows rows.csv").refused(&[
        "rows.csv",
        "line 2 (times",
        "the budget",
    ]);
    folder.run("path lasso --train t.csv --rows rows.csv --out rows.csv").refused(&["--rows"]);
}

#[test]
fn the_dantzig_selector_and_the_l1_svm_print_what_they_are() {
    let folder = Folder::new();
    folder.write("t.csv", SHARES);
    let path = folder.json("path dantzig --train t.csv --bias intercept --param 0.5 --json");
    assert_eq!(path["vary"], "alpha");
    let at = &path["at"][0];
    let norm: f64 = numbers(&at["w"]).iter().map(|w| w.abs()).sum();
    assert!((number(&at["objective"]) - norm).abs() < 1e-14, "{at}");
    folder.run("path dantzig --train t.csv --bias augmented").refused(&["--bias intercept"]);
    folder.write("c.csv", "x1,x2,y\n0.3,1.2,yes\n-0.4,0.9,no\n1.5,0.2,yes\n0.1,-0.7,no\n0.9,1.1,yes\n-1.2,0.4,no\n0.2,0.3,no\n1.1,-0.2,yes\n");
    let path = folder.json("path l1-svm --train c.csv --param 0.5 --out s.path --json");
    let at = &path["at"][0];
    let penalty: f64 = numbers(&at["w"]).iter().map(|w| 0.5 * w.abs()).sum();
    assert!((number(&at["loss"]) + penalty - number(&at["objective"])).abs() < 1e-13, "{at}");
    let outcome = folder.run("predict s.path --data c.csv --param 0.1 --classes");
    assert!(outcome.status == 0 && outcome.stdout.contains("class(alpha=0.1)"), "{outcome:?}");
    assert!(outcome.stderr.contains("error rate at alpha = 0.1"), "{outcome:?}");
}
