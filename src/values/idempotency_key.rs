//! Keys of idempotent requests.

use super::{ErrorCode, ValidationError};

/// Client's identifier of a request, which makes retries safe: 1 to 255 printable ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(Box<str>);

impl IdempotencyKey {
    /// Maximum length in characters.
    pub const MAX_LENGTH: usize = 255;

    /// Parses the value of an `Idempotency-Key` header.
    ///
    /// draft-ietf-httpapi-idempotency-key-header requires a quoted string ([RFC 9651, section
    /// 3.3.3](https://www.rfc-editor.org/rfc/rfc9651#section-3.3.3)). Most clients send the key
    /// without quotation marks, so this function accepts both.
    ///
    /// # Errors
    /// If the value breaks a rule of these formats; the error names the rule.
    pub fn parse(value: &[u8]) -> Result<Self, ValidationError> {
        let is_quoted = value.first() == Some(&b'"');
        let key = if is_quoted { unquote(value)? } else { value.to_vec() };
        if !(1..=Self::MAX_LENGTH).contains(&key.len()) {
            return Err(ErrorCode::of_length(key.len()).because("must have 1 to 255 characters"));
        }
        let is_allowed = |byte: u8| byte.is_ascii_graphic() || is_quoted && byte == b' ';
        match String::from_utf8(key) {
            Ok(key) if key.bytes().all(is_allowed) => Ok(Self(key.into())),
            Ok(_) | Err(_) => Err(ValidationError::because(
                "must consist of visible ASCII characters; spaces are allowed only in quotation marks",
            )),
        }
    }

    /// Returns the key without quotation marks and escapes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Removes the quotation marks and escapes of a quoted string (RFC 9651).
fn unquote(value: &[u8]) -> Result<Vec<u8>, ValidationError> {
    let error = ValidationError::because(
        "must end with a quotation mark if it begins with one, and may contain `\\` only before `\\` \
         or a quotation mark",
    );
    let mut key = Vec::with_capacity(value.len());
    let mut rest = value.iter().skip(1);
    while let Some(byte) = rest.next() {
        match byte {
            b'"' if rest.len() == 0 => return Ok(key),
            b'"' => break,
            b'\\' => match rest.next() {
                Some(byte @ (b'"' | b'\\')) => key.push(*byte),
                Some(_) | None => break,
            },
            byte => key.push(*byte),
        }
    }
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &str) -> Option<String> {
        IdempotencyKey::parse(value.as_bytes()).ok().map(|key| key.as_str().to_owned())
    }

    #[test]
    fn quoted_and_bare_values_are_the_same_key() {
        for value in ["8e03978e-40d5-43dd-bc93-6894a57f9324", "a", "a\\b", "x=1;y,z"] {
            assert_eq!(parsed(value).as_deref(), Some(value));
            let quoted = format!("\"{}\"", value.replace('\\', "\\\\"));
            assert_eq!(parsed(&quoted).as_deref(), Some(value));
        }
        assert_eq!(parsed(r#""a\"b""#).as_deref(), Some("a\"b"));
        assert_eq!(parsed("\" a b\"").as_deref(), Some(" a b"), "only in quotation marks");
        assert_eq!(parsed(&"x".repeat(255)).map(|key| key.len()), Some(255));
    }

    #[test]
    fn invalid_key_is_rejected() {
        let long = "x".repeat(256);
        for value in ["", "\"\"", "\"", "\"a", "\"a\"b", "\"a\\\"", "a b", "\"a\tb\"", "é", &long]
        {
            assert_eq!(parsed(value), None, "{value:?}");
        }
        assert!(IdempotencyKey::parse(b"\xff").is_err());
    }
}
