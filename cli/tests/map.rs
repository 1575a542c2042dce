//! `map` and `locate` on problems that are solved by hand, and against paths through the plane.

use crate::common::*;
use serde_json::json;

/// x = 1 with the label +1 and x = −2 with the label −1, no bias. With C₊ and C₋ the objective is w²/2 + C₊ max(0, 1 − w) +
/// C₋ max(0, 1 − 2w), so w = α₁ + 2α₂. Four regions of C ≥ 0:
///
/// ```text
/// w < 1/2:   both at their costs, w = C₊ + 2C₋           where C₊ + 2C₋ < 1/2
/// w = 1/2:   α₁ = C₊, α₂ = (1/2 − C₊)/2 free             where C₊ < 1/2 < C₊ + 2C₋
/// 1/2 < w < 1: α₁ = C₊ = w, α₂ = 0                       where 1/2 < C₊ < 1
/// w = 1:     α₁ = 1 free, α₂ = 0                         where C₊ > 1
/// ```
const MAP: &str = "map cost-svm --train two.svm --bias none --domain";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("two.svm", TWO_POINTS);
    folder
}

#[test]
fn the_summary_has_the_promised_fields() {
    let folder = folder();
    let report = folder.json(&format!("{MAP} 0:2,0:1 --points 40 --json"));
    let fields = [
        "area",
        "bias",
        "certified",
        "classes",
        "complete",
        "covered",
        "d",
        "domain",
        "domain_area",
        "edges",
        "kernel",
        "max_free",
        "max_kkt_residual",
        "max_relative_gap",
        "n",
        "not_unique",
        "problem",
        "regions",
        "seconds",
        "stats",
        "vertices",
        "violations",
    ];
    assert_eq!(keys(&report), fields);
    assert_eq!(keys(&report["stats"]), ["changed", "followed", "holes", "known", "layers", "most_open"]);
    // The corners are those of the domain and (0, 1/4), (1/2, 0), (1/2, 1), (1, 0), (1, 1).
    for (field, expected) in [
        ("regions", json!(4)),
        ("edges", json!(12)),
        ("vertices", json!(9)),
        ("complete", json!(true)),
        ("violations", json!([])),
        ("max_free", json!(1)),
        ("not_unique", json!(0)),
        ("certified", json!(40)),
        ("domain", json!({"c-neg": [0.0, 1.0], "c-pos": [0.0, 2.0]})),
    ] {
        assert_eq!(report[field], expected, "{field}");
    }
    for (field, expected) in [("area", 2.0), ("domain_area", 2.0), ("covered", 1.0)] {
        close(number(&report[field]), expected);
    }
    assert!(number(&report["max_kkt_residual"]) <= 1e-9 && number(&report["seconds"]) >= 0.0);
}

#[test]
fn an_open_domain_has_no_area() {
    let folder = folder();
    for domain in ["0:,0:", ":,:"] {
        let report = folder.json(&format!("{MAP} {domain} --json --out open.map"));
        assert_eq!((&report["regions"], &report["complete"]), (&json!(4), &json!(true)));
        for field in ["area", "domain_area", "covered"] {
            assert!(report[field].is_null(), "{field}");
        }
        assert_eq!(report["domain"], json!({"c-neg": [0.0, null], "c-pos": [0.0, null]}));
        // Far out w = 1.
        let far = folder.json("locate open.map --param 1e6,3e5 --json");
        all_close(&numbers(&far["w"]), &[1.0]);
        assert_eq!(far["region"]["area"], json!(null));
        assert!(!far["region"]["directions"].as_array().expect("directions").is_empty());
    }
}

