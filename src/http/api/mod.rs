//! The five operations of `/api/v1`.

mod links;
mod list_query;
mod qr_codes;
mod response;
mod shorten;
mod wire;

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};
use serde_json::{Value, json};

use self::list_query::ListQuery;
use super::caller::Caller;
use super::cursor::Cursor;
use super::objects::fields::CodeSegment;
use super::objects::fields::EXAMPLE_URL;
use super::openapi::headers::NextLink;
use super::openapi::idempotency::KeyHeader;
use super::openapi::interface::{Generated, Interface};
use super::openapi::json_body::JsonBody;
use super::openapi::page::Limit;
use super::openapi::parameter::Parameter;
use super::openapi::payload::{CreatedResponse, ListResponse, OkResponse, OperationResult};
use super::state::AppState;
use crate::values::Campaign;

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
    operations: &[
        shorten::SHORTEN,
        links::LIST_LINKS,
        links::GET_STATS,
        qr_codes::ENABLE_QR_CODE,
        qr_codes::LIST_QR_CODES,
    ],
    extend: |document| {
        add_links(document);
        add_bodies(document);
    },
    generated: Generated::from_operations::<Api>(),
};

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

/// Tags, by which the OpenAPI document groups the operations.
#[derive(Tags)]
enum Tag {
    /// Short links and their clicks: create them, list them, read their statistics.
    Links,
    /// QR codes of short links: enable and style them, list them.
    #[oai(rename = "QR codes")]
    QrCodes,
}

/// The five operations.
#[derive(Debug, Default)]
pub struct Api;

#[OpenApi(prefix_path = "/api/v1")]
impl Api {
    /// Create a short link
    ///
    /// Creates a link of the API key's owner, which redirects as soon as the response is sent. Its
    /// code is random, 7 characters that are hard to confuse, unless `custom_code` is given and the
    /// owner's plan allows custom codes. The same `url` twice creates two links, each with its own
    /// clicks.
    ///
    /// Conflicts (409) differ in `code`: `code-in-use`, `code-reserved`, `plan-limit-reached`,
    /// `expiry-passed` or `idempotency-key-reused`. None of them creates anything.
    #[oai(path = "/shorten", method = "post", operation_id = "shorten", tag = "Tag::Links")]
    async fn shorten(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link to create.
        JsonBody(body): JsonBody<wire::ShortenRequest>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters, within quotation marks also
        /// spaces; the quotation marks are not part of the key.
        #[oai(name = "Idempotency-Key")]
        key: KeyHeader,
    ) -> OperationResult<CreatedResponse<wire::ShortenResponse, shorten::StatsLocation>> {
        shorten::run(&app, caller, body, key).await
    }

    /// List all links
    ///
    /// Returns all links of the API key's owner, newest first, with their current clicks.
    ///
    /// With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
    /// absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
    #[oai(path = "/links", method = "get", operation_id = "listLinks", tag = "Tag::Links")]
    async fn list_links(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// Maximum number of links, from `1` to `1000`. Without it, the list is complete.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the URL in the header `Link` of the previous page. It is simplest
        /// to follow that URL.
        Parameter(cursor): Parameter<Cursor>,
        /// Only links of this campaign, such as `spring`. The comparison is exact.
        Parameter(campaign): Parameter<Campaign>,
        /// Only links that redirect (`1`), or only those that do not (`0`).
        Parameter(active): Parameter<bool>,
    ) -> OperationResult<ListResponse<wire::LinkList, NextLink>> {
        links::list(&app, caller, &ListQuery { limit, cursor, campaign, active }).await
    }

    /// Read the statistics of a link
    ///
    /// Returns a link and its clicks. Every click whose redirect was sent is counted, including the
    /// latest (`docs/counting.md` of Terse lists the exceptions); prefetches, link previews and robots
    /// are not clicks. Another owner's link returns the same 404 as one that does not exist.
    #[oai(path = "/stats/:code", method = "get", operation_id = "getStats", tag = "Tag::Links")]
    async fn get_stats(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive; slashes of an imported code as `%2F`.
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<OkResponse<wire::StatsResponse>> {
        links::statistics(&app, caller, code).await
    }

    /// Enable the QR code of a link
    ///
    /// Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 or 451 while the
    /// link does not redirect). `?size=` is their side length in pixels, up to 4096; a PNG needs at least
    /// one pixel per module. Calling the operation again changes the given settings and retains the
    /// others.
    ///
    /// Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored colour
    /// applies if one is omitted. An imported link whose short URL is too long returns 409
    /// `qr-code-too-long`.
    #[oai(path = "/qrcodes", method = "post", operation_id = "enableQrCode", tag = "Tag::QrCodes")]
    async fn enable_qr_code(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link, and how to draw its code.
        JsonBody(body): JsonBody<wire::QrCodeRequest>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters, within quotation marks also
        /// spaces; the quotation marks are not part of the key.
        #[oai(name = "Idempotency-Key")]
        key: KeyHeader,
    ) -> OperationResult<CreatedResponse<wire::QrCodeResponse, qr_codes::ImageLocation>> {
        qr_codes::enable(&app, caller, body, key).await
    }

    /// List all links with a QR code
    ///
    /// Returns all links of the API key's owner whose QR code is enabled, newest first.
    ///
    /// With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
    /// absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
    #[oai(path = "/qrcodes", method = "get", operation_id = "listQrCodes", tag = "Tag::QrCodes")]
    async fn list_qr_codes(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// Maximum number of links, from `1` to `1000`. Without it, the list is complete.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the URL in the header `Link` of the previous page. It is simplest
        /// to follow that URL.
        Parameter(cursor): Parameter<Cursor>,
        /// Only links of this campaign, such as `spring`. The comparison is exact.
        Parameter(campaign): Parameter<Campaign>,
        /// Only links that redirect (`1`), or only those that do not (`0`).
        Parameter(active): Parameter<bool>,
    ) -> OperationResult<ListResponse<wire::QrCodeList, NextLink>> {
        qr_codes::list(&app, caller, &ListQuery { limit, cursor, campaign, active }).await
    }
}
