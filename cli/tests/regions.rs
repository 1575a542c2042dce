//! Maps in any number of parameters and with rows.

use crate::common::{Folder, number};
use std::process::Command;

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
    // Where the inputs vanish with the state they keep their digits: −K(x₁, x₂), K from Riccati's equation or any larger state.
    let unit = folder.json("locate plant.map --param 0.125,0.0625 --json");
    for (state, size) in [("0,0", 0.0), ("1.25e-7,6.25e-8", 1e-6), ("1.25e-29,6.25e-30", 1e-28)] {
        let near = folder.json(&format!("locate plant.map --param {state} --json"));
        let input = |at: &serde_json::Value| number(&at["inputs"][0][0]);
        assert!((input(&near) - size * input(&unit)).abs() <= 1e-13 * size, "{state}: {near}");
    }
    let text = folder.ok("locate plant.map --param -3,1");
    assert!(text.contains("half-spaces") && text.contains("certificate     holds"), "{text}");
    folder.ok("map mpc --model plant.json --domain -6:6,-3:3 --out map.json");
    assert_eq!(folder.json("locate map.json --param -3,1 --json"), at);
    let none = folder.run("locate plant.map --param -6,-3");
    assert!(none.status == 3 && none.stderr.contains("no solution at (-6, -3): proof"), "{}", none.stderr);
    for (arguments, words) in [
        ("locate plant.map --param 7,0", &["(7, 0) lies outside"][..]),
        ("locate plant.map --param 7", &["1 values; give 2, one for each of x1, x2"]),
        ("at plant.map --param 1", &["a map in many parameters", "a path"]),
        ("report plant.map --train plant.json --out page.html", &["a map in many parameters"]),
        ("map mpc --model plant.json --domain -6:6,-3:3 --plot map.svg", &["--plot", "two parameters without rows"]),
        ("map mpc --model plant.json --domain -6:6", &["1 ranges; give 2", "x1, x2"]),
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
    assert!(open.status == 2 && open.stderr.contains("the range of x3 needs both ends"), "{}", open.stderr);
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

/// What a program in C says of states: the number of the region, and the inputs.
fn by_c(folder: &Folder, file: &str, states: &[Vec<f64>], inputs: usize) -> Vec<(i64, Vec<f64>)> {
    let name = file.trim_end_matches(".c");
    let p = states[0].len();
    let main = format!(
        r#"#include <stdio.h>
#include "{file}"
int main(void) {{
    double state[{p}], input[{inputs}] = {{0}};
    for (;;) {{
        for (int k = 0; k < {p}; k++) if (scanf("%lf", &state[k]) != 1) return 0;
        int region = {name}_control(state, input);
        printf("%d", region);
        for (int i = 0; i < {inputs}; i++) printf(" %.17g", input[i]);
        printf("\n");
    }}
}}
"#
    );
    folder.write("main.c", &main);
    let flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c", "-lm", "-o", "controller"];
    let compiled = Command::new("cc").args(flags).current_dir(folder.path()).status();
    assert!(compiled.expect("rustc links by cc, so that there is one").success());
    let text: String = states.iter().flatten().map(|v| format!("{v:e}\n")).collect();
    folder.write("states", &text);
    let stdin = std::fs::File::open(folder.path().join("states")).unwrap();
    let output = Command::new(folder.path().join("controller")).stdin(stdin).output().unwrap();
    let line = |line: &str| {
        let mut words = line.split(' ');
        (words.next().unwrap().parse().unwrap(), words.map(|word| word.parse().unwrap()).collect())
    };
    String::from_utf8(output.stdout).unwrap().lines().map(line).collect()
}

#[test]
fn a_controller_in_c_gives_the_same_inputs() {
    let folder = folder();
    folder.write("two.json", PLANT.replace(r#","x_min":[-5,-2],"x_max":[5,2]"#, ""));
    for (map, domain, size) in [
        ("map mpc --model plant.json", "-6:6,-3:3", vec![6.0, 3.0]),
        ("map mpc --model two.json", "-6:6,-3:3", vec![6.0, 3.0]),
        ("map mpc --model three.json", "-2:2,-1:1,-1:1", vec![2.0, 1.0, 1.0]),
        ("map qp --problem triangle.json", "-2:2,-2:2", vec![2.0, 2.0]),
    ] {
        let made = format!("{map} --domain {domain} --points 1 --export-c 2-nd.c --out kept.map --json");
        let inputs = if map.contains("qp") { 2 } else { 1 };
        assert_eq!(folder.json(&made)["complete"], true);
        std::fs::rename(folder.path().join("2-nd.c"), folder.path().join("_2_nd.c")).unwrap();
        // Spread evenly by multiples of square roots.
        let part = |i: usize, k: usize| (i as f64 * [2.0_f64, 3.0, 5.0][k].sqrt()).fract();
        let state = |i| (0..size.len()).map(|k| size[k] * (2.0 * part(i, k) - 1.0)).collect();
        let mut states: Vec<Vec<f64>> = (1..=1000).map(state).collect();
        // A corner, the middle, and states outside of the domain.
        states.extend([size.clone(), vec![0.0; size.len()]]);
        states.extend([1.001, f64::INFINITY, f64::NAN].map(|v| size.iter().map(|size| v * size).collect::<Vec<f64>>()));
        let found = by_c(&folder, "_2_nd.c", &states, inputs);
        assert_eq!(found.len(), states.len(), "{map}");
        for (i, (state, (region, input))) in states.iter().zip(&found).enumerate() {
            let at = state.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
            if state.iter().any(|v| v.is_nan()) || (0..size.len()).any(|k| state[k].abs() > size[k]) {
                assert_eq!(*region, -1, "{map} {at}");
                continue;
            }
            // A process for each of a thousand states would take a minute.
            if i % 20 != 0 && i < 1000 && *region >= 0 {
                continue;
            }
            let located = folder.run(&format!("locate kept.map --param={at} --json"));
            assert_eq!(located.status == 0, *region >= 0, "{map} {at}: {}", located.stderr);
            if *region < 0 {
                assert!(*region == -2 && located.stderr.contains("no solution"), "{map} {at}: {}", located.stderr);
                continue;
            }
            let located = folder.json(&format!("locate kept.map --param={at} --json --full"));
            let values = if inputs == 1 { &located["inputs"][0] } else { &located["x"] };
            for (j, own) in input.iter().enumerate() {
                assert!((own - number(&values[j])).abs() <= 1e-12, "{map} {at}: {input:?} {values}");
            }
        }
    }
    let refused = folder.run("map mpc --model plant.json --domain -6:6,-3:3 --export-c plant.json");
    assert!(refused.status == 2 && refused.stderr.contains("--export-c"), "{}", refused.stderr);
    let none = folder.run("map cost-svm --train plant.json --domain 0:1,0:1 --export-c a.c");
    assert_eq!(none.status, 2, "{}", none.stderr);
}
