use super::ValidationError;

/// Checks a text that people read: at most `max` characters (Unicode scalar values), none of them
/// a control character, which would break terminals, CSV files and log lines.
fn check(text: &str, max: usize, too_long: &'static str) -> Result<(), ValidationError> {
    if text.chars().count() > max {
        return Err(ValidationError::because(too_long));
    }
    if text.chars().any(char::is_control) {
        return Err(ValidationError::because("must not contain control characters"));
    }
    Ok(())
}

/// A link's title: at most 255 characters, no control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    /// The most characters of a title.
    pub const MAX_LENGTH: usize = 255;

    /// Takes a text as a title.
    ///
    /// # Errors
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        check(text, Self::MAX_LENGTH, "must not be longer than 255 characters")?;
        Ok(Self(text.to_owned()))
    }

    /// The title as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The title as text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// The label of the campaign that a link belongs to: at most 100 characters, no control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Campaign(String);

impl Campaign {
    /// The most characters of a campaign.
    pub const MAX_LENGTH: usize = 100;

    /// Takes a text as a campaign.
    ///
    /// # Errors
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        check(text, Self::MAX_LENGTH, "must not be longer than 100 characters")?;
        Ok(Self(text.to_owned()))
    }

    /// The campaign as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The campaign as text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// The name of an owner or a plan: 1 to 100 characters, no control characters, no blank at either
/// end, which nobody would see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Takes a text as a name.
    ///
    /// # Errors
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if text.is_empty() {
            return Err(ValidationError::because("must not be empty"));
        }
        if text.trim() != text {
            return Err(ValidationError::because("must not begin or end with a blank"));
        }
        check(text, 100, "must not be longer than 100 characters")?;
        Ok(Self(text.to_owned()))
    }

    /// The name as text.
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
    fn control_characters_are_refused() {
        for text in ["a\nb", "a\0", "\u{7f}", "\u{85}"] {
            assert!(Title::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_are_neither_empty_nor_padded() {
        assert!(Name::parse("").is_err());
        assert!(Name::parse(" acme").is_err());
        assert!(Name::parse("Acme & Sons").is_ok());
    }
}
