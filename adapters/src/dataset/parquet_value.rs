//! The values of Parquet columns as cells of a table.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::data_type::Int96;
use ::parquet::errors::ParquetError;
use ::parquet::schema::types::ColumnDescriptor;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A truth value, a number with a sign, or a time in the old form.
    Plain,
    Unsigned,
    Half,
    /// With this many digits behind the point.
    Decimal(usize),
    Text,
    Date,
    /// With the parts of a second.
    Time(i64),
    /// With the parts of a second, and whether the place's time is known.
    Timestamp(i64, bool),
}

const NANOS: i64 = 1_000_000_000;

/// The digits of the largest number of 128 bits.
const MOST_DIGITS: i32 = 38;

impl Kind {
    /// What a column has, or the name of its type if that cannot be a cell.
    pub fn of(column: &ColumnDescriptor) -> Result<Self, String> {
        let physical = column.physical_type();
        let refused = |name: &dyn std::fmt::Debug| Err(format!("{name:?}"));
        let decimal = |digits, scale| match usize::try_from(scale) {
            Ok(scale) if digits <= MOST_DIGITS => Ok(Kind::Decimal(scale)),
            _ => Err(format!("DECIMAL of {digits} digits")),
        };
        match column.logical_type_ref() {
            Some(LogicalType::String | LogicalType::Enum | LogicalType::Json) => Ok(Kind::Text),
            Some(LogicalType::Integer(integer)) if integer.is_signed => Ok(Kind::Plain),
            Some(LogicalType::Integer(_)) => Ok(Kind::Unsigned),
            Some(LogicalType::Decimal(decimals)) => decimal(decimals.precision, decimals.scale),
            Some(LogicalType::Date) => Ok(Kind::Date),
            Some(LogicalType::Time(time)) => Ok(Kind::Time(parts(&time.unit))),
            Some(LogicalType::Timestamp(time)) => Ok(Kind::Timestamp(parts(&time.unit), time.is_adjusted_to_u_t_c)),
            Some(LogicalType::Float16) => Ok(Kind::Half),
            // A column without a value.
            Some(LogicalType::Unknown) => Ok(Kind::Plain),
            Some(other) => refused(other),
            None => match column.converted_type() {
                ConvertedType::NONE if matches!(physical, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY) => {
                    refused(&physical)
                }
                ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64 => Ok(Kind::Plain),
                ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
                    Ok(Kind::Unsigned)
                }
                ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Ok(Kind::Text),
                ConvertedType::DECIMAL => decimal(column.type_precision(), column.type_scale()),
                ConvertedType::DATE => Ok(Kind::Date),
                ConvertedType::TIME_MILLIS => Ok(Kind::Time(1_000)),
                ConvertedType::TIME_MICROS => Ok(Kind::Time(1_000_000)),
                ConvertedType::TIMESTAMP_MILLIS => Ok(Kind::Timestamp(1_000, true)),
                ConvertedType::TIMESTAMP_MICROS => Ok(Kind::Timestamp(1_000_000, true)),
                other => refused(&other),
            },
        }
    }

    pub fn bool(self, value: bool) -> String {
        u8::from(value).to_string()
    }

    pub fn int32(self, value: i32) -> String {
        match self {
            Kind::Unsigned => value.cast_unsigned().to_string(),
            Kind::Date => date(value),
            _ => self.int64(value.into()),
        }
    }

    pub fn int64(self, value: i64) -> String {
        match self {
            Kind::Unsigned => value.cast_unsigned().to_string(),
            Kind::Decimal(scale) => decimal(value.into(), scale),
            Kind::Time(parts) => time(value, parts),
            Kind::Timestamp(parts, universal) => {
                let nanos = value.rem_euclid(parts) * (NANOS / parts);
                timestamp(value.div_euclid(parts), nanos, universal)
            }
            _ => value.to_string(),
        }
    }

    /// A time as Impala and early versions of Spark write it: nanoseconds of the day, and the Julian day.
    pub fn int96(self, value: &Int96) -> String {
        let &[low, high, _] = value.data() else { return String::new() };
        let nanos = (u64::from(high) << 32 | u64::from(low)).cast_signed();
        timestamp(value.to_seconds(), nanos.rem_euclid(NANOS), false)
    }

    pub fn real(self, value: f64) -> String {
        format!("{value:?}")
    }

    pub fn bytes(self, value: &[u8]) -> Result<String, ParquetError> {
        match self {
            Kind::Half => match value {
                &[low, high] => Ok(self.real(half::f16::from_le_bytes([low, high]).into())),
                _ => Err(ParquetError::General(format!("{} bytes for a number of two", value.len()))),
            },
            Kind::Decimal(scale) => match unscaled(value) {
                Some(number) => Ok(decimal(number, scale)),
                None => Err(ParquetError::General(format!("a decimal number of {} bytes", value.len()))),
            },
            _ => match std::str::from_utf8(value) {
                Ok(text) => Ok(text.to_owned()),
                Err(_) => Err(ParquetError::General("text that is not UTF-8".to_owned())),
            },
        }
    }
}

/// The parts of a second.
fn parts(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => NANOS,
    }
}

/// The number of these bytes, the most significant first, in two's complement.
fn unscaled(bytes: &[u8]) -> Option<i128> {
    let (first, rest) = bytes.split_first()?;
    let start = i128::from(first.cast_signed());
    (bytes.len() <= size_of::<i128>()).then(|| rest.iter().fold(start, |sum, byte| sum << 8 | i128::from(*byte)))
}

fn decimal(number: i128, scale: usize) -> String {
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if number < 0 { "-" } else { "" };
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn date(days: i32) -> String {
    let first = DateTime::<Utc>::UNIX_EPOCH.date_naive();
    let distance = Days::new(days.unsigned_abs().into());
    let day: Option<NaiveDate> =
        if days < 0 { first.checked_sub_days(distance) } else { first.checked_add_days(distance) };
    day.map_or_else(|| format!("day {days}"), |day| day.to_string())
}

fn time(value: i64, parts: i64) -> String {
    let (seconds, nanos) = (value.div_euclid(parts), value.rem_euclid(parts) * (NANOS / parts));
    let found = u32::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
    let time = found.and_then(|(seconds, nanos)| NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanos));
    time.map_or_else(|| format!("second {seconds}"), |time| time.format("%H:%M:%S%.f").to_string())
}

fn timestamp(seconds: i64, nanos: i64, universal: bool) -> String {
    let time = u32::try_from(nanos).ok().and_then(|nanos| DateTime::from_timestamp(seconds, nanos));
    let zone = if universal { "+00:00" } else { "" };
    time.map_or_else(|| format!("second {seconds}"), |time| time.format("%Y-%m-%d %H:%M:%S%.f").to_string() + zone)
}
