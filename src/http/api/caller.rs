//! Who sends a request.

use std::sync::Arc;

use poem::http::HeaderMap;
use poem::http::header::AUTHORIZATION;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaSecurityScheme, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use crate::domain::keys;
use crate::http::App;
use crate::http::api::case::SEND_A_KEY;
use crate::http::problem::{Kind, Problem};
use crate::http::request_id::RequestId;
use crate::values::ApiKey;

const API_KEY_SCHEME: &str = "ApiKeyAuth";
const BEARER_SCHEME: &str = "BearerAuth";
const X_API_KEY: &str = "X-API-Key";

/// The owner whose key came with a request: who holds one has been authenticated.
///
/// The two schemes are alternatives. poem-openapi's derived extractor would try one after the other,
/// each on its own; here both headers are seen together, since two different keys are none, and
/// a database that does not answer is not the client's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// The owner.
    pub owner_id: i64,
    /// What the log calls the request.
    pub request_id: RequestId,
}

impl<'a> ApiExtractor<'a> for Caller {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        registry.create_security_scheme(
            API_KEY_SCHEME,
            MetaSecurityScheme {
                ty: "apiKey",
                description: Some(
                    "The API key, as it was shown when it was created: `X-API-Key: terse_…`.",
                ),
                name: Some(X_API_KEY),
                key_in: Some("header"),
                scheme: None,
                bearer_format: None,
                flows: None,
                openid_connect_url: None,
            },
        );
        registry.create_security_scheme(
            BEARER_SCHEME,
            MetaSecurityScheme {
                ty: "http",
                description: Some("The same API key as a bearer token (RFC 6750): `Authorization: Bearer terse_…`."),
                name: None,
                key_in: None,
                scheme: Some("bearer"),
                bearer_format: None,
                flows: None,
                openid_connect_url: None,
            },
        );
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![API_KEY_SCHEME, BEARER_SCHEME]
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let (Some(app), Some(request_id)) = (request.data::<Arc<App>>(), request.data()) else {
            return Err(Problem::defect(&"the request came by a way that knows no service").into());
        };
        let key = key(request.headers())?;
        let owner_id = keys::authenticate(&app.store, &app.caches, &key, app.store.now())
            .await
            .map_err(Problem::from)?
            .ok_or_else(|| refused("The API key is unknown, expired or revoked."))?;
        Ok(Self { owner_id, request_id: *request_id })
    }
}

fn refused(detail: &str) -> Problem {
    Problem::new(Kind::Unauthorized, detail)
}

/// The one key that the headers carry, once or several times. An empty header counts as absent:
/// some generated clients always send both, one of them empty.
fn key(headers: &HeaderMap) -> Result<ApiKey, Problem> {
    let plain = headers.get_all(X_API_KEY).iter().map(|value| value.as_bytes().trim_ascii());
    let bearer =
        headers.get_all(AUTHORIZATION).iter().filter_map(|value| bearer_token(value.as_bytes()));
    let mut keys = plain.chain(bearer).filter(|key| !key.is_empty());
    let first = keys.next().ok_or_else(|| refused(SEND_A_KEY))?;
    if keys.any(|other| other != first) {
        return Err(refused("The headers carry different API keys."));
    }
    std::str::from_utf8(first)
        .ok()
        .and_then(|text| ApiKey::parse(text).ok())
        .ok_or_else(|| refused("The API key is unknown, expired or revoked."))
}

/// What follows the scheme's name, which is of any letter case (RFC 9110, section 11.1); none for
/// another scheme.
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
        key(&headers).ok().map(|key| key.reveal().to_owned())
    }

    #[test]
    fn either_header_will_do() {
        let bearer = format!("bEARER  {KEY}");
        assert_eq!(key_of(&[("x-api-key", KEY)]).as_deref(), Some(KEY));
        assert_eq!(key_of(&[("authorization", &bearer)]).as_deref(), Some(KEY));
        assert_eq!(key_of(&[("x-api-key", KEY), ("authorization", &bearer)]).as_deref(), Some(KEY));
        assert_eq!(key_of(&[("x-api-key", ""), ("authorization", &bearer)]).as_deref(), Some(KEY));
        assert_eq!(
            key_of(&[("x-api-key", KEY), ("authorization", "Bearer")]).as_deref(),
            Some(KEY)
        );
        assert_eq!(
            key_of(&[("x-api-key", KEY), ("authorization", "Basic eA==")]).as_deref(),
            Some(KEY)
        );
    }

    #[test]
    fn different_or_unlikely_keys_are_none() {
        let bearer = format!("Bearer {OTHER}");
        assert_eq!(key_of(&[("x-api-key", KEY), ("authorization", &bearer)]), None);
        assert_eq!(key_of(&[("x-api-key", KEY), ("x-api-key", OTHER)]), None);
        assert_eq!(key_of(&[("authorization", KEY)]), None);
        assert_eq!(key_of(&[("x-api-key", "terse_short")]), None);
        assert_eq!(key_of(&[]), None);
    }
}
