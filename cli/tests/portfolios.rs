//! `path critical-line`: tables by name, targets at the ends, the largest Sharpe ratio, prices.
#![allow(missing_docs)]

use crate::common::*;
use serde_json::Value;

const MEAN: &str = "a,b,c\n0.01,0.03,0.02\n";
const COV: &str = "a,b,c\n0.01,0.002,0.0\n0.002,0.09,0.01\n0.0,0.01,0.04\n";
/// The same matrix with its assets in another order.
const COV_CAB: &str = "c,a,b\n0.04,0.0,0.01\n0.0,0.01,0.002\n0.01,0.002,0.09\n";

fn named(found: &Value, portfolio: &Value) -> Vec<(String, f64)> {
    let names = found["assets"].as_array().expect("names").iter().map(|name| name.as_str().expect("a name").to_owned());
    let mut all: Vec<(String, f64)> = names.zip(numbers(&portfolio["weights"])).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn expect(found: &Value, portfolio: &Value, expected: [f64; 3]) {
    let all = named(found, portfolio);
    for ((name, weight), (own, value)) in all.iter().zip(["a", "b", "c"].iter().zip(expected)) {
        assert!(name == own && (weight - value).abs() < 1e-12, "{all:?}, {expected:?}");
    }
}

/// Runs a command that must warn in one line, which has all of these words.
fn warned(folder: &Folder, arguments: &str, words: &[&str]) -> Value {
    let outcome = folder.run(arguments);
    assert_eq!((outcome.status, outcome.stderr.matches('\n').count()), (0, 1), "{outcome:?}");
    assert!(outcome.stderr.starts_with("pathqp: warning: "), "{outcome:?}");
    for word in words {
        assert!(outcome.stderr.contains(word), "no '{word}' in {outcome:?}");
    }
    serde_json::from_str(&outcome.stdout).expect("one JSON document")
}

#[test]
fn columns_go_by_their_names() {
    let folder = Folder::new();
    folder.write("mean.csv", MEAN).write("same.csv", COV).write("other.csv", COV_CAB);
    folder.write("upper.csv", "c,a,b\n0.1,1,1\n").write("column.csv", "upper\n1\n1\n0.1\n");
    let free = [
        [0.7685433422698839, 0.049151027703306524, 0.18230563002680966],
        [0.6099195710455764, 0.14075067024128687, 0.24932975871313673],
        [0.451295799821269, 0.2323503127792672, 0.3163538873994638],
    ];
    let bound = [
        [0.8354166666666667, 0.06458333333333334, 0.1],
        [0.73125, 0.16875, 0.1],
        [0.6270833333333333, 0.27291666666666664, 0.1],
    ];
    for cov in ["same.csv", "other.csv"] {
        let command = format!("path critical-line --mean mean.csv --cov {cov} --param 0,0.5,1 --json");
        for (extra, expected) in [("", free), ("--upper upper.csv", bound), ("--upper column.csv", bound)] {
            let found = folder.json(&format!("{command} {extra}"));
            assert_eq!(found["assets"].to_string(), r#"["a","b","c"]"#);
            for (portfolio, expected) in found["at"].as_array().expect("portfolios").iter().zip(expected) {
                expect(&found, portfolio, expected);
            }
        }
    }
    // The order is that of the first table: with means in the order c, a, b so are the weights. The lower bounds too.
    folder.write("mean_cab.csv", "c,a,b\n0.02,0.01,0.03\n").write("lower.csv", "b,c,a\n0,0.3,0\n");
    let found =
        folder.json("path critical-line --mean mean_cab.csv --cov same.csv --upper upper.csv --param 0.5 --json");
    assert_eq!(found["assets"].to_string(), r#"["c","a","b"]"#);
    expect(&found, &found["at"][0], bound[1]);
    let found = folder.json("path critical-line --mean mean_cab.csv --cov same.csv --lower lower.csv --param 0 --json");
    // c at 0.3: 0.01 w + 0.002 v = 0.002 w + 0.09 v + 0.003 with w + v = 0.7.
    expect(&found, &found["at"][0], [0.7 - 0.0026 / 0.096, 0.0026 / 0.096, 0.3]);
    // Means in one column have no names: they go by position, and the names are those of the covariance.
    folder.write("mean_column.csv", "mean\n0.02\n0.01\n0.03\n");
    let found = folder.json("path critical-line --mean mean_column.csv --cov other.csv --param 0.5 --json");
    assert_eq!(found["assets"].to_string(), r#"["c","a","b"]"#);
    expect(&found, &found["at"][0], free[1]);
    // Returns with bounds in another order.
    folder.write("returns.csv", "a,b,c\n0.01,0.03,0.02\n0.02,-0.01,0.01\n-0.01,0.02,0.005\n0.0,0.04,-0.01\n");
    let found = folder.json("path critical-line --train returns.csv --upper upper.csv --param 0,100 --json");
    assert!(
        named(&found, &found["at"][1])[2].1 <= 0.1 + 1e-12 && named(&found, &found["at"][1])[1].1 > 0.99,
        "{found}"
    );
}

#[test]
fn names_that_differ_are_refused() {
    let folder = Folder::new();
    folder.write("mean.csv", MEAN).write("cov.csv", COV).write("returns.csv", "a,b\n0.1,0.2\n0.2,0.1\n0.1,-0.1\n");
    folder.write("d.csv", COV.replace("a,b,c", "a,b,d")).write("twice.csv", COV.replace("a,b,c", "c,b,b"));
    folder.write("upper.csv", "a,c\n1,1\n").write("case.csv", "A,B,C\n1,1,1\n");
    let command = "path critical-line --mean mean.csv --cov";
    for (arguments, words) in [
        (format!("{command} d.csv"), &["d.csv: compared with mean.csv", "missing: 'c'", "unknown: 'd'"][..]),
        (format!("{command} twice.csv"), &["twice.csv", "`b`", "rename"]),
        (format!("{command} cov.csv --upper upper.csv"), &["upper.csv: compared with mean.csv", "missing: 'b'"]),
        (format!("{command} cov.csv --lower case.csv"), &["case.csv", "unknown: 'A', 'B', 'C'"]),
        (
            "path critical-line --train returns.csv --upper upper.csv".into(),
            &["upper.csv: compared with returns.csv", "'b'"],
        ),
        (format!("{command} cov.csv --out upper.csv --upper upper.csv"), &["upper.csv"]),
    ] {
        folder.run(&arguments).refused(words);
    }
    // Without names by position.
    let plain = |text: &str| text.split_once('\n').expect("a header").1.to_owned();
    folder.write("plain_mean.csv", plain(MEAN)).write("plain_cov.csv", plain(COV)).write("bound.csv", "1,1,0.1\n");
    let found = folder.json(
        "path critical-line --mean plain_mean.csv --cov plain_cov.csv --upper bound.csv --no-header --param 0.5 --json",
    );
    assert_eq!(found["assets"].to_string(), r#"["w1","w2","w3"]"#);
    all_close(&numbers(&found["at"][0]["weights"]), &[0.73125, 0.16875, 0.1]);
}

#[test]
fn a_target_at_the_end_and_the_range_of_others() {
    let folder = Folder::new();
    folder.write("mean.csv", "a,b,c,d\n0.01,0.03,0.03,0.02\n");
    folder.write("cov.csv", "a,b,c,d\n0.01,0.002,0,0\n0.002,0.09,0.01,0\n0,0.01,0.16,0\n0,0,0,0.04\n");
    let command = "path critical-line --mean mean.csv --cov cov.csv --json";
    let found = folder.json(&format!("{command} --lower=-1 --target 0.05,0.049999999999"));
    assert_eq!(numbers(&found["at"][0]["weights"]), [-1.0, 1.0, 1.0, 0.0]);
    assert!((number(&found["at"][0]["variance"]) - 0.276).abs() < 1e-15, "{}", found["at"][0]);
    let found = folder.json(&format!("{command} --target 0.03"));
    all_close(&numbers(&found["at"][0]["weights"]), &[0.0, 0.6521739130434783, 0.34782608695652173, 0.0]);
    folder.run(&format!("{command} --target 0.031 --out kept.json")).refused(&["0.031", "to 0.03"]);
    // The path that was computed is kept all the same.
    assert_eq!(folder.json("at kept.json --param 0.1 --json").as_array().map(Vec::len), Some(1));
    // A kept list of numbers, in another order than the assets, that was emptied.
    folder.write("most.csv", "d,c,b,a\n0.5,0.75,1,1\n").ok(&format!("{command} --upper most.csv --out kept.json"));
    let text = folder.text("kept.json");
    let forged = text.replacen(r#""rows":1,"columns":4,"values":[0.5,"#, r#""rows":0,"columns":4,"values":[0.5,"#, 1);
    let forged = forged.replacen("[0.5,0.75,1.0,1.0]", "[]", 1);
    assert_ne!(forged, text);
    folder.write("forged.json", forged);
    folder.run("at forged.json --param 0.1").refused(&["forged.json", "upper", "a list of numbers"]);
    folder.run(&format!("{command} --target 0.001")).refused(&["0.001", "from 0.01", "to 0.03"]);
    folder.run(&format!("{command} --to 1 --param 2")).refused(&["--param 2", "t from 0 to 1"]);
}

#[test]
fn the_largest_sharpe_ratio_where_all_lose() {
    let folder = Folder::new();
    folder.write("mean.csv", "a,b,c\n-0.010,-0.012,-0.018\n").write("gains.csv", "a,b,c\n0.001,0.0008,0.0002\n");
    folder.write("cov.csv", "a,b,c\n0.01,0,0\n0,0.09,0.01\n0,0.01,0.25\n");
    let command = "path critical-line --mean mean.csv --cov cov.csv --json";
    let found =
        warned(&folder, command, &["no portfolio returns more than the risk-free 0", "-0.01", "-0.036", "corner"]);
    assert_eq!(found["max_sharpe_case"], "corner");
    let best = &found["max_sharpe"];
    assert!(numbers(&best["weights"]) == [0.0, 0.0, 1.0] && best["t"].is_null(), "{best}");
    assert!((number(&best["sharpe"]) + 0.036).abs() < 1e-15 && number(&found["largest_return"]) == -0.01);
    let text = folder.run("path critical-line --mean mean.csv --cov cov.csv --plot f.svg");
    assert!(text.status == 0 && text.stdout.contains("not efficient"), "{text:?}");
    let found = warned(
        &folder,
        &format!("{} --risk-free 0.011", command.replace("mean.csv", "gains.csv")),
        &["0.011", "0.001"],
    );
    assert!((number(&found["max_sharpe"]["sharpe"]) + 0.0216).abs() < 1e-15);
    let found = folder.json(&command.replace("mean.csv", "gains.csv"));
    assert!(found["max_sharpe_case"] == "efficient" && number(&found["max_sharpe"]["t"]) > 0.0);
    let found = warned(&folder, &format!("{command} --lower=-inf --upper inf"), &["grows towards"]);
    assert!(found["max_sharpe"].is_null() && found["largest_return"].is_null() && found["max_sharpe_case"] == "limit");
}

#[test]
fn prices_in_place_of_returns() {
    let folder = Folder::new();
    folder.write("prices.csv", "a,b\n100,50\n101,49\n103,50.5\n102,51\n104,52\n");
    let command = "path critical-line --json --param 0.1";
    let found = warned(
        &folder,
        &format!("{command} --train prices.csv"),
        &["prices.csv: this looks like prices", "--prices prices.csv"],
    );
    assert!(number(&found["max_sharpe"]["return"]) > 50.0);
    let found = folder.json(&format!("{command} --prices prices.csv"));
    // The same from the returns.
    let of = |p: [f64; 5]| p.windows(2).map(|w| w[1] / w[0] - 1.0).collect::<Vec<f64>>();
    let (a, b) = (of([100.0, 101.0, 103.0, 102.0, 104.0]), of([50.0, 49.0, 50.5, 51.0, 52.0]));
    let rows: String = a.iter().zip(&b).map(|(a, b)| format!("{a},{b}\n")).collect();
    folder.write("returns.csv", format!("a,b\n{rows}"));
    let same = folder.json(&format!("{command} --train returns.csv"));
    all_close(&numbers(&found["at"][0]["weights"]), &numbers(&same["at"][0]["weights"]));
    folder.write("zero.csv", "a\n1\n0\n2\n");
    folder.run(&format!("{command} --prices zero.csv")).refused(&["zero.csv", "row 1", "positive"]);
    folder.run(&format!("{command} --prices prices.csv --train prices.csv")).refused(&["--prices"]);
    folder.run(&format!("{command} --prices prices.csv --out prices.csv")).refused(&["--out", "--prices"]);
}
