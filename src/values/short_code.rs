//! Short codes: parsing, generation and spelling in URLs.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rand::{Rng, RngExt};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use super::visible::{is_dash, is_invisible, visible, with_hyphens, without_invisible};
use super::{ErrorCode, ValidationError, is_reserved};

/// Characters of a generated code: digits and letters without the look-alikes `0 O 1 I l`.
const ALPHABET: &[u8; 57] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Error of a custom code that no plan allows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CustomCodeError {
    /// The code is the first path segment of one of the server's own routes.
    #[error("is reserved")]
    Reserved,
    /// The text is not a valid short code.
    #[error(transparent)]
    Invalid(#[from] ValidationError),
}

/// Error of a code that an import cannot give to a link.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportedCodeError {
    /// The code begins with the first segment of one of the server's own routes.
    #[error(
        "is reserved, because the server itself uses paths that begin with /{0}; import the link \
         with another code, and redirect the old path in your proxy"
    )]
    Reserved(String),
    /// The text is not a valid short code.
    #[error(transparent)]
    Invalid(#[from] ValidationError),
}

/// Ends of the paths of QR images, which no code has.
const QR_IMAGES: [&str; 2] = ["/qr.svg", "/qr.png"];

/// Characters that are percent-encoded in the path of a short URL (RFC 3986, section 3.3).
const ENCODED_IN_PATH: &AsciiSet = &ENCODED_IN_SEGMENT.remove(b'/');
/// Characters that are percent-encoded in a path segment.
pub(super) const ENCODED_IN_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// Code of a link, case-sensitive: 1 to 255 characters that can stand in the path of a URL, in
/// Unicode normal form C and without percent-encoding.
///
/// It has no control characters, whitespace, `?`, `#`, `%` and `\`; and slashes only between
/// non-empty segments that are neither `.` nor `..`. Codes that this version generates, or that a
/// client chooses, are narrow: 3 to 64 characters of `[0-9A-Za-z_-]`. Imported codes may be wide.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShortCode(Box<str>);

impl ShortCode {
    /// Maximum length in characters.
    pub const MAX_LENGTH: usize = 255;
    /// Minimum length of a custom code in characters.
    pub const MIN_CUSTOM_LENGTH: usize = 3;
    /// Maximum length of a custom code in characters.
    pub const MAX_CUSTOM_LENGTH: usize = 64;
    /// Length of a generated code in characters.
    ///
    /// There are 57⁷ such codes, about 2·10¹²: guesses rarely find a link, and two generated codes
    /// rarely collide, even with billions of links.
    pub const GENERATED_LENGTH: usize = 7;
    /// Number of possible generated codes.
    const POSSIBLE_CODES: u64 = (ALPHABET.len() as u64).pow(Self::GENERATED_LENGTH as u32);

