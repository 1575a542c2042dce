//! The documents say what the code does: code blocks are compiled sources, tables are the defaults, links lead somewhere.

use pathqp::testing::{Options, Random, check, check_exactly};
use pathqp::{Settings, Start};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../examples/custom_adapter.rs"]
mod custom_adapter;
#[path = "../examples/dispatch.rs"]
mod dispatch;
#[allow(dead_code)]
#[path = "../examples/index_tracker.rs"]
mod index_tracker;

use custom_adapter::{BallError, EnclosingBalls, disc, outside};
use dispatch::{Dispatch, DispatchError, Plant, plants};
use index_tracker::{IndexTracker, market};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The contents of the fenced blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(fence) = line.strip_prefix("```") else { continue };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if fence == language {
            blocks.push(inside.join("\n") + "\n");
        }
    }
    blocks
}

#[test]
fn the_guide_to_adapters_shows_the_compiled_example() {
    let page = read("docs/adapters.md");
    assert_eq!(blocks(&page, "rust"), [read("adapters/examples/custom_adapter.rs")]);
    assert_eq!(blocks(&page, "text"), [custom_adapter::report().unwrap()]);
    custom_adapter::main().unwrap();
}

#[test]
fn the_example_of_the_guide_is_right_along_its_whole_path() {
    let whole: Vec<Vec<f64>> = (0..8).map(|i| vec![f64::from(i % 3), f64::from(i / 3), 0.0]).collect();
    let mut random = Random(1);
    let cloud: Vec<Vec<f64>> = (0..25).map(|_| (0..4).map(|_| 1e3 * random.normal()).collect()).collect();
    let repeated: Vec<Vec<f64>> = disc().into_iter().take(6).cycle().take(15).collect();
    for rows in [disc(), whole.clone(), cloud, repeated, vec![vec![2.0]]] {
        let balls = EnclosingBalls::new(rows.clone()).unwrap();
        let (qp, start) = (balls.qp().unwrap(), balls.start());
        let end = if rows.len() == 1 { 0.5 } else { balls.least() };
        assert_eq!(check(&qp, &[1.0], &[end], &start, &Options::default()), [], "{} rows", rows.len());
    }
    let qp = EnclosingBalls::new(whole).unwrap().qp().unwrap();
    assert_eq!(check_exactly(&qp, &[1.0], &[0.125], &Options::default()), []);
}

#[test]
fn the_example_of_the_guide_holds_what_it_should() {
    let (rows, balls) = (disc(), EnclosingBalls::new(disc()).unwrap());
    let (path, n) = (balls.path(&Settings::default()).unwrap(), rows.len() as f64);
    for k in 0..=100 {
        let nu = balls.least() + (1.0 - balls.least()) * f64::from(k) / 100.0;
        let ball = balls.at(&path, nu).unwrap();
        let distances: Vec<f64> = rows.iter().map(|x| outside(&ball, x)).collect();
        let out = distances.iter().filter(|d| **d > 1e-9).count() as f64;
        let not_in = distances.iter().filter(|d| **d >= -1e-9).count() as f64;
        assert!(out <= nu * n + 1e-9 && nu * n - 1e-9 <= not_in, "nu = {nu}: {out}, {not_in}");
    }
    // At nu = 1 any radius up to the distance of the nearest point does, and the segment that begins there knows nothing of it.
    let (line, point) = (balls.line().unwrap(), path.at(&0.0).unwrap());
    let range = pathqp::Certificate::new(&line, &0.0, &point.x, &point.y).multiplier_range.unwrap();
    let first = balls.at(&path, 1.0).unwrap();
    let nearest = rows.iter().map(|x| outside(&first, x)).fold(f64::INFINITY, f64::min);
    assert!(nearest.abs() < 1e-12 && !point.floating, "{nearest}");
    assert!((range.0.unwrap() - point.y).abs() < 1e-9 && range.1.is_none(), "{range:?} {}", point.y);
    let mean = [0, 1].map(|j| rows.iter().map(|x| x[j]).sum::<f64>() / n);
    let centre = balls.at(&path, 1.0).unwrap().centre;
    assert!(mean.iter().zip(&centre).all(|(a, b)| (a - b).abs() < 1e-14), "{mean:?} {centre:?}");
    let smallest = balls.at(&path, balls.least()).unwrap();
    assert!(rows.iter().all(|x| outside(&smallest, x) < 1e-12));
    // Two points: the ball between them.
    let two = EnclosingBalls::new(vec![vec![0.0, 1.0], vec![4.0, 1.0]]).unwrap();
    let ball = two.at(&two.path(&Settings::default()).unwrap(), 0.5).unwrap();
    assert!((ball.centre[0] - 2.0).abs() < 1e-15 && (ball.square - 4.0).abs() < 1e-14, "{ball:?}");
}

