//! Readers of the files in which Terse and other URL shorteners export links: bytes in, typed rows
//! and notices out. They know no database and do not check the rules of Terse, such as which codes
//! it accepts.

mod builder;
pub mod csv;
mod dates;
mod detect;
mod document;
mod expected;
mod faults;
mod json;
mod link;
mod names;
mod options;
mod pages;
mod reader;
mod record;
mod rejects;
mod role;
mod row;
mod scanner;
mod services;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod values;
mod vocabulary;

pub use dates::LocalZone;
pub use detect::{Encoding, FileKind, FormatHint};
pub use link::{FileColumn, FileLink, Losses};
pub use options::{DomainChoice, ReadOptions};
pub use pages::KnownPart;
pub use reader::{FileNotices, LinkReader};
pub use rejects::{Rejection, Rejects};
pub use row::{RawRow, Row, RowLocation};
pub use services::Source;
pub use text::FormatError;
pub use values::MAX_CLICKS;
