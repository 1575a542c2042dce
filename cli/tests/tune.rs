//! `tune kqr` and `tune svr`: the best penalty for every quantile or tube, and the best tube for every penalty.
#![allow(missing_docs)]

use crate::common::*;

const TRAIN: &str =
    "x,y\n0,1.1\n0.5,1.4\n1,1.7\n1.5,2.2\n2,2.9\n2.5,2.4\n3,1.9\n3.5,1.3\n4,0.6\n4.5,1.05\n5,0.5\n5.5,0.7\n";
const HELD: &str = "x,y\n0.2,1\n1.2,2.1\n2.2,2.3\n3.2,1.8\n4.2,0.8\n5.2,0.4\n";

#[test]
fn pieces_tile_the_range_and_agree_with_single_values() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN).write("held.csv", HELD);
    for how in ["--validate held.csv", "--folds 3", "--criterion sic", "--criterion gacv"] {
        let options = format!("tune kqr --train train.csv {how} --kernel rbf:0.5 --from 0.2 --to 0.8");
        let report = folder.json(&format!("{options} --param 0.2,0.37,0.8 --out pieces.csv --plot p.svg --json"));
        assert_eq!((report["tuned"].as_str(), report["complete"].as_bool()), (Some("lambda"), Some(true)));
        assert!(number(&report["steps"]) > 10.0);
        let pieces = report["pieces"].as_array().expect("pieces");
        assert_eq!((number(&pieces[0]["from"]), number(&pieces[pieces.len() - 1]["to"])), (0.2, 0.8));
        for pair in pieces.windows(2) {
            assert_eq!(pair[0]["to"], pair[1]["from"]);
            // The least loss is continuous, λ need not be; a criterion jumps where the region that attains it ends.
            if !how.starts_with("--criterion") {
                close(number(&pair[0]["loss_to"]), number(&pair[1]["loss_from"]));
            }
        }
        let at = report["at"].as_array().expect("values");
        close(number(&at[0]["loss"]), number(&pieces[0]["loss_from"]));
        close(number(&at[2]["loss"]), number(&pieces[pieces.len() - 1]["loss_to"]));
        let (header, rows) = table(&folder.text("pieces.csv"));
        assert_eq!((header.len(), rows.len()), (6, pieces.len()));
        assert!(folder.text("p.svg").contains("quantiles at the best lambda"));
    }
}

#[test]
fn tubes_by_either_loss() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN).write("held.csv", HELD);
    for (how, loss) in [
        ("--validate held.csv", "absolute"),
        ("--folds 3", "absolute"),
        ("--validate held.csv", "squared"),
        ("--folds 3", "squared"),
    ] {
        for vary in ["epsilon", "lambda"] {
            let options =
                format!("tune svr --train train.csv {how} --kernel rbf:0.5 --vary {vary} --loss {loss} --plot p.svg");
            // The smallest λ may be the best one, of which there is a warning.
            let outcome = folder.run(&format!("{options} --param 0.2,0.37 --json"));
            let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
            assert_eq!((outcome.status, report["complete"].as_bool()), (0, Some(true)), "{options}");
            assert_eq!(report["loss"].as_str(), Some(&*format!("mean {loss} error")));
            let pieces = report["pieces"].as_array().expect("pieces");
            for pair in pieces.windows(2) {
                assert_eq!(pair[0]["to"], pair[1]["from"]);
                close(number(&pair[0]["loss_to"]), number(&pair[1]["loss_from"]));
            }
            let at = report["at"].as_array().expect("values");
            let holds =
                |p: &&serde_json::Value| number(&p["from"]) <= 0.2 && p["to"].as_f64().is_none_or(|to| to >= 0.2);
            let there = pieces.iter().find(holds).expect("a piece");
            // Convex along a side or valley: at most the larger one of the ends.
            assert!(number(&at[0]["loss"]) <= number(&there["loss_from"]).max(number(&there["loss_to"])) + 1e-12);
            let tuned = if vary == "epsilon" { "lambda" } else { "epsilon" };
            let title = format!("mean {loss} error of the best {tuned} on held-out rows");
            assert!(folder.text("p.svg").contains(&title), "{title}");
        }
    }
}