#[test]
fn the_solution_in_each_region() {
    let folder = folder();
    folder.ok(&format!("{MAP} 0:2,0:1 --out two.map"));
    folder.ok(&format!("{MAP} 0:2,0:1 --out two.json"));
    for (c, w, alpha, free) in [
        ([0.1, 0.1], 0.3, [0.1, 0.1], 0),
        ([0.25, 0.5], 0.5, [0.25, 0.125], 1),
        ([0.75, 0.5], 0.75, [0.75, 0.0], 0),
        ([1.5, 0.9], 1.0, [1.0, 0.0], 1),
    ] {
        for file in ["two.map", "two.json"] {
            let found = folder.json(&format!("locate {file} --param {},{} --full --json", c[0], c[1]));
            assert_eq!(found["param"], json!({"c-pos": c[0], "c-neg": c[1]}));
            all_close(&numbers(&found["w"]), &[w]);
            all_close(&numbers(&found["alpha"]), &alpha);
            let loss = |margin: f64| (1.0 - margin).max(0.0);
            close(number(&found["objective"]), w * w / 2.0 + c[0] * loss(w) + c[1] * loss(2.0 * w));
            close(number(&found["dual_objective"]), alpha[0] + alpha[1] - w * w / 2.0);
            let region = &found["region"];
            assert_eq!(keys(region), ["area", "corners", "directions", "free", "id", "unique"]);
            assert_eq!((&region["free"], &region["unique"]), (&json!(free), &json!(true)));
            assert_eq!(found["free"], json!(free));
        }
    }
    let corners = folder.json("locate two.map --param 0.1,0.1 --json")["region"]["corners"].clone();
    let mut corners: Vec<Vec<f64>> = corners.as_array().expect("corners").iter().map(numbers).collect();
    corners.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    for (found, expected) in corners.iter().zip([[0.0, 0.0], [0.0, 0.25], [0.5, 0.0]]) {
        all_close(found, &expected);
    }
    let text = folder.ok("locate two.map --param 0.25,0.5");
    assert!(text.contains("corners") && text.contains("x is unique") && text.contains("objective"), "{text}");
}

/// Points in the plane, the classes overlapping.
fn points(n: usize) -> String {
    let row = |i: usize| {
        let (t, y) = (i as f64, if i.is_multiple_of(2) { 1 } else { -1 });
        format!("{y:+} 1:{:.4} 2:{:.4}\n", (2.3 * t).sin() + 0.4 * f64::from(y), (1.7 * t + 0.3).cos())
    };
    (0..n).map(row).collect()
}

/// Where the regions of a map change along a line, by bisection with `locate` between the breakpoints of a path; what is said of a region is
/// the same on all of it.
#[test]
fn a_path_through_the_plane_changes_region_at_its_breakpoints() {
    let folder = Folder::new();
    folder.write("p.svm", points(15));
    folder.ok("map cost-svm --train p.svm --domain 0:2,0:3 --bias intercept --out p.map");
    let path = folder
        .json("path cost-svm --train p.svm --bias intercept --direction 1,1.5 --from 0 --to 2 --out p.json --json");
    let kept: serde_json::Value = serde_json::from_str(&folder.text("p.json")).expect("JSON");
    let segments = kept["solution"]["line"]["path"]["segments"].as_array().expect("segments").clone();
    let inner: Vec<f64> =
        segments.iter().skip(1).filter(|s| s["breakpoint"] == json!(true)).map(|s| number(&s["t"])).collect();
    assert_eq!(path["breakpoints"].as_u64(), Some(inner.len() as u64));
    assert!(inner.len() > 4, "{inner:?}");
    // t counts steps of c-neg, which changes the most.
    let region = |t: f64| {
        let found = folder.json(&format!("locate p.map --param {},{t} --json", t / 1.5));
        (found["region"]["id"].as_u64().expect("an id"), number(&found["objective"]))
    };
    let mut ends = vec![0.0];
    ends.extend(&inner);
    ends.push(3.0);
    let mut before = None;
    for pair in ends.windows(2) {
        let length = pair[1] - pair[0];
        let ids: Vec<u64> = [1e-6, 0.5, 1.0 - 1e-6].map(|s| region(pair[0] + s * length).0).into();
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?} between {pair:?}");
        assert_ne!(before, Some(ids[0]), "at {}", pair[0]);
        before = Some(ids[0]);
        let middle = pair[0] + 0.5 * length;
        let at = folder.json(&format!("at p.json --param {} --json", middle / 1.5));
        let (found, expected) = (region(middle).1, number(&at[0]["objective"]));
        assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{found} is not {expected}");
    }
}

