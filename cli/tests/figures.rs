//! Figures are written in the form that their file's name asks for.

use crate::common::Folder;
use resvg::tiny_skia::Pixmap;

const TABLE: &str = "height,weight\n1,2\n2,2.5\n3,5\n4,4\n5,7\n";

/// The share of pixels that are not white in a strip of rows, from and to as parts of the height.
fn ink(picture: &Pixmap, [from, to]: [f64; 2]) -> f64 {
    let (width, height) = (picture.width() as usize, f64::from(picture.height()));
    let rows = (from * height) as usize * width..(to * height) as usize * width;
    let pixels = &picture.pixels()[rows];
    pixels.iter().filter(|p| p.red() < 250 || p.green() < 250 || p.blue() < 250).count() as f64 / pixels.len() as f64
}

#[test]
fn a_path_is_drawn_as_svg_png_and_pdf() {
    let folder = Folder::new();
    folder.write("t.csv", TABLE);
    for name in ["f.svg", "f.png", "F.PDF", "f"] {
        folder.ok(&format!("path lasso --train t.csv --plot {name}"));
    }
    assert_eq!(folder.bytes("f"), folder.bytes("f.svg"));
    let svg = folder.text("f.svg");
    let size = svg.split('"').nth(1).and_then(|width| width.parse::<u32>().ok()).expect("a width");
    let picture = Pixmap::decode_png(&folder.bytes("f.png")).expect("a picture");
    assert_eq!(picture.width(), 3 * size);
    // The title is text, and there is no text without a font.
    let title = ink(&picture, [0.0, 0.06]);
    assert!(0.002 < title && title < 0.2, "{title}");
    let whole = ink(&picture, [0.0, 1.0]);
    assert!(0.005 < whole && whole < 0.5, "{whole}");
    let pdf = folder.bytes("F.PDF");
    let has = |word: &str| pdf.windows(word.len()).any(|part| part == word.as_bytes());
    assert!(pdf.starts_with(b"%PDF-") && has("%%EOF") && has("/FontFile"), "{} bytes", pdf.len());
}

#[test]
fn names_in_other_letters_do_not_stop_a_figure() {
    let folder = Folder::new();
    folder.write("t.csv", TABLE.replace("height", "身長").replace("weight", "βάρος"));
    folder.ok("path lasso --train t.csv --plot f.png");
    folder.ok("path lasso --train t.csv --plot f.pdf");
    assert!(Pixmap::decode_png(&folder.bytes("f.png")).is_ok());
    folder.run("path lasso --train t.csv --plot f.eps").refused(&["--plot f.eps", ".svg, .png or .pdf"]);
}
