//! `moments`: its JSON, kept weights, streamed data, comparators, and what is refused.

use crate::common::*;

/// Sixty rows around (2, 1) and (0, 0), on a grid: no randomness, and every row stands three times.
fn rows() -> String {
    let mut text = String::new();
    for k in 0..60 {
        let (a, b) = (f64::from(k % 5) / 2.0, f64::from(k / 5 % 4) / 2.0);
        text += &match k % 2 {
            0 => format!("+1 1:{} 2:{}\n", a + 1.5, b + 0.5),
            _ => format!("-1 1:{} 2:{}\n", a - 0.25, b - 0.5),
        };
    }
    text
}

#[test]
fn the_document_has_the_agreed_names() {
    let folder = Folder::new();
    folder.write("rows.svm", rows());
    for objective in ["zero-one", "auc"] {
        let report = folder.json(&format!("moments --objective {objective} --train rows.svm --test rows.svm --json"));
        for name in ["objective", "iterations", "w", "value", "train", "test", "seconds"] {
            assert!(keys(&report).contains(&name), "{name} is not in {report}");
        }
        assert_eq!(report["objective"], objective);
        assert_eq!(keys(&report["train"]), ["auc", "error"]);
        assert_eq!(report["train"], report["test"]);
        let seconds = keys(&report["seconds"]);
        assert!(seconds.contains(&"moments") && seconds.contains(&"optimise"));
        assert_eq!(numbers(&report["w"]).len(), 2);
        assert_eq!(report["stop"], "gradient");
        assert!(number(&report["gradient_norm"]) <= 1e-4);
    }
    let text = folder.ok("moments --objective auc --train rows.svm --compare");
    assert!(text.contains("pairwise-hinge") && text.contains("lda"), "{text}");
}

#[test]
fn kept_weights_are_applied_by_predict() {
    let folder = Folder::new();
    folder
        .write("rows.svm", rows())
        .write("train.csv", "a,b,y\n1,0,1\n2,1,1\n0.5,1,1\n-1,0,0\n0,-1,0\n-2,0.5,0\n")
        .write("new.csv", "b,a\n3,2\n-1,-2\n");
    for name in ["kept.lin", "kept.json"] {
        let report = folder.json(&format!(
            "moments --objective zero-one --train train.csv --bias augmented:2 --scale minmax --out {name} --json"
        ));
        let (header, rows) = table(&folder.ok(&format!("predict {name} --data new.csv")));
        assert_eq!(header, ["decision"]);
        // minmax maps a to (a + 2)/4 and b to (b + 1)/2.
        let (w, constant) = (numbers(&report["w"]), number(&report["constant"]));
        let f = |a: f64, b: f64| w[0] * (a + 2.0) / 4.0 + w[1] * (b + 1.0) / 2.0 + constant;
        all_close(&[rows[0][0], rows[1][0]], &[f(2.0, 3.0), f(-2.0, -1.0)]);
        folder.run(&format!("predict {name} --data new.csv --param 0.5")).refused(&["--param", "does not apply"]);
        for option in ["--probability", "--monotone", "--distribution 1", "--crossings"] {
            let named = option.split_once(' ').map_or(option, |(name, _)| name);
            folder.run(&format!("predict {name} --data new.csv {option}")).refused(&[named, "does not apply"]);
        }
        folder.run(&format!("predict {name} --data rows.svm --out {name}")).refused(&["--out"]);
        folder.run(&format!("at {name} --param 0.5")).refused(&[name]);
    }
    let mut bytes = folder.bytes("kept.lin");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("damaged.lin", &bytes);
    folder.run("predict damaged.lin --data new.csv").refused(&["damaged.lin", "checksum"]);
    let text = folder.text("kept.json").replace("\"format\":2", "\"format\":9");
    folder.write("later.json", text);
    folder.run("predict later.json --data new.csv").refused(&["later.json", "version 9"]);
    // A path still needs its parameter.
    folder.write("two.svm", TWO_POINTS);
    folder.ok("path quantile-svm --train two.svm --lambda 1 --out two.path");
    folder.run("predict two.path --data two.svm").refused(&["--param", "two.path"]);
}

