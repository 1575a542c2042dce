//! Figures, and the forms in which they are written.

use crate::common::{Explored, Followed};
use pathqp_views::plot::map::{Shows, draw};
use pathqp_views::{Form, Series, domain, plot};
use std::path::Path;

#[test]
fn an_ending_says_the_form() {
    for (file, form) in [("a.svg", Form::Svg), ("a.b/c", Form::Svg), ("a.PNG", Form::Png), ("a.svg.pdf", Form::Pdf)] {
        assert_eq!(Form::of(Path::new(file)).unwrap(), form, "{file}");
    }
    for file in ["a.jpg", "a.pdf.gz", "a.svgz"] {
        let sentence = format!("{file}: figures are written as .svg, .png or .pdf; choose one of these endings");
        assert_eq!(Form::of(Path::new(file)).unwrap_err().to_string(), sentence);
    }
}

#[test]
fn a_figure_has_three_forms() {
    let svg = plot::path(Followed::lasso().view(), None).unwrap();
    assert!(svg.starts_with("<svg width=\"960\"") && svg.trim_end().ends_with("</svg>"));
    for (form, begins) in [(Form::Svg, "<svg".as_bytes()), (Form::Png, b"\x89PNG"), (Form::Pdf, b"%PDF")] {
        assert!(form.encode(svg.clone()).unwrap().starts_with(begins), "{form:?}");
    }
    assert_eq!(Form::Pdf.encode("<svg".into()).unwrap_err().to_string().find("the figure cannot be drawn"), Some(0));
}

#[test]
fn figures_of_paths_name_what_they_show() {
    let svg = plot::path(Followed::lasso().view(), None).unwrap();
    for text in ["lasso on folder/rows.csv", "height", "&lt;width&gt;", "alpha"] {
        assert!(svg.contains(text), "{text}");
    }
    let svg = plot::path(Followed::quantile_svm().view(), None).unwrap();
    for text in ["quantile-svm on rows.csv", "class +1", "dual variables", "λ = 0.05", "linear kernel, bias none"] {
        assert!(svg.contains(text), "{text}");
    }
    let mut unlabelled = Followed::quantile_svm();
    unlabelled.data.classes = None;
    assert!(!plot::path(unlabelled.view(), None).unwrap().contains("class +1"));
}

#[test]
fn figures_of_maps_show_regions_losses_and_a_dual_variable() {
    let map = Explored::costs();
    let losses = vec![0.25; map.view().complex.regions().len()];
    for (shows, text) in [
        (Shows::Free, "coloured by free variables"),
        (Shows::Losses(&losses), "coloured by test "),
        (Shows::Dual(2), "of row 3"),
    ] {
        let svg = draw(map.view(), shows).unwrap();
        assert!(svg.contains("cost-svm on rows.csv") && svg.contains(text) && svg.contains("<polygon"), "{text}");
    }
    assert_eq!(domain(map.view().plane), "c-pos in [0, 1] and c-neg in [0, 2]");
}

#[test]
fn a_table_has_a_row_a_breakpoint() {
    let followed = Followed::lasso();
    let series = Series::new(followed.view());
    assert_eq!(series.csv().lines().count(), series.values.len() + 1);
    assert!(series.csv().starts_with("alpha,"));
    assert!(Series::drawn(followed.view()).values.len() >= series.values.len());
}
