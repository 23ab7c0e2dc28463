//! Short codes: parsing and generation.

use rand::{Rng, RngExt};

use super::{ValidationError, is_reserved};

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

/// Path segment of a short URL: 3 to 64 characters of `[0-9A-Za-z_-]`, case-sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShortCode(Box<str>);

impl ShortCode {
    /// Minimum length in characters.
    pub const MIN_LENGTH: usize = 3;
    /// Maximum length in characters.
    pub const MAX_LENGTH: usize = 64;
    /// Length of a generated code in characters.
    ///
    /// There are 57⁷ such codes, about 2·10¹²: guesses rarely find a link, and two generated codes
    /// rarely collide, even with billions of links.
    pub const GENERATED_LENGTH: usize = 7;
    /// Number of possible generated codes.
    const POSSIBLE_CODES: u64 = (ALPHABET.len() as u64).pow(Self::GENERATED_LENGTH as u32);

    /// Parses a short code.
    ///
    /// It accepts reserved codes, because a lookup needs no such check; [`Self::parse_custom`]
    /// rejects them.
    ///
    /// # Errors
    /// If the length or a character is not allowed.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if !(Self::MIN_LENGTH..=Self::MAX_LENGTH).contains(&text.len()) {
            return Err(ValidationError::because("must have 3 to 64 characters"));
        }
        if !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
            return Err(ValidationError::because(
                "must consist of letters a-z and A-Z, digits, _ and -",
            ));
        }
        Ok(Self(text.into()))
    }

    /// Parses the code that a client chose for a new link.
    ///
    /// # Errors
    /// If the code is reserved or invalid. A code that is both, such as `robots.txt`, is reported
    /// as reserved.
    pub fn parse_custom(text: &str) -> Result<Self, CustomCodeError> {
        if is_reserved(text) {
            return Err(CustomCodeError::Reserved);
        }
        Ok(Self::parse(text)?)
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
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
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

    proptest! {
        #[test]
        fn parse_accepts_exactly_the_pattern(text in "[0-9A-Za-z_.é-]{0,70}") {
            let is_valid = (3..=64).contains(&text.len()) && !text.contains(['.', 'é']);
            prop_assert_eq!(ShortCode::parse(&text).is_ok(), is_valid);
        }
    }
}
