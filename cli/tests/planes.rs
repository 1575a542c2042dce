//! `pathqp path quantile-regression` and `pathqp path quantile-planes` from files.

use crate::common::{Folder, number};

/// Five points; the lines through pairs of them that are quantiles are found by hand below.
const TABLE: &str = "x,y,v\n0,0,1\n1,3,2\n2,1,1\n3,5,1\n4,2,1\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", TABLE);
    folder
}

/// The least Σ vᵢ ρ_τ(yᵢ − a − b xᵢ)/Σ vᵢ by trying every line through two points (the corners of all solutions are some), and whether one line alone has it.
fn by_hand(tau: f64, rows: &[[f64; 3]]) -> (f64, bool) {
    let total: f64 = rows.iter().map(|row| row[2]).sum();
    let loss = |a: f64, b: f64| {
        rows.iter()
            .map(|[x, y, v]| (y - a - b * x, v))
            .map(|(r, v)| v * r * if r > 0.0 { tau } else { tau - 1.0 })
            .sum::<f64>()
    };
    let mut lines = Vec::new();
    for [x1, y1, _] in rows {
        for [x2, y2, _] in rows.iter().filter(|row| row[0] > *x1) {
            let b = (y2 - y1) / (x2 - x1);
            lines.push((loss(y1 - b * x1, b) / total, y1 - b * x1, b));
        }
    }
    let best = lines.iter().map(|line| line.0).fold(f64::INFINITY, f64::min);
    let mut all = lines.iter().filter(|line| line.0 - best < 1e-12);
    let first = all.next().expect("a line");
    (best, all.all(|line| (line.1 - first.1).abs() < 1e-12 && (line.2 - first.2).abs() < 1e-12))
}

#[test]
fn every_quantile_has_the_least_loss_of_all_lines() {
    let folder = folder();
    for (options, weighted) in [("--response y --weights v", true), ("", false)] {
        let rows: Vec<[f64; 3]> = [[0.0, 0.0, 1.0], [1.0, 3.0, 2.0], [2.0, 1.0, 1.0], [3.0, 5.0, 1.0], [4.0, 2.0, 1.0]]
            .map(|[x, y, v]| [x, y, if weighted { v } else { 1.0 }])
            .into();
        folder.write("plain.csv", "x,y\n0,0\n1,3\n2,1\n3,5\n4,2\n");
        let file = if weighted { "t.csv" } else { "plain.csv" };
        let path = folder.json(&format!("path quantile-regression --train {file} {options} --out q.path --json"));
        assert_eq!((path["complete"].as_bool(), path["bias"].as_str()), (Some(true), Some("intercept")), "{path}");
        assert_eq!(path["solutions"].as_u64(), path["breakpoints"].as_u64().map(|b| b + 1));
        let taus: Vec<String> = (1..40).map(|k| (f64::from(k) / 40.0 + 1e-3).to_string()).collect();
        let at = folder.json(&format!("at q.path --param {} --json", taus.join(",")));
        for (k, tau) in taus.iter().enumerate() {
            let tau: f64 = tau.parse().unwrap();
            let (best, unique) = by_hand(tau, &rows);
            assert!((number(&at[k]["objective"]) - best).abs() < 1e-14, "{tau}: {}", at[k]);
            assert_eq!(at[k]["unique"], unique, "{tau}");
            assert_eq!(at[k]["w"].as_array().map(Vec::len), Some(1));
        }
        let check = format!("check q.path --train {file} --json");
        assert_eq!(folder.json(&check)["passed"], true);
        let back = folder.json(&format!("path quantile-regression --train {file} {options} --from 1 --to 0 --json"));
        assert_eq!(back["breakpoints"], path["breakpoints"]);
    }
}

