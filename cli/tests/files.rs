//! Kept paths: two forms, one content, and every kind of damage.

use crate::common::*;

/// Six points in the plane (labels 1 and 0) with an intercept.
const DATA: &str = "1 1:0.5 2:1\n0 1:-1 2:0.25\n1 2:2\n0\n1 1:1.5 2:0.5\n0 1:0.5 2:-1.5\n";
const PATH: &str = "path quantile-svm --train data.svm --lambda 0.5 --bias intercept --scale standard --out";

fn kept() -> Folder {
    let folder = Folder::new();
    folder.write("data.svm", DATA);
    folder.ok(&format!("{PATH} kept.path"));
    folder.ok(&format!("{PATH} kept.json"));
    folder
}

/// FNV-1a, to forge files with a right checksum.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash ^= u64::from(*byte);
        hash = hash.wrapping_mul(0x0100_0000_01b3);
    }
    hash.to_le_bytes()
}

#[test]
fn both_forms_give_the_same_answers() {
    let folder = kept();
    assert!(folder.bytes("kept.path").starts_with(b"PATHQP\0"));
    assert!(folder.bytes("kept.json").starts_with(b"{"));
    for command in ["at FILE --param 0,0.1,0.37,0.5,1 --full --json", "predict FILE --data data.svm --param 0.3,0.7"] {
        let answer = |file: &str| folder.ok(&command.replace("FILE", file));
        assert_eq!(answer("kept.path"), answer("kept.json"));
    }
    assert_eq!(folder.names(), ["data.svm", "kept.json", "kept.path"]);
}

#[test]
fn a_check_passes_on_its_own_data_only() {
    let folder = kept();
    for file in ["kept.path", "kept.json"] {
        let report = folder.json(&format!("check {file} --train data.svm --points 25 --seed 7 --json"));
        let fields = [
            "breakpoints",
            "complete",
            "d",
            "from",
            "max_kkt_residual",
            "max_relative_gap",
            "n",
            "passed",
            "points",
            "problem",
            "random",
            "reached",
            "seconds",
            "segments",
            "tolerance",
            "vary",
            "worst",
        ];
        assert_eq!(keys(&report), fields);
        let segments = report["segments"].as_u64().expect("a count");
        // Both ends and the middle of every segment.
        assert_eq!(report["points"].as_u64(), Some(3 * segments + 25));
        assert_eq!(report["passed"], serde_json::json!(true));
        assert!(number(&report["max_kkt_residual"]) <= 1e-9 && number(&report["max_relative_gap"]) <= 1e-9);
    }
    for (name, data, words) in [
        ("value.svm", DATA.replace("2:2", "2:2.5"), ["value.svm, line 3", "row 3 has other features"]),
        ("label.svm", DATA.replace("0\n1 1:1.5", "1\n1 1:1.5"), ["label.svm, line 4", "row 4 has another label"]),
        ("short.svm", DATA[..DATA.len() - 16].into(), ["short.svm: 5 rows", "made from 6"]),
        ("wide.svm", DATA.replace("2:2", "2:2 3:1"), ["wide.svm: 3 feature columns", "made from 2"]),
        ("class.svm", DATA.replace("0\n1 1:1.5", "7\n1 1:1.5"), ["class.svm, line 4", "label 7"]),
    ] {
        folder.write(name, data);
        folder.run(&format!("check kept.path --train {name}")).refused(&words);
    }
    folder.run("check kept.path --train none.svm").refused(&["none.svm", "no such file"]);
}

#[test]
fn a_wrong_answer_fails_its_certificate() {
    let folder = kept();
    let text = folder.text("kept.json");
    folder.write("other.json", text.replace("\"lambda\":0.5", "\"lambda\":0.75"));
    for command in ["at other.json --param 0.5", "check other.json --train data.svm"] {
        let outcome = folder.run(command);
        assert_eq!(outcome.status, 3, "{outcome:?}");
        assert_eq!(outcome.stderr.matches('\n').count(), 1, "{outcome:?}");
        assert!(outcome.stderr.contains("KKT residual"), "{outcome:?}");
        assert!(!outcome.stdout.is_empty());
    }
}

