//! `pathqp path qp` from files: every command, what ends early, what is refused.

use crate::common::{Folder, number};
use std::io::Write;
use std::process::Stdio;

/// The largest x₁ + t·x₂ with x₁ + x₂ ≤ 4, x₁ + 3x₂ ≤ 6, 0 ≤ x ≤ 3: from t = 3 on x₂ takes over.
const LP: &str = r#"{"c": [[-1, 0], [0, -1]], "lower": [[0, 0], [0, 0]], "upper": [[3, 0], [3, 0]],
 "rows": [{"a": [1, 1], "upper": [4, 0]}, {"a": {"0": 1, "1": 3}, "lower": null, "upper": [6, 0]}], "from": 0.5, "to": 4}"#;

const INFEASIBLE: &str =
    r#"{"c": [[1, 0], [1, 0]], "upper": [[1, 0], [1, 0]], "rows": [{"a": [1, 1], "lower": [1, 2]}, {"a": [1, -1]}]}"#;

const QPS: &str = "NAME two
ROWS
 N cost
 L capacity
COLUMNS
 a cost -1 capacity 1
 b cost -1 capacity 1
RHS
 RHS capacity 4
BOUNDS
 UP BND a 3
QUADOBJ
 b b 1
ENDATA
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("lp.json", LP).write("early.json", INFEASIBLE).write("two.qps", QPS);
    folder.write("rates.json", r#"{"rows": {"capacity": {"upper": -4}}}"#);
    folder
}

#[test]
fn a_linear_program_goes_through_every_command() {
    let folder = folder();
    let path = folder.json("path qp --problem lp.json --out lp.path --plot lp.svg --param 2,3.5 --json");
    assert_eq!((path["variables"].as_u64(), path["rows"].as_u64()), (Some(2), Some(2)));
    assert_eq!((path["complete"].as_bool(), path["breakpoints"].as_u64()), (Some(true), Some(1)));
    let at = folder.json("at lp.path --param 2,3.5 --json");
    // At t = 2 x is (3, 1): the second row alone holds, y₂ = −t/3. At 3.5 x is (0, 2): still that row.
    assert_eq!(at[0]["param"]["t"], 2.0);
    assert_eq!(at[0]["x"], serde_json::json!([3.0, 1.0]));
    let y: Vec<f64> = at[0]["y"].as_array().unwrap().iter().map(number).collect();
    assert!(y[0].abs() < 1e-15 && (y[1] + 2.0 / 3.0).abs() < 1e-15, "{y:?}");
    assert_eq!((number(&at[0]["objective"]), number(&at[1]["objective"])), (-5.0, -7.0));
    for key in ["kkt_residual", "relative_gap", "dual_objective"] {
        assert!(at[1][key].is_number(), "{key}");
    }
    assert_eq!(path["at"][0]["y"], at[0]["y"]);
    assert_eq!(folder.json("check lp.path --train lp.json --json")["passed"], true);
    let solved = folder.json("solve qp --problem lp.json --t 3.5 --json");
    assert_eq!((solved["x"].clone(), solved["start"]["from"].clone()), (at[1]["x"].clone(), "cold".into()));
    let near = folder.json("solve qp --problem lp.json --t 3.5 --start lp.path --json");
    assert_eq!((near["x"].clone(), near["start"]["from"].clone()), (at[1]["x"].clone(), "file".into()));
    folder.ok("report lp.path --train lp.json --out page.html");
    assert!(folder.ok("path qp --problem lp.json --from 4 --to 1").contains("2 variables, 2 rows"));
    folder.ok("path qp --problem lp.json --out lp.csv");
    assert_eq!(folder.text("lp.csv").lines().next(), Some("t,x1,x2,y1,y2"));
    folder.ok("path qp --problem lp.json --out kept.json");
    assert_eq!(folder.json("at kept.json --param 2 --json")[0]["y"], at[0]["y"]);
    folder.write("other.json", LP.replace("[6, 0]", "[7, 0]"));
    folder.run("check lp.path --train other.json").refused(&["other.json", "not the data", "lp.json"]);
}

#[test]
fn a_program_is_read_from_standard_input() {
    let folder = folder();
    let mut command = folder.command("path qp --problem - --json");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(LP.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), found["breakpoints"].as_u64()), (Some(0), Some(1)));
}

#[test]
fn qps_with_rates_is_followed_under_its_own_names() {
    let folder = folder();
    let path = folder.json("path qp --qps two.qps --rates rates.json --param 0,1 --out two.path --json");
    assert_eq!(path["complete"], true);
    // min −a − b + b²/2 with a + b ≤ 4 − 4t: (3, 1), and (0, 0) at the end.
    assert_eq!(path["at"][0]["x"], serde_json::json!([3.0, 1.0]));
    assert!(path["at"][1]["x"].as_array().unwrap().iter().all(|x| number(x).abs() < 1e-14));
    folder.ok("path qp --qps two.qps --rates rates.json --out two.csv");
    assert_eq!(folder.text("two.csv").lines().next(), Some("t,a,b,capacity"));
    assert_eq!(folder.json("check two.path --train two.qps --json")["passed"], true);
}

