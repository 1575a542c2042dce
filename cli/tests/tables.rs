//! Tables as they are, from the file to predictions.

use super::common::{Folder, Outcome, table};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// Incomes of people with a name, a town and a class in words.
const PEOPLE: &str = "name,town,age,income,pays\n\
    Ann,Bern,31,5.2,yes\nBob,Basel,25,3.1,no\nCleo,Genf,47,6.8,yes\nDan,Bern,22,2.0,no\nEve,Basel,39,5.5,yes\n\
    Fay,Genf,51,2.5,no\nGus,Bern,44,4.9,yes\nHal,Genf,29,3.3,yes\nIda,Basel,61,4.1,no\nJon,Bern,35,4.0,no\n";

/// The same with an indicator column a town, the first left out, and the class as a number.
const NUMBERS: &str = "town=Bern,town=Genf,age,income,pays\n\
    1,0,31,5.2,1\n0,0,25,3.1,0\n0,1,47,6.8,1\n1,0,22,2.0,0\n0,0,39,5.5,1\n0,1,51,2.5,0\n1,0,44,4.9,1\n0,1,29,3.3,1\n\
    0,0,61,4.1,0\n1,0,35,4.0,0\n";

const READ: &str = "--index name --categorical town";

#[test]
fn words_are_what_their_numbers_are() {
    let folder = Folder::new();
    folder.write("people.csv", PEOPLE).write("numbers.csv", NUMBERS);
    let model = "--bias intercept --to 5";
    let words = folder.json(&format!("path cost-svm --train people.csv {READ} {model} --out words.path --json"));
    let numbers = folder.json(&format!("path cost-svm --train numbers.csv {model} --out numbers.path --json"));
    for key in ["breakpoints", "events", "d", "from", "to", "max_free"] {
        assert_eq!(words[key], numbers[key], "{key}");
    }
    assert_eq!(words["classes"]["positive"], "yes");
    assert_eq!(numbers["classes"]["positive"], 1.0);
    let at = |file: &str| folder.json(&format!("at {file} --param 2.5 --json"));
    assert_eq!(at("words.path")[0]["w"], at("numbers.path")[0]["w"]);
    // Rows in another order of columns, one without the class; names of rows come first.
    folder.write("more.csv", "income,age,name,town\n4.4,40,Kim,Genf\n1.0,30,\"Lee, L.\",Bern\n");
    let text = folder.ok("predict words.path --data more.csv --param 2.5 --classes");
    folder.write("more_numbers.csv", "town=Bern,town=Genf,age,income\n0,1,40,4.4\n1,0,30,1.0\n");
    let (_, rows) = table(&folder.ok("predict numbers.path --data more_numbers.csv --param 2.5"));
    let class = |f: f64| if f > 0.0 { "yes" } else { "no" };
    let lines: Vec<&str> = text.lines().collect();
    let names = ["Kim", "\"Lee, L.\""];
    let decision = |k: usize| rows[k][0];
    assert_eq!(lines[0].split(',').next(), Some("name"));
    assert_eq!(lines[0].split(',').nth(2).map(|c| c.starts_with("class(")), Some(true));
    for k in 0..2 {
        let rest = lines[k + 1].strip_prefix(names[k]).and_then(|rest| rest.strip_prefix(',')).expect("its name");
        let (value, found) = rest.split_once(',').expect("two cells");
        assert_eq!(value.parse(), Ok(decision(k)));
        assert_eq!(found, class(decision(k)));
    }
    // The same certificate from the words.
    folder.ok("check words.path --train people.csv");
}

