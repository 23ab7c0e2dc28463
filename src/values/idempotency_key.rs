use super::ValidationError;

/// What a client calls a request by, so that it may send it again: 1 to 255 printable characters of
/// ASCII.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(Box<str>);

impl IdempotencyKey {
    /// The most characters of a key.
    pub const MAX_LENGTH: usize = 255;

    /// Takes the value of a header: a structured string
    /// ([RFC 9651](https://www.rfc-editor.org/rfc/rfc9651#section-3.3.3)), `"…"`, as
    /// draft-ietf-httpapi-idempotency-key-header has it, or the same bare, as most clients send it.
    ///
    /// # Errors
    /// Says which rule the value breaks.
    pub fn parse(value: &[u8]) -> Result<Self, ValidationError> {
        let is_quoted = value.first() == Some(&b'"');
        let key = if is_quoted { unquote(value)? } else { value.to_vec() };
        if !(1..=Self::MAX_LENGTH).contains(&key.len()) {
            return Err(ValidationError::because("must have 1 to 255 characters"));
        }
        let may_be_there = |byte: u8| byte.is_ascii_graphic() || is_quoted && byte == b' ';
        match String::from_utf8(key) {
            Ok(key) if key.bytes().all(may_be_there) => Ok(Self(key.into())),
            Ok(_) | Err(_) => Err(ValidationError::because(
                "must consist of visible ASCII characters or, in quotation marks, of those and spaces",
            )),
        }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn unquote(value: &[u8]) -> Result<Vec<u8>, ValidationError> {
    let broken = ValidationError::because(
        "must end with the quotation mark that it begins with, and have `\\` only before another or \
         before a quotation mark",
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
    Err(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &str) -> Option<String> {
        IdempotencyKey::parse(value.as_bytes()).ok().map(|key| key.as_str().to_owned())
    }

    #[test]
    fn quoted_and_bare_are_the_same_key() {
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
    fn what_is_no_key_is_refused() {
        let long = "x".repeat(256);
        for value in ["", "\"\"", "\"", "\"a", "\"a\"b", "\"a\\\"", "a b", "\"a\tb\"", "é", &long]
        {
            assert_eq!(parsed(value), None, "{value:?}");
        }
        assert!(IdempotencyKey::parse(b"\xff").is_err());
    }
}