#[test]
fn the_example_of_the_guide_names_what_is_wrong() {
    let error = |rows: &[&[f64]]| {
        let balls = EnclosingBalls::new(rows.iter().map(|x| x.to_vec()).collect());
        balls.and_then(|balls| balls.path(&Settings::default())).map(|_| ()).unwrap_err()
    };
    assert!(matches!(error(&[&[1.0], &[1.0, 2.0]]), BallError::Ragged { row: 1, expected: 1, found: 2 }));
    assert!(error(&[&[1.0], &[f64::NAN]]).to_string().contains("row 1 of Z is NaN"));
    assert!(matches!(error(&[]), BallError::Problem(_)));
}

#[test]
fn the_example_with_rows_is_right_along_its_whole_path() {
    assert!(blocks(&read("docs/adapters.md"), "rust,ignore").iter().any(|block| {
        block.contains("fn qp") && read("adapters/examples/index_tracker.rs").contains(block.trim_end())
    }));
    let mut random = Random(5);
    let mut returns = |d: usize, n: usize| (0..d).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
    let noisy: Vec<Vec<f64>> = returns(5, 40);
    let index = (0..40).map(|t| noisy.iter().map(|asset| asset[t]).sum::<f64>() / 5.0).collect();
    // More assets than periods, and two that are the same.
    let mut wide: Vec<Vec<f64>> = returns(9, 6);
    wide.push(wide[0].clone());
    let few = wide[1].iter().map(|r| 0.5 * r).collect();
    for tracker in [market(), IndexTracker::new(noisy, index).unwrap(), IndexTracker::new(wide, few).unwrap()] {
        let (qp, most) = (tracker.qp().unwrap(), tracker.most());
        assert_eq!(check(&qp, &[0.0], &[most], &Start::Anywhere, &Options::default()), []);
        // Nothing is ahead by more, and all of it is in the best asset there.
        let line = qp.line(&[0.0], &[2.0 * most]).unwrap();
        let path = pathqp::trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        assert!((path.parameter(path.end())[0] - most).abs() <= 1e-12 * most.abs().max(1.0));
        let last = path.at(path.end()).unwrap().x;
        assert!(last.iter().any(|w| (w - 1.0).abs() < 1e-9), "{last:?}");
        // The price is the slope of half the mean square.
        let half = |lead: f64| tracker.error(&path.at_parameter(&[lead]).unwrap().x) / 2.0;
        for lead in [0.3, 0.6, 0.9].map(|share| share * most) {
            let step = 1e-5 * most;
            let (price, slope) = (path.at_parameter(&[lead]).unwrap().rows[1], half(lead + step) - half(lead - step));
            assert!((price - slope / (2.0 * step)).abs() <= 1e-5 * (1.0 + price.abs()), "{price} at {lead}");
        }
    }
    assert!(IndexTracker::new(vec![vec![0.1]], vec![0.1, 0.2]).is_err());
    assert!(IndexTracker::new(Vec::new(), Vec::new()).is_err());
}

