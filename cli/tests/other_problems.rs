//! Problems with options of their own, on the command line: portfolios, control, and outliers.

use crate::common::Folder;

const RETURNS: &str = "a,b,c\n0.01,0.03,-0.02\n0.02,-0.01,0.01\n-0.01,0.02,0.03\n0.015,0.05,0\n0.005,-0.03,0.02\n";

const PLANT: &str = r#"{"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]],
 "horizon": 3, "lower": [-1], "upper": [1]}"#;

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

#[test]
fn portfolios_from_returns_and_from_moments() {
    let folder = Folder::new();
    folder.write("returns.csv", RETURNS);
    let command = "path critical-line --train returns.csv --risk-free 0.001 --json --out out.csv --plot f.svg --target 0.009 --param 0.01";
    let found = folder.json(command);
    assert_eq!(found["complete"], true);
    assert!(number(&found["max_kkt_residual"]) <= 1e-9);
    // The largest return is b's, 0.012.
    let last = folder.text("out.csv");
    let last: Vec<f64> = last.lines().last().unwrap().split(',').map(|v| v.parse().unwrap()).collect();
    assert!((last[4] - 0.012).abs() < 1e-15 && (last[2] - 1.0).abs() < 1e-12, "{last:?}");
    assert!((number(&found["at"][1]["return"]) - 0.009).abs() < 1e-15);
    assert_eq!(number(&found["at"][0]["t"]), 0.01);
    assert!(folder.text("f.svg").contains("largest Sharpe"));
    let best = &found["max_sharpe"];
    for portfolio in [&found["least_variance"], &found["at"][0], &found["at"][1]] {
        assert!(number(&portfolio["sharpe"]) <= number(&best["sharpe"]));
    }

    // The same from the moments: means, and sums of products of deviations over four.
    folder.write("mean.csv", "a,b,c\n0.008,0.012,0.008\n");
    folder.write(
        "cov.csv",
        "0.0001325,0.000080000000000000007,-0.00014\n0.00008,0.00102,-0.00062\n-0.00014,-0.00062,0.00037\n",
    );
    let outcome = folder.run("path critical-line --mean mean.csv --cov cov.csv --json");
    assert_eq!(outcome.status, 2, "cov.csv has no row of names, and two rows are left: {}", outcome.stderr);
}

#[test]
fn bounds_of_portfolios() {
    let folder = Folder::new();
    folder.write("returns.csv", RETURNS).write("upper.csv", "0.5\n0.25\n0.4\n").write("mean.csv", "1,2\n");
    let found = folder.json("path critical-line --train returns.csv --upper 0.5 --json");
    let weights: Vec<f64> =
        (0..3).map(|j| number(found["path"]["columns"][j].as_array().unwrap().last().unwrap())).collect();
    assert!(weights.iter().all(|w| *w <= 0.5) && weights[1] == 0.5, "{weights:?}");
    assert_eq!(folder.run("path critical-line --train returns.csv --upper 0.3").status, 2);
    assert!(folder.run("path critical-line --train returns.csv --upper 0.3").stderr.contains("upper bounds"));
    // A header is expected in every table.
    assert_eq!(folder.run("path critical-line --train returns.csv --upper upper.csv").status, 2);
    for wrong in [
        "",
        "--mean mean.csv",
        "--train returns.csv --mean mean.csv",
        "--train returns.csv --target 1",
        "--train missing.csv",
    ] {
        let outcome = folder.run(&format!("path critical-line {wrong}"));
        assert_eq!((outcome.status, outcome.stderr.lines().count()), (2, 1), "{wrong}: {}", outcome.stderr);
    }
}

#[test]
fn control_along_a_line_and_in_the_plane() {
    let folder = Folder::new();
    folder.write("plant.json", PLANT).write("broken.json", "{\"A\": 1}");
    let path = folder.json("path mpc --model plant.json --from -20,-8 --to 20,8 --json --out u.csv --plot u.svg");
    assert_eq!((path["complete"].clone(), path["horizon"].clone()), (true.into(), 3.into()));
    assert_eq!(folder.text("u.csv").lines().next(), Some("s,u[0],u[1],u[2]"));
    let map = folder
        .json("map mpc --model plant.json --domain=-20:20,-8:8 --json --param 0.1,0 --out regions.csv --plot m.svg");
    assert_eq!(map["complete"], true);
    assert!((number(&map["covered"]) - 1.0).abs() < 1e-9);
    let (v, e, r) = (number(&map["vertices"]), number(&map["edges"]), number(&map["regions"]));
    assert_eq!(v - e + r, 1.0);
    assert!(number(&map["max_kkt_residual"]) <= 1e-9);
    assert!(folder.text("m.svg").contains("critical regions"));
    for wrong in [
        "path mpc --model broken.json --from 1,2 --to 3,4",
        "path mpc --model plant.json --from 1 --to 3,4",
        "path mpc --model plant.json --from 1,2 --to 1,2",
        "map mpc --model plant.json --domain=-20:20,-8:8 --param 1",
        "map mpc --model missing.json --domain=-20:20,-8:8",
    ] {
        let outcome = folder.run(wrong);
        assert_eq!((outcome.status, outcome.stderr.lines().count()), (2, 1), "{wrong}: {}", outcome.stderr);
    }
}

#[test]
fn outliers_of_a_table() {
    let folder = Folder::new();
    let rows: String = (0..20).map(|i| format!("{},{}\n", i % 5, (i * i) % 7)).collect();
    folder.write("data.csv", format!("x,y\n{rows}40,40\n"));
    let found = folder.json(
        "path one-class-svm --train data.csv --kernel rbf:0.1 --out p.path --ranks ranks.csv --plot p.svg --json",
    );
    assert_eq!((found["n"].clone(), found["d"].clone(), found["complete"].clone()), (21.into(), 2.into(), true.into()));
    assert!(number(&found["max_kkt_residual"]) <= 1e-9);
    let ranks = folder.text("ranks.csv");
    assert_eq!(ranks.lines().count(), 22);
    assert!(ranks.lines().last().unwrap().ends_with(",1"), "{ranks}");
    folder.ok("check p.path --train data.csv");
    let at = folder.json("at p.path --param 0.2,0.5 --json");
    assert!(number(&at[0]["relative_gap"]).abs() <= 1e-9);
    folder.ok("predict p.path --data data.csv --param 0.2 --out f.csv");
    let last = folder.text("f.csv");
    let value: f64 = last.lines().last().unwrap().split(',').next_back().unwrap().parse().unwrap();
    assert!(value < 0.0, "{last}");
    assert_eq!(folder.run("path one-class-svm --train data.csv --bias none").status, 2);
    assert_eq!(folder.run("path kqr --train data.csv --lambda 1 --ranks r.csv").status, 2);
}
