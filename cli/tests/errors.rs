//! Invalid input: exit status 2 and one line that names the culprit.

use crate::common::*;

const TWO: &str = "path quantile-svm --train two.svm";

#[test]
fn options_are_checked() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    for (arguments, words) in [
        ("", &["--help"][..]),
        ("walk", &["walk"]),
        ("path", &["--train"]),
        ("path ridge --train two.svm", &["ridge", "kqr", "one-class-svm", "lasso", "nnls", "critical-line", "mpc"]),
        ("map ridge --train two.svm", &["ridge", "kqr", "mpc"]),
        ("solve one-class-svm --train two.svm", &["one-class-svm", "--nu"]),
        ("path quantile-svm --lambda 1", &["--train"]),
        (TWO, &["--lambda"]),
        ("path svr --train two.svm --lambda 1 --positive 1", &["svr", "--positive"]),
        ("path cost-svm --train two.svm --lambda 1", &["cost-svm", "--lambda"]),
        ("path cost-svm --train two.svm", &["--to", "c "]),
        ("path cost-svm --train two.svm --to -1", &["--to -1", "[0, inf)"]),
        ("path cost-svm --train two.svm --to 1 --c-neg 1", &["--c-neg"]),
        ("path cost-svm --train two.svm --to 1 --vary c-pos", &["--c-neg"]),
        ("path cost-svm --train two.svm --to 1 --vary c-pos --c-neg 1 --sum 2", &["--c-neg"]),
        ("path cost-svm --train two.svm --to 1 --vary c-pos --c-neg -1", &["--c-neg", "-1"]),
        ("path cost-svm --train two.svm --to 3 --vary c-pos --sum 2", &["--to 3", "[0, 2]"]),
        ("path cost-svm --train two.svm --to 1 --direction 1", &["--direction", "balanced"]),
        ("path cost-svm --train two.svm --to 1 --vary c-pos --c-neg 1 --direction 1,2", &["direction"]),
        ("path cost-svm --train two.svm --to 1 --vary tau", &["--vary tau", "c-pos"]),
        ("path cost-svm --train two.svm --to 1 --test two.svm", &["--test"]),
        ("path kqr --train two.svm", &["kqr", "--lambda"]),
        ("path kqr --train two.svm --vary lambda", &["kqr", "--tau"]),
        ("path kqr --train two.svm --vary lambda --tau 1.5", &["--tau", "1.5"]),
        ("path kqr --train two.svm --vary lambda --tau 0.5 --to 0", &["--to 0", "(0, inf)"]),
        ("path kqr --train two.svm --vary tau --lambda 0", &["--lambda", "positive"]),
        ("path kqr --train two.svm --vary tau --lambda 1 --tau 0.5", &["--tau"]),
        ("path kqr --train two.svm --lambda 1 --direction balanced", &["direction"]),
        ("path kqr --train two.svm --lambda 1 --positive 1", &["--positive"]),
        ("path kqr --train two.svm --lambda 1 --to inf", &["--to", "[0, 1]"]),
        ("at", &["--param"]),
        ("at two.path --param x", &["--param", "x"]),
        ("at two.path --param nan", &["--param", "nan"]),
        ("at two.path --param 0.5,,1", &["--param"]),
        ("predict two.path --param 0.5", &["--data"]),
        ("check two.path", &["--train"]),
        ("check two.path --train two.svm --points -1", &["--points"]),
    ] {
        folder.run(arguments).refused(words);
    }
    for (option, words) in [
        ("--kernel gauss:1", &["--kernel", "gauss:1"][..]),
        ("--kernel rbf:0", &["--kernel", "rbf:0"]),
        ("--kernel precomputed", &["two.svm", "precomputed"]),
        ("--kernel precomputed --scale minmax", &["--scale minmax", "precomputed"]),
        ("--bias maybe", &["--bias", "maybe"]),
        ("--bias augmented:0", &["--bias"]),
        ("--scale log", &["--scale", "log"]),
        ("--vary lambda", &["--vary", "lambda"]),
        ("--from -0.1", &["--from -0.1", "[0, 1]"]),
        ("--to 1.5", &["--to 1.5", "[0, 1]"]),
        ("--to nan", &["--to", "nan"]),
        ("--from 0.5 --to 0.5", &["--from", "--to", "0.5"]),
        ("--features 0", &["--features"]),
        ("--features x", &["--features"]),
        ("--max-events 1.5", &["--max-events"]),
        ("--max-seconds -1", &["--max-seconds"]),
        ("--positive 3", &["two.svm", "3"]),
        ("--response y", &["--response", "y"]),
        ("--weights v", &["--weights", "v"]),
        ("--unknown", &["--unknown"]),
    ] {
        folder.run(&format!("{TWO} --lambda 1 {option}")).refused(words);
    }
    for lambda in ["0", "-1", "-0", "nan", "inf", "-inf", "1e999", "one"] {
        folder.run(&format!("{TWO} --lambda {lambda}")).refused(&["--lambda", lambda, "positive"]);
    }
    assert_eq!(folder.names(), ["two.svm"]);
}