#[test]
fn the_lasso_begins_at_the_quantile_and_ends_at_the_plain_fit() {
    let folder = Folder::new();
    folder.write("p.csv", "x,y\n0,0\n1,3\n2,1\n3,5\n4,2\n");
    let path = folder.json("path quantile-regression --train p.csv --vary lambda --tau 0.5 --out l.path --json");
    assert_eq!((path["complete"].as_bool(), number(&path["to"])), (Some(true), 0.0));
    // A quarter of the path's beginning lies above the largest penalty that matters.
    let from = number(&path["from"]);
    let at = folder.json(&format!("at l.path --param {},0,{} --json", 0.81 * from, 0.79 * from));
    assert_eq!((number(&at[0]["w"][0]), number(&at[0]["intercept"])), (0.0, 2.0));
    assert!(number(&at[2]["w"][0]) != 0.0);
    folder.json("path quantile-regression --train p.csv --out q.path --json");
    let plain = folder.json("at q.path --param 0.5 --json");
    assert!((number(&plain[0]["objective"]) - number(&at[1]["objective"])).abs() < 1e-12);
    let along = folder.json("path quantile-regression --train p.csv --l1 0.6 --param 0.5 --json");
    let fixed = folder.json("at l.path --param 0.6 --json");
    assert!((number(&along["at"][0]["objective"]) - number(&fixed[0]["objective"])).abs() < 1e-12);
    assert!(along["at"][0]["loss"].is_number());
}

#[test]
fn quantiles_of_rows_are_steps_that_may_fall() {
    let folder = Folder::new();
    folder.write("p.csv", "x,y\n0,0\n1,3\n2,1\n3,5\n4,2\n").write("new.csv", "x\n0\n10\n-10\n");
    folder.ok("path quantile-regression --train p.csv --out q.path --plot q.svg");
    let plain = folder.ok("predict q.path --data new.csv --param 0.1,0.5,0.9 --crossings --distribution 2");
    assert_eq!(plain.lines().next(), Some("tau=0.1,tau=0.5,tau=0.9,P(Y<=2),falls,fall_from,fall_to"));
    let rows: Vec<Vec<&str>> = plain.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let falls = |row: &[&str]| row[4].parse::<usize>().unwrap();
    assert!(falls(&rows[1]) + falls(&rows[2]) > 0, "{plain}");
    let monotone = folder.ok("predict q.path --data new.csv --param 0.1,0.5,0.9 --monotone");
    for line in monotone.lines().skip(1) {
        let values: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{monotone}");
    }
    assert!(folder.text("q.svg").contains("<svg"));
    folder.ok("report q.path --train p.csv --out q.html");
}

#[test]
fn what_means_nothing_is_refused() {
    let folder = folder();
    folder.run("path quantile-regression --train t.csv --vary lambda").refused(&["--tau"]);
    folder
        .run("path quantile-regression --train t.csv --vary lambda --tau 0.5 --l1 1")
        .refused(&["--l1", "lambda varies"]);
    folder.run("path quantile-regression --train t.csv --bias augmented").refused(&["--bias", "intercept or none"]);
    folder.run("path quantile-regression --train t.csv --tau 0.5").refused(&["tau"]);
    folder.run("path quantile-regression --train t.csv --l1 -1").refused(&["--l1"]);
    folder.write("bad.csv", "x,y\n1,2\n2,inf\n");
    folder.run("path quantile-regression --train bad.csv").refused(&["bad.csv", "line 3"]);
    folder.write("negative.csv", "x,y,v\n1,2,1\n2,3,-1\n");
    folder
        .run("path quantile-regression --train negative.csv --response y --weights v")
        .refused(&["negative.csv", "line 3"]);
}

