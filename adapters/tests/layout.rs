//! How the code is laid out: files of at most 500 lines, functions of at most 60, and no circle of imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a folder whose names end in one of these.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap();
        if entry.is_dir() && !name.starts_with('.') && name != "target" {
            found.extend(files(&entry, endings));
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(entry);
        }
    }
    found
}

#[test]
fn no_file_has_more_than_500_lines() {
    let mut count = 0;
    for folder in ["src", "tests", "benches", "examples", "adapters", "cli", "python"] {
        for file in files(&root().join(folder), &[".rs", ".py", ".js"]) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 500, "{} has {lines} lines", file.display());
            count += 1;
        }
    }
    assert!(count > 300, "{count} files");
}

/// Functions of these lines, with their names: from `fn` to the brace that ends it, at the same indentation.
fn functions(lines: &[&str]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let words: Vec<&str> = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let Some(at) = words.iter().position(|word| *word == "fn") else { continue };
        if code.starts_with("//")
            || !words[..at].iter().all(|word| ["pub", "crate", "super", "const", ""].contains(word))
        {
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - code.len()]);
        if let Some(length) = lines[begin..].iter().position(|line| *line == end) {
            found.push((words[at + 1].to_owned(), length + 1));
        }
    }
    found
}

#[test]
fn no_function_has_more_than_60_lines() {
    let mut count = 0;
    for folder in
        ["src", "examples", "adapters/src", "adapters/moments/src", "adapters/views/src", "cli/src", "python/src"]
    {
        for file in files(&root().join(folder), &[".rs"]) {
            let text = fs::read_to_string(&file).unwrap();
            for (name, length) in functions(&text.lines().collect::<Vec<_>>()) {
                assert!(length <= 60, "{}: {name} has {length} lines", file.display());
                count += 1;
            }
        }
    }
    assert!(count > 2000, "{count} functions");
    assert_eq!(functions(&["    pub(crate) fn one() {", "        2", "    }"]), [("one".to_owned(), 3)]);
}

/// What each module of a crate imports of its others: modules of the crate's root, and of these only folders where
/// `folders` says so.
fn imports(source: &Path, folders: bool) -> BTreeMap<String, BTreeSet<String>> {
    let is_node = |name: &str| source.join(name).is_dir() || (!folders && source.join(format!("{name}.rs")).is_file());
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(source, &[".rs"]) {
        let inside = file.strip_prefix(source).unwrap();
        let top = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
        let mut code = lines.collect::<Vec<_>>().join("\n");
        if file.parent() == Some(source) {
            code = code.replace("super::", "crate::");
        }
        for rest in code.split("crate::").skip(1) {
            let list = match rest.strip_prefix('{') {
                Some(list) => list.split(';').next().unwrap_or_default(),
                None => rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default(),
            };
            let names = list.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let others = names.filter(|name| !name.is_empty() && *name != top && is_node(name)).map(str::to_owned);
            edges.entry(top.clone()).or_default().extend(others);
        }
    }
    edges.retain(|name, _| is_node(name));
    edges
}

/// What is left of a graph when modules that import nothing are taken away again and again: the circles, and what leads
/// to them.
fn circles(mut edges: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let names: BTreeSet<String> = edges.keys().cloned().collect();
        edges.values_mut().for_each(|targets| targets.retain(|name| names.contains(name)));
        let before = edges.len();
        edges.retain(|_, targets| !targets.is_empty());
        if edges.len() == before {
            return edges;
        }
    }
}

#[test]
fn imports_have_no_circle() {
    for (source, folders) in [
        ("src", true),
        ("adapters/src", true),
        ("adapters/moments/src", false),
        ("adapters/views/src", false),
        ("cli/src", false),
        ("python/src", false),
    ] {
        let edges = imports(&root().join(source), folders);
        assert!(edges.values().map(BTreeSet::len).sum::<usize>() > 2, "{source}: {edges:?}");
        assert_eq!(circles(edges), BTreeMap::new(), "{source}");
    }
    let edge = |from: &str, to: &str| (from.to_owned(), BTreeSet::from([to.to_owned()]));
    let ring = BTreeMap::from([edge("a", "b"), edge("b", "c"), edge("c", "b"), edge("d", "e")]);
    assert_eq!(circles(ring).len(), 3);
}
