//! `solve` on problems that are solved by hand, and against `at`.

use crate::common::*;
use serde_json::json;

const TWO: &str = "solve quantile-svm --train two.svm --lambda 1 --bias none --tau 0.75";

#[test]
fn the_solution_is_the_one_by_hand() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    for start in ["", " --start cold", " --start lbfgs"] {
        let report = folder.json(&format!("{TWO} --full --json{start}"));
        let fields = [
            "alpha",
            "dual_objective",
            "free",
            "intercept",
            "kkt_residual",
            "objective",
            "param",
            "relative_gap",
            "start",
            "w",
        ];
        assert_eq!(keys(&report), fields);
        assert_eq!(report["param"], json!({"tau": 0.75, "lambda": 1.0}));
        all_close(&numbers(&report["w"]), &[0.5]);
        all_close(&numbers(&report["alpha"]), &[0.25, 0.125]);
        close(number(&report["objective"]), 0.125 + 0.25 * 0.5);
        let start = &report["start"];
        assert_eq!(keys(start), ["changes", "events", "from", "iterations", "seconds", "smoothing", "stages"]);
        assert_eq!(keys(&start["seconds"]), ["certificate", "guess", "start"]);
        assert!(number(&report["kkt_residual"]) <= 1e-9);
    }
    assert_eq!(folder.json(&format!("{TWO} --json"))["start"]["from"], json!("lbfgs"));
    assert_eq!(folder.json(&format!("{TWO} --json --start cold"))["start"]["from"], json!("cold"));
    let text = folder.ok(TWO);
    assert!(text.contains("objective       0.25\n") && text.contains("start      lbfgs\n"), "{text}");
}

#[test]
fn every_way_to_name_the_values_is_the_same_question() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS).write("line.csv", "x,y\n0,1\n1,2\n2,2\n3,5\n");
    let objective = |arguments: &str| number(&folder.json(&format!("{arguments} --json"))["objective"]);
    let param = objective("solve quantile-svm --train two.svm --lambda 1 --bias none --param 0.75");
    assert_eq!(objective(TWO), param);
    let kqr = "solve kqr --train line.csv";
    let named = objective(&format!("{kqr} --tau 0.25 --lambda 2"));
    assert_eq!(named, objective(&format!("{kqr} --lambda 2 --param 0.25")));
    assert_eq!(named, objective(&format!("{kqr} --tau 0.25 --vary lambda --param 2")));
    // C = 1/λ: objectives ½‖f‖² + C·loss and loss + λ/2‖f‖² differ by the factor C.
    let svr = "solve svr --train line.csv --epsilon 0.1";
    close(objective(&format!("{svr} --c 4")), 4.0 * objective(&format!("{svr} --lambda 0.25")));
    let cost = "solve cost-svm --train two.svm";
    assert_eq!(objective(&format!("{cost} --c 2")), objective(&format!("{cost} --c-pos 2 --c-neg 2")));
}

#[test]
fn a_kept_solution_is_a_path_of_one_point_and_a_start() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS).write("three.svm", "+1 1:1\n-1 1:-2\n-1 1:3\n");
    folder.ok("path quantile-svm --train two.svm --lambda 1 --bias none --out two.path");
    for kept in ["one.path", "one.json"] {
        folder.ok(&format!("{TWO} --out {kept}"));
        let at = |file: &str| folder.json(&format!("at {file} --param 0.75 --full --json"))[0].clone();
        let (one, whole) = (at(kept), at("two.path"));
        all_close(&numbers(&one["alpha"]), &numbers(&whole["alpha"]));
        close(number(&one["objective"]), number(&whole["objective"]));
        let (_, rows) = table(&folder.ok(&format!("predict {kept} --data two.svm --param 0.75")));
        all_close(&[rows[0][0], rows[1][0]], &[0.5, -1.0]);
        assert!(folder.ok(&format!("check {kept} --train two.svm")).contains("passed"));
        folder.run(&format!("at {kept} --param 0.5")).refused(&["0.5", "0.75"]);
        let next = folder.json(&format!("{} --start {kept} --json", TWO.replace("0.75", "0.8")));
        assert_eq!(next["start"]["from"], json!("file"));
        close(number(&next["objective"]), number(&folder.json("at two.path --param 0.8 --json")[0]["objective"]));
    }
    let other = "solve quantile-svm --train three.svm --lambda 1 --bias none --tau 0.75 --start two.path";
    folder.run(other).refused(&["two.path", "2 rows, 3 expected"]);
    folder.run("solve cost-svm --train two.svm --c 1 --start two.path").refused(&["two.path", "another problem"]);
}

#[test]
fn wrong_questions() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    let refused = |arguments: &str, words: &[&str]| folder.run(&format!("solve {arguments}")).refused(words);
    refused("quantile-svm --train two.svm --lambda 1", &["--tau"]);
    refused("quantile-svm --train two.svm --tau 0.5", &["--lambda"]);
    refused("kqr --train two.svm --lambda 1", &["--tau"]);
    refused("cost-svm --train two.svm", &["--c"]);
    refused("quantile-svm --train two.svm --lambda 1 --param 2", &["2", "tau"]);
    refused("quantile-svm --train two.svm --lambda 1 --tau 0.5 --start nothing", &["nothing", "no such file"]);
    refused("quantile-svm --train two.svm --lambda 1 --tau 0.5 --epsilon 1", &["--epsilon"]);
    refused("quantile-svm --train two.svm --lambda 1 --tau 0.5 --out two.svm", &["two.svm", "--train"]);
    // `path` still needs two ends.
    folder.run("path quantile-svm --train two.svm --lambda 1 --from 0.5 --to 0.5").refused(&["two different values"]);
}