#[test]
fn data_are_checked() {
    let folder = Folder::new();
    for (name, content, words) in [
        ("nan.svm", "1 1:1\n-1 1:nan\n", &["line 2", "nan"][..]),
        ("infinite.csv", "x,y\n1,1\ninf,0\n", &["line 3", "x", "inf"]),
        ("huge.svm", "1 1:1\n-1 1:1e200\n", &["line 2", "1e200"]),
        ("one.svm", "1 1:1\n1 1:2\n", &["only one class"]),
        ("three.svm", "1 1:1\n2 1:2\n3 1:3\n", &["line 3", "third label"]),
        ("ragged.csv", "a,b,y\n1,2,1\n1,0\n", &["line 3", "2 fields", "3 expected"]),
        ("empty.svm", "", &["no rows"]),
        ("empty.csv", "", &["no rows"]),
        ("header.csv", "a,y\n", &["no rows"]),
        ("numbers.csv", "1,2\n3,4\n", &["--no-header"]),
        ("text.svm", "one 1:1\n", &["line 1", "one"]),
        ("zero.svm", "1 0:1\n-1 1:1\n", &["line 1", "--zero-based"]),
        ("order.svm", "1 2:1 1:1\n-1 1:1\n", &["line 1", "index 1"]),
        ("broken.svm.gz", "1 1:1\n", &["gzip"]),
        ("wide.svm", "1 2000000000:1\n-1 1:1\n", &["2000000000 feature columns"]),
        ("line\nfeed.svm", "", &["no rows"]),
    ] {
        folder.write(name, content);
        let mut command = folder.command("path quantile-svm --lambda 1 --train");
        let output = command.arg(name).output().expect("the program runs");
        let name = name.replace('\n', "\\n");
        Outcome::new(&name, &output).refused(&[&[name.as_str()], words].concat());
    }
    let path = "path quantile-svm --lambda 1 --train";
    folder.run(&format!("{path} none.svm")).refused(&["none.svm", "no such file"]);
    folder.run(&format!("{path} .")).refused(&["directory"]);
    folder.write("weights.csv", "x,v,y\n1,1,1\n2,0,0\n");
    folder.run(&format!("{path} weights.csv --weights v")).refused(&["weights.csv", "all 1 rows of the class -1"]);
    folder.write("kernel.csv", "a,b,y\n1,-2,1\n-3,4,0\n");
    folder.run(&format!("{path} kernel.csv --kernel precomputed")).refused(&["kernel.csv, line 2", "-2", "-3"]);
    folder.write("negative.csv", "x,v,y\n1,1,1\n2,-1,0\n");
    folder.run(&format!("{path} negative.csv --weights v")).refused(&["negative.csv, line 3", "-1"]);
}

