//! `pathqp path lasso`, `trend-filtering` and `nnls` from files.

use crate::common::Folder;
use serde_json::Value;

const LASSO: &str = "x1,x2,x3,x4,y\n1,0,1,0,5\n0,1,0,1,5\n1,0,-1,0,1\n0,1,0,-1,1\n0,0,1,1,-2\n1,1,0,0,3\n";

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn near(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-12)
}

#[test]
fn a_lasso_is_printed_written_and_drawn() {
    let folder = Folder::new();
    folder.write("a.csv", LASSO);
    let report = folder.json("path lasso --train a.csv --bias none --to 0.5 --json --out path.csv --plot path.svg");
    assert_eq!(report["alpha_max"], 1.5);
    assert!(near(&numbers(&report["fit"]["coefficients"]), &[1.5, 1.5, 0.0, 0.0]), "{report}");
    assert!(report["max_kkt_residual"].as_f64().unwrap() <= 1e-12);
    let table = folder.text("path.csv");
    assert!(table.starts_with("alpha,x1,x2,x3,x4\n1.5,0,0,0,0\n"), "{table}");
    assert!(folder.text("path.svg").contains("<svg"));
    let text = folder.ok("path lasso --train a.csv --bias none");
    assert!(text.starts_with("lasso\n") && text.contains("from 1.5 to 0"), "{text}");
}

/// The largest α of these data is 1.5: from there on w = 0, and the objective is ‖y‖²/(2n) = 65/12.
#[test]
fn nothing_changes_beyond_the_largest_penalty() {
    let folder = Folder::new();
    folder.write("a.csv", LASSO).ok("path lasso --train a.csv --bias none --out all.path");
    for alpha in [1.5, 1.75, 1e12] {
        let at = folder.json(&format!("at all.path --param {alpha} --json"));
        assert_eq!(at[0]["param"]["alpha"], alpha);
        assert_eq!(numbers(&at[0]["w"]), [0.0; 4]);
        assert!((at[0]["objective"].as_f64().unwrap() - 65.0 / 12.0).abs() < 1e-12, "{at}");
        assert!(at[0]["kkt_residual"].as_f64().unwrap() < 1e-12 && at[0]["relative_gap"].as_f64().unwrap() < 1e-12);
    }
    folder.run("at all.path --param inf").refused(&["--param", "inf"]);
    // A path that begins where w is not zero says nothing of what lies before it.
    folder.ok("path lasso --train a.csv --bias none --from 1 --to 0 --out part.path");
    folder.run("at part.path --param 1.25").refused(&["1.25", "alpha", "1"]);
    // For nnls the penalty on the sum goes with n: the largest is max X'y = 9.
    folder.ok("path nnls --train a.csv --out all.path");
    let at = folder.json("at all.path --param 9,20 --json");
    assert_eq!([&at[0]["x"], &at[1]["x"]].map(numbers), [[0.0; 4]; 2].map(Vec::from));
    folder.run("at all.path --param -1").refused(&["-1", "lambda"]);
}

/// alpha = 0.4, l1_ratio = 0.5: X'r/n − 0.2w = 0.2 sign(w) where w is not zero.
#[test]
fn an_elastic_net_is_a_point_of_the_path_with_its_ridge() {
    let folder = Folder::new();
    folder.write("a.csv", LASSO);
    let report = folder.json("path lasso --train a.csv --bias none --alpha 0.4 --l1-ratio 0.5 --json");
    assert_eq!(report["ridge"], 0.2);
    assert_eq!(report["fit"]["alpha"], 0.2);
    let w = numbers(&report["fit"]["coefficients"]);
    // By symmetry w = (a, a, b, b) with X'Xw = (4a, 4a, 4b, 4b): (9 − 4a)/6 = 0.2a + 0.2 and (2 − 4b)/6 = 0.2b + 0.2.
    assert!(near(&w, &[1.5, 1.5, 2.0 / 13.0, 2.0 / 13.0]), "{w:?}");
}