#[test]
fn the_price_of_electricity() {
    dispatch::main().unwrap();
    let made = Dispatch::new(plants()).unwrap();
    let (qp, [least, most]) = (made.qp().unwrap(), made.demand());
    assert_eq!(check(&qp, &[least], &[most], &Start::Anywhere, &Options::default()), []);
    let path = made.path(&Settings::default()).unwrap();
    // Wind is free up to 50 beside the least 20 of coal, which goes on at 16 + p/8 until the gas turbines are worth it at 30; oil is last.
    let price = |demand: f64| made.at(&path, demand).unwrap().1;
    for (demand, expected) in [(60.0, 0.0), (120.0, 24.75), (162.0, 30.0), (275.0, 75.0)] {
        assert!((price(demand) - expected).abs() < 1e-12, "{demand}: {}", price(demand));
    }
    // Prices rise with demand, and every plant off its limits is paid its marginal cost.
    let all: Vec<f64> = (0..=1000).map(|k| price(least + (most - least) * f64::from(k) / 1000.0)).collect();
    assert!(all.windows(2).all(|w| w[0] <= w[1] + 1e-12));

    // Whole numbers: √q must be one, and plants are equal or tie at a price.
    let mut random = Random(3);
    for _ in 0..30 {
        let mut plant = || {
            let (q, k, low) = (random.integer(1).abs(), random.integer(2), random.integer(2));
            Plant { q, k, output: [low, low + 2.0 + random.integer(2)] }
        };
        let some: Vec<Plant> = (0..5).map(|_| plant()).collect();
        let made = Dispatch::new(some.iter().chain(&some[3..]).cloned().collect()).unwrap();
        let (qp, [least, most]) = (made.qp().unwrap(), made.demand());
        if least < most {
            assert_eq!(check(&qp, &[least], &[most], &Start::Anywhere, &Options::default()), [], "{some:?}");
            assert_eq!(check_exactly(&qp, &[least], &[most], &Options::default()), [], "{some:?}");
        }
    }
    let error = Dispatch::new(vec![Plant { q: -1.0, k: 0.0, output: [0.0, 1.0] }]).map(|_| ());
    assert!(matches!(error, Err(DispatchError::Quadratic { plant: 0, value: -1.0 })));
}

/// Lines with something else than comments, before the tests.
fn lines_of_code(source: &str) -> usize {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default().lines().map(str::trim);
    code.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn the_table_of_adapters_counts_their_lines() {
    let page = read("docs/adapters.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| [`")?.split_once("`](../adapters/src/"));
    let mut counted = 0;
    for (file, rest) in rows {
        let lines = rest.split('|').nth(1).unwrap().trim();
        let found = lines_of_code(&read(&format!("adapters/src/{file}")));
        assert_eq!(lines, found.to_string(), "{file}");
        assert!(found <= 120, "{file} has {found} lines");
        if let Some((lines, file)) =
            rest.split('|').nth(2).and_then(|cell| cell.trim().split_once("](../adapters/src/"))
        {
            let file = file.trim_end_matches(')');
            let found = lines_of_code(&read(&format!("adapters/src/{file}")));
            assert_eq!(lines.trim_start_matches('['), found.to_string(), "{file}");
        }
        counted += 1;
    }
    assert!(counted >= 4);
}

#[test]
fn the_table_of_settings_lists_every_default() {
    let text = format!("{:?}", Settings::default());
    let inside = text.split_once('{').unwrap().1.trim_end_matches('}');
    let fields = inside.split(',').map(|field| field.split_once(':').unwrap());
    let defaults: BTreeMap<String, String> =
        fields.map(|(name, value)| (name.trim().into(), value.trim().trim_end_matches(".0").into())).collect();

    let architecture = read("docs/architecture.md");
    let rows = architecture.lines().filter_map(|line| line.strip_prefix("| `settings.")?.split_once("` | "));
    let plain = |cell: &str| match cell.trim() {
        "none" => "None".to_string(),
        number => number.replace(',', ""),
    };
    let table: BTreeMap<String, String> =
        rows.map(|(name, rest)| (name.into(), plain(rest.split('|').next().unwrap()))).collect();
    let same = |text: &str, other: &str| text == other || text.parse::<f64>().ok() == other.parse::<f64>().ok();
    assert_eq!(table.keys().collect::<Vec<_>>(), defaults.keys().collect::<Vec<_>>());
    for (name, value) in &defaults {
        assert!(same(value, &table[name]), "{name} is {value}, docs/architecture.md has {}", table[name]);
    }
}

