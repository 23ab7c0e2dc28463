//! The five operations of `/api/v1`.

mod links;
mod qr_codes;
mod wire;

use serde_json::{Value, json};

use super::objects::fields::EXAMPLE_URL;
use super::openapi::interface::{Interface, operations};

/// The interface `/api/v1`.
pub const INTERFACE: Interface = Interface {
    prefix: "/api/v1/",
    document_path: "/openapi.json",
    is_for_operator: false,
    is_strict: false,
    title: "Terse",
    description: "\
Create short links, count their clicks, and give them QR codes. Every operation needs an API key from \
the operator of this server (`terse owner add NAME` prints one), sent as `X-API-Key: KEY` or as \
`Authorization: Bearer KEY`.

Errors are problem details (RFC 9457): read `code`, and treat an unknown one by its status. A method \
that a path does not support returns 405 with `Allow`. To retry a `POST` safely, send an \
`Idempotency-Key`. Ignore unknown fields: `/api/v1` may get more.

`GET /{short_code}` returns 302 and counts one click.",
    keys: "The API key, as it was shown when it was created: `X-API-Key: terse_…`. The operator may \
           limit it to the three `GET` operations (scope `read`) or to the two `POST` operations \
           (scope `create`); the others then return 403 `key-scope`.",
    parameters: &[
        ("limit", "Maximum number of links, from `1` to `1000`. Without it, the list is complete."),
        (
            "cursor",
            "Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32 \
             hexadecimal digits from the URL in the header `Link` of the previous page. It is simplest to \
             follow that URL.",
        ),
        ("campaign", "Only links of this campaign, such as `spring`. The comparison is exact."),
        ("active", "Only links that redirect (`1`), or only those that do not (`0`)."),
        (
            "Idempotency-Key",
            "A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe: \
             repeating the request with the same key within 24 hours returns the original response and \
             changes nothing more. Up to 255 visible ASCII characters, within quotation marks also spaces; \
             the quotation marks are not part of the key.",
        ),
    ],
    extend: |document| {
        add_links(document);
        add_bodies(document);
        remove_member(document);
    },
    operations: operations![
        links::LinksApi,
        qr_codes::QrCodesApi,
    ],
};

/// Removes a member of problems that no operation of this interface returns.
fn remove_member(document: &mut Value) {
    let members = document["components"]["schemas"]["Problem"]["properties"].as_object_mut();
    members.and_then(|members| members.shift_remove("short_code"));
}

/// Adds OpenAPI links from the response of `shorten` to the operations that take a short code. The
/// second one has no `requestBody`, because openapi-generator rejects an object there.
fn add_links(document: &mut Value) {
    document["paths"]["/api/v1/shorten"]["post"]["responses"]["201"]["links"] = json!({
        "getStats": {
            "operationId": "getStats",
            "parameters": { "code": "$response.body#/short_code" },
            "description": "The statistics of the new link."
        },
        "enableQrCode": {
            "operationId": "enableQrCode",
            "description": "The QR code of the new link: send this `short_code` in the body."
        }
    });
}

/// Adds examples of the body of `shorten`: the least and the most that a client can send.
fn add_bodies(document: &mut Value) {
    let body = &mut document["paths"]["/api/v1/shorten"]["post"]["requestBody"];
    body["content"]["application/json"]["examples"] = json!({
        "minimal": {
            "summary": "A destination alone",
            "value": { "url": EXAMPLE_URL }
        },
        "complete": {
            "summary": "All fields",
            "value": {
                "url": EXAMPLE_URL,
                "title": "Spring catalogue",
                "campaign": "spring",
                "expires_at": "2099-12-31T23:59:59Z",
                "custom_code": "spring-catalogue"
            }
        }
    });
}
