//! Every command that the README and the pages of `docs/` show runs, on files of the kinds that they name.

use crate::common::Folder;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The commands in the code blocks of a page, without the program's name.
fn commands(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if let (true, Some(arguments)) =
            (inside, line.strip_prefix("pathqp ").filter(|rest| !rest.starts_with('=')))
        {
            found.push(arguments.to_owned());
        }
    }
    found
}

/// A table of numbers that vary from row to row, each column in its own way.
fn table(names: &[&str], rows: usize, value: impl Fn(f64, f64) -> f64) -> String {
    let row = |i: usize| {
        let cells = (0..names.len()).map(|j| value(i as f64, j as f64).to_string());
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    names.join(",") + "\n" + &(0..rows).map(row).collect::<String>()
}

/// The files that the pages name.
fn files(folder: &Folder) {
    let wave = |i: f64, j: f64| (1.3 * i + 2.1 * j).sin() + 0.2 * j + 0.01 * i;
    let assets: Vec<String> = (1..=12).map(|j| format!("a{j}")).collect();
    let assets: Vec<&str> = assets.iter().map(String::as_str).collect();
    fs::create_dir_all(folder.path().join("data")).unwrap();
    for entry in fs::read_dir(root().join("data")).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), folder.path().join("data").join(entry.file_name())).unwrap();
    }
    folder
        .write("returns.csv", table(&assets, 40, |i, j| 0.01 * wave(i, j)))
        .write("mean.csv", "a,b,c\n0.002,0.004,0.006\n")
        .write("cov.csv", "a,b,c\n0.01,0.001,0\n0.001,0.04,0.002\n0,0.002,0.09\n")
        .write("upper.csv", "a,b,c\n0.5,0.6,0.7\n")
        .write("sectors.csv", "a,b,c,lower,upper\n1,1,0,,0.6\n0,0,1,0.1,\n")
        .write("zero-sum.csv", "age,bmi,bp,lower,upper\n1,1,1,0,0\n")
        .write("prices.csv", table(&["a", "b", "c"], 30, |i, j| 20.0 + 0.3 * i + 2.0 * wave(i, j)))
        .write("new.csv", table(&["a", "b"], 5, |i, j| 21.0 + 0.4 * i + wave(i, j)))
        .write("rows.csv", table(&["a", "b"], 25, wave))
        .write("diabetes.csv", table(&["age", "bmi", "bp", "progression"], 40, wave))
        .write("signal.csv", table(&["y"], 30, |i, _| (i / 10.0).floor() + 0.1 * wave(i, 0.0)))
        .write("values.csv", table(&["y"], 4, wave))
        .write("engel.csv", table(&["income", "foodexp"], 40, |i, j| 300.0 + 10.0 * i * (1.0 - 0.4 * j) + 40.0 * wave(i, j)))
        .write("program.json", program())
        .write(
            "plan.qps",
            "NAME plan\nROWS\n N cost\n L labour\n E budget\nCOLUMNS\n wheat cost -2 labour 1\n wheat budget 1\n rye cost -1 labour 2\n rye budget 1\nRHS\n RHS labour 8 budget 5\nQUADOBJ\n wheat wheat 1\nENDATA\n",
        )
        .write("rates.json", r#"{"c": {"wheat": 0.5}, "rows": {"labour": {"upper": -0.5}, "budget": {"lower": 0.1, "upper": 0.1}}, "to": 2}"#)
        .write("edges.csv", "from,to\n1,2\n2,3\n3,4\n4,1\n")
        .write("mixture.csv", table(&["x1", "x2", "x3", "b2", "b"], 20, |i, j| 1.0 + wave(i, j).abs()))
        .write(
            "plant.json",
            r#"{"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]], "horizon": 3, "lower": [-1], "upper": [1]}"#,
        );
}

/// The document that docs/programs.md shows.
fn program() -> String {
    let page = fs::read_to_string(root().join("docs/programs.md")).unwrap();
    page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap().to_owned()
}

#[test]
fn every_command_that_is_shown_runs() {
    let mut pages = vec![root().join("README.md")];
    for entries in ["docs", "docs/problems"].map(|name| fs::read_dir(root().join(name)).unwrap()) {
        let paths = entries.map(|entry| entry.unwrap().path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    let mut count = 0;
    for page in pages {
        let folder = Folder::new();
        files(&folder);
        for arguments in commands(&fs::read_to_string(&page).unwrap()) {
            // Rows of the pages' other tables.
            if page.ends_with("portfolios.md") && arguments.starts_with("predict") {
                folder.write("new.csv", table(&["a", "b"], 5, |i, j| 0.3 * i - j));
            }
            if page.ends_with("quantile-regression.md") && arguments.starts_with("predict") {
                folder.write("new.csv", "income\n400\n550\n700\n");
            }
            let outcome = folder.run(&arguments);
            assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{}: {arguments}", page.display());
            count += 1;
        }
    }
    assert!(count >= 45, "{count} commands");
}
