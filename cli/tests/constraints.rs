//! `--rows` of portfolios and of the lasso, matched by name.

use crate::common::{Folder, number};

const RETURNS: &str =
    "a,b,c\n0.01,0.03,-0.02\n0.02,-0.01,0.01\n-0.01,0.02,0.03\n0.015,0.05,0\n0.005,-0.03,0.02\n0.012,0.004,0.001\n";
const TABLE: &str =
    "x1,x2,x3,y\n1,2,0,3.1\n2,1,1,2.7\n3,5,0,9.2\n4,2,1,5.9\n5,7,2,14.1\n6,1,1,6.6\n7,3,0,11.2\n8,9,1,18.3\n";

#[test]
fn sectors_are_kept_along_the_whole_frontier() {
    let folder = Folder::new();
    folder.write("r.csv", RETURNS).write("rows.csv", "c,lower,b,upper,a\n1,0.3,0,,1\n0,,1,0.5,0\n");
    let path = folder.json("path critical-line --train r.csv --rows rows.csv --out p.path --param 0,0.5,100 --json");
    assert_eq!(path["complete"], true, "{path}");
    for at in path["at"].as_array().unwrap() {
        let w: Vec<f64> = at["weights"].as_array().unwrap().iter().map(number).collect();
        assert!(
            w[0] + w[2] >= 0.3 - 1e-12 && w[1] <= 0.5 + 1e-12 && (w.iter().sum::<f64>() - 1.0).abs() < 1e-12,
            "{w:?}"
        );
    }
    // At t = 100 the asset with the largest return has all that its row allows.
    assert!((number(&path["at"][2]["weights"][1]) - 0.5).abs() < 1e-12);
    assert_eq!(folder.json("check p.path --train r.csv --json")["passed"], true);
    folder.write("other.csv", "a,b,d,upper\n1,1,1,0.5\n");
    folder.run("path critical-line --train r.csv --rows other.csv").refused(&["other.csv", "'d'", "'c'"]);
    folder.write("tight.csv", "a,b,c,upper\n1,1,1,0.5\n");
    let none = folder.run("path critical-line --train r.csv --rows tight.csv");
    assert_eq!(none.status, 3);
    assert!(none.stderr.contains("infeasible at the start"), "{none:?}");
}

#[test]
fn coefficients_keep_their_rows_along_the_whole_path() {
    let folder = Folder::new();
    folder.write("t.csv", TABLE).write("rows.csv", "x3,x1,x2,lower,upper\n1,1,1,0,0\n0,1,-1,,0\n");
    let path =
        folder.json("path lasso --train t.csv --rows rows.csv --bias intercept --out l.path --param 0.01,0.5 --json");
    assert_eq!(path["complete"], true, "{path}");
    for at in path["at"].as_array().unwrap() {
        let w: Vec<f64> = at["w"].as_array().unwrap().iter().map(number).collect();
        assert!(w.iter().sum::<f64>().abs() < 1e-12 && w[0] <= w[1] + 1e-12, "{w:?}");
        assert!((number(&at["objective"]) - number(&at["dual_objective"])).abs() < 1e-9);
    }
    assert_eq!(folder.json("check l.path --train t.csv --json")["passed"], true);
    assert_eq!(folder.ok("predict l.path --data t.csv --param 0.1").lines().count(), 9);
    folder.write("wrong.csv", "x1,x2,upper\n1,1,0\n");
    folder.run("path lasso --train t.csv --rows wrong.csv").refused(&["wrong.csv", "missing: 'x3'"]);
    folder.write("bad.csv", "x1,x2,x3,upper\n1,,1,0\n");
    folder.run("path lasso --train t.csv --rows bad.csv").refused(&["bad.csv", "line 2, column 'x2'"]);
}
