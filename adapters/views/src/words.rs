//! Numbers, labels and models as people read them.

use pathqp_adapters::Bias;
use pathqp_adapters::dataset::Label;

/// A number as people write it: with an exponent where zeros would fill the line. It comes back exactly when read.
pub fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// A number of at most five significant digits.
pub fn rounded(value: f64) -> String {
    number(format!("{value:.4e}").parse().unwrap_or(value))
}

/// A label as its file has it.
pub fn label(label: &Label) -> String {
    match label {
        Label::Number(value) => number(*value),
        Label::Word(word) => word.clone(),
    }
}

/// A bias in the form of the option that asks for it.
pub fn bias_text(bias: Bias) -> String {
    match bias {
        Bias::None => "none".into(),
        Bias::Augmented(1.0) => "augmented".into(),
        Bias::Augmented(value) => format!("augmented:{}", number(value)),
        Bias::Intercept => "intercept".into(),
    }
}

/// The last part of a path, as people name a file.
pub fn file_name(source: &str) -> String {
    std::path::Path::new(source).file_name().map_or_else(|| source.into(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_come_back() {
        for (value, text) in
            [(0.5, "0.5"), (1e-200, "1e-200"), (-2.5e20, "-2.5e20"), (0.0, "0"), (1e15, "1000000000000000")]
        {
            assert_eq!((number(value).as_str(), text.parse()), (text, Ok(value)));
        }
    }
}
