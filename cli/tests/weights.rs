//! Case weights of zero: a row that has one changes nothing, in tables and beside LIBSVM text, scaled or not, and is predicted all the same.
#![allow(missing_docs)]

use crate::common::{Folder, number, table};
use serde_json::Value;

/// x, z, y, v: two rows of weight zero, the largest of all.
const ROWS: [[f64; 4]; 10] = [
    [0.1, 1.0, 0.3, 1.0],
    [50.0, -70.0, 90.0, 0.0],
    [0.4, 0.2, -0.5, 2.0],
    [0.8, -1.0, 0.9, 0.5],
    [1.1, 0.6, 1.4, 1.5],
    [1.7, 0.1, -0.2, 1.0],
    [-40.0, 60.0, -80.0, 0.0],
    [2.2, -0.3, 0.6, 0.75],
    [2.9, 1.4, -1.1, 1.25],
    [3.3, -0.8, 0.7, 1.0],
];

const PROBLEMS: [(&str, &str); 5] = [
    ("quantile-svm --lambda 0.05 --bias intercept", "0.3,0.5,0.8"),
    ("cost-svm --to 5 --bias intercept", "0.2,1,5"),
    ("kqr --lambda 0.1", "0.25,0.5,0.9"),
    ("svr --c 3", "0,0.1,0.4"),
    ("one-class-svm", "0.4,0.7,0.9"),
];

/// The response of a row: a label for the classifiers.
fn response(row: &[f64; 4], problem: &str) -> f64 {
    if problem.contains("svm") { row[2].signum() } else { row[2] }
}

/// The rows as a table and as LIBSVM text with a file of weights.
fn write(folder: &Folder, name: &str, rows: &[[f64; 4]], problem: &str) {
    let one_class = problem.starts_with("one-class");
    let line = |r: &[f64; 4]| match one_class {
        true => format!("{},{},{}\n", r[3], r[0], r[1]),
        false => format!("{},{},{},{}\n", r[3], r[0], r[1], response(r, problem)),
    };
    let header = if one_class { "v,x,z\n" } else { "v,x,z,y\n" };
    folder.write(&format!("{name}.csv"), header.to_owned() + &rows.iter().map(line).collect::<String>());
    let text = |r: &[f64; 4]| format!("{} 1:{} 2:{}\n", response(r, problem), r[0], r[1]);
    folder.write(&format!("{name}.svm"), rows.iter().map(text).collect::<String>());
    folder.write(&format!("{name}.txt"), rows.iter().map(|r| format!("{}\n", r[3])).collect::<String>());
}

fn near(what: &str, found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a.iter().zip(b).for_each(|(a, b)| near(what, a, b)),
        (Value::Null, Value::Null) => {}
        _ => {
            let (a, b) = (number(found), number(expected));
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{what}: {found}, not {expected}");
        }
    }
}

/// Each problem on a table or on text, with the rows of weight zero and without them.
fn compare(extension: &str, scale: &str, kernel: &str) {
    let counted: Vec<[f64; 4]> = ROWS.into_iter().filter(|r| r[3] > 0.0).collect();
    for (problem, values) in PROBLEMS {
        let what = format!("{problem} {kernel} {scale} {extension}");
        let folder = Folder::new();
        write(&folder, "whole", &ROWS, problem);
        write(&folder, "part", &counted, problem);
        let [a, b] = ["whole", "part"].map(|name| {
            let weights = if extension == "svm" { format!("{name}.txt") } else { "v".to_owned() };
            let data = format!("--train {name}.{extension} --weights {weights} --scale {scale} --kernel {kernel}");
            let path = folder.json(&format!("path {problem} {data} --out {name}.path --json"));
            assert_eq!(path["complete"], true, "{what}");
            folder.ok(&format!("check {name}.path --train {name}.{extension}"));
            folder.ok(&format!("predict {name}.path --data whole.{extension} --param {values} --out {name}.out"));
            let at = folder.json(&format!("at {name}.path --param {values} --full --json"));
            (path, at, table(&folder.text(&format!("{name}.out"))).1)
        });
        assert_eq!((a.0["breakpoints"].clone(), ROWS.len()), (b.0["breakpoints"].clone(), a.2.len()), "{what}");
        for (found, expected) in a.1.as_array().unwrap().iter().zip(b.1.as_array().unwrap()) {
            for key in ["objective", "dual_objective", "w", "intercept"] {
                near(&format!("{what}: {key}"), &found[key], &expected[key]);
            }
            let alpha: Vec<f64> = found["alpha"].as_array().unwrap().iter().map(number).collect();
            assert!(alpha.len().is_multiple_of(ROWS.len()));
            assert!(alpha.chunks(ROWS.len()).all(|alpha| alpha[1] == 0.0 && alpha[6] == 0.0), "{what}: {alpha:?}");
            let kept: Vec<f64> = alpha
                .chunks(ROWS.len())
                .flat_map(|alpha| (0..ROWS.len()).filter(|i| ROWS[*i][3] > 0.0).map(|i| alpha[i]))
                .collect();
            near(&format!("{what}: alpha"), &serde_json::json!(kept), &expected["alpha"]);
        }
        for (found, expected) in a.2.iter().flatten().zip(b.2.iter().flatten()) {
            assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
        }
    }
}