/// The points of the first curve of a figure.
fn first_curve(svg: &str) -> Vec<(f64, f64)> {
    let curve = svg.split("<polyline").skip(1).find(|part| part.contains("stroke-width=\"6\"")).expect("a curve");
    let points = curve.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("its points");
    let point = |pair: &str| pair.split_once(',').map(|(x, y)| (x.parse().expect("x"), y.parse().expect("y")));
    points.split_whitespace().filter_map(point).collect()
}

/// λ is affine on every piece and its axis is logarithmic: the curve of the figure is not the straight line between the ends.
#[test]
fn the_best_lambda_is_drawn_where_it_is() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN).write("held.csv", HELD);
    for problem in ["kqr", "svr"] {
        let range = "--lambda-from 0.01 --lambda-to 20 --kernel rbf:0.5";
        let options = format!("tune {problem} --train train.csv --validate held.csv {range} --json --plot p.svg");
        let run = |more: &str| {
            let outcome = folder.run(&format!("{options} {more}"));
            serde_json::from_str::<serde_json::Value>(&outcome.stdout).expect("one JSON document")
        };
        let pieces = run("")["pieces"].as_array().expect("pieces").clone();
        let curve = first_curve(&folder.text("p.svg"));
        let ends: Vec<[f64; 2]> = pieces.iter().map(|p| [number(&p["from"]), number(&p["to"])]).collect();
        let tuned: Vec<f64> = pieces.iter().flat_map(|p| [number(&p["tuned_from"]), number(&p["tuned_to"])]).collect();
        // Both axes by their extremes: on a piece λ is monotone.
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        let (left, right) = range(&mut curve.iter().map(|p| p.0));
        let (top, bottom) = range(&mut curve.iter().map(|p| p.1));
        let (low, high) = range(&mut tuned.iter().map(|v| v.log10()));
        let (first, last) = (ends[0][0], ends[ends.len() - 1][1]);
        let places: Vec<f64> = ends.iter().flat_map(|[a, b]| [0.25, 0.5, 0.75].map(|s| a + s * (b - a))).collect();
        let list: Vec<String> = places.iter().map(f64::to_string).collect();
        let mut off: f64 = 0.0;
        for at in run(&format!("--param {}", list.join(",")))["at"].as_array().expect("values") {
            let x = left + (right - left) * (number(&at["param"]) - first) / (last - first);
            let y = bottom + (top - bottom) * (number(&at["tuned"]).log10() - low) / (high - low);
            let distance = |pair: &[(f64, f64)]| {
                let ([(x0, y0), (x1, y1)], square) = ([pair[0], pair[1]], |a: f64, b: f64| a * a + b * b);
                let part = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / square(x1 - x0, y1 - y0);
                let part = if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) };
                square(x0 + part * (x1 - x0) - x, y0 + part * (y1 - y0) - y).sqrt()
            };
            off = off.max(curve.windows(2).map(distance).fold(f64::INFINITY, f64::min));
        }
        // Four units are a pixel.
        assert!(off <= 2.0, "{problem}: {off} units off");
    }
}

/// The kind of the end, and that every piece was counted again.
#[test]
fn the_end_of_the_search_is_named() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN).write("held.csv", HELD);
    let options = "tune kqr --train train.csv --validate held.csv --kernel laplacian:3 --from 0.2 --to 0.8 --json";
    let run = |more: &str| {
        let outcome = folder.run(&format!("{options} {more}"));
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
        assert_eq!((outcome.status, report["recounted"].as_bool()), (0, Some(true)), "{more}");
        assert_eq!(number(&report["recount"]["points"]) as usize, report["pieces"].as_array().expect("pieces").len());
        assert!(number(&report["recount"]["worst"]) <= 1e-9);
        (report, outcome.stderr)
    };
    let (report, _) = run("");
    assert_eq!(report["end"].as_str(), Some("interpolation"));
    let (report, warning) = run("--lambda-from 0.5 --lambda-to 0.6");
    assert_eq!((report["end"].as_str(), report["at_end"].as_bool()), (Some("asked"), Some(true)));
    assert!(warning.contains("try a wider range of lambda"), "{warning}");
}