#[test]
fn data_of_every_problem_are_checked() {
    let folder = Folder::new();
    folder.write("ok.csv", "x,y\n1,2\n3,4\n2,7\n").write("nan.csv", "x,y\n1,2\nnan,3\n2,5\n");
    folder
        .write("none.csv", "x,y\n")
        .write("empty.csv", "")
        .write("one.csv", "y\n1\n2\n4\n")
        .write("row.csv", "x,y\n1,2\n");
    for problem in ["lasso", "trend-filtering", "nnls", "critical-line", "one-class-svm"] {
        for (rest, words) in [
            ("missing.csv", &["missing.csv"][..]),
            ("nan.csv", &["nan.csv", "line 3", "column x", "nan"]),
            ("none.csv", &["none.csv", "no rows"]),
            ("empty.csv", &["empty.csv", "no rows"]),
            ("ok.csv --vary bogus", &["--vary", "bogus"]),
        ] {
            folder.run(&format!("path {problem} --train {rest}")).refused(words);
        }
    }
    // One column is no features beside a response; a signal, an asset or a feature it may be.
    for problem in ["lasso", "nnls"] {
        folder.run(&format!("path {problem} --train one.csv")).refused(&["one.csv", "feature"]);
    }
    for problem in ["trend-filtering", "critical-line", "one-class-svm"] {
        folder.ok(&format!("path {problem} --train one.csv"));
    }
    // One row: no difference, no covariance.
    folder.run("path trend-filtering --train row.csv").refused(&["row.csv", "at least 2"]);
    folder.run("path critical-line --train row.csv").refused(&["row.csv", "at least two"]);
    let plant = |a: &str, horizon: &str| {
        format!(
            r#"{{"A": {a}, "B": [[1]], "Q": [[1]], "R": [[1]], "horizon": {horizon}, "lower": [-1], "upper": [1]}}"#
        )
    };
    folder.write("plant.json", plant("[[1]]", "2")).write("nan.json", plant("[[NaN]]", "2"));
    folder.write("infinite.json", plant("[[1e999]]", "2")).write("horizon.json", plant("[[1]]", "0"));
    folder.write("stateless.json", plant("[]", "2"));
    folder.ok("path mpc --model plant.json --from 0 --to 1");
    for (rest, words) in [
        ("missing.json --from 0 --to 1", &["missing.json"][..]),
        ("nan.json --from 0 --to 1", &["nan.json", "column"]),
        ("infinite.json --from 0 --to 1", &["infinite.json", "out of range"]),
        ("horizon.json --from 0 --to 1", &["horizon.json", "at least one"]),
        ("stateless.json --from 0 --to 1", &["0 states"]),
        ("plant.json --from 0 --to nan", &["--to", "nan"]),
        ("plant.json --from 0 --to 1 --vary x1", &["--vary"]),
    ] {
        folder.run(&format!("path mpc --model {rest}")).refused(words);
    }
}

#[test]
fn outputs_are_checked_before_the_work() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    std::fs::create_dir(folder.path().join("folder")).expect("a directory");
    for (option, words) in [
        ("--out none/two.path", &["--out none/two.path", "cannot be written"][..]),
        ("--out folder", &["--out folder", "directory"]),
        ("--plot none/two.svg", &["--plot none/two.svg", "cannot be written"]),
        ("--out two.svm", &["--out two.svm", "--train"]),
        ("--out folder/../two.svm", &["--out", "--train"]),
        ("--plot two.svm", &["--plot two.svm", "--train"]),
        ("--plot two.jpg", &["--plot two.jpg", ".svg, .png or .pdf"]),
        ("--out x --plot folder/../x", &["--plot", "--out"]),
    ] {
        folder.run(&format!("{TWO} --lambda 1 {option}")).refused(words);
    }
    folder.ok(&format!("{TWO} --lambda 1 --out two.path"));
    folder.run("predict two.path --data two.svm --param 0.5 --out two.svm").refused(&["--out two.svm", "--data"]);
    folder.run("predict two.path --data two.svm --param 0.5 --out none/a").refused(&["--out none/a"]);
    assert_eq!(folder.text("two.svm"), TWO_POINTS);
    assert_eq!(folder.names(), ["folder", "two.path", "two.svm"]);
}

#[test]
fn help_and_version_are_answers() {
    let folder = Folder::new();
    assert!(folder.ok("--version").starts_with("pathqp "));
    for command in ["--help", "path --help", "at --help", "predict --help", "check --help"] {
        assert!(folder.ok(command).contains("Usage: pathqp"));
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let output = folder.command("").arg(std::ffi::OsStr::from_bytes(b"\xff")).output().expect("the program runs");
    Outcome::new("not UTF-8", &output).refused(&["--help"]);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_and_a_device_are_taken_quietly() {
    use std::process::Stdio;
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    let mut child = folder.command(&format!("{TWO} --lambda 1")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    drop(child.as_mut().expect("the program runs").stdout.take());
    let output = child.and_then(|child| child.wait_with_output()).expect("an end");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    folder.ok(&format!("{TWO} --lambda 1 --out /dev/null"));
    use std::os::unix::fs::FileTypeExt;
    assert!(std::fs::metadata("/dev/null").expect("a device").file_type().is_char_device());
}