/// Three levels on rows whose own fits cross: the planes do not, and every door says the same of them.
#[test]
fn planes_of_several_levels_do_not_cross() {
    let folder = Folder::new();
    folder.write("p.csv", "dose,age,y\n0,1,0\n1,0,3\n2,2,1\n3,1,9\n4,0,2\n5,3,-4\n6,1,8\n7,2,1\n");
    let options = "--train p.csv --taus 0.2,0.5,0.75";
    let path = folder.json(&format!("path quantile-planes {options} --out p.path --plot p.svg --json"));
    assert_eq!((path["complete"].as_bool(), number(&path["to"])), (Some(true), 0.0));
    let taus = [0.2, 0.5, 0.75];
    let single = |tau: f64, lambda: f64| {
        let solve =
            format!("solve quantile-regression --train p.csv --vary lambda --tau {tau} --param {lambda} --json");
        number(&folder.json(&solve)["objective"])
    };
    let mut apart = 0;
    for lambda in [6.0, 1.2, 0.4, 0.0] {
        let at = folder.json(&format!("at p.path --param {lambda} --json"));
        let at = &at[0];
        assert_eq!(at["taus"].as_array().map(|all| all.iter().map(number).collect()), Some(taus.to_vec()));
        let predicted = folder.ok(&format!("predict p.path --data p.csv --param {lambda}"));
        let head = taus.map(|tau| format!("tau={tau}(lambda={lambda})")).join(",");
        assert_eq!(predicted.lines().next(), Some(head.as_str()));
        let fits: Vec<Vec<f64>> =
            predicted.lines().skip(1).map(|row| row.split(',').map(|v| v.parse().unwrap()).collect()).collect();
        assert!(fits.len() == 8 && fits.iter().flat_map(|fit| fit.windows(2)).all(|pair| pair[0] <= pair[1] + 1e-12));
        // The fit at the first row, (0, 1), is the intercept plus the coefficient of age.
        let first = |k: usize| number(&at["w"][k][1]) + number(&at["intercept"][k]);
        assert!((0..3).all(|k| (first(k) - fits[0][k]).abs() < 1e-12), "{at} {predicted}");
        // Fits of their own are better or the same.
        let alone: f64 = taus.iter().map(|tau| single(*tau, lambda)).sum();
        assert!(alone <= number(&at["objective"]) + 1e-12, "{alone} {at}");
        apart += usize::from(alone < number(&at["objective"]) - 1e-6);
        let solved = folder.json(&format!("solve quantile-planes {options} --param {lambda} --json"));
        assert!((number(&solved["objective"]) - number(&at["objective"])).abs() < 1e-12, "{solved}");
    }
    assert!(apart > 0);
    let text = folder.ok("at p.path --param 0.4");
    for name in ["tau=0.2 dose", "tau=0.75 age", "tau=0.5 intercept"] {
        assert!(text.contains(name), "{text}");
    }
    let two = folder.ok("predict p.path --data p.csv --param 1,0.5");
    assert!(two.starts_with("tau=0.2(lambda=1),tau=0.5(lambda=1),tau=0.75(lambda=1),tau=0.2(lambda=0.5)"), "{two}");
    folder.ok(&format!("path quantile-planes {options} --out p.csv.table.csv"));
    let table = folder.text("p.csv.table.csv");
    assert!(table.starts_with("lambda,tau=0.2 dose,tau=0.2 age,tau=0.5 dose"), "{table}");
    assert!(folder.text("p.svg").contains("tau=0.2 dose"));
    folder.ok("check p.path --train p.csv");
    folder.ok("report p.path --train p.csv --out p.html");
}

#[test]
fn levels_that_cannot_be_used_are_named() {
    let folder = folder();
    let levels = |taus: &str| folder.run(&format!("path quantile-planes --train t.csv --response y --taus {taus}"));
    levels("0.1,1").refused(&["level 2 of the quantiles is 1", "strictly between 0 and 1"]);
    levels("0,0.5").refused(&["level 1 of the quantiles is 0"]);
    levels("0.5,0.4").refused(&["level 2 of the quantiles is 0.4", "0.5", "rising order"]);
    levels("0.5,0.5").refused(&["level 2 of the quantiles is 0.5", "rising order"]);
    levels("0.5,half").refused(&["--taus", "half"]);
    folder.run("path quantile-planes --train t.csv --bias augmented").refused(&["--bias intercept"]);
}

/// The levels are 0.1, 0.5 and 0.9 unless given, and one level is the path of quantile regression along lambda.
#[test]
fn one_level_is_the_path_of_quantile_regression() {
    let folder = folder();
    let rows = "--train t.csv --response y --weights v";
    let default = folder.json(&format!("path quantile-planes {rows} --param 0 --json"));
    assert_eq!(default["at"][0]["taus"].as_array().map(|t| t.iter().map(number).collect()), Some(vec![0.1, 0.5, 0.9]));
    let one = folder.json(&format!("path quantile-planes {rows} --taus 0.3 --param 1,0.5,0.1 --json"));
    let other =
        folder.json(&format!("path quantile-regression {rows} --vary lambda --tau 0.3 --param 1,0.5,0.1 --json"));
    for key in ["from", "to", "breakpoints"] {
        assert_eq!(one[key], other[key], "{key}");
    }
    for k in 0..3 {
        let (a, b) = (&one["at"][k], &other["at"][k]);
        for (a, b) in
            [(&a["objective"], &b["objective"]), (&a["w"][0][0], &b["w"][0]), (&a["intercept"][0], &b["intercept"])]
        {
            assert!((number(a) - number(b)).abs() <= 1e-9, "{a} {b}");
        }
    }
}
