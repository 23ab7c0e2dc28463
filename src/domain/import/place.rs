//! Where a row is.

use std::fmt;

/// Where a row begins in a file. With the destination it says which row it is, where it has no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: u64,
    /// Which of the line's objects, from 1; none where it has but one.
    pub object: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}", self.line)?;
        self.object.map_or(Ok(()), |object| write!(formatter, ", object {object}"))
    }
}