/// Losses of nothing but rounding stand a recount.
#[test]
fn the_training_rows_may_be_held_out() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN);
    for kernel in ["rbf:0.5", "laplacian:3"] {
        let data = format!("--train train.csv --validate train.csv --kernel {kernel} --json");
        for tuned in ["kqr --from 0.2 --to 0.8", "svr --loss absolute", "svr --loss squared"] {
            let outcome = folder.run(&format!("tune {tuned} {data}"));
            assert_eq!(outcome.status, 0, "{kernel} {tuned}: {}", outcome.stderr);
            let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
            assert_eq!(report["recounted"].as_bool(), Some(true), "{kernel} {tuned}");
        }
    }
}

/// Where the solution jumps, as at τ = k/n, both sides count at an end of the range as well.
#[test]
fn an_end_of_the_range_has_the_loss_of_a_wider_one() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN).write("held.csv", HELD);
    let loss = |range: &str| {
        let options = format!("tune kqr --train train.csv --validate held.csv --kernel rbf:0.5 {range} --param 0.75");
        let outcome = folder.run(&format!("{options} --json"));
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
        assert_eq!((outcome.status, report["complete"].as_bool()), (0, Some(true)));
        number(&report["at"][0]["loss"])
    };
    let inside = loss("--from 0.2 --to 0.9");
    close(loss("--from 0.2 --to 0.75"), inside);
    close(loss("--from 0.75 --to 0.9"), inside);
}

/// Responses of two values.
#[test]
fn discrete_responses_are_ordinary_data() {
    let folder = Folder::new();
    let pima = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/pima.csv")).expect("pima.csv");
    folder.write("pima.csv", pima.lines().take(61).fold(String::new(), |text, line| text + line + "\n"));
    for folds in [2, 5] {
        let data = format!("tune kqr --train pima.csv --folds {folds} --scale standard --kernel rbf:0.125");
        let outcome = folder.run(&format!("{data} --json"));
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        assert_eq!((report["complete"].as_bool(), report["recounted"].as_bool()), (Some(true), Some(true)));
        assert_eq!(report["stats"]["holes"].as_u64(), Some(0));
    }
}

#[test]
fn wrong_questions_are_refused() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN).write("held.csv", HELD).write("flat.csv", "x,y\n0,1\n1,1\n2,1\n3,1\n");
    folder.run("tune kqr --train train.csv").refused(&["--validate", "--folds", "--criterion"]);
    folder.run("tune kqr --train train.csv --folds 3 --criterion sic").refused(&["--folds", "--criterion"]);
    folder.run("tune lasso --train train.csv --folds 3").refused(&["lasso", "kqr", "cost-svm"]);
    folder.run("tune kqr --train train.csv --folds 3 --loss squared").refused(&["--loss", "kqr"]);
    folder.run("tune kqr --train train.csv --folds 1").refused(&["folds = 1"]);
    folder.run("tune kqr --train train.csv --folds 3 --from 0.5 --to 0.4").refused(&["tau", "0.5", "0.4"]);
    folder.run("tune kqr --train train.csv --folds 3 --from 0").refused(&["tau"]);
    folder.run("tune kqr --train flat.csv --folds 2").refused(&["all responses are equal"]);
    folder.run("tune kqr --train train.csv --validate held.csv --param 0.95").refused(&["0.95", "0.9"]);
}

const CLASSES: &str = "a,b,y\n0,1,no\n0.4,0.2,no\n1.1,0.3,no\n0.2,1.4,yes\n1.3,0.9,yes\n0.8,1.2,yes\n0.1,0.5,no\n1.6,0.4,yes\n0.9,0.1,no\n\
    0.5,1.1,yes\n1.2,1.5,yes\n0.7,0.6,no\n";

