//! Why Parquet tables are refused.

use ::parquet::errors::ParquetError;
use thiserror::Error;

/// Why a Parquet file, or one of its columns, cannot be read. The display says what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ParquetFault {
    /// The file is damaged.
    #[error("not a whole Parquet file ({0}); write or fetch it again")]
    Damaged(ParquetError),
    /// The column has values that cannot be cells of a table; its type.
    #[error(
        "its type ({0}) is neither a number, a truth value, text nor a time; use --exclude to leave it out, or write it as one of these"
    )]
    Type(String),
    /// The column is compressed in a way that is not supported.
    #[error("compressed by {0}; write the file with snappy, gzip or zstd, or uncompressed")]
    Codec(&'static str),
    /// A column in which pandas keeps names of rows, that would be a feature or the response.
    #[error("pandas keeps the names of the rows here; use --index if they are to be read, or --exclude")]
    PandasIndex,
}
