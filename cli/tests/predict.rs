//! `predict`: columns by name or position, with and without labels.

use crate::common::*;

#[test]
fn decision_values_are_those_by_hand() {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS).write("new.svm", "0 1:2\n0\n0 1:-3\n");
    folder.ok("path quantile-svm --train two.svm --lambda 1 --bias none --out two.path");
    let (header, rows) = table(&folder.ok("predict two.path --data new.svm --param 0.25,0.75 --probability"));
    assert_eq!(header, ["tau=0.25", "tau=0.75", "probability", "crossings"]);
    // w = 0.75 and 0.5; the sign of f = wx never changes.
    let expected = [[1.5, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0], [-2.25, -1.5, 0.0, 0.0]];
    rows.iter().zip(expected).for_each(|(found, expected)| all_close(found, &expected));
    assert_eq!(rows.len(), 3);
    assert_eq!(folder.ok("predict two.path --data new.svm --param 0.25 --out out.csv"), "");
    assert_eq!(folder.text("out.csv").lines().next(), Some("tau=0.25"));
}

#[test]
fn a_probability_is_where_the_sign_changes() {
    // f = b, which falls from 1 to −1 at τ = 1/2.
    let folder = Folder::new();
    folder.write("four.svm", FOUR_POINTS);
    folder.ok("path quantile-svm --train four.svm --lambda 1 --bias intercept --out four.path");
    let (_, rows) = table(&folder.ok("predict four.path --data four.svm --param 0.25 --probability"));
    assert_eq!(rows.len(), 4);
    rows.iter().for_each(|row| all_close(row, &[1.0, 0.5, 1.0]));
    let outcome = folder.run("predict four.path --data four.svm --param 0");
    assert_eq!(outcome.status, 0);
    assert!(outcome.stderr.contains("warning: the intercept at tau = 0 is not unique"), "{outcome:?}");
}

#[test]
fn columns_of_a_table_go_by_name() {
    let folder = Folder::new();
    folder
        .write("train.csv", "a,b,v,y\n0,10,1,1\n2,30,1,0\n1,20,1,1\n2,10,1,0\n")
        .write("same.csv", "a,b\n0,10\n2,30\n")
        .write("labelled.csv", "y,b,id,a\n1,10,77,0\n0,30,78,2\n")
        .write("rows.svm", "5 2:10\n5 1:2 2:30\n")
        .write("missing.csv", "a,c\n1,2\n");
    let path =
        "path quantile-svm --train train.csv --response y --weights v --lambda 0.1 --bias augmented --scale minmax";
    let text = folder.ok(&format!("{path} --out kept.path --test labelled.csv"));
    assert!(text.contains("n = 4, d = 2") && text.contains("test "), "{text}");
    let predicted = |data: &str| folder.ok(&format!("predict kept.path --data {data} --param 0.4"));
    assert_eq!(predicted("same.csv"), predicted("labelled.csv"));
    assert_eq!(predicted("same.csv"), predicted("rows.svm"));
    // minmax maps a to a/2 and b to (b − 10)/20, so the rows are (0, 0) and (1, 1).
    let at = &folder.json("at kept.path --param 0.4 --json")[0];
    let (w, b) = (numbers(&at["w"]), number(&at["intercept"]));
    let (_, rows) = table(&predicted("same.csv"));
    all_close(&[rows[0][0], rows[1][0]], &[b, w[0] + w[1] + b]);
    folder.run("predict kept.path --data missing.csv --param 0.4").refused(&["missing.csv", "'b'"]);
    folder.run(&format!("{path} --test same.csv")).refused(&["same.csv", "--response", "y"]);
}

#[test]
fn columns_without_names_go_by_position() {
    let folder = Folder::new();
    folder
        .write("train.csv", "1,0,10\n0,2,30\n1,1,20\n0,2,10\n")
        .write("features.csv", "0,10\n2,30\n")
        .write("labelled.csv", "1,0,10\n0,2,30\n")
        .write("wide.csv", "1,0,10,4\n0,2,30,4\n");
    let path = "path quantile-svm --train train.csv --no-header --response 1 --lambda 0.1 --out kept.path";
    folder.ok(&format!("{path} --test labelled.csv"));
    let predicted = |data: &str| folder.ok(&format!("predict kept.path --data {data} --param 0.4"));
    assert_eq!(predicted("features.csv"), predicted("labelled.csv"));
    folder.run("predict kept.path --data wide.csv --param 0.4").refused(&["wide.csv", "4 columns", "2 features"]);
    folder.write("wide.svm", "1 3:1\n");
    folder.run("predict kept.path --data wide.svm --param 0.4").refused(&["wide.svm, line 1", "index 3"]);
    folder.run(&format!("{path} --test wide.csv")).refused(&["wide.csv", "2 features"]);
}
