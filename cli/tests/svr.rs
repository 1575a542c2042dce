//! `path`, `at`, `predict`, `map`, `locate` and `tune` of svr.
#![allow(missing_docs)]

use crate::common::*;

/// Ten rows whose solutions with an RBF kernel, γ = 1 and C = 10 are known to 70 digits.
const TEN: &str =
    "y,x1\n0.10,0.0\n0.35,0.3\n-0.20,0.7\n0.45,1.0\n-0.40,1.4\n0.05,1.8\n0.30,2.1\n-0.45,2.5\n0.25,2.9\n0.00,3.3\n";
const HELD: &str = "y,x1\n0.2,0.1\n0.1,0.5\n0.1,1.1\n0.0,1.6\n0.2,2.2\n-0.1,2.6\n0.1,3.1\n";
const MODEL: &str = "--train ten.csv --response y --kernel rbf:1";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("ten.csv", TEN).write("held.csv", HELD);
    folder
}

#[test]
fn objectives_are_in_the_form_of_the_parameter_that_is_given() {
    let folder = folder();
    for (scale, unit) in [("--c 10", 1.0), ("--lambda 0.1", 10.0)] {
        let report = folder.json(&format!("path svr {MODEL} {scale} --out e.path --plot e.svg --json"));
        assert_eq!((report["vary"].as_str(), report["complete"].as_bool()), (Some("epsilon"), Some(true)));
        let (param, share) = (&report["outside"]["param"], report["outside"]["share"].as_array().expect("shares"));
        assert_eq!((number(&param[0]), number(&share[0]), number(&share[share.len() - 1])), (0.0, 0.5, 0.0));
        assert_eq!(param.as_array().expect("ends").len(), share.len() + 1);
        assert!(folder.text("e.svg").contains("α − α*"));
        let at = folder.json("at e.path --param 0.6,0.45,0.2,0 --full --json");
        for (k, (value, outside)) in
            [(0.0, 0.0), (0.0, 0.0), (7.42358957736503, 0.2), (20.2476815828293, 0.5)].into_iter().enumerate()
        {
            assert!((unit * number(&at[k]["objective"]) - value).abs() <= 1e-12, "{scale} {k}");
            close(number(&at[k]["outside"]), outside);
            let alpha: Vec<f64> = at[k]["alpha"].as_array().expect("dual variables").iter().map(number).collect();
            assert!(alpha.len() == 20 && (0..10).all(|i| alpha[i] == 0.0 || alpha[i + 10] == 0.0));
        }
        // max y − ε and min y + ε.
        close(number(&at[0]["intercept"][0]), -0.15);
        close(number(&at[0]["intercept"][1]), 0.15);
        folder.ok("check e.path --train ten.csv");
    }
}

#[test]
fn lambda_and_c_are_two_views_of_one_path() {
    let folder = folder();
    folder.json(&format!("path svr {MODEL} --epsilon 0.1 --vary lambda --from 0.01 --to 10 --out l.path --json"));
    folder.json(&format!("path svr {MODEL} --epsilon 0.1 --vary c --to 100 --out c.path --json"));
    for lambda in [0.02, 0.5, 4.0] {
        let by_lambda = folder.json(&format!("at l.path --param {lambda} --json"));
        let by_cost = folder.json(&format!("at c.path --param {} --json", 1.0 / lambda));
        close(number(&by_lambda[0]["objective"]), lambda * number(&by_cost[0]["objective"]));
        let f = |path: &str, at: f64| table(&folder.ok(&format!("predict {path} --data held.csv --param {at}"))).1;
        for (a, b) in f("l.path", lambda).iter().zip(f("c.path", 1.0 / lambda)) {
            close(a[0], b[0]);
        }
    }
    // C = 0 belongs to the second one.
    close(number(&folder.json("at c.path --param 0 --json")[0]["objective"]), 0.0);
}

#[test]
fn a_map_is_complete_and_agrees_with_paths() {
    let folder = folder();
    let options = "--domain 0:10,0:0.6 --out m.map --plot m.svg --test held.csv --color validation --json";
    let report = folder.json(&format!("map svr {MODEL} {options}"));
    assert!((number(&report["covered"]) - 1.0).abs() <= 1e-9 && report["complete"].as_bool() == Some(true));
    assert_eq!(report["test"]["loss"].as_str(), Some("absolute error"));
    folder.json(&format!("path svr {MODEL} --c 7 --out e.path --json"));
    for epsilon in [0.05, 0.2, 0.33] {
        let there = folder.json(&format!("locate m.map --param 7,{epsilon} --json"));
        let path = folder.json(&format!("at e.path --param {epsilon} --json"));
        close(number(&there["objective"]), number(&path[0]["objective"]));
        assert_eq!(there["outside"], path[0]["outside"]);
    }
}

