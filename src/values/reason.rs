//! Reasons for which an operator takes something down.

use super::ValidationError;

use std::fmt;

/// Reason of a change by an operator. It decides which page visitors of the link see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
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
    /// All reasons.
    pub const ALL: [Self; 6] =
        [Self::Phishing, Self::Malware, Self::Spam, Self::Legal, Self::OwnerRequest, Self::Other];

    /// Returns the name of the reason on the command line, in JSON and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Phishing => "phishing",
            Self::Malware => "malware",
            Self::Spam => "spam",
            Self::Legal => "legal",
            Self::OwnerRequest => "owner-request",
            Self::Other => "other",
        }
    }

    /// Parses the name of a reason.
    ///
    /// # Errors
    /// If no reason has the name.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let found = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        found.ok_or(ValidationError::because(
            "must be phishing, malware, spam, legal, owner-request or other",
        ))
    }

    /// Returns the reason with this name, or [`Self::Other`] for a name that a newer version of
    /// Terse has stored. The link, owner or pattern thus does not become active again.
    #[must_use]
    pub fn from_stored(name: &str) -> Self {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name).unwrap_or(Self::Other)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn command_line_names_equal_stored_names() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_str(reason.as_str(), false), Ok(reason));
            assert_eq!(Reason::from_stored(reason.as_str()), reason);
        }
        assert_eq!(Reason::from_stored("later"), Reason::Other);
    }
}
