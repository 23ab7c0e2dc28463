//! The headers of a request that carry a key, and their security schemes.

use poem::http::HeaderMap;
use poem::http::header::AUTHORIZATION;
use poem_openapi::registry::{MetaSecurityScheme, Registry};

use super::problem::Problem;
use super::problem_examples::ProblemExample;
use super::problem_type::ProblemType;

const API_KEY_SCHEME: &str = "ApiKeyAuth";
const BEARER_SCHEME: &str = "BearerAuth";
const X_API_KEY: &str = "X-API-Key";

/// Names of the security schemes, which are alternatives.
pub const SCHEMES: [&str; 2] = [API_KEY_SCHEME, BEARER_SCHEME];

/// A security scheme without properties. The schemes for the two headers extend it.
const SCHEME: MetaSecurityScheme = MetaSecurityScheme {
    ty: "",
    description: None,
    name: None,
    key_in: None,
    scheme: None,
    bearer_format: None,
    flows: None,
    openid_connect_url: None,
};

/// Declares both headers as alternatives. The document describes the key.
pub fn register(registry: &mut Registry) {
    registry.create_security_scheme(
        API_KEY_SCHEME,
        MetaSecurityScheme {
            ty: "apiKey",
            description: Some(""),
            name: Some(X_API_KEY),
            key_in: Some("header"),
            ..SCHEME
        },
    );
    registry.create_security_scheme(
        BEARER_SCHEME,
        MetaSecurityScheme {
            ty: "http",
            description: Some(
                "The same API key as a bearer token (RFC 6750): `Authorization: Bearer terse_…`.",
            ),
            scheme: Some("bearer"),
            ..SCHEME
        },
    );
}

/// Returns the text of the key of a request. If several headers contain a key, it must be the same in all.
/// An empty header counts as absent, because some generated clients always send both headers.
///
/// # Errors
/// The problem of a request without a key, or with several.
pub fn text(headers: &HeaderMap) -> Result<&str, Problem> {
    let plain = headers.get_all(X_API_KEY).iter().map(|value| value.as_bytes().trim_ascii());
    let bearer =
        headers.get_all(AUTHORIZATION).iter().filter_map(|value| bearer_token(value.as_bytes()));
    let mut keys = plain.chain(bearer).filter(|key| !key.is_empty());
    let first = keys.next().ok_or_else(|| ProblemExample::UNAUTHORIZED.problem())?;
    if keys.any(|other| other != first) {
        return Err(Problem::new(
            ProblemType::UNAUTHORIZED,
            "The headers carry different API keys.",
        ));
    }
    std::str::from_utf8(first).map_err(|_| Problem::unknown_key())
}

/// Returns the token of `Authorization: Bearer TOKEN`, or `None` for another scheme. The name of a
/// scheme is case-insensitive (RFC 9110, section 11.1).
fn bearer_token(credentials: &[u8]) -> Option<&[u8]> {
    let credentials = credentials.trim_ascii();
    let (scheme, token) = match credentials.iter().position(|byte| *byte == b' ') {
        Some(blank) => credentials.split_at(blank),
        None => (credentials, &[][..]),
    };
    scheme.eq_ignore_ascii_case(b"Bearer").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use poem::http::{HeaderName, HeaderValue};

    use super::*;

    const KEY: &str = "terse_0123456789abcdefghijABCDEFGHIJ01";
    const OTHER: &str = "terse_0123456789abcdefghijABCDEFGHIJ02";

    fn key_of(headers: &[(&str, &str)]) -> Option<String> {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
            })
            .collect();
        text(&headers).ok().map(str::to_owned)
    }

    #[test]
    fn either_header_is_accepted() {
        let bearer = format!("bEARER  {KEY}");
        for headers in [
            &[("x-api-key", KEY)][..],
            &[("authorization", &bearer)],
            &[("x-api-key", KEY), ("authorization", &bearer)],
            &[("x-api-key", ""), ("authorization", &bearer)],
            &[("x-api-key", KEY), ("authorization", "Bearer")],
            &[("x-api-key", KEY), ("authorization", "Basic eA==")],
        ] {
            assert_eq!(key_of(headers).as_deref(), Some(KEY), "{headers:?}");
        }
    }

    #[test]
    fn different_keys_are_rejected() {
        let bearer = format!("Bearer {OTHER}");
        assert_eq!(key_of(&[("x-api-key", KEY), ("authorization", &bearer)]), None);
        assert_eq!(key_of(&[("x-api-key", KEY), ("x-api-key", OTHER)]), None);
        assert_eq!(key_of(&[("authorization", KEY)]), None);
        assert_eq!(key_of(&[]), None);
    }
}
