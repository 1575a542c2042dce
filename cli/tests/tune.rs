//! `tune kqr` and `tune svr`: the best penalty for every quantile or tube, and the best tube for every penalty.
#![allow(missing_docs)]

mod common;
use common::*;

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
            assert!(folder.text("p.svg").contains(&format!("its mean {loss} error on held-out rows")));
        }
    }
}

#[test]
fn wrong_questions_are_refused() {
    let folder = Folder::new();
    folder.write("train.csv", TRAIN).write("held.csv", HELD).write("flat.csv", "x,y\n0,1\n1,1\n2,1\n3,1\n");
    folder.run("tune kqr --train train.csv").refused(&["--validate", "--folds", "--criterion"]);
    folder.run("tune kqr --train train.csv --folds 3 --criterion sic").refused(&["--folds", "--criterion"]);
    folder.run("tune cost-svm --train train.csv --folds 3").refused(&["cost-svm", "kqr"]);
    folder.run("tune kqr --train train.csv --folds 3 --loss squared").refused(&["--loss", "kqr"]);
    folder.run("tune kqr --train train.csv --folds 1").refused(&["folds = 1"]);
    folder.run("tune kqr --train train.csv --folds 3 --from 0.5 --to 0.4").refused(&["tau", "0.5", "0.4"]);
    folder.run("tune kqr --train train.csv --folds 3 --from 0").refused(&["tau"]);
    folder.run("tune kqr --train flat.csv --folds 2").refused(&["all responses are equal"]);
    folder.run("tune kqr --train train.csv --validate held.csv --param 0.95").refused(&["0.95", "0.9"]);
}
