//! Any program from JSON, QPS and rates: an interior-point solver at random positions, known answers, what is refused.

use pathqp::rows::Proof;
use pathqp::testing::{Options, Random, check};
use pathqp::{Certificate, Path, Settings, Start, Stop, trace};
use pathqp_adapters::problem::PathProblem;
use pathqp_adapters::qp::{ENTRY, Quadratic};
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::Spec;

/// The description of texts by their options.
fn spec(texts: &[(&str, &str)]) -> Result<Spec, String> {
    let mut spec = Spec::new("qp");
    let read = ENTRY.read.expect("it reads texts");
    for (option, text) in texts {
        read(&mut spec, option, text).map_err(|error| error.to_string())?;
    }
    Ok(spec)
}

fn posed(texts: &[(&str, &str)]) -> Result<Posed, String> {
    let vary = ("t", None, None);
    Posed::new(&ENTRY, &spec(texts)?, vary, &Settings::default()).map_err(|error| error.to_string())
}

fn followed(posed: &Posed) -> Path<f64> {
    trace(&posed.line, &Start::Anywhere, &Settings::default(), &mut ())
        .unwrap_or_else(|failure| panic!("{}", failure.0))
}

/// A random program with n variables and m rows, feasible at x = 0 for all t from 0 to 1.
fn random_program(n: usize, m: usize, features: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let list = |values: Vec<String>| format!("[{}]", values.join(","));
    let z: Vec<String> = (0..n).map(|_| list((0..features).map(|_| random.normal().to_string()).collect())).collect();
    let mut pair = |size: f64| format!("[{},{}]", size * random.normal(), size * random.normal());
    let c: Vec<String> = (0..n).map(|_| pair(1.0)).collect();
    let rows: Vec<String> = (0..m)
        .map(|r| {
            let a: Vec<String> = (0..n).map(|_| random.normal().to_string()).collect();
            let (low, high) = (random.between(0.2, 1.0), random.between(0.2, 1.0));
            let bounds = match r % 3 {
                0 => format!("\"lower\": [-{low}, 0.1], \"upper\": [{high}, -0.1]"),
                1 => format!("\"lower\": null, \"upper\": [{high}, 0.5]"),
                _ => "\"lower\": [0, 0.1], \"upper\": [0, 0.1]".into(),
            };
            format!("{{\"a\": {}, {bounds}}}", list(a))
        })
        .collect();
    let side = |v: f64| list(vec![format!("[{v},0]"); n]);
    let z = if features > 0 { format!("\"z\": {},", list(z)) } else { String::new() };
    format!("{{{z} \"c\": {}, \"lower\": {}, \"upper\": {}, \"rows\": {}}}", list(c), side(-1.0), side(1.0), list(rows))
}

#[test]
fn random_programs_agree_with_an_interior_point_solver_everywhere() {
    for seed in 1..=24 {
        let (n, m, features) = (4 + seed as usize % 7, 1 + seed as usize % 4, [0, 2, 12][seed as usize % 3]);
        let posed = posed(&[("problem", &random_program(n, m, features, seed))]).unwrap();
        let options = Options { points: 25, seed, ..Options::default() };
        assert_eq!(check(&posed.qp, &[0.0], &[1.0], &Start::Anywhere, &options), [], "seed {seed}");
    }
}

#[test]
fn multipliers_and_objectives_are_those_of_the_program() {
    for seed in 1..=12 {
        let posed = posed(&[("problem", &random_program(6, 3, 3, seed))]).unwrap();
        let path = followed(&posed);
        for t in [0.0, 0.3, 1.0] {
            let point = posed.locate(&path, t).unwrap();
            let certificate = Certificate::of(&posed.line, &point);
            let solution = posed.solution(t, &point, &certificate);
            assert_eq!(solution.numbers("y").len(), 3);
            let dual = solution.dual_objective.unwrap();
            let size = solution.objective.abs().max(1.0);
            assert!((solution.objective - certificate.objective).abs() < 1e-12 * size);
            assert!((solution.objective - dual).abs() < 1e-9 * size, "{} {dual}", solution.objective);
        }
    }
}