#[test]
fn a_path_that_ends_early_is_kept_with_its_proof() {
    let folder = folder();
    let run = folder.run("path qp --problem early.json --out early.path --json");
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("t = 0.5") && run.stderr.contains("row 1") && !run.stderr.contains("row 2"), "{run:?}");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((report["complete"].as_bool(), number(&report["reached"])), (Some(false), 0.5));
    assert_eq!(report["proof"]["kind"], "infeasible");
    assert_eq!(report["proof"]["weights"].as_array().unwrap().len(), 2);
    assert_eq!(folder.json("at early.path --param 0.25 --json")[0]["y"].as_array().unwrap().len(), 2);
    assert_eq!(folder.json("check early.path --train early.json --json")["passed"], true);
    folder.run("at early.path --param 0.6").refused(&["early.path", "0.5"]);
    folder.write("never.json", r#"{"c": [[1, 0]], "rows": [{"a": [1], "lower": 1}, {"a": [2], "upper": 1}]}"#);
    let never = folder.run("path qp --problem never.json");
    assert_eq!(never.status, 3);
    assert!(never.stderr.contains("infeasible at the start") && never.stderr.contains("of row 1"), "{never:?}");
    folder.write(
        "falls.json",
        r#"{"c": [[1, -2], [1, 0]], "lower": [[0, 0], [0, 0]], "rows": [{"a": [0, 1], "upper": 1}]}"#,
    );
    let falls = folder.run("path qp --problem falls.json --json");
    assert_eq!(falls.status, 3);
    assert!(falls.stderr.contains("t = 0.5") && falls.stderr.contains("variable 1"), "{falls:?}");
    let report: serde_json::Value = serde_json::from_str(&falls.stdout).unwrap();
    assert_eq!(report["proof"]["kind"], "unbounded");
}

#[test]
fn rays_are_followed_for_ever() {
    let folder = Folder::new();
    // min x² with x ≥ t − 1 on a ray: zero up to t = 1, then x grows for ever.
    folder.write("ray.json", r#"{"h": [[2]], "c": [0], "rows": [{"a": [1], "lower": [-1, 1]}], "to": "inf"}"#);
    let path = folder.json("path qp --problem ray.json --out ray.path --json");
    assert_eq!((path["complete"].as_bool(), path["breakpoints"].as_u64()), (Some(true), Some(1)));
    let at = folder.json("at ray.path --param 0.5,1001 --json");
    assert_eq!((number(&at[0]["x"][0]), number(&at[1]["x"][0])), (0.0, 1000.0));
    assert!((number(&at[1]["y"][0]) - 2000.0).abs() < 1e-9);
    assert_eq!(folder.json("check ray.path --train ray.json --json")["passed"], true);
}

#[test]
fn what_rows_cannot_do_is_said() {
    let folder = folder();
    folder.run("map qp --problem lp.json --domain 0:1,0:1").refused(&["--domain", "2 ranges; give 1"]);
    folder.run("path qp --problem lp.json --from 0").refused(&["--from 0", "[0.5, 4]"]);
    folder.run("path qp --problem none.json").refused(&["none.json", "no such file"]);
    folder.run("path qp --qps lp.json").refused(&["lp.json", "line 1"]);
    folder.run("path qp").refused(&["--problem", "--qps"]);
    folder.run("path qp --rates rates.json").refused(&["--qps"]);
    folder.run("path qp --problem lp.json --qps two.qps").refused(&["--problem", "--qps"]);
    folder.write("bad.json", LP.replace("[3, 0], [3, 0]", "[3, 0], [3, -1]"));
    folder.run("path qp --problem bad.json").refused(&["bad.json", "variable 1"]);
}

/// H of nothing: rows of zeros, or rows without entries.
#[test]
fn a_hessian_may_vanish() {
    let folder = Folder::new();
    for z in ["[[0], [0]]", "[[0, 0], [0, 0]]", "[[], []]"] {
        let program = r#"{"z": Z, "c": [[3, -4], [-2, 1]], "lower": [[0, 1], [-2, 1]], "upper": [[2, 2], [3, 0]]}"#;
        folder.write("p.json", program.replace('Z', z));
        let outcome = folder.run("path qp --problem p.json --param 0.25,0.9 --json");
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{z}: {outcome:?}");
        // 3 − 4t is positive up to 3/4: x₁ = t before, 2 + 2t after; t − 2 is negative: x₂ = 3.
        let document: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        let x = |k: usize| {
            document["at"][k]["x"].as_array().map(|x| x.iter().filter_map(|v| v.as_f64()).collect::<Vec<_>>())
        };
        assert_eq!(x(0), Some(vec![0.25, 3.0]), "{z}: {document}");
        assert_eq!(x(1), Some(vec![3.8, 3.0]), "{z}");
    }
}
