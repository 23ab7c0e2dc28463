//! The JSON API: its five operations, each of which calls a function of a submodule.

mod caller;
pub mod document;
mod errors;
mod headers;
mod idempotency;
mod json_body;
mod links;
mod list_aborter;
mod list_query;
mod operation;
mod parameter;
pub mod paths;
mod problem_examples;
mod qr_codes;
mod response;
mod schema;
mod shorten;
mod wire;

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, OperationId, Tags};

use self::caller::Caller;
use self::idempotency::KeyHeader;
use self::json_body::JsonBody;
use self::links::{GetStats, ListLinks};
use self::list_query::{Limit, ListQuery};
use self::operation::Operation;
use self::parameter::Parameter;
use self::problem_examples::ProblemExample;
use self::qr_codes::{EnableQrCode, ListQrCodes};
use self::response::OperationResult;
use self::schema::CodeText;
use self::shorten::Shorten;
use crate::http::cursor::Cursor;
use crate::http::problem::Problem;
use crate::http::state::AppState;
use crate::values::Campaign;

/// The problems that each operation declares, by `operationId`.
const OPERATION_PROBLEMS: [(&str, &[ProblemExample]); 5] = [
    (Shorten::ID, Shorten::PROBLEMS),
    (ListLinks::ID, ListLinks::PROBLEMS),
    (GetStats::ID, GetStats::PROBLEMS),
    (EnableQrCode::ID, EnableQrCode::PROBLEMS),
    (ListQrCodes::ID, ListQrCodes::PROBLEMS),
];

/// Returns whether the OpenAPI document declares this problem for the operation.
pub fn declares(operation: OperationId, problem: &Problem) -> bool {
    let declared = OPERATION_PROBLEMS.iter().filter(|(id, _)| *id == operation.0);
    let mut types = declared.flat_map(|(_, examples)| *examples).map(|one| one.problem_type);
    types.any(|one| one == problem.problem_type)
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
#[derive(Debug, Clone, Copy)]
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
        /// changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are
        /// not part of the key.
        #[oai(name = "Idempotency-Key")]
        key: KeyHeader,
    ) -> OperationResult<Shorten> {
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
    ) -> OperationResult<ListLinks> {
        ListQuery { limit, cursor, campaign, active }.run(&app, caller).await
    }

    /// Read the statistics of a link
    ///
    /// Returns a link and its clicks. Every click whose redirect was sent is counted, including the
    /// latest; prefetches and link previews are not clicks. The response for another owner's link is
    /// the same as for one that does not exist.
    #[oai(path = "/stats/:code", method = "get", operation_id = "getStats", tag = "Tag::Links")]
    async fn get_stats(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive.
        Path(code): Path<CodeText>,
    ) -> OperationResult<GetStats> {
        links::statistics(&app, caller, code).await
    }

    /// Enable the QR code of a link
    ///
    /// Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 while the link
    /// does not redirect). `?size=` is their side length in pixels, up to 4096; a PNG needs at least
    /// one pixel per module. Calling the operation again changes the given settings and retains the
    /// others.
    ///
    /// Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored colour
    /// applies if one is omitted.
    #[oai(path = "/qrcodes", method = "post", operation_id = "enableQrCode", tag = "Tag::QrCodes")]
    async fn enable_qr_code(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link, and how to draw its code.
        JsonBody(body): JsonBody<wire::QrCodeRequest>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are
        /// not part of the key.
        #[oai(name = "Idempotency-Key")]
        key: KeyHeader,
    ) -> OperationResult<EnableQrCode> {
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
    ) -> OperationResult<ListQrCodes> {
        ListQuery { limit, cursor, campaign, active }.run(&app, caller).await
    }
}
