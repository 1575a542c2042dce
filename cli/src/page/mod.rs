//! Pages on which a path or a map is explored: one HTML file with the data, the style and the script in it, and nothing from anywhere else.
//!
//! The page holds the solution at the ends of every piece of the path, on which it is affine in the parameter; the script interpolates. What
//! it cannot compute, the certificate, is computed here at the ends and in the middle of every piece.

pub mod control;
mod encode;
pub mod machine;
pub mod map;
mod pieces;
mod regions;
pub mod rows;
pub mod series;

use serde::Serialize;
use std::borrow::Cow;

/// What a page may weigh, in bytes: 5 MB less some room.
pub const LIMIT: usize = 4_900_000;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 7] = [
    include_str!("core.js"),
    include_str!("chart.js"),
    include_str!("data.js"),
    include_str!("panels.js"),
    include_str!("tables.js"),
    include_str!("path.js"),
    include_str!("map.js"),
];

/// A fact in the head of a page: what it is, and its value.
pub type Fact = (Cow<'static, str>, String);

/// The head of every page.
#[derive(Serialize)]
pub struct Head {
    /// What the page is about.
    pub title: String,
    /// The program that wrote it.
    pub program: String,
    /// A table of facts.
    pub facts: Vec<Fact>,
}

/// The page as text.
///
/// # Errors
/// Data that JSON cannot hold; there should be none.
pub fn html(title: &str, data: &impl Serialize) -> Result<String, serde_json::Error> {
    // Inside a script element only "<" can end it or begin a comment; JSON may write it as an escape.
    let data = serde_json::to_string(data)?.replace('<', "\\u003c");
    let parts =
        [("{title}", escape(title)), ("{style}", STYLE.into()), ("{script}", SCRIPTS.concat()), ("{data}", data)];
    let mut page = String::with_capacity(TEMPLATE.len() + parts.iter().map(|part| part.1.len()).sum::<usize>());
    let mut rest = TEMPLATE;
    // The template names its parts in this order, and what is put in is not looked at again.
    for (name, text) in &parts {
        if let Some((before, after)) = rest.split_once(name) {
            page.push_str(before);
            page.push_str(text);
            rest = after;
        }
    }
    page.push_str(rest);
    Ok(page)
}

/// Builds a page with less and less detail until it keeps to [`LIMIT`]; `detail` is 1, 4, 16, …. None if it never does.
///
/// # Errors
/// As [`html`].
pub fn fit<T: Serialize>(title: &str, mut build: impl FnMut(usize) -> T) -> Result<Option<String>, serde_json::Error> {
    /// From there on nothing gets smaller.
    const MOST: usize = 256;
    let mut detail = 1;
    while detail <= MOST {
        let page = html(title, &build(detail))?;
        if page.len() <= LIMIT {
            return Ok(Some(page));
        }
        detail *= 4;
    }
    Ok(None)
}

/// Text for HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The last part of a path, as people name a file.
pub fn file_name(source: &str) -> String {
    std::path::Path::new(source).file_name().map_or_else(|| source.into(), |name| name.to_string_lossy().into_owned())
}

/// An even selection of at most `most` of `n` indices.
fn even(n: usize, most: usize) -> Vec<usize> {
    let shown = n.min(most);
    (0..shown).map(|k| k * n / shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_data_can_end_the_script() {
        let page = html("a </title><b>", &["</script><script>alert(1)</script>", "{script}", "<!--"]).unwrap();
        assert!(!page.contains("alert(1)</script>") && !page.contains("<!--") && page.contains("\\u003c/script>"));
        assert!(page.contains("<title>a &lt;/title&gt;&lt;b&gt;</title>"));
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    }

    #[test]
    fn selections_are_even() {
        assert_eq!(even(10, 5), [0, 2, 4, 6, 8]);
        assert_eq!(even(3, 5), [0, 1, 2]);
        assert!(even(0, 5).is_empty());
    }
}
