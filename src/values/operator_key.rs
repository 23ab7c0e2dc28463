//! Operator keys.

use std::sync::Arc;

use rand::Rng;
use sha2::{Digest as _, Sha256};

use super::ValidationError;
use super::api_key::{ApiKey, KeyHash, OPERATOR_PREFIX};

/// Operator key as a program sends it: `terse_op_` and at least 20 ASCII letters or digits.
///
/// It is a secret: it has no `Display`, and its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct OperatorKey(Arc<str>);

impl OperatorKey {
    /// Generates a random key, with as many random characters as an API key.
    pub fn generate(rng: &mut impl Rng) -> Self {
        Self(format!("{OPERATOR_PREFIX}{}", ApiKey::random_text(rng)).into())
    }

    /// Parses an operator key.
    ///
    /// # Errors
    /// If `text` does not match `terse_op_[0-9A-Za-z]{20,}`.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        if text.strip_prefix(OPERATOR_PREFIX).is_some_and(ApiKey::is_random_text) {
            Ok(Self(text.into()))
        } else {
            Err(ValidationError::because("is not an operator key of Terse"))
        }
    }

    /// Returns the hash that the database stores instead of the key.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash::from_bytes(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Returns the key in clear text, to be shown once when it is created.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for OperatorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperatorKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use rand::rand_core::UnwrapErr;
    use rand::rngs::SysRng;

    use super::*;

    #[test]
    fn generated_key_is_no_api_key_and_is_hidden() {
        let key = OperatorKey::generate(&mut UnwrapErr(SysRng));
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