    /// Parses the code of a link that may exist, and converts it to normal form C.
    ///
    /// It accepts reserved codes, because a lookup needs no such check.
    ///
    /// # Errors
    /// If the length, a character or a segment is not allowed.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let text = match is_nfc_quick(text.chars()) {
            IsNormalized::Yes => Cow::Borrowed(text),
            IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfc().collect()),
        };
        // No character has more than four bytes.
        let is_long = text.len() > Self::MAX_LENGTH * 4;
        if is_long || !(1..=Self::MAX_LENGTH).contains(&text.chars().count()) {
            return Err(ErrorCode::of_length(text.len()).because("must have 1 to 255 characters"));
        }
        let is_forbidden = |letter: char| {
            letter.is_control()
                || letter.is_whitespace()
                || matches!(letter, '?' | '#' | '%' | '\\')
        };
        if text.contains(is_forbidden) {
            return Err(ValidationError::because(
                "must not contain whitespace, control characters, ?, #, % or \\",
            ));
        }
        if text.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(ValidationError::because(
                "must not begin or end with a slash, or have the segments . and .. or an empty one",
            ));
        }
        Ok(Self(text.into()))
    }

    /// Parses the code that a client chose for a new link. It must be narrow.
    ///
    /// # Errors
    /// If the code is reserved or invalid. A code that is both, such as `robots.txt`, is reported
    /// as reserved.
    pub fn parse_custom(text: &str) -> Result<Self, CustomCodeError> {
        if is_reserved(text) {
            return Err(CustomCodeError::Reserved);
        }
        if !(Self::MIN_CUSTOM_LENGTH..=Self::MAX_CUSTOM_LENGTH).contains(&text.len()) {
            let code = match text.len() {
                0..Self::MIN_CUSTOM_LENGTH => ErrorCode::OutOfRange,
                _ => ErrorCode::TooLong,
            };
            return Err(code.because("must have 3 to 64 characters").into());
        }
        if !text.bytes().all(is_narrow) {
            let reason = "must consist of letters a-z and A-Z, digits, _ and -";
            return Err(ValidationError::because(reason).into());
        }
        Ok(Self(text.into()))
    }

    /// Parses the code of a link of another service, without invisible characters.
    ///
    /// # Errors
    /// If the code is invalid, its first segment is reserved, or the address of a QR image has it.
    pub fn parse_imported(text: &str) -> Result<Self, ImportedCodeError> {
        let code = Self::parse(&visible(text))?;
        if code.is_reserved() {
            let first = code.0.split('/').next().unwrap_or_default();
            return Err(ImportedCodeError::Reserved(first.to_owned()));
        }
        if QR_IMAGES.iter().any(|end| code.0.ends_with(end)) {
            let reason = "must not end in /qr.svg or /qr.png, as the addresses of QR images do";
            return Err(ValidationError::because(reason).into());
        }
        Ok(code)
    }

    /// Returns whether [`Self::parse_imported`] removes invisible characters or whitespace.
    pub fn has_invisible(text: &str) -> bool {
        visible(text).len() < text.len()
    }

    /// Returns the code of a stored link, which it does not check.
    pub fn from_stored(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns whether the path begins with the first segment of one of the server's own routes.
    pub fn is_reserved(&self) -> bool {
        self.0.split('/').next().is_some_and(is_reserved)
    }

    /// Returns whether a generated or custom code can be like this.
    pub fn is_narrow(&self) -> bool {
        (Self::MIN_CUSTOM_LENGTH..=Self::MAX_CUSTOM_LENGTH).contains(&self.0.len())
            && self.0.bytes().all(is_narrow)
    }

    /// Returns the code without all characters that a reader does not see, and with `-` for each dash that
    /// is not at the end. Returns `None` if that is the code itself.
    pub fn as_seen(&self) -> Option<Self> {
        if !self.0.contains(|letter| is_invisible(letter) || is_dash(letter)) {
            return None;
        }
        let seen: String = with_hyphens(&without_invisible(&self.0)).nfc().collect();
        (*seen != *self.0).then(|| Self(seen.into()))
    }

    /// Returns a text that is the same for all spellings of the code in any letter case.
    pub fn folded(&self) -> String {
        // Both steps are needed: `ẞ` and `ß` have the same upper case only after the first one.
        let lower = self.0.chars().flat_map(char::to_lowercase);
        lower.flat_map(char::to_uppercase).nfc().collect()
    }

    /// Returns the percent-encoded path of the code in a short URL, without a leading slash.
    pub fn path(&self) -> Cow<'_, str> {
        utf8_percent_encode(&self.0, ENCODED_IN_PATH).into()
    }

    /// Returns the code as one percent-encoded path segment, with slashes as `%2F`.
    pub fn path_segment(&self) -> Cow<'_, str> {
        utf8_percent_encode(&self.0, ENCODED_IN_SEGMENT).into()
    }

    /// Generates a random code that is not reserved.
    pub fn generate(rng: &mut impl Rng) -> Self {
        loop {
            // One draw for all characters, because each draw from the callers' generators is a
            // system call.
            let mut number = rng.random_range(0..Self::POSSIBLE_CODES);
            let mut code = [0; Self::GENERATED_LENGTH];
            for byte in &mut code {
                *byte = ALPHABET[(number % ALPHABET.len() as u64) as usize];
                number /= ALPHABET.len() as u64;
            }
            // This loses nothing, because the alphabet is ASCII.
            let code = String::from_utf8_lossy(&code);
            if !is_reserved(&code) {
                return Self(code.into());
            }
        }
    }

    /// Derives a code from an infinite stream of pseudo-random bytes. Every version of Terse
    /// derives the same code from the same bytes.
    pub fn from_bytes(bytes: &mut impl Iterator<Item = u8>) -> Self {
        // Bytes from the limit on are skipped, because the remainders of all 256 bytes would not be
        // equally frequent.
        let limit = u8::MAX / ALPHABET.len() as u8 * ALPHABET.len() as u8;
        let mut letters = bytes
            .filter(|byte| *byte < limit)
            .map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
        loop {
            let code: String = letters.by_ref().take(Self::GENERATED_LENGTH).collect();
            if !is_reserved(&code) {
                return Self(code.into());
            }
        }
    }

    /// Returns the code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_narrow(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl From<ShortCode> for String {
    fn from(code: ShortCode) -> Self {
        code.0.into()
    }
}

