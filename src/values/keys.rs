//! API keys and operator keys, and their hashes.

use std::borrow::Cow;
use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::{Rng, RngExt};
use sha2::{Digest, Sha256};

use super::ValidationError;

const PREFIX: &str = "terse_";
/// Beginning of an operator key, which is longer than that of an API key.
const OPERATOR_PREFIX: &str = "terse_op_";
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Number of random characters in a new key. 32 characters of an alphabet of 62 hold about 190 bits.
const RANDOM_LENGTH: usize = 32;
/// Minimum number of characters after the prefix.
const MIN_LENGTH: usize = 20;

/// Defines a type of keys. A key is a secret: it has no `Display`, and its `Debug` hides it.
macro_rules! key_type {
    ($(#[$doc:meta])* $name:ident, $prefix:ident, $invalid:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses a key.
            ///
            /// # Errors
            /// If `text` is not a key of this type.
            pub fn parse(text: &str) -> Result<Self, ValidationError> {
                let random = text.strip_prefix($prefix).filter(|random| random.len() >= MIN_LENGTH);
                random
                    .filter(|random| random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
                    .map(|_| Self(text.into()))
                    .ok_or(ValidationError::because($invalid))
            }

            /// Returns the hash that the database stores instead of the key.
            ///
            /// One round of SHA-256 suffices: unlike a password, 190 random bits cannot be guessed.
            pub fn hash(&self) -> KeyHash {
                KeyHash(Sha256::digest(self.0.as_bytes()).into())
            }

            /// Returns the key in clear text, to be shown once when it is created.
            pub fn reveal(&self) -> &str {
                &self.0
            }

            /// Returns the last four characters, by which people can tell keys apart.
            pub fn hint(&self) -> &str {
                &self.0[self.0.len() - 4..]
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}

key_type!(
    /// API key as a client sends it: `terse_` and at least 20 ASCII letters or digits.
    ApiKey, PREFIX, "is not an API key of Terse"
);
key_type!(
    /// Operator key as a program sends it: `terse_op_` and at least 20 ASCII letters or digits.
    OperatorKey, OPERATOR_PREFIX, "is not an operator key of Terse"
);

impl ApiKey {
    /// Generates a random key.
    pub fn generate(rng: &mut impl Rng) -> Self {
        let random =
            (0..RANDOM_LENGTH).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())]));
        Self(format!("{PREFIX}{}", random.collect::<String>()).into())
    }

    /// Derives a key from the credential of the request that creates it and a random nonce, with
    /// HMAC-SHA256. Without the credential, the nonce reveals nothing about the key.
    pub fn derive(credential: &str, nonce: &[u8]) -> Self {
        #[expect(clippy::expect_used, reason = "only other kinds of MAC limit the length")]
        let keyed = Hmac::<Sha256>::new_from_slice(credential.as_bytes())
            .expect("HMAC accepts keys of every length");
        let block = |number: u8| {
            keyed.clone().chain_update(nonce).chain_update([number]).finalize().into_bytes()
        };
        // The largest bytes are left out, so that all letters are equally likely.
        let letters = u8::MAX / ALPHABET.len() as u8 * ALPHABET.len() as u8;
        let random = (0..=u8::MAX).flat_map(block).filter(|byte| *byte < letters);
        let random = random.map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
        let random: String = random.take(RANDOM_LENGTH).collect();
        Self(format!("{PREFIX}{random}").into())
    }

    /// Returns whether a text contains an API key or an operator key.
    pub fn is_in(text: &str) -> bool {
        matches!(Self::redact(text), Cow::Owned(_))
    }

    /// Replaces each API key in a text with `terse_…`, and each operator key with `terse_op_…`. Users
    /// may have given a key by mistake.
    pub fn redact(text: &str) -> Cow<'_, str> {
        let (mut redacted, mut rest) = (String::new(), text);
        while let Some(start) = rest.find(PREFIX) {
            let is_operators = rest[start..].starts_with(OPERATOR_PREFIX);
            let prefix = if is_operators { OPERATOR_PREFIX } else { PREFIX };
            let (before, found) = rest.split_at(start + prefix.len());
            let is_other = |letter: char| !letter.is_ascii_alphanumeric();
            let length = found.find(is_other).unwrap_or(found.len());
            redacted.push_str(before);
            // Text after the prefix that is too short for a key stays, and may contain the next
            // prefix.
            let length = if length < MIN_LENGTH { 0 } else { length };
            redacted.push_str(if length == 0 { "" } else { "…" });
            rest = &found[length..];
        }
        redacted.push_str(rest);
        if redacted == text { Cow::Borrowed(text) } else { Cow::Owned(redacted) }
    }
}

impl OperatorKey {
    /// Makes an operator key of the random text of an API key.
    pub fn from_api_key(key: &ApiKey) -> Self {
        let text = key.reveal();
        Self(format!("{OPERATOR_PREFIX}{}", text.strip_prefix(PREFIX).unwrap_or(text)).into())
    }
}

/// SHA-256 hash of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Returns the 32 bytes of the hash.
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
    fn generated_key_parses_and_debug_hides_it() {
        let key = ApiKey::generate(&mut UnwrapErr(SysRng));
        assert_eq!(ApiKey::parse(key.reveal()), Ok(key.clone()));
        assert!(!format!("{key:?}").contains(&key.reveal()[6..]));
    }

    #[test]
    fn derived_key_depends_on_credential_and_nonce() {
        let key = ApiKey::derive("terse_credential", b"nonce");
        assert_eq!(ApiKey::parse(key.reveal()), Ok(key.clone()));
        assert_eq!(key, ApiKey::derive("terse_credential", b"nonce"));
        assert_ne!(key, ApiKey::derive("terse_credentials", b"nonce"));
        assert_ne!(key, ApiKey::derive("terse_credential", b"nonces"));
    }

    #[test]
    fn keys_in_a_text_are_redacted() {
        let key = ApiKey::generate(&mut UnwrapErr(SysRng));
        let key = key.reveal();
        let text = format!("no 'terse_{key}', no {key}-{key}");
        assert_eq!(ApiKey::redact(&text), "no 'terse_terse_…', no terse_…-terse_…");
        assert!(ApiKey::is_in(&text));
        for text in ["", "terse_", "terse_short, terse_terse_", "a terse_team"] {
            assert_eq!(ApiKey::redact(text), text);
            assert!(!ApiKey::is_in(text));
        }
    }

    #[test]
    fn invalid_key_is_rejected() {
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

    #[test]
    fn generated_key_is_no_api_key_and_is_hidden() {
        let key = OperatorKey::from_api_key(&ApiKey::generate(&mut UnwrapErr(SysRng)));
        let text = key.reveal();
        assert_eq!(OperatorKey::parse(text), Ok(key.clone()));
        assert!(ApiKey::parse(text).is_err());
        assert!(!format!("{key:?}").contains(&text[9..]));
        assert_eq!(ApiKey::redact(&format!("no '{text}'")), "no 'terse_op_…'");
    }

    #[test]
    fn other_keys_are_rejected() {
        let api_key = ApiKey::generate(&mut UnwrapErr(SysRng));
        for text in ["", "terse_op_", "terse_op_short", api_key.reveal()] {
            assert!(OperatorKey::parse(text).is_err(), "{text}");
        }
    }
}
