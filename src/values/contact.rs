//! Contact of the operator.

use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use super::{ErrorCode, ValidationError};

/// Maximum length of a contact in bytes.
const MAX_LENGTH: usize = 1024;

/// Characters besides letters and digits that may precede the `@` of a mail address ([HTML, valid
/// e-mail address](https://html.spec.whatwg.org/#valid-e-mail-address)).
const LOCAL_PART: &str = ".!#$%&'*+/=?^_`{|}~-";

/// Characters of a mail address that a `mailto:` URL percent-encodes (RFC 6068, section 2).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'@')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~')
    .remove(b'+')
    .remove(b'!')
    .remove(b'*');

/// Contact of the operator for visitors and clients: a mail address, or the URL of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    text: String,
    url: String,
}

impl FromStr for Contact {
    type Err = ValidationError;

    /// Parses a mail address, with or without `mailto:`, or an `http://` or `https://` URL.
    ///
    /// # Errors
    /// If the text is neither, or is longer than 1,024 bytes.
    fn from_str(text: &str) -> Result<Self, ValidationError> {
        if text.len() > MAX_LENGTH {
            return Err(ErrorCode::TooLong.because("must not be longer than 1,024 bytes"));
        }
        let text = text.strip_prefix("mailto:").unwrap_or(text);
        let url = if is_mail_address(text) {
            format!("mailto:{}", utf8_percent_encode(text, ENCODED))
        } else {
            page_url(text).ok_or(ValidationError::because(
                "must be a mail address, such as abuse@example.org, or a URL that starts with \
                 http:// or https://",
            ))?
        };
        Ok(Self { text: text.to_owned(), url })
    }
}

impl Contact {
    /// Returns the contact as people read it: the mail address, or the URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the contact is a mail address.
    pub fn is_mail_address(&self) -> bool {
        self.url.starts_with("mailto:")
    }

    /// Returns the URL for a link to the contact, which is a `mailto:` URL for a mail address.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl std::fmt::Display for Contact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_mail_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_local = |letter: char| letter.is_ascii_alphanumeric() || LOCAL_PART.contains(letter);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    !local.is_empty() && local.chars().all(is_local) && domain.split('.').all(is_label)
}

/// Returns the normal form of an `http` or `https` URL without a user, or `None` for any other
/// text.
fn page_url(text: &str) -> Option<String> {
    // The URL parser would remove these characters.
    if text.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return None;
    }
    let (scheme, rest) = text.split_once("://")?;
    let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    if !is_web || rest.starts_with(['/', '\\']) {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    (!has_user).then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_addresses_and_web_urls_are_accepted() {
        let urls = [
            ("abuse@example.org", "mailto:abuse@example.org"),
            ("a.b+c_d-e@mail.example.org", "mailto:a.b+c_d-e@mail.example.org"),
            ("a%b?c&d/e'f@example.org", "mailto:a%25b%3Fc%26d%2Fe%27f@example.org"),
            ("root@localhost", "mailto:root@localhost"),
            ("https://example.org", "https://example.org/"),
            (
                "HTTP://Example.org/report?a=1&b=\"<2>'#x",
                "http://example.org/report?a=1&b=%22%3C2%3E%27#x",
            ),
            ("https://example.org/mail@me", "https://example.org/mail@me"),
        ];
        for (text, url) in urls {
            let contact = Contact::from_str(text).unwrap();
            assert_eq!((contact.as_str(), contact.url()), (text, url));
        }
        let contact = Contact::from_str("mailto:abuse@example.org").unwrap();
        assert_eq!(contact.as_str(), "abuse@example.org");
    }

    #[test]
    fn invalid_contact_is_rejected() {
        let long = format!("https://example.org/{}", "a".repeat(MAX_LENGTH));
        let texts = [
            "",
            "abuse",
            "@example.org",
            "abuse@",
            "abuse@-example.org",
            "abuse@example..org",
            "two words@example.org",
            "a@b@example.org",
            "\"a\"@example.org",
            "mailto:abuse",
            "ftp://example.org",
            "javascript:alert(1)",
            "javascript://example.org/%0aalert(1)",
            "https://",
            "https:///example.org",
            "https:example.org",
            "https://user:secret@example.org/",
            " https://example.org",
            "https://example.org/a\nb",
            "https://example.org/a b",
            &long,
        ];
        for text in texts {
            assert!(Contact::from_str(text).is_err(), "{text}");
        }
    }
}
