//! Readers of the files in which Terse and other URL shorteners export links: bytes in, typed rows
//! out. They know no database and do not check the rules of Terse, such as which codes it accepts.

mod column;
pub mod csv;
mod dates;
mod error;
mod json;
mod lines;
mod link;
mod location;
mod objects;
mod reader;
mod record;
mod rejects;
mod row;
mod source;
mod table;
#[cfg(test)]
mod tests;

pub use column::{Encoding, FileColumn};
pub use error::FormatError;
pub use link::{FileLink, MAX_CLICKS};
pub use location::RowLocation;
pub use reader::LinkReader;
pub use rejects::{Rejection, Rejects};
pub use row::{RawRow, Row};
pub use source::{FileKind, FormatHint, Source};
