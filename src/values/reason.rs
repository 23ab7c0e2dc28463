//! Reasons for which an operator takes something down.

use std::convert::Infallible;

use sea_orm::DeriveValueType;
use strum_macros::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use super::{ErrorCode, ValidationError};

/// Reason of a change by an operator. It decides which page visitors of the link see.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    clap::ValueEnum,
    DeriveValueType,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[sea_orm(value_type = "String", from_str = "Reason::try_from_stored")]
#[strum(const_into_str, serialize_all = "kebab-case")]
#[strum(parse_err_ty = ValidationError, parse_err_fn = unknown)]
pub enum Reason {
    /// The destination imitates another site to collect passwords.
    Phishing,
    /// The destination distributes harmful software.
    Malware,
    /// The link was distributed as spam.
    Spam,
    /// A legal demand: the link returns 451 (RFC 7725).
    Legal,
    /// The owner asked for the change.
    OwnerRequest,
    /// Any other reason.
    Other,
}

impl Reason {
    /// Returns the reason with this name, or [`Self::Other`] for a name that a newer version of
    /// Terse has stored. The link, owner or pattern thus does not become active again.
    pub fn from_stored(name: &str) -> Self {
        name.parse().unwrap_or(Self::Other)
    }

    fn try_from_stored(name: &str) -> Result<Self, Infallible> {
        Ok(Self::from_stored(name))
    }
}

fn unknown(_: &str) -> ValidationError {
    ErrorCode::NotAllowed.because("must be phishing, malware, spam, legal, owner-request or other")
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn command_line_names_equal_stored_names() {
        for &reason in Reason::VARIANTS {
            assert_eq!(<Reason as clap::ValueEnum>::from_str(reason.into_str(), false), Ok(reason));
            assert_eq!(Reason::from_stored(reason.into_str()), reason);
        }
        assert_eq!(Reason::from_stored("later"), Reason::Other);
    }
}
