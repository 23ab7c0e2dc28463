//! Versions of what clients can write, and conditions on them (RFC 9110, section 13.1.1).

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Error;

/// Something that clients can write, in several versions.
pub trait Versioned {
    /// Returns all values that clients can write. They depend on neither clicks nor state.
    fn writable(&self) -> Value;

    /// Returns the version that has these values.
    fn version(&self) -> Version {
        Version(u128::from_be_bytes(hash(&self.writable().to_string())))
    }
}

/// Hash of the values that clients can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version(u128);

/// Versions for which a change may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// Any version of something that exists.
    Any,
    /// One of these versions.
    OneOf(Vec<Version>),
}

impl Precondition {
    /// Checks the present version. Callers must hold the lock of its row.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`]
    pub(super) fn check(&self, present: &impl Versioned) -> Result<(), Error> {
        match self {
            Self::OneOf(versions) if !versions.contains(&present.version()) => {
                Err(Error::PreconditionFailed)
            }
            Self::Any | Self::OneOf(_) => Ok(()),
        }
    }
}

/// A text that [`Display`] does not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoVersion;

/// Parses the 32 hexadecimal digits that [`Display`] writes, and no other spelling of them: entity tags are
/// compared byte by byte.
impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let version = u128::from_str_radix(text, 16).map(Self).map_err(|_| NoVersion)?;
        if version.to_string() == text { Ok(version) } else { Err(NoVersion) }
    }
}

impl Display for Version {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Returns the first `N` bytes, at most 32, of the SHA-256 hash of a text.
pub(super) fn hash<const N: usize>(text: &str) -> [u8; N] {
    let hash: [u8; 32] = Sha256::digest(text).into();
    hash.first_chunk().copied().unwrap_or([0; N])
}