#[test]
fn the_best_penalty_of_a_grid_for_every_asymmetry() {
    let folder = Folder::new();
    folder.write("train.csv", CLASSES).write("held.csv", "a,b,y\n0.3,0.8,no\n1,1,yes\n0.6,0.9,yes\n0.7,0.3,no\n");
    for (problem, vary, tuned) in [("quantile-svm", "tau", "lambda"), ("cost-svm", "gamma", "c")] {
        for (how, held) in [("--validate held.csv", 4.0), ("--folds 3", 12.0)] {
            for (loss, told) in [("cost", "mean cost"), ("error", "error rate")] {
                let options = format!("tune {problem} --train train.csv {how} --loss {loss} --grid 0.01,0.1,1");
                let outcome = folder.run(&format!("{options} --param 0.25,0.5 --out pieces.csv --plot p.svg --json"));
                let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
                assert_eq!(outcome.status, 0, "{options}: {}", outcome.stderr);
                assert_eq!((report["vary"]["name"].as_str(), report["tuned"].as_str()), (Some(vary), Some(tuned)));
                assert_eq!((report["loss"].as_str(), number(&report["held_out"])), (Some(told), held));
                assert_eq!(report["classes"]["positive"].as_str(), Some("yes"));
                assert_eq!(report["recounted"].as_bool(), Some(true));
                let at_end = report["at_end"].as_bool().expect("a truth value");
                assert_eq!(report["complete"].as_bool(), Some(!at_end));
                assert_eq!(outcome.stderr.contains("--grid"), at_end);
                let pieces = report["pieces"].as_array().expect("pieces");
                assert_eq!((number(&pieces[0]["from"]), number(&pieces[pieces.len() - 1]["to"])), (0.0, 1.0));
                assert!(pieces.windows(2).all(|pair| pair[0]["to"] == pair[1]["from"]));
                let at = &report["at"][1];
                let rate = number(&at["loss"]) * held;
                // At equal costs the mean cost is the error rate.
                assert!((rate - rate.round()).abs() < 1e-9 && rate < held / 2.0, "{rate}");
                assert!([0.01, 0.1, 1.0].contains(&number(&at["tuned"])));
                let (header, rows) = table(&folder.text("pieces.csv"));
                assert_eq!(
                    (header[0].as_str(), header[2].as_str()),
                    (&*format!("{vary}_from"), &*format!("{tuned}_from"))
                );
                assert_eq!(rows.len(), pieces.len());
                let drawn = folder.text("p.svg");
                for words in [
                    format!("the best {tuned} of the grid"),
                    format!("{told} of every {tuned} on held-out rows"),
                    format!("{tuned} = 0.01"),
                    "n = 12, d = 2, linear kernel, bias intercept".into(),
                ] {
                    assert!(drawn.contains(&words), "no '{words}' in the figure");
                }
            }
        }
    }
    let text = folder.run("tune quantile-svm --train train.csv --folds 3").stdout;
    assert!(text.contains("along the paths of 6 penalties"), "{text}");
    for (options, words) in [
        ("quantile-svm --loss squared", ["--loss", "quantile-svm"]),
        ("cost-svm --criterion sic", ["--criterion", "--folds"]),
        ("cost-svm --lambda-from 1", ["--lambda-from", "cost-svm"]),
        ("cost-svm --plot p.gif", ["p.gif", ".pdf"]),
        ("cost-svm --vary tau", ["tau", "gamma"]),
        ("quantile-svm --to 2", ["to = 2", "between 0 and 1"]),
        ("quantile-svm --param 2", ["tau", "--param 2"]),
        ("quantile-svm --grid 0", ["--grid", "0"]),
    ] {
        folder.run(&format!("tune {options} --train train.csv --folds 3")).refused(&words);
    }
    folder.run("tune kqr --train train.csv --folds 3 --grid 1").refused(&["--grid", "kqr"]);
    folder.run("tune quantile-svm --train train.csv --folds 20").refused(&["folds = 20"]);
}
