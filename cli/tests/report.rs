//! Pages of kept paths and maps: what they hold, against what the other commands say.

use crate::common::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Two features that do not separate two labels, and a number that depends on the first.
fn made(response: impl Fn(f64, f64, usize) -> f64) -> String {
    let row = |k: usize| {
        let (a, b) = ((k as f64 * 0.37).sin() * 2.0, (k as f64 * 0.73).cos() + 0.01 * k as f64);
        format!("{a},{b},{}\n", response(a, b, k))
    };
    "a,b,y\n".to_owned() + &(0..40).map(row).collect::<String>()
}

fn classes() -> String {
    made(|a, b, k| f64::from(u8::from(a + 0.5 * b + ((k * 7) % 5) as f64 * 0.6 > 1.2)))
}

fn numbers_of() -> String {
    made(|a, _, k| a * a + ((k * 11) % 7) as f64 * 0.3)
}

/// The data of a page, which are one JSON document.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("data in the page");
    let (text, _) = rest.split_once("</script>").expect("the end of the data");
    serde_json::from_str(text).expect("one JSON document")
}

/// A column, as the script of the page decodes it.
fn decode(column: &Value) -> Vec<f64> {
    let (code, bytes) = (column[0].as_str().unwrap(), STANDARD.decode(column[1].as_str().unwrap()).unwrap());
    let bits = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    match code {
        "d" => bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
        "f" => bytes.chunks(4).map(|b| f64::from(f32::from_bits(bits(b)))).collect(),
        "i" => bytes.chunks(4).map(|b| f64::from(bits(b))).collect(),
        "h" => bytes.chunks(2).map(|b| f64::from(f32::from_bits(bits(&[0, 0, b[0], b[1]])))).collect(),
        _ => {
            let [low, step] = [number(&column[2]), number(&column[3])];
            bytes.chunks(3).map(|b| low + step * f64::from(bits(&[b[0], b[1], b[2], 0]))).collect()
        }
    }
}