#[test]
fn streamed_data_give_the_same_weights() {
    let folder = Folder::new();
    folder.write("rows.svm", rows());
    let command = "moments --objective zero-one --train rows.svm --bias augmented --json";
    let (whole, parts) = (folder.json(command), folder.json(&format!("{command} --stream --out kept.lin")));
    all_close(&numbers(&parts["w"]), &numbers(&whole["w"]));
    close(number(&parts["value"]), number(&whole["value"]));
    close(number(&parts["train"]["error"]), number(&whole["train"]["error"]));
    assert!(parts["train"]["auc"].is_null() && parts["classes"] == whole["classes"]);
    assert_eq!(folder.ok("predict kept.lin --data rows.svm").lines().count(), 61);
    let other = folder.json(&format!("{command} --stream --positive -1"));
    assert_eq!(number(&other["classes"]["positive"]), -1.0);
    for (name, content, words) in [
        ("one.svm", "1 1:1\n1 1:2\n", &["only one class (+1)"][..]),
        ("three.svm", "1 1:1\n2 1:2\n3 1:3\n", &["line 3", "third label"]),
        ("nan.svm", "1 1:1\n-1 1:nan\n", &["line 2", "nan"]),
        ("wide.svm", "1 20000:1\n-1 1:1\n", &["20000", "--stream"]),
    ] {
        folder.write(name, content);
        folder.run(&format!("moments --objective auc --stream --train {name}")).refused(&[&[name], words].concat());
    }
    folder.run(&format!("{command} --stream --positive 7")).refused(&["7", "-1"]);
}

#[test]
fn wrong_questions_are_named() {
    let folder = Folder::new();
    folder.write("rows.svm", rows());
    for (name, content, words) in [
        ("one.svm", "1 1:1\n1 1:2\n", &["only one class"][..]),
        ("single.svm", "1 1:1\n-1 1:2\n-1 1:3\n", &["class +1", "1 row"]),
        ("constant.svm", "1 1:2\n1 1:2\n-1 1:2\n-1 1:2\n", &["every feature is constant"]),
        ("empty-rows.svm", "1\n1\n-1\n-1 1:0\n", &["every feature is constant"]),
        ("nan.csv", "x,y\n1,1\nnan,0\n", &["line 3", "nan"]),
        ("none.svm", "", &["no rows"]),
    ] {
        folder.write(name, content);
        for objective in ["zero-one", "auc"] {
            folder.run(&format!("moments --objective {objective} --train {name}")).refused(&[&[name], words].concat());
        }
    }
    folder.write("weights.csv", "x,v,y\n1,1,1\n2,1,0\n");
    let command = "moments --objective zero-one --train rows.svm";
    for (arguments, words) in [
        ("moments --train rows.svm", &["--objective"][..]),
        ("moments --objective f1 --train rows.svm", &["--objective", "f1"]),
        ("moments --objective auc", &["--train"]),
        ("moments --objective auc --train missing.svm", &["missing.svm", "no such file"]),
        ("moments --objective auc --train rows.svm --bias augmented", &["--bias", "auc"]),
        ("moments --objective zero-one --train weights.csv --weights v", &["--weights"]),
        (&format!("{command} --bias intercept"), &["--bias intercept"]),
        (&format!("{command} --lambda -1"), &["--lambda", "-1"]),
        (&format!("{command} --lambda nan"), &["--lambda", "nan"]),
        (&format!("{command} --stream --compare"), &["--stream", "--compare"]),
        (&format!("{command} --stream --scale minmax"), &["--stream", "--scale"]),
        (&format!("{command} --max-iterations x"), &["--max-iterations"]),
        (&format!("{command} --out rows.svm"), &["--out", "--train"]),
        (&format!("{command} --test missing.svm"), &["missing.svm"]),
    ] {
        folder.run(arguments).refused(words);
    }
}

const MIXTURES: &str = r#"{"prior": 0.5,
 "positive": [{"mean": [1, 0], "covariance": [[0.5, 0], [0, 1]]}],
 "negative": [{"weight": 0.5, "mean": [0, 0], "covariance": [[1, 0], [0, 1]]},
              {"weight": 0.5, "mean": [0, 0.5], "covariance": [[1, 0], [0, 1]]}]}"#;

