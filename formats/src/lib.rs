//! Readers of the files in which Terse and other URL shorteners export links: bytes in, typed rows
//! and notices out. They know no database and do not check the rules of Terse, such as which codes
//! it accepts.

mod builder;
pub mod csv;
mod detect;
mod document;
mod json;
mod link;
mod pages;
mod reader;
mod record;
mod rejects;
mod role;
mod scanner;
mod services;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod values;
mod vocabulary;

pub use detect::{DomainChoice, Encoding, FileKind, FormatHint, ReadOptions};
pub use link::{FileColumn, FileLink, Losses};
pub use pages::KnownPart;
pub use reader::{FileNotices, LinkReader};
pub use record::{RawRow, Row, RowLocation};
pub use rejects::{Rejection, Rejects};
pub use services::Source;
pub use text::FormatError;
pub use values::{LocalZone, MAX_CLICKS};
