//! Pages on which a path or a map is explored: one HTML file with the data, the style and the script in it, and nothing from anywhere else.
//!
//! The page holds the solution at the ends of every piece of the path, on which it is affine in the parameter; the script interpolates. What
//! it cannot compute, the certificate, is computed here at the ends and in the middle of every piece.

mod control;
mod encode;
mod machine;
mod map;
mod pieces;
mod regions;
mod rows;
mod series;

pub use rows::Labelled;

use crate::error::ViewError;
use crate::map::MapView;
use crate::path::{Machine, PathView};
use serde::Serialize;
use std::borrow::Cow;

/// What a page may weigh, in bytes: 5 MB less some room.
const LIMIT: usize = 4_900_000;

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

/// A page, and what it says of itself.
pub struct Made {
    /// The page, one HTML file.
    pub text: String,
    /// The largest scaled KKT residual and the largest relative gap on it.
    pub worst: [f64; 2],
}

/// Who is told how many of how many certificates of a page are begun, from any thread.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// The page of a path, with further rows and their responses beside the training rows, scaled as these are, if there is a kernel.
///
/// # Errors
/// [`ViewError::Nothing`], [`ViewError::TooLarge`], and [`ViewError::Adapter`] for what the problem cannot say of its path.
pub fn of_path(view: PathView<'_>, test: Option<Labelled>, watch: Watch<'_>) -> Result<Made, ViewError> {
    let PathView { about, posed, path, .. } = view;
    if path.segments().is_empty() {
        return Err(ViewError::Nothing);
    }
    let (title, count) = (about.title(), path.segments().len());
    let Some(posed) = Machine::of(posed) else { return of_series(view) };
    if path.end() == path.begin() && !path.is_endless() {
        return Err(ViewError::Nothing);
    }
    let prepared = machine::Prepared::new(view, posed, test, watch);
    let text = text(&title, (count, "pieces"), fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { text, worst: prepared.worst() })
}

fn of_series(view: PathView<'_>) -> Result<Made, ViewError> {
    let facts = view.facts()?.into_iter().filter_map(|fact| fact.text).map(|(what, text)| (what.into(), text));
    let prepared = series::Prepared::new(view, facts.collect());
    let title = view.about.title();
    let pieces = (prepared.pieces(), "pieces");
    let text = text(&title, pieces, fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { text, worst: prepared.worst() })
}

/// The page of a map, with further rows and their responses beside the training rows, scaled as these are, if there is a kernel.
///
/// # Errors
/// [`ViewError::TooLarge`].
pub fn of_map(map: MapView<'_>, test: Option<Labelled>) -> Result<Made, ViewError> {
    let (title, count, what) = (map.about.title(), map.complex.regions().len(), "regions");
    if map.plane.kernel().is_none() {
        let (page, worst) = control::page(map);
        let made = html(&title, &page).map(|text| (text.len() <= LIMIT).then_some(text));
        return Ok(Made { text: text(&title, (count, what), made)?, worst });
    }
    let prepared = map::Prepared::new(map, test);
    let prepared = prepared.ok_or_else(|| ViewError::TooLarge { title: title.clone(), count, what })?;
    let text = text(&title, (count, what), fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { text, worst: prepared.worst() })
}

/// The text of a page, if it is small enough.
fn text(
    title: &str,
    (count, what): (usize, &'static str),
    page: Result<Option<String>, serde_json::Error>,
) -> Result<String, ViewError> {
    page?.ok_or_else(|| ViewError::TooLarge { title: title.into(), count, what })
}

/// A fact in the head of a page: what it is, and its value.
type Fact = (Cow<'static, str>, String);

/// The head of every page.
#[derive(Serialize)]
struct Head {
    /// What the page is about.
    title: String,
    /// The program that wrote it.
    program: String,
    /// A table of facts.
    facts: Vec<Fact>,
}

/// The page as text.
///
/// # Errors
/// Data that JSON cannot hold; there should be none.
fn html(title: &str, data: &impl Serialize) -> Result<String, serde_json::Error> {
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
fn fit<T: Serialize>(title: &str, mut build: impl FnMut(usize) -> T) -> Result<Option<String>, serde_json::Error> {
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
