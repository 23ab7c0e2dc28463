use rand::{Rng, RngExt};

use super::{ValidationError, is_reserved};

/// What a generated code is made of: digits and letters without the look-alikes `0 O 1 I l`.
const ALPHABET: &[u8; 57] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Why nobody can choose a code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CustomCodeError {
    /// The server needs it for itself.
    #[error("is reserved")]
    Reserved,
    /// It is no code.
    #[error(transparent)]
    Invalid(#[from] ValidationError),
}

/// A link's name in its short URL: 3 to 64 of `[0-9A-Za-z_-]`, case-sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShortCode(Box<str>);

impl ShortCode {
    /// The fewest characters of a code.
    pub const MIN_LENGTH: usize = 3;
    /// The most characters of a code.
    pub const MAX_LENGTH: usize = 64;
    /// Characters of a generated code: 57⁷, about 2·10¹², so that guessing one finds nothing and
    /// a clash is rare up to billions of links.
    pub const GENERATED_LENGTH: usize = 7;
    /// How many codes of that length there are.
    const GENERATED: u64 = (ALPHABET.len() as u64).pow(Self::GENERATED_LENGTH as u32);

    /// Takes a text as a code.
    ///
    /// # Errors
    /// Says which rule the text breaks. Reserved words are not asked here but by
    /// [`Self::parse_custom`]: existing links are looked up by the same type.
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

    /// Takes a text as a code that somebody chose.
    ///
    /// # Errors
    /// Says why it cannot be had. A reserved word that is no code either, such as `robots.txt`, is
    /// reserved.
    pub fn parse_custom(text: &str) -> Result<Self, CustomCodeError> {
        if is_reserved(text) {
            return Err(CustomCodeError::Reserved);
        }
        Ok(Self::parse(text)?)
    }

    /// A fresh random code that is not a reserved word.
    pub fn generate(rng: &mut impl Rng) -> Self {
        loop {
            // One draw for all characters: the operating system is asked each time.
            let mut number = rng.random_range(0..Self::GENERATED);
            let mut code = [0; Self::GENERATED_LENGTH];
            for byte in &mut code {
                *byte = ALPHABET[(number % ALPHABET.len() as u64) as usize];
                number /= ALPHABET.len() as u64;
            }
            // The alphabet is ASCII.
            let code = String::from_utf8_lossy(&code);
            if !is_reserved(&code) {
                return Self(code.into());
            }
        }
    }

    /// The code that these bytes make, which must be as good as random and without an end. The same
    /// bytes make the same code in every release.
    pub fn from_bytes(bytes: &mut impl Iterator<Item = u8>) -> Self {
        // Bytes above the last whole round of the alphabet would make some letters likelier.
        let rounds = u8::MAX / ALPHABET.len() as u8 * ALPHABET.len() as u8;
        let mut letters = bytes
            .filter(|byte| *byte < rounds)
            .map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
        loop {
            let code: String = letters.by_ref().take(Self::GENERATED_LENGTH).collect();
            if !is_reserved(&code) {
                return Self(code.into());
            }
        }
    }

    /// The code as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Lets a cache be asked for a code as it stands in a path.
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
        fn parse_takes_exactly_the_pattern(text in "[0-9A-Za-z_.é-]{0,70}") {
            let fits = (3..=64).contains(&text.len()) && !text.contains(['.', 'é']);
            prop_assert_eq!(ShortCode::parse(&text).is_ok(), fits);
        }
    }
}