#[test]
fn quantile_regression_in_tau_and_lambda() {
    let folder = Folder::new();
    let rows =
        |n: usize| (0..n).map(|i| format!("{},{:.3}\n", i as f64 / 4.0, (1.9 * i as f64).sin())).collect::<String>();
    folder.write("q.csv", format!("x,y\n{}", rows(7))).write("t.csv", format!("x,y\n{}", rows(11)));
    let map = "map kqr --train q.csv --kernel rbf:1 --domain 0.1:0.9,0.05:1 --out q.map --json";
    let report = folder.json(&format!("{map} --test t.csv --plot q.svg --color validation"));
    assert_eq!((&report["complete"], &report["test"]["n"]), (&json!(true), &json!(11)));
    close(number(&report["covered"]), 1.0);
    assert_eq!(report["test"]["loss"], json!("pinball loss"));
    folder.ok("path kqr --train q.csv --kernel rbf:1 --vary tau --lambda 0.3 --out q.path");
    for tau in [0.2, 0.45, 0.83] {
        let there = folder.json(&format!("locate q.map --param {tau},0.3 --json"));
        let along = folder.json(&format!("at q.path --param {tau} --json"));
        let (a, b) = (number(&there["objective"]), number(&along[0]["objective"]));
        assert!((a - b).abs() <= 1e-10, "{a} is not {b}");
    }
    let svg = folder.text("q.svg");
    assert!(svg.contains("test pinball loss") && svg.contains("tau") && svg.contains("lambda"));
}

#[test]
fn figures_have_a_polygon_for_each_region() {
    let folder = folder();
    folder.write("test.svm", "+1 1:0.5\n-1 1:-1\n-1 1:0.25\n");
    for (color, words) in [
        ("free", ["free variables", "c-pos"]),
        ("validation --test test.svm", ["test error", "c-neg"]),
        ("alpha:2", ["α of row 2", "c-pos"]),
    ] {
        for domain in ["0:2,0:1", "0:,0:"] {
            folder.ok(&format!("{MAP} {domain} --plot map.svg --color {color}"));
            let svg = folder.text("map.svg");
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            assert_eq!(svg.matches("<polygon").count(), 4, "{color} {domain}");
            words.iter().for_each(|word| assert!(svg.contains(word), "no {word} in {color}"));
        }
    }
}

#[test]
fn wrong_questions_are_refused() {
    let folder = folder();
    folder.write("q.csv", "x,y\n0,1\n1,2\n2,0\n");
    for (arguments, words) in [
        ("map quantile-svm --train two.svm --domain 0:1,0:1", &["quantile-svm", "only one parameter"][..]),
        ("map svr --train q.csv --domain 0:1,-1:1", &["--domain -1", "epsilon", "[0, inf)"]),
        (&format!("{MAP} 0:1"), &["--domain", "1 ranges; give 2"]),
        (&format!("{MAP} 0:1,2"), &["--domain", "A:B"]),
        (&format!("{MAP} 0:nan,0:1"), &["--domain", "finite"]),
        (&format!("{MAP} -1:1,0:1"), &["--domain -1", "c-pos", "[0, inf)"]),
        (&format!("{MAP} 0:1,2:2"), &["--domain", "c-neg from 2 to 2"]),
        (&format!("{MAP} 3:1,0:2"), &["--domain", "c-pos from 3 to 1"]),
        ("map kqr --train q.csv --domain 0:1,0:2", &["--domain 0", "lambda", "(0, inf)"]),
        ("map kqr --train q.csv --domain 0:1,:2", &["--domain", "lambda", "lower end"]),
        ("map kqr --train q.csv --domain 0:1.5,1:2", &["--domain 1.5", "tau", "[0, 1]"]),
        ("map cost-svm --train two.svm", &["--domain", "map cost-svm --help"]),
        (&format!("{MAP} 0:1,0:1 --lambda 1"), &["--lambda"]),
        (&format!("{MAP} 0:1,0:1 --plot a.svg --color red"), &["--color", "alpha:I"]),
        (&format!("{MAP} 0:1,0:1 --plot a.svg --color alpha:0"), &["--color", "alpha:I"]),
        (&format!("{MAP} 0:1,0:1 --plot a.svg --color alpha:3"), &["--color alpha:3", "2 rows"]),
        (&format!("{MAP} 0:1,0:1 --plot a.svg --color validation"), &["--color validation", "--test"]),
        (&format!("{MAP} 0:1,0:1 --color free"), &["--plot"]),
        (&format!("{MAP} 0:1,0:1 --plot a --out a"), &["--plot", "--out"]),
        (&format!("{MAP} 0:1,0:1 --out two.svm"), &["--out two.svm", "--train"]),
        (&format!("{MAP} 0:2,0:1 --start 3,0.5"), &["--start 3,0.5", "c-pos in [0, 2]"]),
        (&format!("{MAP} 0:2,0:1 --start 1"), &["--start", "two numbers"]),
        (&format!("{MAP} 0:2,0:1 --full"), &["--json"]),
    ] {
        folder.run(arguments).refused(words);
    }
    folder.ok(&format!("{MAP} 0:2,0:1 --out two.map"));
    folder.ok("path cost-svm --train two.svm --from 0 --to 1 --out two.path");
    for (arguments, words) in [
        ("locate two.map --param 0.5", &["--param", "give two", "c-pos and c-neg"][..]),
        ("locate two.map --param 0.5,0.5,1", &["--param", "3 values"]),
        ("locate two.map --param 2.5,0.5", &["--param 2.5,0.5", "two.map", "c-pos in [0, 2]"]),
        ("locate two.map --param x,0.5", &["--param"]),
        ("locate none.map --param 1,1", &["none.map", "no such file"]),
        ("locate two.path --param 1,1", &["two.path", "holds a path", "a map", "is needed"]),
        ("at two.map --param 1", &["two.map", "holds a map", "a path", "is needed"]),
    ] {
        folder.run(arguments).refused(words);
    }
    assert_eq!(folder.names(), ["q.csv", "two.map", "two.path", "two.svm"]);
}

