//! Ctrl-C in the middle of a path.
#![cfg(unix)]

use crate::common::*;
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Pseudorandom numbers: the minimal standard generator of Park and Miller (1988).
fn random(state: &mut u64) -> f64 {
    *state = *state * 48271 % 2_147_483_647;
    *state as f64 / 2_147_483_647.0
}

/// Many rows without pattern, so that the path takes many times longer than the test waits.
fn long_data() -> String {
    let mut state = 11;
    let mut line = |_| {
        let values: Vec<String> = (1..5).map(|j| format!("{j}:{:.4}", random(&mut state) - 0.5)).collect();
        format!("{} {}\n", if random(&mut state) < 0.5 { -1 } else { 1 }, values.join(" "))
    };
    (0..40_000).map(&mut line).collect()
}

#[test]
fn an_interrupted_path_is_kept() {
    let folder = Folder::new();
    folder.write("long.svm", long_data());
    let arguments = "path quantile-svm --train long.svm --lambda 1e-3 --bias augmented --out long.path --json";
    let child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    std::thread::sleep(Duration::from_millis(800));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let outcome = Outcome::new(arguments, &child.wait_with_output().expect("an end"));
    assert_eq!(outcome.status, 130, "{outcome:?}");
    assert!(outcome.stderr.contains("interrupted") && outcome.stderr.lines().count() == 1, "{outcome:?}");
    let report: Value = serde_json::from_str(&outcome.stdout).expect("one JSON document");
    assert_eq!((&report["complete"], &report["stop"]), (&json!(false), &json!("interrupted")));
    assert!(number(&report["max_kkt_residual"]) <= 1e-9);
    let reached = number(&report["reached"]);
    assert!(reached < 1.0);
    let at = folder.json(&format!("at long.path --param 0,{reached} --json"));
    assert!(number(&at[1]["kkt_residual"]) <= 1e-9);
    folder.run("at long.path --param 1").refused(&["--param 1", "long.path"]);
    assert_eq!(folder.names(), ["long.path", "long.svm"]);
}

/// In the middle the start is a path of its own, from the nearer end.
#[test]
fn a_start_can_be_interrupted() {
    let folder = Folder::new();
    folder.write("long.svm", long_data());
    let arguments =
        "path quantile-svm --train long.svm --lambda 1e-3 --bias augmented --from 0.5 --out long.path --json";
    let child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    std::thread::sleep(Duration::from_millis(1200));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let outcome = Outcome::new(arguments, &child.wait_with_output().expect("an end"));
    assert_eq!(outcome.status, 130, "{outcome:?}");
    assert!(outcome.stderr.contains("there is no path yet") && outcome.stderr.lines().count() == 1, "{outcome:?}");
    assert_eq!(folder.names(), ["long.svm"]);
}
