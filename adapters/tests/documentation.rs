//! The documents say what the code does: code blocks are compiled sources, tables are the defaults, links lead somewhere.

use pathqp::validate::validate;
use pathqp::{Certificate, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../examples/custom_adapter.rs"]
mod custom_adapter;

use custom_adapter::{OneClassError, OneClassSvm, ring};

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
    let shown = blocks(&read("docs/adapters.md"), "rust");
    assert_eq!(shown, [read("adapters/examples/custom_adapter.rs")]);
}

#[test]
fn the_example_of_the_guide_is_right_along_its_whole_path() {
    custom_adapter::main().unwrap();
    let (rows, settings) = (ring(), Settings::default());
    let svm = OneClassSvm::new(rows.clone(), 0.5).unwrap();
    let path = svm.path(&settings).unwrap();
    assert!(path.is_complete());
    let line = svm.line(&settings).unwrap();
    assert_eq!(validate(&path, &line, &1e-9), []);

    let n = rows.len() as f64;
    for t in (1..100).map(|k| path.end() * k as f64 / 100.0) {
        let (point, nu) = (path.at(&t).unwrap(), path.parameter(&t)[0]);
        let model = svm.model(&point);
        let certificate = Certificate::new(&line, &t, &point.x, &point.y);
        assert!(certificate.kkt_residual() <= 1e-9, "ν = {nu}: {certificate:?}");
        // At most a share ν of the rows lies outside, at least that share lies outside or on the boundary.
        let f: Vec<f64> = rows.iter().map(|x| svm.decision(&model, x)).collect();
        let outside = f.iter().filter(|f| **f < -1e-9).count() as f64;
        let not_inside = f.iter().filter(|f| **f <= 1e-9).count() as f64;
        assert!(outside <= nu * n + 1e-9 && nu * n - 1e-9 <= not_inside, "ν = {nu}: {outside}, {not_inside}");
    }
}

#[test]
fn the_example_of_the_guide_names_what_is_wrong() {
    let error = |rows: &[&[f64]], gamma| {
        let svm = OneClassSvm::new(rows.iter().map(|x| x.to_vec()).collect(), gamma);
        svm.and_then(|svm| svm.path(&Settings::default())).map(|_| ()).unwrap_err()
    };
    assert!(matches!(error(&[&[1.0]], -1.0), OneClassError::Gamma { value: -1.0 }));
    assert!(matches!(error(&[&[1.0], &[1.0, 2.0]], 1.0), OneClassError::Ragged { row: 1, expected: 1, found: 2 }));
    assert!(error(&[&[1.0], &[f64::NAN]], 1.0).to_string().starts_with("H[1,1] is NaN"));
    assert!(matches!(error(&[], 1.0), OneClassError::Problem(_)));
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
    for folder in ["src", "adapters/src", "cli/src"] {
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

#[test]
fn links_between_documents_lead_somewhere() {
    let mut files: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md"].iter().map(|f| root().join(f)).collect();
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    files.extend(docs.filter(|file| file.extension().is_some_and(|e| e == "md")));
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let target = link.split('#').next().unwrap();
            let exists = target.is_empty() || link.contains("://") || file.with_file_name(target).exists();
            assert!(exists, "{}: {link} does not exist", file.display());
        }
    }
}

#[test]
fn the_readme_has_two_commands() {
    let commands: Vec<String> = blocks(&read("README.md"), "sh").iter().map(|b| b.trim().into()).collect();
    let [path, test] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(path.starts_with("cargo run --release -p pathqp-cli -- path quantile-svm --train data/pima.csv"), "{path}");
    assert_eq!(test, "cargo test");
}
