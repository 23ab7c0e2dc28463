//! Texts that people read: titles, campaigns and names.

use super::{ApiKey, ValidationError};

/// Checks that `text` has at most `max` characters (Unicode scalar values) and no control
/// characters, which would break terminals, CSV files and log lines.
fn check(text: &str, max: usize, too_long: &'static str) -> Result<(), ValidationError> {
    if text.chars().count() > max {
        return Err(ValidationError::because(too_long));
    }
    if text.chars().any(char::is_control) {
        return Err(ValidationError::because("must not contain control characters"));
    }
    Ok(())
}

/// Title of a link: at most 255 characters, no control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    /// Maximum length in characters.
    pub const MAX_LENGTH: usize = 255;

    /// Parses a title.
    ///
    /// # Errors
    /// If `text` is too long or contains a control character.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        check(text, Self::MAX_LENGTH, "must not be longer than 255 characters")?;
        Ok(Self(text.to_owned()))
    }

    /// Returns the title.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the title as a `String`.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Label of the campaign that a link belongs to: at most 100 characters, no control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Campaign(String);

impl Campaign {
    /// Maximum length in characters.
    pub const MAX_LENGTH: usize = 100;

    /// Parses a campaign.
    ///
    /// # Errors
    /// If `text` is too long or contains a control character.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        check(text, Self::MAX_LENGTH, "must not be longer than 100 characters")?;
        Ok(Self(text.to_owned()))
    }

    /// Returns the campaign.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the campaign as a `String`.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Name of an owner or a plan: 1 to 100 characters, no control characters, no whitespace at either
/// end, no API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Parses a name.
    ///
    /// # Errors
    /// If `text` is empty or too long, contains a control character or an API key, or begins or
    /// ends with whitespace.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if text.is_empty() {
            return Err(ValidationError::because("must not be empty"));
        }
        if text.trim() != text {
            return Err(ValidationError::because("must not begin or end with whitespace"));
        }
        if ApiKey::is_in(text) {
            return Err(ValidationError::because("must not contain an API key"));
        }
        check(text, 100, "must not be longer than 100 characters")?;
        Ok(Self(text.to_owned()))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Name {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        Self::parse(text)
    }
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
