//! Locations of rows in a file.

use std::fmt;

/// Location in a file at which a row begins. It is part of the identity of a row without a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLocation {
    /// Line number, from 1.
    pub line: u64,
    /// Number of the JSON object in the line, from 1, if the line has several.
    pub object: Option<u64>,
}

impl fmt::Display for RowLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}", self.line)?;
        self.object.map_or(Ok(()), |object| write!(formatter, ", object {object}"))
    }
}