#[test]
fn a_binary_file_that_was_cut_or_changed_is_refused() {
    let folder = kept();
    let whole = folder.bytes("kept.path");
    folder.write("bad.path", b"");
    folder.run("at bad.path --param 0.5").refused(&["bad.path", "empty"]);
    for length in (1..whole.len()).step_by(1 + whole.len() / 60).chain([7, 11, 12, 19, whole.len() - 1]) {
        folder.write("bad.path", &whole[..length]);
        folder.run("at bad.path --param 0.5").refused(&["bad.path"]);
    }
    for position in (0..whole.len()).step_by(1 + whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[position] ^= 1 << (position % 8);
        folder.write("bad.path", bytes);
        folder.run("at bad.path --param 0.5").refused(&["bad.path"]);
    }
    let mut newer = whole.clone();
    newer[7] = 9;
    folder.write("bad.path", newer).run("at bad.path --param 0.5").refused(&["bad.path", "version 9"]);
}

/// Whatever a damaged file still gives, it is an answer, a refusal or a failed certificate, in good order.
fn in_good_order(outcome: &Outcome) {
    assert!([0, 2, 3].contains(&outcome.status), "{outcome:?}");
    assert!(outcome.stderr.lines().count() <= 2 && !outcome.stderr.contains("panicked"), "{outcome:?}");
    assert_eq!(outcome.stdout.is_empty(), outcome.status == 2, "{outcome:?}");
}

#[test]
fn a_forged_binary_file_does_no_harm() {
    let folder = kept();
    let whole = folder.bytes("kept.path");
    let (head, body) = (&whole[..11], &whole[11..whole.len() - 8]);
    for position in (0..body.len()).step_by(1 + body.len() / 120) {
        for value in [0x00, 0x7f, 0xff] {
            let mut forged = body.to_vec();
            forged[position] = value;
            folder.write("bad.path", [head, &forged, &checksum(&forged)].concat());
            in_good_order(&folder.run("at bad.path --param 0.5,0.9 --json"));
        }
    }
}

#[test]
fn a_json_file_that_was_cut_or_changed_does_no_harm() {
    let folder = kept();
    let whole = folder.bytes("kept.json");
    for length in (1..whole.len() - 1).step_by(1 + whole.len() / 60) {
        folder.write("bad.json", &whole[..length]);
        folder.run("at bad.json --param 0.5").refused(&["bad.json"]);
    }
    for position in (0..whole.len()).step_by(1 + whole.len() / 150) {
        for byte in [b'9', b'-', b' '] {
            let mut bytes = whole.clone();
            bytes[position] = byte;
            folder.write("bad.json", bytes);
            in_good_order(&folder.run("predict bad.json --data data.svm --param 0.5 --probability"));
        }
    }
    let text = folder.text("kept.json");
    for (from, to, word) in [
        ("\"format\":5", "\"format\":9", "version 9"),
        ("\"lambda\":0.5", "\"lambda\":-0.5", "lambda"),
        ("\"response\":[1.0", "\"response\":[0.5", "label"),
        ("\"response\":[1.0", "\"response\":[1.0,1.0", "rows of features"),
        ("\"from\":0.0", "\"from\":2.0", "tau"),
        ("\"from\":0.0", "\"from\":0.5", "tau"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        folder.write("bad.json", changed);
        folder.run("at bad.json --param 0.5").refused(&["bad.json", word]);
    }
}

#[test]
fn files_that_are_no_paths_are_refused() {
    let folder = kept();
    folder.run("at none.path --param 0.5").refused(&["none.path", "no such file"]);
    folder.run("at . --param 0.5").refused(&["directory"]);
    folder.run("at data.svm --param 0.5").refused(&["data.svm", "not a path or map file"]);
}
