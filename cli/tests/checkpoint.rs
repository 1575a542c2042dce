//! Checkpoints, SIGKILL, and going on.
#![cfg(unix)]

use crate::common::*;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Two overlapping clouds without ties (Park and Miller's generator, 1988).
fn clouds() -> String {
    let mut state = 11u64;
    let mut random = || {
        state = state * 48271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0
    };
    let mut line = |i: usize| {
        let y = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let values: Vec<String> = (1..7).map(|j| format!("{j}:{:.5}", random() - 0.5 + 0.1 * y)).collect();
        format!("{y} {}\n", values.join(" "))
    };
    (0..2500).map(&mut line).collect()
}

const PATH: &str = "path quantile-svm --train clouds.svm --lambda 1e-3 --bias intercept --json";

#[test]
fn a_killed_run_goes_on_to_the_same_path() {
    let folder = Folder::new();
    folder.write("clouds.svm", clouds());
    folder.json(&format!("{PATH} --out whole.path"));
    let arguments = format!("{PATH} --out killed.path --checkpoint run.state --checkpoint-every 0.01");
    let mut child = folder.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process");
    let began = Instant::now();
    while !folder.names().contains(&"run.state".into()) {
        assert!(began.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it runs"); // SIGKILL
    child.wait().expect("an end");
    assert!(!folder.names().contains(&"killed.path".into()), "the run ended before it was killed");
    folder.json(&format!("{PATH} --out resumed.path --resume run.state"));
    assert!(folder.bytes("resumed.path") == folder.bytes("whole.path"));
}

#[test]
fn a_run_in_pieces_gives_the_same_path() {
    let folder = Folder::new();
    folder.write("clouds.svm", clouds());
    folder.json(&format!("{PATH} --out whole.path"));
    let first = folder.json(&format!("{PATH} --max-events 300 --checkpoint run.state --out part.path"));
    assert_eq!(first["stop"], "max-events");
    let second = folder.json(&format!("{PATH} --max-events 1000 --resume run.state --checkpoint run.state"));
    assert_eq!((&second["stop"], &second["events"]), (&"max-events".into(), &1000.into()));
    let third = folder.json(&format!("{PATH} --resume run.state --out pieces.path"));
    assert_eq!(third["stop"], "target");
    assert!(folder.bytes("pieces.path") == folder.bytes("whole.path"));
}

#[test]
fn a_checkpoint_of_something_else_is_named() {
    let folder = Folder::new();
    folder.write("clouds.svm", clouds()).write("other.svm", clouds() + "1 1:0.5\n");
    folder.json(&format!("{PATH} --max-events 20 --checkpoint run.state"));
    let changed = |from: &str, to: &str| format!("{} --resume run.state", PATH.replace(from, to));
    folder.run(&changed("1e-3", "1e-2")).refused(&["run.state", "lambda"]);
    folder.run(&changed("intercept", "none")).refused(&["run.state", "bias"]);
    folder.run(&changed("--json", "--to 0.5")).refused(&["run.state", "ends"]);
    folder.run(&changed("clouds.svm", "other.svm")).refused(&["run.state", "data"]);
    folder.run(&format!("{PATH} --resume none.state")).refused(&["none.state", "no such file"]);
    folder.run(&format!("{PATH} --resume clouds.svm")).refused(&["clouds.svm", "not a checkpoint"]);
    folder.run(&format!("{PATH} --checkpoint clouds.svm")).refused(&["clouds.svm", "--train"]);
    let mut bytes = folder.bytes("run.state");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("damaged.state", &bytes).write("short.state", &bytes[..middle]);
    folder.run(&format!("{PATH} --resume damaged.state")).refused(&["damaged.state", "checksum"]);
    folder.run(&format!("{PATH} --resume short.state")).refused(&["short.state", "checksum"]);
}