#[test]
fn a_damaged_map_is_refused_or_does_no_harm() {
    let folder = folder();
    folder.ok(&format!("{MAP} 0:2,0:1 --out two.map"));
    let whole = folder.bytes("two.map");
    assert!(whole.starts_with(b"PATHQP\0"));
    let locate = "locate bad.map --param 0.7,0.4 --json";
    folder.write("bad.map", b"");
    folder.run(locate).refused(&["bad.map", "empty"]);
    for length in (1..whole.len()).step_by(1 + whole.len() / 25).chain([7, 11, 19, whole.len() - 1]) {
        folder.write("bad.map", &whole[..length]);
        folder.run(locate).refused(&["bad.map"]);
    }
    for position in (0..whole.len()).step_by(1 + whole.len() / 25) {
        let mut bytes = whole.clone();
        bytes[position] ^= 1 << (position % 8);
        folder.write("bad.map", bytes);
        folder.run(locate).refused(&["bad.map"]);
    }
    // With a right checksum: FNV-1a, 64 bits.
    let sum = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
    };
    let (head, body) = (&whole[..11], &whole[11..whole.len() - 8]);
    for position in (0..body.len()).step_by(1 + body.len() / 150) {
        for value in [0x00, 0x7f, 0xff] {
            let mut forged = body.to_vec();
            forged[position] = value;
            folder.write("bad.map", [head, &forged, &sum(&forged).to_le_bytes()].concat());
            let outcome = folder.run(locate);
            assert!([0, 2, 3].contains(&outcome.status) && !outcome.stderr.contains("panicked"), "{outcome:?}");
        }
    }
}

/// The map does not depend on where the search begins, nor on threads; every edge inside has one event, and both of its regions have it among their edges.
#[test]
fn any_start_any_threads_and_all_edges() {
    let folder = folder();
    let one = folder.json(&format!("{MAP} 0:2,0:1 --json --full"));
    for options in ["--start 1.9,0.8", "--start 0.25,0.5 --threads 2"] {
        let other = folder.json(&format!("{MAP} 0:2,0:1 --json --full {options}"));
        for (field, count) in [("region_list", 4), ("edge_list", 12), ("vertex_list", 9)] {
            assert_eq!(other[field].as_array().map(Vec::len), Some(count), "{field}");
        }
        assert_eq!(other["complete"], json!(true));
    }
    let lists = |field: &str| one[field].as_array().expect("a list").clone();
    let inside: Vec<_> = lists("edge_list").into_iter().filter(|edge| !edge["regions"][1].is_null()).collect();
    // From one region to the next: α₁ or α₂ leaves its cost, or comes to zero.
    assert_eq!(inside.len(), 3);
    for edge in &inside {
        assert_eq!(edge["events"].as_array().map(Vec::len), Some(1), "{edge}");
    }
    // The edge between the regions w < 1/2 and w = 1/2 runs from (0, 1/4) to (1/2, 0).
    let mut ends: Vec<Vec<f64>> = inside[0]["vertices"]
        .as_array()
        .expect("two vertices")
        .iter()
        .map(|v| numbers(&lists("vertex_list")[v.as_u64().expect("a number") as usize]["at"]))
        .collect();
    ends.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    all_close(&ends[0], &[0.0, 0.25]);
    all_close(&ends[1], &[0.5, 0.0]);
}