/// HS21 of Hock and Schittkowski (1981): min 0.01x² + y² − 100 with 10x − y ≥ 10, 2 ≤ x ≤ 50, |y| ≤ 50; x = 2, y = 0, −99.96.
const HS21: &str = "NAME          HS21
ROWS
 N  OBJ.FUNC
 G  R------1
COLUMNS
    C------1  R------1           .100000e+02
    C------2  R------1          -.100000e+01
RHS
    RHS       OBJ.FUNC           .100000e+03
    RHS       R------1           .100000e+02
RANGES
BOUNDS
 LO BOUNDS    C------1           .200000e+01
 UP BOUNDS    C------1           .500000e+02
 LO BOUNDS    C------2          -.500000e+02
 UP BOUNDS    C------2           .500000e+02
QUADOBJ
    C------1  C------1           .200000e-01
    C------2  C------2           .200000e+01
ENDATA
";

#[test]
fn a_published_program_in_qps_has_its_published_solution() {
    // The row moves from 10x − y ≥ 10 to 10x − y ≥ 30: beyond 20 it takes x and y along.
    let texts = [("qps", HS21), ("rates", r#"{"rows": {"R------1": {"lower": 20}}}"#)];
    let posed = posed(&texts).unwrap();
    let path = followed(&posed);
    let at = |t: f64| {
        let point = posed.locate(&path, t).unwrap();
        posed.solution(t, &point, &Certificate::of(&posed.line, &point))
    };
    let first = at(0.0);
    assert!((first.objective + 99.96).abs() < 1e-12, "{}", first.objective);
    assert_eq!(first.numbers("x"), [2.0, 0.0]);
    assert_eq!(first.numbers("y"), [0.0]);
    // The row is met at 10 + 20t = 20. First y gives way, until its multiplier 2·0.002 is worth 0.02x/10 = 0.004.
    let [first, second] = path.breakpoints()[..] else { panic!("{:?}", path.breakpoints()) };
    assert!((first - 0.5).abs() < 1e-12 && (second - 0.5001).abs() < 1e-12, "{first} {second}");
    // Then 0.02x = 10y_row and 2y = −y_row with 10x − y = 30: x(200 + 0.02) = 600.
    let last = at(1.0);
    let x = 600.0 / 200.02;
    assert!((last.numbers("x")[0] - x).abs() < 1e-12, "{:?}", last.numbers("x"));
    assert!((last.numbers("x")[1] - (10.0 * x - 30.0)).abs() < 1e-11);
    // z = Hx + c − Aᵀy is zero for x: 0.02x = 10y.
    assert!((last.numbers("y")[0] - 0.02 * x / 10.0).abs() < 1e-13);
    assert_eq!(posed.columns(&spec(&texts).unwrap())[1].names, ["R------1"]);
}

#[test]
fn qps_files_mean_what_the_format_says() {
    let text = "* a comment
NAME blending
OBJSENSE
    MAX
ROWS
 N profit
 L first
 E second
 G third
 N ignored
COLUMNS
 a profit 3 first 1
 a second 1 ignored 7
 b profit 2 first 1
 b third 1
 c second -1 third 1
RHS
 first 4 second 1
 RHS third -2 profit -5
RANGES
 RNG first 3 second -2
 RNG third 6
BOUNDS
 UP BND a 2.5
 MI BND b
 UP BND b 3
 FR BND c
ENDATA
";
    let spec = spec(&[("qps", text)]).unwrap();
    let table = |name: &str| spec.tables[name].rows();
    assert_eq!(table("c"), [[-3.0, 0.0], [-2.0, 0.0], [0.0, 0.0]]);
    assert_eq!(table("rows"), [[1.0, 1.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, 1.0]]);
    assert_eq!(table("row_lower"), [[0.0, 1.0, 0.0], [1.0, -1.0, 0.0], [2.0, -2.0, 0.0]]);
    assert_eq!(table("row_upper"), [[0.0, 4.0, 0.0], [1.0, 1.0, 0.0], [2.0, 4.0, 0.0]]);
    assert_eq!(table("lower"), [[0.0, 0.0, 0.0]]);
    assert_eq!(table("upper"), [[0.0, 2.5, 0.0], [1.0, 3.0, 0.0]]);
    let problem = Quadratic::new(&spec).unwrap();
    // The largest 3a + 2b + 5 with a + b ≤ 4: a = 2.5, b = 1.5 (both rows can be kept by c): 15.5.
    let posed = Posed::new(&ENTRY, &spec, ("t", None, None), &Settings::default()).unwrap();
    let path = followed(&posed);
    let found = problem.solution(&[0.0], &path.at(&0.0).unwrap(), None);
    assert!((found.objective - 15.5).abs() < 1e-12 && (found.dual_objective.unwrap() - 15.5).abs() < 1e-12);
    // Rates keep the sense of the file: 3 + t for a.
    let moving = spec_of_rates(text, r#"{"c": {"a": 1}, "to": 2}"#).unwrap();
    assert_eq!(moving.tables["c"].rows()[0], [-3.0, -1.0]);
    assert_eq!(moving.number("to"), Some(2.0));
}

fn spec_of_rates(qps: &str, rates: &str) -> Result<Spec, String> {
    spec(&[("qps", qps), ("rates", rates)])
}

#[test]
fn fixed_form_takes_names_with_blanks_and_free_form_what_has_none() {
    let fixed = "NAME          TWO
ROWS
 N  THE COST
 L  ROW 1
COLUMNS
    COL A     THE COST          -1.0   ROW 1              1.0
    COL B     THE COST          -2.0   ROW 1              1.0
RHS
    RHS       ROW 1              3.0
BOUNDS
 UP BND       COL B              2.0
QMATRIX
    COL A     COL A              1.0
ENDATA
";
    let spec = spec(&[("qps", fixed)]).unwrap();
    assert_eq!(spec.tables["rows"].names.as_deref().unwrap(), ["COL A", "COL B"]);
    assert_eq!(spec.tables["h"].rows(), [[1.0, 0.0], [0.0, 0.0]]);
    assert_eq!(spec.tables["c"].rows(), [[-1.0, 0.0], [-2.0, 0.0]]);
    assert_eq!(spec.tables["row_upper"].rows(), [[0.0, 3.0, 0.0]]);
}

#[test]
fn infeasible_and_unbounded_programs_end_with_a_proof() {
    // x ≤ 1 and x + y ≥ 1 + 2t with y ≤ 1: nothing beyond t = ½.
    let infeasible = r#"{"c": [[1, 0], [1, 0]], "upper": [[1, 0], [1, 0]], "rows": [{"a": [1, 1], "lower": [1, 2]}]}"#;
    let posed_first = posed(&[("problem", infeasible)]).unwrap();
    let path = followed(&posed_first);
    assert_eq!(path.stop(), Some(&Stop::Infeasible { t: 0.5 }));
    let proof = path.proof().unwrap();
    assert!(matches!(proof, Proof::Infeasible { .. }));
    let excess = |t: f64| proof.excess(&posed_first.line, &t, &1e-12).unwrap();
    assert!(excess(0.5).abs() < 1e-12 && excess(0.75) > 0.0);
    // The cost of y falls below zero beyond t = ½, and y has no upper bound.
    let unbounded = r#"{"h": [[1, 0], [0, 0]], "c": [[0, 1], [1, -2]], "lower": [null, [0, 0]], "rows": [{"a": {"0": 1}, "upper": [3, 0]}]}"#;
    let posed_second = posed(&[("problem", unbounded)]).unwrap();
    let path = followed(&posed_second);
    assert!(matches!(path.stop(), Some(Stop::Unbounded { t, .. }) if *t == 0.5), "{:?}", path.stop());
    let Some(Proof::Unbounded { direction }) = path.proof() else { panic!("{:?}", path.proof()) };
    assert_eq!(direction[0], 0.0);
    assert!(direction[1] > 0.0);
}

#[test]
fn programs_that_are_none_are_refused_by_place() {
    let bad = |text: &str| posed(&[("problem", text)]).err().unwrap_or_else(|| panic!("{text} was taken"));
    for (text, words) in [
        ("{\"c\": [[1, 0]],\n \"lower\": }", "line 2, column 11"),
        ("[1]", "object"),
        (r#"{"lower": [null]}"#, "c: is missing"),
        (r#"{"c": []}"#, "c: is empty"),
        (r#"{"c": [[1, 0]], "cost": 1}"#, "cost: is not a key of a program"),
        (r#"{"c": [[1, 0], [1]]}"#, "c[1]: [1] where a pair [value, rate]"),
        (r#"{"c": [[1, "x"]]}"#, "c[0][1]: \"x\" where a finite number"),
        (r#"{"c": [[1, 0]], "lower": [[0, 0], [0, 0]]}"#, "lower: 2 entries, and c has 1"),
        (r#"{"c": [[1, 0]], "rows": [{"a": [1, 2], "upper": 1}]}"#, "rows[0].a: 2 numbers where 1"),
        (r#"{"c": [[1, 0]], "rows": [{"a": {"1": 2}}]}"#, "rows[0].a.1: no column: they are numbered from 0 to 0"),
        (r#"{"c": [[1, 0]], "rows": [{"upper": 1}]}"#, "rows[0]: a is missing"),
        (r#"{"c": [[1, 0]], "rows": [{"a": [1], "least": 1}]}"#, "rows[0].least: is not a key of a row"),
        (r#"{"c": [[1, 0]], "rows": [[1]]}"#, "rows[0]: [1] where an object"),
        (r#"{"c": [[1, 0]], "z": [[1], [2]]}"#, "z: 2 rows, and c has 1"),
        (r#"{"c": [[1, 0]], "z": [[1]], "h": [[1]]}"#, "h: z is given as well"),
        (r#"{"c": [[1, 0], [1, 0]], "h": [[1, 2], [0, 1]]}"#, "H[1,0]"),
        (r#"{"c": [[1, 0], [1, 0]], "h": [[1, 2], [2, 1]]}"#, "not positive semidefinite"),
        (r#"{"c": [[1, 0]], "h": [[-1]]}"#, "h[0][0]: -1"),
        (r#"{"c": [[1, 0]], "from": 1, "to": 1}"#, "to: 1, which is also where the path begins"),
        (r#"{"c": [[1, 0]], "to": "far"}"#, "to: \"far\" where a finite number"),
        (r#"{"c": [[1, 0]], "lower": [[0, 2]], "upper": [[1, 0]]}"#, "variable 0 cross"),
        (r#"{"c": [[1, 0]], "rows": [{"a": [1], "lower": [0, 2], "upper": [1, 0]}, {"a": [2]}]}"#, "row 0 cross"),
    ] {
        let found = bad(text);
        assert!(found.contains(words), "{text}: {found}");
    }
    let qps = |from: &str, to: &str| spec(&[("qps", &HS21.replace(from, to))]).err().unwrap_or_else(|| panic!("{to}"));
    for (from, to, words) in [
        (" G  R------1", " X  R------1", "line 4: row 'R------1' is of kind X"),
        ("C------1  R------1  ", "C------1  R------2  ", "line 6: no row is called 'R------2'"),
        (".100000e+02\n    C------2", "ten\n    C------2", "line 6: 'ten' where a finite number"),
        (" UP BOUNDS    C------2", " BV BOUNDS    C------2", "line 16: BV is a bound of integer variables"),
        ("QUADOBJ", "QCMATRIX", "line 17: the section QCMATRIX is not supported"),
        ("ENDATA\n", "", "ENDATA is missing"),
        ("    C------2  C------2 ", "    C------1  C------1 ", "line 19: the product of 'C------1' and 'C------1'"),
    ] {
        let found = qps(from, to);
        assert!(found.contains(words), "{to}: {found}");
    }
    for (rates, words) in [
        (r#"{"c": [1]}"#, "c: 1 entries, and the QPS file has 2"),
        (r#"{"c": {"X": 1}}"#, "c.X: the QPS file has nothing of this name"),
        (r#"{"rows": {"R------1": {"a": [1, 2]}}}"#, "rows.R------1.a: does not move"),
        (r#"{"rows": [{"upper": 1}]}"#, "rows[0].upper: 1 for a bound that the QPS file does not have"),
        (r#"{"lower": [[5, 1], null]}"#, "lower[0][0]: 5 where the QPS file has 2"),
    ] {
        let found = spec_of_rates(HS21, rates).err().unwrap_or_else(|| panic!("{rates} was taken"));
        assert!(found.contains(words), "{rates}: {found}");
    }
}
