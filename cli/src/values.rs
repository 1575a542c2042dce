//! Options' values: numbers with their ranges, and the bias.

use pathqp_adapters::Bias;
use pathqp_views::words::number;
use std::time::Duration;

/// The largest number of feature columns: a few vectors of that length must fit in memory.
pub const MOST_COLUMNS: usize = 50_000_000;

/// A number that is finite.
pub fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("it must be a finite number, such as 0.5 or 1e-3".into()),
    }
}

/// A number that is finite, or inf.
pub fn end(text: &str) -> Result<f64, String> {
    if text.trim() == "inf" { Ok(f64::INFINITY) } else { finite(text) }
}

/// A number, which may be infinite.
pub fn bound(text: &str) -> Result<f64, String> {
    match text.trim() {
        "-inf" => Ok(f64::NEG_INFINITY),
        text => end(text),
    }
}

/// A rectangle in two parameters, in their order; an end left out is the problem's own.
pub type Domain = [[Option<f64>; 2]; 2];

/// `A:B,C:D,…`, one range or more, where an end may be left out.
pub fn ranges(text: &str) -> Result<Vec<[Option<f64>; 2]>, String> {
    let end = |text: &str| match text.trim() {
        "" => Ok(None),
        text => finite(text).map(Some),
    };
    let range = |text: &str| -> Result<[Option<f64>; 2], String> {
        let (from, to) = text.split_once(':').ok_or("a range is two numbers A:B, or A: without an upper end")?;
        Ok([end(from)?, end(to)?])
    };
    text.split(',').map(range).collect()
}

/// A number that is finite and positive.
pub fn positive(text: &str) -> Result<f64, String> {
    match finite(text) {
        Ok(value) if value > 0.0 => Ok(value),
        _ => Err("it must be a positive finite number, such as 1e-3".into()),
    }
}

/// A number that is finite and not negative.
pub fn not_negative(text: &str) -> Result<f64, String> {
    match finite(text) {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("it must be a finite number that is not negative, such as 0.5".into()),
    }
}

/// A number in [0, 1].
pub fn share(text: &str) -> Result<f64, String> {
    match finite(text) {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("it must be a number from 0 to 1, such as 0.5".into()),
    }
}

/// A number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let value = finite(text).ok().filter(|v| *v >= 0.0);
    let duration = value.and_then(|v| Duration::try_from_secs_f64(v).ok());
    duration.ok_or_else(|| "it must be a number of seconds, such as 60".into())
}

/// A count.
pub fn count(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| "it must be a whole number, such as 1000".into())
}

/// The largest number of threads.
const MOST_THREADS: usize = 1024;

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.trim().parse::<usize>() {
        Ok(value) if (1..=MOST_THREADS).contains(&value) => Ok(value),
        _ => Err(format!("it must be a whole number from 1 to {MOST_THREADS}")),
    }
}

/// A number of feature columns.
pub fn columns(text: &str) -> Result<usize, String> {
    match text.trim().parse::<usize>() {
        Ok(value) if (1..=MOST_COLUMNS).contains(&value) => Ok(value),
        _ => Err(format!("it must be a whole number from 1 to {MOST_COLUMNS}")),
    }
}

/// `none`, `augmented[:B]` or `intercept`.
pub fn bias(text: &str) -> Result<Bias, String> {
    match text.split_once(':') {
        None if text == "none" => Ok(Bias::None),
        None if text == "augmented" => Ok(Bias::Augmented(1.0)),
        None if text == "intercept" => Ok(Bias::Intercept),
        Some(("augmented", value)) => match finite(value) {
            Ok(value) if value != 0.0 => Ok(Bias::Augmented(value)),
            _ => Err("the constant feature must be a finite number other than zero".into()),
        },
        _ => Err("use none, augmented, augmented:B or intercept".into()),
    }
}

/// An interval, open at an end that is infinite or the least positive number.
pub fn interval(low: f64, high: f64) -> String {
    let low = if low == f64::MIN_POSITIVE { "(0".into() } else { format!("[{}", number(low)) };
    let high = if high.is_finite() { format!("{}]", number(high)) } else { "inf)".into() };
    format!("{low}, {high}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathqp_views::words;

    #[test]
    fn a_bias_is_read_and_written_alike() {
        for text in ["none", "augmented", "augmented:2", "augmented:-0.5", "intercept"] {
            assert_eq!(words::bias_text(bias(text).unwrap()), text);
        }
        for text in ["", "augmented:", "augmented:0", "augmented:inf", "intercept:1", "bias"] {
            assert!(bias(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_domain_may_be_open() {
        assert_eq!(ranges("0:1,0.5:2e3"), Ok(vec![[Some(0.0), Some(1.0)], [Some(0.5), Some(2e3)]]));
        assert_eq!(ranges("0:,:2,3:4"), Ok(vec![[Some(0.0), None], [None, Some(2.0)], [Some(3.0), Some(4.0)]]));
        for text in ["", "0:1,2", "0:1,a:2", "nan:1,0:1", "0:1:2,0:1"] {
            assert!(ranges(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_outside_their_ranges_are_refused() {
        assert_eq!(positive("1e-3"), Ok(1e-3));
        for text in ["0", "-1", "nan", "inf", "1e400", "", "x"] {
            assert!(positive(text).is_err(), "{text}");
        }
        for text in ["-1", "nan", "1e300", "inf"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        assert!(threads("0").is_err() && threads("1025").is_err() && threads("2") == Ok(2));
        assert!(columns("0").is_err() && columns("50000001").is_err() && columns("3") == Ok(3));
    }
}