#[test]
fn tuned_pieces_tile_the_range_and_agree_with_predictions() {
    let folder = folder();
    for how in ["--validate held.csv", "--folds 2"] {
        for (vary, tuned, range, values) in [
            ("epsilon", "lambda", "--lambda-from 0.05 --to 0.4", [0.0, 0.13, 0.4]),
            ("lambda", "epsilon", "--from 0.05 --to 5", [0.05, 0.3, 5.0]),
        ] {
            let [a, b, c] = values;
            let options = format!("--vary {vary} {range} --param {a},{b},{c} --out p.csv --plot p.svg --json");
            let report = folder.json(&format!("tune svr {MODEL} {how} {options}"));
            assert_eq!((report["tuned"].as_str(), report["complete"].as_bool()), (Some(tuned), Some(true)));
            let pieces = report["pieces"].as_array().expect("pieces");
            close(number(&pieces[0]["from"]), a);
            close(number(&pieces[pieces.len() - 1]["to"]), c);
            for pair in pieces.windows(2) {
                assert_eq!(pair[0]["to"], pair[1]["from"]);
                close(number(&pair[0]["loss_to"]), number(&pair[1]["loss_from"]));
            }
            assert_eq!(table(&folder.text("p.csv")).1.len(), pieces.len());
            assert!(folder.text("p.svg").contains("fits at the best values"));
            let at = &report["at"][1];
            if how.starts_with("--validate") && !at["tuned"].is_null() {
                let (lambda, epsilon) =
                    if vary == "lambda" { (b, number(&at["tuned"])) } else { (number(&at["tuned"]), b) };
                let to = 1.1 * epsilon + 0.01;
                folder.json(&format!(
                    "path svr {MODEL} --lambda {lambda} --from {epsilon} --to {to} --out t.path --json"
                ));
                let outcome = folder.run(&format!("predict t.path --data held.csv --param {epsilon}"));
                if outcome.stderr.is_empty() {
                    let f: Vec<f64> = table(&outcome.stdout).1.iter().map(|row| row[0]).collect();
                    let y = [0.2, 0.1, 0.1, 0.0, 0.2, -0.1, 0.1];
                    let loss = f.iter().zip(y).map(|(f, y)| (y - f).abs()).sum::<f64>() / 7.0;
                    assert!((loss - number(&at["loss"])).abs() <= 1e-8, "{how} {vary}: {loss} and {at}");
                }
            }
        }
    }
}

#[test]
fn wrong_questions_are_refused() {
    let folder = folder();
    folder.write("flat.csv", "x,y\n0,1\n1,1\n2,1\n3,1\n");
    for (arguments, words) in [
        ("path svr --train ten.csv", &["svr", "--lambda"][..]),
        ("path svr --train ten.csv --lambda 1 --c 1", &["--lambda", "leave it out"]),
        ("path svr --train ten.csv --lambda 1 --epsilon 1 --vary epsilon", &["--epsilon", "leave it out"]),
        ("path svr --train ten.csv --vary lambda", &["svr", "--epsilon"]),
        ("path svr --train ten.csv --vary c --lambda 1 --epsilon 1", &["--lambda", "leave it out"]),
        ("path svr --train ten.csv --vary lambda --epsilon -1", &["--epsilon"]),
        ("path svr --train ten.csv --vary lambda --epsilon 0.1 --from 0", &["--from 0", "lambda"]),
        ("path svr --train ten.csv --vary tau --lambda 1", &["tau", "epsilon, lambda, c"]),
        ("path svr --train ten.csv --lambda 1 --tau 0.5", &["--tau"]),
        ("path svr --train ten.csv --lambda 1 --test held.csv", &["--test"]),
        ("path kqr --train ten.csv --lambda 1 --c 1", &["--c"]),
        ("map svr --train ten.csv --domain -1:1,0:1", &["c", "-1"]),
        ("tune svr --train ten.csv", &["--validate", "--folds"]),
        ("tune svr --train ten.csv --folds 2 --vary tau", &["tau", "epsilon, lambda"]),
        ("tune svr --train ten.csv --folds 2 --vary lambda --lambda-from 1", &["--lambda-from"]),
        ("tune svr --train ten.csv --folds 2 --epsilon-from 1", &["--epsilon-from"]),
        ("tune svr --train ten.csv --folds 2 --from 0.3 --to 0.2", &["epsilon from 0.3 to 0.2"]),
        ("tune svr --train ten.csv --folds 2 --vary lambda --from 0", &["lambda = 0", "positive"]),
        ("tune svr --train ten.csv --folds 2 --param 9", &["epsilon", "--param 9"]),
        ("tune svr --train flat.csv --folds 2", &["all responses are equal"]),
        ("tune kqr --train ten.csv --folds 2 --vary lambda", &["lambda", "tau"]),
    ] {
        folder.run(arguments).refused(words);
    }
}