/// Lets callers look up a code in a map by a `&str`, such as a path segment.
impl std::borrow::Borrow<str> for ShortCode {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ShortCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::rand_core::UnwrapErr;
    use rand::rngs::SysRng;

    use super::*;

    #[test]
    fn generated_codes_use_the_alphabet_evenly() {
        let mut seen = [0_u32; 256];
        for _ in 0..5_000 {
            let code = ShortCode::generate(&mut UnwrapErr(SysRng));
            assert_eq!(code.as_str().len(), ShortCode::GENERATED_LENGTH);
            code.as_str().bytes().for_each(|b| seen[usize::from(b)] += 1);
        }
        for (byte, count) in seen.iter().enumerate() {
            let expected = ALPHABET.iter().any(|a| usize::from(*a) == byte);
            // 35,000 characters over 57 letters: 614 each, with a deviation of about 25.
            assert_eq!(*count > 400, expected, "{byte} came {count} times");
        }
    }

    #[test]
    fn stored_code_is_what_a_path_can_have() {
        for text in [
            "1",
            "Zz",
            "a.b",
            "~x",
            "a/b/c",
            "@team",
            "über",
            "日本",
            "👩\u{200d}🚀",
            "a:b|c",
            "...",
            ".x",
        ] {
            assert_eq!(ShortCode::parse(text).map(|code| code.to_string()), Ok(text.to_owned()));
        }
        let longest = "語".repeat(255);
        assert!(ShortCode::parse(&longest).is_ok());
        for text in [
            "",
            "a b",
            "a\u{a0}b",
            "a\u{85}b",
            "a\tb",
            "a?b",
            "a#b",
            "a%b",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            "a/./b",
            "..",
            "a/..",
            &format!("{longest}x"),
            &"x".repeat(100_000),
        ] {
            assert!(ShortCode::parse(text).is_err(), "{text:?}");
        }
        assert_eq!(ShortCode::parse("u\u{308}ber"), ShortCode::parse("\u{fc}ber"));
    }

    #[test]
    fn imported_code_is_none_of_the_servers_own_paths() {
        for text in
            ["api", "API/x", "docs/a", "robots.txt", ".well-known/x", "a/qr.svg", "a/b/qr.png"]
        {
            assert!(ShortCode::parse_imported(text).is_err(), "{text}");
        }
        for text in ["a/api", "apis", "qr.svg", "a/qr.svg/b", "a.qr.png"] {
            assert!(ShortCode::parse_imported(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn codes_are_percent_encoded_in_paths() {
        let code = ShortCode::parse("a/ü b".replace(' ', "|").as_str()).unwrap();
        assert_eq!(code.path(), "a/%C3%BC%7Cb");
        assert_eq!(code.path_segment(), "a%2F%C3%BC%7Cb");
        assert!(matches!(ShortCode::parse("@a~b.c").unwrap().path(), Cow::Borrowed("@a~b.c")));
    }

    #[test]
    fn letter_case_disappears_when_folded() {
        let fold = |text: &str| ShortCode::parse(text).unwrap().folded();
        for (one, other) in
            [("Abc", "aBC"), ("straße", "STRASSE"), ("ẞ", "ß"), ("ΟΔΟΣ", "οδος"), ("É", "e\u{301}")]
        {
            assert_eq!(fold(one), fold(other), "{one}");
        }
        assert_ne!(fold("abc"), fold("abd"));
    }

    proptest! {
        #[test]
        fn custom_code_is_narrow(text in "[0-9A-Za-z_.é-]{0,70}") {
            let is_valid = (3..=64).contains(&text.len()) && !text.contains(['.', 'é']);
            prop_assert_eq!(ShortCode::parse_custom(&text).is_ok(), is_valid);
            let is_narrow = ShortCode::parse(&text).is_ok_and(|code| code.is_narrow());
            prop_assert_eq!(is_narrow, is_valid);
        }

        #[test]
        fn code_survives_its_path(text in "\\PC{1,40}") {
            if let Ok(code) = ShortCode::parse(&text) {
                for path in [code.path(), code.path_segment()] {
                    let decoded = percent_encoding::percent_decode_str(&path).decode_utf8().unwrap();
                    prop_assert_eq!(&*decoded, code.as_str());
                    let url = format!("https://go.example.org/{path}");
                    prop_assert!(fluent_uri::Uri::parse(url.as_str()).is_ok(), "{}", url);
                    let parsed = url::Url::parse(&url).unwrap();
                    prop_assert_eq!(parsed.as_str(), url);
                }
            }
        }
    }
}
