//! Strategies that generate parts of requests.

use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use serde_json::{Number, Value};

/// Every route, with existing and unknown codes.
pub(super) fn routes() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "/",
        "/docs",
        "/openapi.json",
        "/health/live",
        "/health/ready",
        "/metrics",
        "/robots.txt",
        "/favicon.ico",
        "/problems/not-found",
        "/known",
        "/unknown",
        "/known/qr.svg",
        "/known/qr.png",
        "/api/v1/shorten",
        "/api/v1/links",
        "/api/v1/stats/known",
        "/api/v1/qrcodes",
        "/api/v1/nothing",
        "/api",
    ])
}

/// The paths of operations with a body.
pub(super) fn writing_routes() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["/api/v1/shorten", "/api/v1/qrcodes"])
}

/// Arbitrary text, short and long.
pub(super) fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::collection::vec(any::<char>(), 0..300).prop_map(|chars| chars.into_iter().collect()),
        "[ -~]{0,80}",
        "[0-9A-Za-z_-]{0,70}",
    ]
}

/// Arbitrary JSON, with some meaningful member names.
pub(super) fn json_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
        texts().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let members = prop::collection::vec((field_names(), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::Array),
            members.prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Field names, most of them known.
pub(super) fn field_names() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "url",
        "title",
        "campaign",
        "custom_code",
        "short_code",
        "error_correction",
        "margin",
        "foreground",
        "background",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => texts()]
}

/// Characters that a request target may have, with well-formed escapes.
pub(super) fn path_and_query() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec![
        "/",
        "/api/",
        "/api/v1/",
        "/api/v1/stats/",
        "/api/v1/links?",
        "/known/",
        "/docs/",
        "/known?",
        "/problems/",
        "/health/",
    ]);
    let rest = "([a-zA-Z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2}){0,60}";
    (start, rest).prop_map(|(start, rest)| format!("{start}{rest}"))
}

/// Header fields with arbitrary values, except for those of framing.
pub(super) fn header_fields() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "X-API-Key",
        "Authorization",
        "Accept",
        "Accept-Encoding",
        "Accept-Language",
        "Content-Type",
        "Content-Encoding",
        "Cookie",
        "If-None-Match",
        "If-Match",
        "Idempotency-Key",
        "Range",
        "User-Agent",
        "Purpose",
        "Sec-Purpose",
        "X-Request-Id",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "Forwarded",
        "Origin",
        "Referer",
        "Via",
        "Prefer",
        "TE",
        "traceparent",
        "X-HTTP-Method-Override",
        "Access-Control-Request-Method",
    ]);
    let name =
        prop_oneof![4 => known.prop_map(str::to_owned), 1 => "x-[!#$%&'*+.^_`|~0-9a-z-]{1,20}"];
    let byte = prop_oneof![3 => 0x20_u8..0x7f, 1 => 0x80_u8..=0xff, 1 => Just(b'\t')];
    let value = prop_oneof![
        prop::collection::vec(byte, 0..60),
        texts().prop_map(|text| text
            .replace(|letter: char| letter.is_ascii_control(), "")
            .into_bytes()),
    ];
    (name, value).prop_map(|(name, value)| [name.as_bytes(), b": ", &value].concat())
}
