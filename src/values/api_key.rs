use rand::{Rng, RngExt};
use sha2::{Digest, Sha256};

use super::ValidationError;

const PREFIX: &str = "terse_";
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// An API key as its holder sends it: `terse_` and at least 20 letters or digits. It is a secret:
/// it has no `Display`, and its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Random characters of a new key: 62³², about 190 bits.
    const RANDOM_LENGTH: usize = 32;

    /// A new key.
    pub fn generate(rng: &mut impl Rng) -> Self {
        let random = (0..Self::RANDOM_LENGTH)
            .map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())]));
        Self(PREFIX.chars().chain(random).collect())
    }

    /// Takes a text as a key.
    ///
    /// # Errors
    /// When it does not match `terse_[0-9A-Za-z]{20,}`.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let fits = text.strip_prefix(PREFIX).is_some_and(|rest| {
            rest.len() >= 20 && rest.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(ValidationError::because("is not an API key of Terse"))
        }
    }

    /// What the database keeps of the key. A plain hash is enough: a key is not a password but
    /// 190 random bits, which nobody finds by trying.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The key itself, to show it to its holder once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// SHA-256 of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use rand::rand_core::UnwrapErr;
    use rand::rngs::SysRng;

    use super::*;

    #[test]
    fn a_new_key_parses_and_hides_itself() {
        let key = ApiKey::generate(&mut UnwrapErr(SysRng));
        assert_eq!(ApiKey::parse(key.reveal()), Ok(key.clone()));
        assert!(!format!("{key:?}").contains(&key.reveal()[6..]));
    }

    #[test]
    fn what_is_not_a_key_is_refused() {
        for text in [
            "",
            "terse_",
            "terse_short",
            "Terse_0123456789012345678901",
            "terse_0123456789-0123456789012",
        ] {
            assert!(ApiKey::parse(text).is_err(), "{text}");
        }
    }
}
