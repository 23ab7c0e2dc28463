//! Where a row is in a file.

use std::fmt;

/// Where a row begins in a file. With the destination it identifies a row without a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLocation {
    /// From 1.
    pub line: u64,
    /// Which of the line's objects, from 1, if it has several.
    pub object: Option<u64>,
}

impl fmt::Display for RowLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}", self.line)?;
        self.object.map_or(Ok(()), |object| write!(formatter, ", object {object}"))
    }
}
