//! What the user has specified about a file.

use crate::dates::LocalZone;
use crate::detect::FormatHint;
use crate::values::normal_domain;

/// What the user has specified about a file. A [`LinkReader`](crate::LinkReader) detects everything
/// else.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Format of the file.
    pub hint: FormatHint,
    /// WHATWG label of the file's encoding.
    pub encoding: Option<String>,
    /// Name of the column or field with the short codes.
    pub code_column: Option<String>,
    /// Names of columns or fields that are read as if they were not there.
    pub ignored_columns: Vec<String>,
    /// Domain whose links are read. `None`: all, which must have the same domain.
    pub domain: Option<DomainChoice>,
    /// Time zone of times without one.
    pub zone: LocalZone,
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

/// Domain whose links are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DomainChoice {
    /// Links without a domain of their own.
    Default,
    /// Links with this host in its normal form, or this number of a domain.
    Host(String),
}

impl DomainChoice {
    /// Returns the choice that an option names: `default`, or a host.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        if text == "default" { Self::Default } else { Self::Host(normal_domain(text).into_owned()) }
    }
}