/// The names of the files below a folder, and what they contain.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        text.push_str(&format!("{}\n", entry.file_name().unwrap().display()));
        if entry.is_dir() {
            sources(&entry, text);
        } else {
            text.push_str(&fs::read_to_string(&entry).unwrap());
        }
    }
}

#[test]
fn names_in_the_documents_exist_in_the_code() {
    let mut code = String::new();
    for folder in ["src", "adapters/src", "adapters/moments/src", "adapters/views/src", "cli/src"] {
        sources(&root().join(folder), &mut code);
    }
    fn words(text: &str) -> BTreeSet<&str> {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect()
    }
    let known = words(&code);
    for file in ["docs/architecture.md", "docs/notation.md"] {
        let text = read(file);
        for name in text.split('`').skip(1).step_by(2).filter(|name| !name.contains(['-', '\n', ' '])) {
            assert!(words(name).is_subset(&known), "{file}: `{name}` is nowhere in the code");
        }
    }
}

/// The pages of docs/ and its folders, without the summary.
fn pages() -> Vec<PathBuf> {
    let folders = ["docs", "docs/problems", "docs/experiments"];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let pages = entries.map(|entry| entry.unwrap().path()).filter(|file| file.extension().is_some_and(|e| e == "md"));
    pages.filter(|file| !file.ends_with("SUMMARY.md")).collect()
}

/// What a page links to.
fn links(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(link, _)| link.to_owned()).collect()
}

/// The places of a page that a link may lead to: its headings, in lower case, with hyphens for spaces and without other signs.
fn places(text: &str) -> BTreeSet<String> {
    let letters = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    headings
        .map(|heading| heading.trim_start_matches('#').trim().to_lowercase().chars().filter_map(letters).collect())
        .collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let others =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md", "python/README.md", "docs/SUMMARY.md"];
    let mut files: Vec<PathBuf> = others.iter().map(|file| root().join(file)).collect();
    files.extend(pages());
    for file in files {
        for link in links(&file).iter().filter(|link| !link.contains("://")) {
            let (name, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if name.is_empty() { file.clone() } else { file.parent().unwrap().join(name) };
            assert!(target.exists(), "{}: {link} does not exist", file.display());
            let is_page = target.extension().is_some_and(|e| e == "md");
            let found = !is_page || place.is_empty() || places(&fs::read_to_string(&target).unwrap()).contains(place);
            assert!(found, "{}: {link} has no such heading", file.display());
        }
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let listed = links(&root().join("docs/SUMMARY.md"));
    for page in pages() {
        let name = page.strip_prefix(root().join("docs")).unwrap().to_str().unwrap().replace('\\', "/");
        assert_eq!(listed.iter().filter(|link| **link == name).count(), 1, "{name}");
    }
}

#[test]
fn every_problem_has_a_page() {
    for entry in pathqp_adapters::problems::PROBLEMS {
        let file = format!("docs/problems/{}.md", entry.name);
        let page = read(&file);
        assert!(page.contains("\n    min over "), "{file} has no formula");
        assert!(page.contains("\n**What it costs.** "), "{file} does not say what the problem costs");
        let commands = blocks(&page, "text").concat();
        assert!(commands.contains(&format!("{} --", entry.name)) && commands.contains("--plot "), "{file}: {commands}");
        let figures = links(&root().join(&file)).iter().filter(|link| link.ends_with(".svg")).count();
        assert_eq!((figures, blocks(&page, "python").len()), (1, 1), "{file}: figures and programs");
    }
}

#[test]
fn the_readme_has_two_commands() {
    let commands: Vec<String> = blocks(&read("README.md"), "sh").iter().map(|b| b.trim().into()).collect();
    let [path, test] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(path.starts_with("cargo run --release -p pathqp-cli -- path quantile-svm --train data/pima.csv"), "{path}");
    assert_eq!(test, "cargo test");
}
