//! Maps in any number of parameters and with rows.

use crate::common::{Folder, number};

const PLANT: &str = r#"{"A":[[1,1],[0,1]],"B":[[0.5],[1]],"Q":[[1,0],[0,1]],"R":[[0.5]],"horizon":3,"lower":[-1],"upper":[1],"x_min":[-5,-2],"x_max":[5,2]}"#;
const THREE: &str = r#"{"A":[[1,1,0.5],[0,1,1],[0,0,1]],"B":[[0.2],[0.5],[1]],"Q":[[1,0,0],[0,1,0],[0,0,1]],"R":[[0.5]],"horizon":2,"lower":[-1],"upper":[1]}"#;
const TRIANGLE: &str = r#"{"h": [[1, 0], [0, 1]], "c": [[0, -1, 0], [0, 0, -1]], "lower": [0, 0], "rows": [{"a": [1, 1], "upper": 1}], "constant": [0, 1, 2]}"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("plant.json", PLANT).write("three.json", THREE).write("triangle.json", TRIANGLE);
    folder
}

#[test]
fn a_plant_with_bounds_on_its_states() {
    let folder = folder();
    let map = folder.json("map mpc --model plant.json --domain -6:6,-3:3 --points 500 --out plant.map --json --full");
    assert_eq!(
        (map["complete"].as_bool(), map["uncovered"].as_u64(), map["points"].as_u64()),
        (Some(true), Some(0), Some(500))
    );
    assert_eq!(number(&map["covered"]), 1.0);
    assert!(map["infeasible"].as_u64() > Some(0) && number(&map["max_kkt_residual"]) < 1e-9);
    assert_eq!(map["region_list"].as_array().map(Vec::len), map["cells"].as_u64().map(|cells| cells as usize));
    let at = folder.json("locate plant.map --param -3,1 --json");
    // The same problem along a line through that state.
    let path = folder.json("path mpc --model plant.json --from -4,1 --to -2,1 --param 0.5 --json");
    assert!((number(&at["cost"]) - number(&path["at"][0]["cost"])).abs() < 1e-10);
    let text = folder.ok("locate plant.map --param -3,1");
    assert!(text.contains("half-spaces") && text.contains("certificate     holds"), "{text}");
    folder.ok("map mpc --model plant.json --domain -6:6,-3:3 --out map.json");
    assert_eq!(folder.json("locate map.json --param -3,1 --json"), at);
    let none = folder.run("locate plant.map --param -6,-3");
    assert!(none.status == 3 && none.stderr.contains("no solution at (-6, -3): proof"), "{}", none.stderr);
    for (arguments, words) in [
        ("locate plant.map --param 7,0", &["(7, 0) lies outside"][..]),
        ("locate plant.map --param 7", &["1 values, 2 expected: x1, x2"]),
        ("at plant.map --param 1", &["a map in many parameters", "a path"]),
        ("report plant.map --train plant.json --out page.html", &["a map in many parameters"]),
        ("map mpc --model plant.json --domain -6:6,-3:3 --plot map.svg", &["--plot", "two parameters without rows"]),
        ("map mpc --model plant.json --domain -6:6", &["1 ranges, 2 expected", "x1, x2"]),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.status, 2, "{arguments}: {}", outcome.stderr);
        words.iter().for_each(|word| assert!(outcome.stderr.contains(word), "{arguments}: {}", outcome.stderr));
    }
}

#[test]
fn three_states() {
    let folder = folder();
    let map = folder.json("map mpc --model three.json --domain -2:2,-1:1,-1:1 --param 0.1,0.1,0.1 --json");
    assert_eq!((map["infeasible"].as_u64(), map["uncovered"].as_u64()), (Some(0), Some(0)));
    let path = folder.json("path mpc --model three.json --from 0,0,0 --to 0.2,0.2,0.2 --param 0.5 --json");
    assert!((number(&map["at"]["cost"]) - number(&path["at"][0]["cost"])).abs() < 1e-12);
    assert_eq!(map["at"]["param"]["x3"], 0.1);
    let open = folder.run("map mpc --model three.json --domain -2:2,-1:1,0:");
    assert!(open.status == 2 && open.stderr.contains("x3 needs a range with two ends"), "{}", open.stderr);
}

#[test]
fn any_program_in_two_parameters() {
    let folder = folder();
    let map = folder.json("map qp --problem triangle.json --domain -2:2,-2:2 --out triangle.map --json");
    assert_eq!(map["regions"], 7);
    let at = folder.json("locate triangle.map --param 1,1.5 --json");
    // ½‖x‖² − θᵀx at (¼, ¾) is −17/16, and θ₁ + 2θ₂ = 4.
    let x: Vec<f64> = at["x"].as_array().unwrap().iter().map(number).collect();
    assert!((x[0] - 0.25).abs() < 1e-14 && (x[1] - 0.75).abs() < 1e-14);
    assert!((number(&at["objective"]) - (4.0 - 17.0 / 16.0)).abs() < 1e-13);
    assert!((number(&at["y"][0]) + 0.75).abs() < 1e-14);
    let path = folder.run("path qp --problem triangle.json");
    assert!(path.status == 2 && path.stderr.contains("a path has one parameter"), "{}", path.stderr);
    folder.write("short.json", r#"{"c": [[0, 1, 2]], "lower": [[0, 1]]}"#);
    let short = folder.run("map qp --problem short.json --domain 0:1,0:1");
    assert!(
        short.status == 2 && short.stderr.contains("lower[0]") && short.stderr.contains("2 rates"),
        "{}",
        short.stderr
    );
}
