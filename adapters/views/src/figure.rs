//! A figure in the form that its file's name asks for: drawn as SVG, turned into PNG or PDF by resvg and svg2pdf.

use crate::error::ViewError;
use std::path::Path;
use std::sync::Arc;
use svg2pdf::usvg::{Options, Tree, fontdb};

/// Letters of Europe and signs of mathematics: a part of DejaVu Sans, see its licence beside it. Figures then look the same wherever they are made.
const FONT: &[u8] = include_bytes!("../assets/DejaVuSans.ttf");

/// Pixels a CSS pixel (1/96 inch): 288 an inch, for a column of print.
const RESOLUTION: f32 = 3.0;

/// What figures are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As drawn.
    Svg,
    /// Pixels.
    Png,
    /// A page of the figure's size.
    Pdf,
}

impl Form {
    /// By the ending of a file's name, SVG without one.
    ///
    /// # Errors
    /// [`ViewError::Ending`].
    pub fn of(file: &Path) -> Result<Form, ViewError> {
        let Some(ending) = file.extension() else { return Ok(Form::Svg) };
        let forms = [("svg", Form::Svg), ("png", Form::Png), ("pdf", Form::Pdf)];
        let form = forms.into_iter().find(|(name, _)| ending.eq_ignore_ascii_case(name)).map(|(_, form)| form);
        form.ok_or_else(|| ViewError::Ending { file: file.display().to_string() })
    }

    /// A drawing as the file's content.
    ///
    /// # Errors
    /// [`ViewError::Drawing`].
    pub fn encode(self, svg: String) -> Result<Vec<u8>, ViewError> {
        match self {
            Form::Svg => Ok(svg.into_bytes()),
            Form::Png => pixels(&tree(&svg)?),
            Form::Pdf => {
                let page = svg2pdf::PageOptions { dpi: 96.0 };
                svg2pdf::to_pdf(&tree(&svg)?, svg2pdf::ConversionOptions::default(), page).map_err(ViewError::drawing)
            }
        }
    }
}

fn tree(svg: &str) -> Result<Tree, ViewError> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    // Names of columns may be written otherwise: the machine may have the letters.
    if svg.chars().any(|letter| letter > '\u{22ff}' || ('\u{530}'..'\u{1d00}').contains(&letter)) {
        fonts.load_system_fonts();
    }
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    Tree::from_str(svg, &options).map_err(ViewError::drawing)
}

fn pixels(tree: &Tree) -> Result<Vec<u8>, ViewError> {
    let [width, height] = [tree.size().width(), tree.size().height()].map(|side| (side * RESOLUTION).ceil() as u32);
    let mut map = resvg::tiny_skia::Pixmap::new(width, height).ok_or_else(|| ViewError::drawing("it has no size"))?;
    let scale = resvg::tiny_skia::Transform::from_scale(RESOLUTION, RESOLUTION);
    resvg::render(tree, scale, &mut map.as_mut());
    map.encode_png().map_err(ViewError::drawing)
}