/// What must hold for every page: it is small, whole, and asks for nothing from anywhere.
fn sound(page: &str) {
    assert!(page.len() < 5_000_000 && page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    // The name of SVG is no address that anything is fetched from.
    let rest = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", " src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!rest.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
}

/// A path's page: the objective, the free rows and the certificate at some values, against `pathqp at`.
fn path_page(folder: &Folder, problem: &str, kind: &str, share: &[f64]) -> Value {
    folder.ok(&format!("path {problem} --out kept.path"));
    let train = problem.split_whitespace().skip_while(|word| *word != "--train").nth(1).unwrap();
    folder.ok(&format!("report kept.path --train {train} --out page.html"));
    let page = folder.text("page.html");
    sound(&page);
    let data = data(&page);
    assert_eq!(data["kind"], kind, "{problem}");
    let value = decode(&data["value"]);
    assert!(value.windows(2).all(|pair| pair[0] < pair[1]), "{problem}: {value:?}");
    let objective = &data["objective"]["value"];
    let (start, middle) = (decode(&objective["start"]), decode(&objective["middle"]));
    let power = data["objective"]["power"].as_i64().unwrap() as i32;
    let free = decode(&data["free"]["count"]);
    let kkt = decode(&data["certificate"]["kkt"]["start"]);
    assert!(kkt.iter().all(|r| *r <= 1e-9) && kkt.len() + 1 == value.len(), "{problem}");
    for share in share {
        let v = value[0] + share * (value[value.len() - 1] - value[0]);
        let at = &folder.json(&format!("at kept.path --param {v} --json"))[0];
        let k = value.partition_point(|w| *w <= v).saturating_sub(1).min(start.len() - 1);
        let s = (v - value[k]) / (value[k + 1] - value[k]);
        let end = start.get(k + 1).copied().unwrap_or_else(|| number(&objective["last"]));
        let (a, m) = (start[k], middle[k]);
        let found = (a + s * (4.0 * m - end - 3.0 * a + s * 2.0 * (a + end - 2.0 * m))) / v.powi(power);
        let expected = number(&at["objective"]);
        let size = start.iter().fold(0.0, |m: f64, v| m.max(v.abs())) / v.powi(power);
        assert!((found - expected).abs() <= 1e-6 * size, "{problem} at {v}: {found}, {expected} expected");
        assert_eq!(free[k], number(&at["free"]), "{problem} at {v}");
    }
    data
}

/// The node of each piece: one more for every jump up to it.
fn nodes(data: &Value, pieces: usize) -> Vec<usize> {
    let gaps = decode(&data["gaps"]);
    (0..pieces).map(|k| k + gaps.iter().filter(|gap| **gap <= k as f64).count()).collect()
}

#[test]
fn every_kernel_machine_has_a_page_that_agrees_with_at() {
    let folder = Folder::new();
    folder.write("c.csv", classes()).write("r.csv", numbers_of());
    let share = [0.13, 0.5, 0.87];
    for (problem, kind) in [
        ("quantile-svm --train c.csv --lambda 0.05 --bias intercept", "classifier"),
        ("quantile-svm --train c.csv --lambda 0.05 --kernel rbf:0.7", "classifier"),
        ("cost-svm --train c.csv --vary c --from 0 --to 4 --bias intercept", "classifier"),
        ("cost-svm --train c.csv --vary c-pos --c-neg 1 --from 3 --to 0.5 --bias augmented", "classifier"),
        ("kqr --train r.csv --kernel rbf:0.5 --lambda 0.2", "quantile"),
        ("kqr --train r.csv --kernel rbf:0.5 --tau 0.3 --vary lambda", "quantile"),
        ("svr --train r.csv --kernel rbf:0.5 --lambda 0.1", "tube"),
        ("svr --train r.csv --kernel rbf:0.5 --epsilon 0.2 --vary lambda", "tube"),
        ("svr --train r.csv --kernel rbf:0.5 --epsilon 0.2 --vary c", "tube"),
        ("one-class-svm --train r.csv --kernel rbf:0.5", "outliers"),
    ] {
        path_page(&folder, problem, kind, &share);
    }
}

#[test]
fn the_weights_and_rates_of_a_page_are_those_of_the_path() {
    let folder = Folder::new();
    folder.write("c.csv", classes());
    let problem = "quantile-svm --train c.csv --lambda 0.05 --bias intercept";
    let data = path_page(&folder, problem, "classifier", &[0.4]);
    let value = decode(&data["value"]);
    let (node, columns) = (nodes(&data, value.len() - 1), data["f"]["columns"].as_array().unwrap());
    let k = value.partition_point(|v| *v <= 0.4) - 1;
    let at = |column: &Value| {
        let column = decode(column);
        let s = (0.4 - value[k]) / (value[k + 1] - value[k]);
        column[node[k]] + s * (column[node[k] + 1] - column[node[k]])
    };
    let expected = &folder.json("at kept.path --param 0.4 --json")[0];
    for (j, w) in numbers(&expected["w"]).into_iter().enumerate() {
        assert!((at(&columns[j]) - w).abs() < 1e-6, "{j}");
    }
    assert!((at(&columns[2]) - number(&expected["intercept"])).abs() < 1e-6);

    // The rates, from the decision values of all rows.
    let (_, rows) = table(&folder.ok("predict kept.path --data c.csv --param 0.4"));
    let labels: Vec<f64> = classes().lines().skip(1).map(|l| l.rsplit(',').next().unwrap().parse().unwrap()).collect();
    let hits = rows.iter().zip(&labels).filter(|(f, y)| f[0] > 0.0 && **y == 1.0).count();
    let alarms = rows.iter().zip(&labels).filter(|(f, y)| f[0] > 0.0 && **y == 0.0).count();
    let rates = &data["rates"][0];
    let step = decode(&rates["value"]).partition_point(|v| *v <= 0.4) - 1;
    assert_eq!(decode(&rates["hits"])[step], hits as f64);
    assert_eq!(decode(&rates["alarms"])[step], alarms as f64);
}

#[test]
fn tables_along_a_path_have_pages() {
    let folder = Folder::new();
    folder.write("r.csv", numbers_of());
    folder.write("w.csv", "p,q,s\n0.01,0.03,-0.02\n0.02,-0.01,0.01\n-0.01,0.02,0.03\n0.015,0.05,0\n0.005,-0.03,0.02\n");
    folder.write(
        "plant.json",
        r#"{"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]], "horizon": 3, "lower": [-1], "upper": [1]}"#,
    );
    for (problem, train, kind) in [
        ("lasso --train r.csv --bias intercept", "r.csv", "coefficients"),
        ("nnls --train r.csv", "r.csv", "coefficients"),
        ("trend-filtering --train r.csv", "r.csv", "signal"),
        ("critical-line --train w.csv", "w.csv", "portfolio"),
        ("mpc --model plant.json --from=-5,0 --to 5,2", "plant.json", "control"),
    ] {
        folder.ok(&format!("path {problem} --out kept.json"));
        folder.ok(&format!("path {problem} --out table.csv"));
        folder.ok(&format!("report kept.json --train {train} --out page.html"));
        let page = folder.text("page.html");
        sound(&page);
        let data = data(&page);
        assert_eq!(data["kind"], kind);
        let (names, mut rows) = table(&folder.text("table.csv"));
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert_eq!(decode(&data["value"]), rows.iter().map(|row| row[0]).collect::<Vec<f64>>());
        assert_eq!(data["names"].as_array().unwrap().len(), names.len() - 1);
        for (j, column) in data["columns"].as_array().unwrap().iter().enumerate() {
            let expected: Vec<f64> = rows.iter().map(|row| row[j + 1]).collect();
            let size = expected.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
            for (found, expected) in decode(column).iter().zip(&expected).filter(|(_, e)| e.is_finite()) {
                assert!((found - expected).abs() <= 2e-7 * size, "{problem}: {found}, {expected} expected");
            }
        }
    }
    // Another file is refused, and so is a changed one.
    folder.write("s.csv", numbers_of() + "0,0,0\n");
    folder.run("report kept.json --train s.csv --out page.html").refused(&["s.csv", "not the data"]);
    folder.run("report kept.json --train plant.json --test s.csv --out page.html").refused(&["--test"]);
    folder.run("report kept.json --train none --out page.html").refused(&["none", "no such file"]);
}

/// Columns in unlike units: the signs of their coefficients change, and zeros lie inside the range of a column.
fn unlike() -> String {
    let row = |k: usize| {
        let t = k as f64;
        let (a, b, c) = (t % 7.0, 1000.0 * t.sin(), (3.0 * t).cos() / 100.0);
        let (d, e) = ((k * k % 11) as f64, (t / 2.0).sin());
        format!("{a},{b},{c},{d},{e},{}\n", 30.0 * a - b / 50.0 + 900.0 * c - d + 5.0 * (7.0 * t).sin() + 2.0 * e)
    };
    "a,b,c,d,e,y\n".to_owned() + &(0..60).map(row).collect::<String>()
}

/// On every piece as many coefficients are not zero as at a penalty in its middle; where a coefficient is zero its number on the page is.
#[test]
fn coefficients_that_are_not_zero_are_counted() {
    let folder = Folder::new();
    folder.write("u.csv", unlike());
    let hitters = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/regression/Hitters.csv");
    if hitters.exists() {
        folder.write("h.csv", std::fs::read(&hitters).unwrap());
    } else {
        println!("skipped: {} is absent", hitters.display());
    }
    let all = [("u.csv", ""), ("u.csv", "--bias intercept"), ("h.csv", "--bias intercept --response Salary")];
    for (train, options) in all.into_iter().filter(|(train, _)| folder.names().iter().any(|name| name == train)) {
        let kept = folder.json(&format!("path lasso --train {train} {options} --out kept.json --json"));
        folder.ok(&format!("report kept.json --train {train} --out page.html"));
        let data = data(&folder.text("page.html"));
        let counted = decode(&data["nonzero"]);
        // Falling on the path, rising on the page.
        let values = numbers(&kept["path"]["values"]);
        let columns = kept["path"]["columns"].as_array().unwrap();
        assert_eq!(counted.len() + 1, values.len());
        for (pair, count) in values.windows(2).zip(counted.iter().rev()) {
            let middle = (pair[0] + pair[1]) / 2.0;
            let fit = &folder.json(&format!("path lasso --train {train} {options} --to {middle} --json"))["fit"];
            let expected = numbers(&fit["coefficients"]).iter().filter(|w| **w != 0.0).count();
            assert_eq!(*count, expected as f64, "{train} {options} at {middle}");
        }
        for (shown, exact) in data["columns"].as_array().unwrap().iter().zip(columns) {
            let (shown, exact) = (decode(shown), numbers(exact));
            let zeros = shown.iter().zip(exact.iter().rev()).filter(|(_, exact)| **exact == 0.0);
            assert!(zeros.map(|(shown, _)| shown).all(|shown| *shown == 0.0));
        }
        // At the largest penalty nothing is in yet.
        let first = folder.ok(&format!("path lasso --train {train} {options} --to {}", values[0]));
        assert!(first.contains("0 coefficients are not zero"), "{first}");
    }
}

#[test]
fn the_laws_on_a_page_of_a_map_are_those_of_its_regions() {
    let folder = Folder::new();
    folder.write("c.csv", classes()).write("r.csv", numbers_of());
    for (problem, train, theta) in [
        ("cost-svm --train c.csv --domain 0:2,0:2 --bias intercept", "c.csv", [[0.31, 0.83], [1.7, 0.4]]),
        ("cost-svm --train c.csv --domain 0:,0: --bias augmented", "c.csv", [[0.31, 0.83], [0.9, 0.4]]),
        ("kqr --train r.csv --domain 0.1:0.9,0.3:2 --kernel rbf:0.2", "r.csv", [[0.31, 0.83], [0.77, 1.4]]),
        ("svr --train r.csv --domain 0:2,0:1", "r.csv", [[0.31, 0.33], [1.1, 0.07]]),
    ] {
        folder.ok(&format!("map {problem} --out kept.map"));
        folder.ok(&format!("report kept.map --train {train} --out page.html"));
        let page = folder.text("page.html");
        sound(&page);
        let data = data(&page);
        let regions = &data["regions"];
        for theta in theta {
            let at = folder.json(&format!("locate kept.map --param {},{} --json", theta[0], theta[1]));
            let r = decode(&regions["id"]).iter().position(|id| *id == number(&at["region"]["id"])).unwrap();
            assert_eq!(decode(&regions["free"])[r], number(&at["free"]));
            let [x, y] = [0, 1].map(|a: usize| theta[a] - decode(&regions["anchor"][a])[r]);
            let q: Vec<f64> = (0..6).map(|k| decode(&regions["objective"][k])[r]).collect();
            let divisor = data["divide"].as_u64().map_or(1.0, |a| theta[a as usize]);
            let found = (q[0] + q[1] * x + q[2] * y + q[3] * x * x + q[4] * x * y + q[5] * y * y) / divisor;
            let expected = number(&at["objective"]);
            assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{problem}: {found}, {expected} expected");
            for (j, w) in at["w"].as_array().map(|_| numbers(&at["w"])).unwrap_or_default().into_iter().enumerate() {
                let law: Vec<f64> = (0..3).map(|k| decode(&data["laws"][j][k])[r]).collect();
                assert!((law[0] + law[1] * x + law[2] * y - w).abs() < 1e-5, "{problem}: weight {j}");
            }
        }
        assert!(decode(&regions["kkt"]).iter().all(|residual| *residual <= 1e-9));
    }
}

/// The explicit controller of a plant: its inputs at a state, against `map mpc --param`.
#[test]
fn a_controller_has_a_page() {
    let folder = Folder::new();
    folder.write(
        "plant.json",
        r#"{"A": [[1, 1], [0, 1]], "B": [[0.5], [1]], "Q": [[1, 0], [0, 1]], "R": [[0.5]], "horizon": 3, "lower": [-1], "upper": [1]}"#,
    );
    let map = "map mpc --model plant.json --domain=-5:5,-2:2";
    folder.ok(&format!("{map} --out kept.json"));
    let at = folder.json(&format!("{map} --param 1.3,-0.7 --json"));
    folder.ok("report kept.json --train plant.json --out page.html");
    let page = folder.text("page.html");
    sound(&page);
    let data = data(&page);
    assert_eq!((&data["kind"], &data["problem"]), (&Value::from("map"), &Value::from("control")));
    // The region is the one whose polygon holds the state.
    let regions = &data["regions"];
    let (corners, points) = (decode(&regions["corners"]), decode(&regions["points"]));
    let mut first = 0;
    let inside = |polygon: &[f64]| {
        let corner = |k: usize| [polygon[2 * k % polygon.len()], polygon[(2 * k + 1) % polygon.len()]];
        let side = |k: usize| {
            let ([a, b], [c, d]) = (corner(k), corner(k + 1));
            (c - a) * (-0.7 - b) - (d - b) * (1.3 - a)
        };
        let sides: Vec<f64> = (0..polygon.len() / 2).map(side).collect();
        sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
    };
    let r = corners.iter().position(|count| {
        let polygon = &points[2 * first..2 * (first + *count as usize)];
        first += *count as usize;
        inside(polygon)
    });
    let r = r.expect("a region");
    for (j, expected) in at["at"]["inputs"].as_array().unwrap().iter().enumerate() {
        let law: Vec<f64> = (0..3).map(|k| decode(&data["laws"][j][k])[r]).collect();
        let [x, y] = [1.3 - decode(&regions["anchor"][0])[r], -0.7 - decode(&regions["anchor"][1])[r]];
        assert!((law[0] + law[1] * x + law[2] * y - number(&expected[0])).abs() < 1e-6, "input {j}");
    }
    folder.write("other.json", folder.text("plant.json").replace("0.5", "0.6"));
    folder.run("report kept.json --train other.json --out page.html").refused(&["other.json", "not the data"]);
    folder.write("bad.json", folder.text("kept.json").replacen("\"format\":5", "\"format\":7", 1));
    folder.run("report bad.json --train plant.json --out page.html").refused(&["bad.json", "version 7"]);
}

#[test]
fn names_stay_names() {
    let folder = Folder::new();
    let nasty = classes().replacen("a,b,y", "\"</script><script>alert(1)</script>\",\"<!-- b & \"\"c\"\"\",y", 1);
    folder.write("<b>&.csv", nasty);
    folder.ok("path quantile-svm --train <b>&.csv --lambda 0.1 --out kept.path");
    folder.ok("report kept.path --train <b>&.csv --out page.html");
    let page = folder.text("page.html");
    sound(&page);
    assert!(!page.contains("<script>alert") && !page.contains("<!--") && page.contains("&lt;b&gt;&amp;.csv</title>"));
    let names = &data(&page)["f"]["names"];
    assert_eq!(names[0], "</script><script>alert(1)</script>");
    assert_eq!(names[1], "<!-- b & \"c\"");
}

#[test]
fn test_rows_are_shown_beside_the_training_rows() {
    let folder = Folder::new();
    folder.write("c.csv", classes()).write("r.csv", numbers_of()).write("t.csv", classes().replace("\n-", "\n"));
    folder.ok("path quantile-svm --train c.csv --lambda 0.1 --out kept.path");
    let report = folder.json("report kept.path --train c.csv --test t.csv --out page.html --json");
    assert_eq!(keys(&report), ["bytes", "kind", "max_kkt_residual", "max_relative_gap", "page", "seconds"]);
    assert_eq!(number(&report["bytes"]), folder.bytes("page.html").len() as f64);
    let data = data(&folder.text("page.html"));
    assert_eq!((data["rates"].as_array().unwrap().len(), number(&data["test"]["of"])), (2, 40.0));
    folder.ok("path one-class-svm --train r.csv --out ones.path");
    folder.run("report ones.path --train r.csv --test r.csv --out page.html").refused(&["--test", "no response"]);
}

#[test]
fn an_approximate_path_and_a_ray_have_pages() {
    let folder = Folder::new();
    folder.write("c.csv", classes());
    folder.ok("path quantile-svm --train c.csv --lambda 0.05 --tolerance 0.01 --out kept.path");
    folder.ok("report kept.path --train c.csv --out page.html");
    let page = folder.text("page.html");
    sound(&page);
    assert!(page.contains("a duality gap of 1.0e-2 at most"));
    // Rows that a line separates have a solution at infinite costs.
    folder.write("s.csv", "a,y\n-2,0\n-1,0\n1,1\n3,1\n");
    folder.ok("path cost-svm --train s.csv --bias intercept --vary c --from 0 --to inf --out ray.path");
    folder.ok("report ray.path --train s.csv --out page.html");
    let value = decode(&data(&folder.text("page.html"))["value"]);
    assert!(value.len() > 1 && value.iter().all(|v| v.is_finite()), "{value:?}");
}

#[test]
fn a_wrong_question_is_refused() {
    let folder = Folder::new();
    folder.write("c.csv", classes()).write("r.csv", numbers_of()).write("d.csv", classes().replacen(",1\n", ",0\n", 1));
    folder.ok("path quantile-svm --train c.csv --lambda 0.1 --out kept.path");
    folder.run("report kept.path --out page.html").refused(&["--train"]);
    folder.run("report kept.path --train c.csv").refused(&["--out"]);
    folder.run("report kept.path --train r.csv --out page.html").refused(&["r.csv"]);
    folder.run("report kept.path --train d.csv --out page.html").refused(&["d.csv", "another label"]);
    folder.run("report none.path --train c.csv --out page.html").refused(&["none.path", "no such file"]);
    folder.run("report c.csv --train c.csv --out page.html").refused(&["c.csv", "not a path or map file"]);
    folder.run("report kept.path --train c.csv --out none/page.html").refused(&["--out none/page.html"]);
    folder.run("report kept.path --train c.csv --out kept.path").refused(&["kept.path", "the path"]);
    folder.run("report kept.path --train c.csv --out c.csv").refused(&["c.csv", "--train"]);
    folder.write("series.json", r#"{"format":5}"#);
    folder.run("report series.json --train c.csv --out page.html").refused(&["series.json", "damaged"]);
    folder.write("series.json", r#"{"format":9}"#);
    folder.run("report series.json --train c.csv --out page.html").refused(&["series.json", "version 9"]);
    assert!(!folder.names().contains(&"page.html".to_owned()));
}