#[test]
fn a_chain_and_the_graph_of_the_same_edges_are_the_same_path() {
    let folder = Folder::new();
    folder.write("s.csv", "y\n0\n1\n5\n6\n").write("e.csv", "a,b\n1,2\n2,3\n3,4\n");
    let arguments = "path trend-filtering --train s.csv --lambda 1 --json --plot s.svg --out s.csv.out";
    let chain = folder.json(arguments);
    let graph = folder.json(&format!("{arguments} --edges e.csv"));
    // The ends move by λ until they meet their neighbours at λ = 1.
    assert!(near(&numbers(&chain["fit"]["fitted"]), &[1.0, 1.0, 5.0, 5.0]), "{chain}");
    assert!(near(&numbers(&graph["fit"]["fitted"]), &[1.0, 1.0, 5.0, 5.0]), "{graph}");
    assert_eq!(chain["fit"]["knots"], serde_json::json!([1]));
    // Then each half moves by λ/2, from its mean, until they meet at 3: λ = 5.
    let ends = [&chain, &graph].map(|report| report["lambda_max"].as_f64().unwrap());
    assert!(near(&ends, &[5.0, 5.0]), "{ends:?}");
    folder.write("d.csv", "-1,1,0,0\n0,-1,1,0\n0,0,-1,1\n");
    let matrix = folder.json("path trend-filtering --train s.csv --matrix d.csv --lambda 1 --json");
    assert!(near(&numbers(&matrix["fit"]["fitted"]), &[1.0, 1.0, 5.0, 5.0]), "{matrix}");
}

#[test]
fn a_graph_with_a_cycle_is_followed_to_the_end() {
    let folder = Folder::new();
    folder.write("s.csv", "y\n1\n3\n2\n5\n4\n").write("e.csv", "a,b\n1,2\n2,3\n3,1\n3,4\n4,5\n");
    let arguments = "path trend-filtering --train s.csv --edges e.csv --json --lambda";
    let found = folder.json(&format!("{arguments} 3.5"));
    // The dual variables of the cycle grow for ever, and the signal stays at its mean from λ = 3 on: what the triangle, of mean 2, gives to the rest.
    assert_eq!(found["complete"], true, "{found}");
    assert!(near(&[found["lambda_max"].as_f64().unwrap()], &[3.0]), "{found}");
    assert!(near(&numbers(&found["fit"]["fitted"]), &[3.0; 5]), "{found}");
    let stopped = folder.json("path trend-filtering --train s.csv --edges e.csv --to 2 --json");
    assert_eq!(stopped["complete"], true, "{stopped}");
}

#[test]
fn least_squares_in_a_box_follow_a_penalty_or_a_line_of_responses() {
    let folder = Folder::new();
    folder.write("a.csv", "x1,x2,b1,b\n1,0,1,3\n0,1,1,-1\n");
    let along = folder.json("path nnls --train a.csv --toward b1 --json");
    assert_eq!(along["path"]["values"], serde_json::json!([0.0, 0.5, 1.0]));
    assert_eq!(along["path"]["columns"], serde_json::json!([[3.0, 2.0, 1.0], [0.0, 0.0, 1.0]]));
    let boxed = folder.json("path nnls --train a.csv --toward b1 --upper 2 --lower=-inf --json");
    assert_eq!(boxed["path"]["columns"][0], serde_json::json!([2.0, 2.0, 1.0]));
    let text = folder.ok("path nnls --train a.csv");
    assert!(text.contains("lambda") && text.contains("from 3 to 0"), "{text}");
}

#[test]
fn wrong_questions_are_one_line_with_status_two() {
    let folder = Folder::new();
    folder.write("a.csv", LASSO).write("s.csv", "y\n0\n1\n5\n").write("e.csv", "a,b\n1,4\n");
    for (arguments, part) in [
        ("path", "a problem is required"),
        ("path lasso", "--train"),
        ("path lasso --train a.csv --kernel rbf:1", "--kernel"),
        ("path lasso --train a.csv --bias augmented", "--bias intercept"),
        ("path lasso --train a.csv --weights x1", "--weights"),
        ("path lasso --train a.csv --l1-ratio 0.5", "--alpha"),
        ("path lasso --train a.csv --vary lambda", "alpha"),
        ("path lasso --train a.csv --to -1", "alpha lies in [0, inf)"),
        ("path lasso --train a.csv --out a.csv", "--train"),
        ("path lasso --train a.csv --out b --plot b", "--out"),
        ("path trend-filtering --train s.csv --order 2", "needs at least 4"),
        ("path trend-filtering --train s.csv --edges e.csv", "from 1 to 3"),
        ("path trend-filtering --train s.csv --matrix a.csv", "a.csv"),
        ("path nnls --train a.csv --vary s", "--toward"),
        ("path nnls --train a.csv --vary lambda --toward x1", "--toward"),
        ("path nnls --train a.csv --toward x9", "x9"),
        ("path nnls --train a.csv --lower -1", "not be negative"),
        ("path nnls --train a.csv --lower 1 --upper 0", "a.csv"),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.status, 2, "{arguments}: {}", outcome.stderr);
        assert!(
            outcome.stderr.lines().count() == 1 && outcome.stderr.contains(part),
            "{arguments}: {}",
            outcome.stderr
        );
    }
}
