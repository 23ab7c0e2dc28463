//! Texts that people read: titles, campaigns, names, and what an event says about a change.

use super::{ApiKey, ErrorCode, ValidationError};

/// Defines a type of texts with at most `$max` characters (Unicode scalar values) and no control
/// characters, which would break terminals, CSV files and log lines. Further checks come first.
macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident, $max:literal $(, $check:ident)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// Maximum length in characters.
            pub const MAX_LENGTH: usize = $max;

            /// Parses a text.
            ///
            /// # Errors
            /// If `text` breaks a rule of this type.
            pub fn parse(text: &str) -> Result<Self, ValidationError> {
                $($check(text)?;)*
                if text.chars().count() > Self::MAX_LENGTH {
                    return Err(ValidationError::because(concat!(
                        "must not be longer than ", stringify!($max), " characters"
                    )));
                }
                if text.chars().any(char::is_control) {
                    return Err(ValidationError::because("must not contain control characters"));
                }
                Ok(Self(text.to_owned()))
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Returns the text as a `String`.
            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = ValidationError;

            fn from_str(text: &str) -> Result<Self, ValidationError> {
                Self::parse(text)
            }
        }
    };
}

text_type!(
    /// Title of a link: at most 255 characters, no control characters.
    Title, 255
);
text_type!(
    /// Label of the campaign that a link belongs to: at most 100 characters, no control characters.
    Campaign, 100
);
text_type!(
    /// A client's own identifier of a link or an owner: 1 to 255 characters, no control characters, neither
    /// `.` nor `..`, which cannot be segments of a path.
    ExternalId, 255, not_empty, not_dots
);
text_type!(
    /// Name of an owner or a plan: 1 to 100 characters, no control characters, no whitespace at
    /// either end, no API key.
    Name, 100, not_blank, not_padded, without_key
);
text_type!(
    /// Purpose of an API key: at most 255 characters, no control characters, no API key.
    KeyLabel, 255, without_key
);
text_type!(
    /// Name of the person or program that makes a change: 1 to 255 characters, no control
    /// characters, no API key.
    ActorName, 255, not_blank, without_key
);
text_type!(
    /// Note about a change: 1 to 1,000 characters, no control characters, no API key.
    Note, 1000, not_blank, without_key
);
text_type!(
    /// Identifier of the case that led to a change, in the operator's own system: 1 to 255
    /// characters, no control characters, no API key.
    CaseId, 255, not_blank, without_key
);

fn not_empty(text: &str) -> Result<(), ValidationError> {
    if text.is_empty() {
        return Err(ErrorCode::OutOfRange.because("must not be empty"));
    }
    Ok(())
}

fn not_dots(text: &str) -> Result<(), ValidationError> {
    if matches!(text, "." | "..") {
        return Err(ErrorCode::NotAllowed.because("must not be . or .."));
    }
    Ok(())
}

fn not_blank(text: &str) -> Result<(), ValidationError> {
    if text.trim().is_empty() {
        return Err(ErrorCode::OutOfRange.because("must not be empty"));
    }
    Ok(())
}

fn not_padded(text: &str) -> Result<(), ValidationError> {
    if text.trim() != text {
        return Err(ValidationError::because("must not begin or end with whitespace"));
    }
    Ok(())
}

fn without_key(text: &str) -> Result<(), ValidationError> {
    if ApiKey::is_in(text) {
        return Err(ErrorCode::NotAllowed.because("must not contain an API key"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_characters_not_bytes() {
        assert!(Title::parse(&"é".repeat(255)).is_ok());
        assert!(Title::parse(&"é".repeat(256)).is_err());
        assert!(Campaign::parse(&"é".repeat(100)).is_ok());
        assert!(Campaign::parse(&"é".repeat(101)).is_err());
    }

    #[test]
    fn control_characters_are_rejected() {
        for text in ["a\nb", "a\0", "\u{7f}", "\u{85}"] {
            assert!(Title::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn empty_and_padded_names_are_rejected() {
        assert!(Name::parse("").is_err());
        assert!(Name::parse(" acme").is_err());
        assert!(Name::parse("Acme & Sons").is_ok());
    }
}
