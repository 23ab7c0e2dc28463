//! Versions of links, by which concurrent edits are detected.

use std::fmt::{self, Display, Formatter};
use std::num::ParseIntError;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::Link;
use super::link_edit::editable_values;
use crate::domain::Error;

/// Hash of the values of a link that its owner can write. It depends on neither clicks nor state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkVersion(u128);

impl LinkVersion {
    /// Returns the version of a link.
    #[must_use]
    pub fn from_link(link: &Link) -> Self {
        let hash: [u8; 32] = Sha256::digest(editable_values(link).to_string()).into();
        Self(hash.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }
}

/// Versions of a link for which a change may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// Any version of a link that exists.
    Any,
    /// One of these versions.
    OneOf(Vec<LinkVersion>),
}

impl Precondition {
    /// Checks a link.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`]
    pub(super) fn check(&self, link: &Link) -> Result<(), Error> {
        match self {
            Self::OneOf(versions) if !versions.contains(&LinkVersion::from_link(link)) => {
                Err(Error::PreconditionFailed)
            }
            Self::Any | Self::OneOf(_) => Ok(()),
        }
    }
}

/// Parses the 32 hexadecimal digits that [`Display`] writes.
impl FromStr for LinkVersion {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        u128::from_str_radix(text, 16).map(Self)
    }
}

impl Display for LinkVersion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