/// Without names further rows go by position: as the training data, or the features alone.
#[test]
fn rows_without_names_go_by_position() {
    let folder = Folder::new();
    folder
        .write("train.csv", "r1,0.5,2,9,1\nr2,1.5,1,8,0\nr3,2,0.5,7,1\nr4,0,1,6,0\n")
        .write("features.csv", "0.5,2\n1.5,1\n");
    let read = "--no-header --index 1 --exclude 4";
    folder.ok(&format!("path quantile-svm --train train.csv {read} --lambda 0.1 --out p.path"));
    let alone = folder.ok("predict p.path --data features.csv --param 0.4");
    let whole = folder.ok("predict p.path --data train.csv --param 0.4");
    let values = |text: &str, column: usize| {
        text.lines().skip(1).take(2).map(|line| line.split(',').nth(column).map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(values(&alone, 0), values(&whole, 1));
    assert_eq!(values(&whole, 0), ["r1", "r2"].map(|name| Some(name.to_owned())));
    folder.write("short.csv", "0.5\n");
    folder.run("predict p.path --data short.csv --param 0.4").refused(&["short.csv"]);
}

/// With labels the share of errors is told, recounted here.
#[test]
fn the_error_rate_is_told() {
    let folder = Folder::new();
    folder.write("people.csv", PEOPLE);
    folder.ok(&format!("path cost-svm --train people.csv {READ} --bias intercept --to 5 --out p.path"));
    let outcome = folder.run("predict p.path --data people.csv --param 0.01,5 --classes");
    assert_eq!(outcome.status, 0);
    let mut wrong = [0, 0];
    for (line, row) in outcome.stdout.lines().skip(1).zip(PEOPLE.lines().skip(1)) {
        let cells: Vec<&str> = line.split(',').collect();
        let label = row.rsplit(',').next().expect("a label");
        (0..2).for_each(|k| wrong[k] += usize::from(cells[3 + k] != label));
    }
    let told: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("error rate")).collect();
    for (line, wrong) in told.iter().zip(wrong) {
        assert!(line.ends_with(&format!("({wrong} of 10 rows)")), "{line}");
    }
    assert_eq!(told.len(), 2);
    // Without --classes nothing is told, and labels need not be any.
    folder.write("unknown.csv", PEOPLE.replace("yes", "perhaps"));
    assert_eq!(folder.ok("predict p.path --data unknown.csv --param 5").lines().count(), 11);
    assert_eq!(folder.run("predict p.path --data unknown.csv --param 5 --classes").stderr, "");
}

#[test]
fn what_a_table_lacks_is_named() {
    let folder = Folder::new();
    folder.write("people.csv", PEOPLE);
    let run =
        |options: &str| folder.run(&format!("path cost-svm --train people.csv --bias intercept --to 5 {options}"));
    run("").refused(&[
        "people.csv, line 2, column name: `Ann` is not a number",
        "--categorical",
        "--exclude",
        "--index",
    ]);
    run("--index name").refused(&["line 2, column town: `Bern`"]);
    run("--index nme --categorical town").refused(&["no column `nme` for --index; the columns are name, town"]);
    run("--index name --exclude name,town").refused(&["column name is named for two things"]);
    run("--index name --categorical town --positive maybe")
        .refused(&["no row has the label maybe; the labels are no and yes"]);
    folder.ok(&format!("path cost-svm --train people.csv {READ} --bias intercept --to 5 --out p.path"));
    folder.write("more.csv", "town,age,income\nBern,4,5\nChur,4,5\n");
    folder.run("predict p.path --data more.csv --param 1").refused(&[
        "more.csv, line 3, column town: the training data have no level `Chur` (they have Basel, Bern, Genf)",
    ]);
    folder
        .run("moments --objective zero-one --train people.csv --index name --categorical town --stream")
        .refused(&["--categorical", "--stream"]);
}

/// Standard input is told by its first row.
#[test]
fn standard_input_is_a_file_too() {
    let folder = Folder::new();
    folder.write("people.csv", PEOPLE);
    let piped = |arguments: &str, text: &str| {
        let mut command = folder.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        Outcome::new(arguments, &child.wait_with_output().expect("it ends"))
    };
    let model = "--bias intercept --to 5 --json";
    let from_file = folder.json(&format!("path cost-svm --train people.csv {READ} {model}"));
    let outcome = piped(&format!("path cost-svm --train - {READ} {model} --out p.path"), PEOPLE);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    let from_pipe: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(from_pipe["breakpoints"], from_file["breakpoints"]);
    let rows = piped("predict p.path --data - --param 2", PEOPLE);
    assert_eq!(rows.stdout, folder.ok("predict p.path --data people.csv --param 2"));
    assert_eq!(piped("check p.path --train -", PEOPLE).status, 0);
    let svm = piped("path quantile-svm --train - --lambda 0.1", "+1 1:0.5 2:1\n-1 1:-1\n+1 2:2\n-1 1:-0.5 2:-1\n");
    assert_eq!(svm.status, 0, "{svm:?}");
    piped("path quantile-svm --train - --lambda 0.1", "").refused(&["standard input: no rows of data"]);
    piped("path quantile-svm --train - --lambda 0.1", "a,y\n1,1\nx,0\n")
        .refused(&["standard input, line 3, column a: `x`"]);
}

/// A Parquet table and its twin in text: the same path, kept, checked and predicted from; from a file and from standard input.
#[test]
fn parquet_tables() {
    let folder = Folder::new();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/tests/parquet");
    for name in ["people.csv", "people-zstd.parquet"] {
        std::fs::copy(files.join(name), folder.path().join(name)).expect("a copy");
    }
    let options = "--index name --categorical town --exclude since,note --bias intercept --to 5 --json";
    let path = |file: &str, out: &str| {
        let mut report = folder.json(&format!("path cost-svm --train {file} {options} --out {out}"));
        let report = report.as_object_mut().expect("an object");
        report.retain(|key, _| !["file", "data", "train", "seconds", "out"].contains(&key.as_str()));
        serde_json::Value::from(report.clone())
    };
    assert_eq!(path("people-zstd.parquet", "p.path"), path("people.csv", "t.path"));
    let predict = |file: &str, path: &str| {
        let outcome = folder.run(&format!("predict {path} --data {file} --param 2 --classes"));
        (outcome.status, outcome.stdout, outcome.stderr)
    };
    let from_text = predict("people.csv", "t.path");
    assert!(from_text.1.contains("\nCleo,") && from_text.2.contains("of 6 rows"), "{from_text:?}");
    assert_eq!(predict("people-zstd.parquet", "p.path"), from_text);
    folder.ok("check p.path --train people.csv");
    let mut command = folder.command("check t.path --train -");
    let file = std::fs::File::open(folder.path().join("people-zstd.parquet")).expect("the file");
    let outcome = Outcome::new("check", &command.stdin(file).output().expect("it ends"));
    assert_eq!(outcome.status, 0, "{outcome:?}");
    folder
        .run("path cost-svm --train people-zstd.parquet")
        .refused(&["people-zstd.parquet, row 1, column name: `Ann`"]);
    folder
        .write("half.parquet", &folder.bytes("people-zstd.parquet")[..1000])
        .run("path cost-svm --train half.parquet")
        .refused(&["half.parquet: not a whole Parquet file", "write or fetch it again"]);
}

/// Files that people have, as they are: read with what their messages name, or refused with what is to be done.
#[test]
fn awkward_files() {
    let raw = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/raw");
    if !raw.exists() {
        eprintln!("../shared/data/raw is not there: nothing is tested");
        return;
    }
    let folder = Folder::new();
    let file = |name: &str| raw.join(name).display().to_string();
    let svm = |name: &str, options: &str| {
        folder.run(&format!("path quantile-svm --train {} --lambda 1 --scale standard {options}", file(name)))
    };
    let read = |name: &str, options: &str, classes: &str| {
        let outcome = svm(name, options);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
        assert!(outcome.stdout.contains(classes), "{outcome:?}");
    };
    read("ionosphere.csv", "--no-header", "+1 is g (225 rows), -1 is b (126 rows)");
    read("sonar.arff", "", "+1 is Rock (97 rows), -1 is Mine (111 rows)");
    svm("mushrooms_class_first.csv", "--response class")
        .refused(&["line 2, column cap-shape: `x` is not a number", "--categorical"]);
    svm("dermatology_two_header_rows.csv", "").refused(&["line 1: columns 1 and 2 are both named `numeric`"]);
    svm("hepatitis.csv", "--no-header --response 1").refused(&["line 1, column 19: `?` is missing"]);
    svm("breast-cancer-quoted.csv", "--no-header").refused(&["line 1, column 1: `'40-49'`"]);
    svm("svmlight_multilabel.txt", "").refused(&["line 2", "1,0"]);
    svm("svmguide3_int_header.csv", "--response 0").refused(&["line 1: the header row holds only numbers"]);
    let kqr = format!("path kqr --train {} --lambda 1 --from 0.4 --to 0.6", file("abalone.csv"));
    let columns = "--no-header --categorical 1 --features 9";
    let outcome = folder.run(&format!("{kqr} {columns} --json"));
    assert_eq!(outcome.status, 0, "{outcome:?}");
}