#[test]
fn theory_prints_draws_and_tells_the_regime() {
    let folder = Folder::new();
    folder.write("m.json", MIXTURES);
    let report = folder.json("theory m.json --gamma 0.5,1e-2 --plot m.svg --json");
    let losses = report["losses"].as_array().expect("losses");
    assert_eq!(
        (losses.len(), losses[0]["loss"].as_str(), losses[1]["loss"].as_str()),
        (2, Some("square"), Some("erf"))
    );
    assert!(folder.text("m.svg").contains("</svg>"));
    for loss in losses {
        assert!(number(&loss["a"]) < 0.0 && loss["regime"].as_str().is_some_and(|r| r.starts_with("A < 0")));
        let xi = numbers(&loss["xi"]);
        close(xi.iter().sum(), 1.0);
        let point = &loss["points"][1];
        // A < 0: at an extreme training asymmetry the testing asymmetry is on the other side.
        assert!(number(&point["gamma"]) == 0.01 && number(&point["beta"]) > 0.99, "{point}");
        assert!(number(&point["tpr"]) <= number(&point["fpr"]) && point["consistent"] != true, "{point}");
        assert_eq!(loss["points"][0]["consistent"], true);
        assert_eq!(keys(&point["expansion"]), ["b", "log_slope", "w"]);
    }
    let text = folder.ok("theory m.json --loss erf --exchange");
    assert!(text.contains("classes exchanged") && text.contains("erf loss") && !text.contains("square loss"), "{text}");
}

#[test]
fn bad_mixtures_are_named() {
    let folder = Folder::new();
    for (name, from, to, words) in [
        ("indefinite.json", "[0, 1]]},\n ", "[0, -1]]},\n ", &["negative class, component 1", "positive definite"][..]),
        ("singular.json", "[[0.5, 0]", "[[0, 0]", &["positive class, component 1", "positive definite"]),
        ("weights.json", "0.5, \"mean\": [0, 0.5]", "0.25, \"mean\": [0, 0.5]", &["negative class", "0.75"]),
        ("shape.json", "[0, 0.5]", "[0]", &["negative class, component 2", "mean"]),
        ("prior.json", "\"prior\": 0.5", "\"prior\": 1.5", &["prior", "1.5"]),
        ("nan.json", "[[0.5", "[[NaN", &["line 2", "column"]),
        ("field.json", "prior", "priors", &["line 1", "priors"]),
        ("cut.json", "]]}]}", "", &["line 4"]),
    ] {
        folder.write(name, MIXTURES.replacen(from, to, 1));
        folder.run(&format!("theory {name}")).refused(&[&[name], words].concat());
    }
    folder.write("m.json", MIXTURES);
    folder.run("theory none.json").refused(&["none.json", "cannot be read"]);
    folder.run("theory m.json --gamma 1").refused(&["m.json", "asymmetry 1"]);
    folder.run("theory m.json --gamma 0.5,x").refused(&["--gamma", "x"]);
    folder.run("theory m.json --loss hinge").refused(&["--loss", "hinge"]);
    folder.run("theory m.json --plot m.json").refused(&["--plot"]);
    folder.run("theory").refused(&["theory"]);
}

#[test]
fn a_class_of_equal_rows_and_the_limit_of_iterations() {
    let folder = Folder::new();
    folder
        .write("constant.csv", "x,label\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n1.5,1\n2,1\n3.5,1\n")
        .write("rows.svm", rows());
    let command = "moments --objective zero-one --bias augmented --json --train";
    for extra in ["", "--max-iterations 2", "--stream"] {
        let report = folder.json(&format!("{command} constant.csv {extra}"));
        assert!(number(&report["value"]) <= 0.004163, "{report}");
        assert_eq!((number(&report["train"]["error"]), report["route"].as_str()), (0.0, Some("constant-class")));
    }
    assert!(folder.ok(&format!("{} constant.csv", command.replace("--json ", ""))).contains("rows are equal"));
    // The weights that predict has are those.
    folder.ok(&format!("{command} constant.csv --out w.json"));
    let (_, scores) = table(&folder.ok("predict w.json --data constant.csv"));
    assert!(scores[..6].iter().all(|f| f[0] <= 0.0) && scores[6..].iter().all(|f| f[0] > 0.0), "{scores:?}");
    let outcome = folder.run(&format!("{command} rows.svm --max-iterations 1"));
    assert_eq!((outcome.status, outcome.stderr.matches('\n').count()), (0, 1), "{outcome:?}");
    assert!(outcome.stderr.contains("warning: not converged after 1 iterations"), "{outcome:?}");
    assert!(outcome.stderr.contains("--max-iterations"), "{outcome:?}");
    let outcome = folder.run(&format!("{command} rows.svm --max-iterations 1 --compare"));
    assert!(outcome.stderr.contains("warning: logistic: not converged after 1"), "{outcome:?}");
}