#[test]
fn rows_of_weight_zero_change_nothing() {
    for kernel in ["linear", "rbf:0.5"] {
        for scale in ["none", "standard", "minmax"] {
            compare("csv", scale, kernel);
            compare("svm", scale, kernel);
        }
    }
}

#[test]
fn a_precomputed_kernel_keeps_its_rows() {
    let folder = Folder::new();
    let kernel = |a: &[f64; 4], b: &[f64; 4]| (-0.1 * ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2))).exp();
    let write = |name: &str, rows: &[[f64; 4]]| {
        let names: String = (0..rows.len()).map(|j| format!("k{j},")).collect();
        let line = |r: &[f64; 4]| {
            let values: String = rows.iter().map(|other| format!("{},", kernel(r, other))).collect();
            format!("{values}{},{}\n", r[3], r[2])
        };
        folder.write(name, format!("{names}v,y\n") + &rows.iter().map(line).collect::<String>());
    };
    write("whole.csv", &ROWS);
    write("part.csv", &ROWS.into_iter().filter(|r| r[3] > 0.0).collect::<Vec<_>>());
    let [a, b] = ["whole", "part"].map(|name| {
        folder.json(&format!(
            "path kqr --train {name}.csv --weights v --kernel precomputed --lambda 0.1 --out {name}.path --json"
        ));
        folder.json(&format!("at {name}.path --param 0.2,0.5,0.7 --json"))
    });
    for (a, b) in a.as_array().unwrap().iter().zip(b.as_array().unwrap()) {
        near("objective", &a["objective"], &b["objective"]);
        near("intercept", &a["intercept"], &b["intercept"]);
    }
    let predicted = folder.ok("predict whole.path --data whole.csv --param 0.5");
    assert_eq!(predicted.lines().count(), 1 + ROWS.len());
}

#[test]
fn weights_that_cannot_be_used_are_named() {
    let folder = Folder::new();
    folder.write("a.svm", "1 1:1\n-1 1:2\n1 1:3\n").write("short.txt", "1\n2\n").write("wrong.txt", "1\n\n-2\n1\n");
    folder.write("nan.txt", "1\nnan\n1\n").write("zero.txt", "0\n0\n0\n").write("class.txt", "1\n0\n1\n");
    for (weights, words) in [
        ("short.txt", &["short.txt", "2 weights for 3 rows"][..]),
        ("wrong.txt", &["wrong.txt, line 3", "`-2` is negative"]),
        ("nan.txt", &["nan.txt, line 2", "not finite"]),
        ("zero.txt", &["a.svm", "all 3 rows are zero"]),
        ("class.txt", &["a.svm", "all 1 rows of the class -1 are zero"]),
        ("absent.txt", &["a.svm", "--weights `absent.txt`", "a file with one weight per line"]),
    ] {
        folder.run(&format!("path quantile-svm --lambda 1 --train a.svm --weights {weights}")).refused(words);
    }
    folder.write("zero.csv", "x,v,y\n1,0,2\n2,0,3\n");
    folder.run("path kqr --lambda 1 --train zero.csv --weights v").refused(&["zero.csv", "all 2 rows are zero"]);
    folder.run("path kqr --lambda 1 --train zero.csv --weights v --scale standard").refused(&["all 2 rows are zero"]);
}
