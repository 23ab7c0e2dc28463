//! The JSON interface: five operations, each declared here and delegated in one line.

mod caller;
pub mod document;
mod errors;
mod headers;
mod idempotency;
mod json_body;
mod links;
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
use crate::http::problem_type::ProblemType;
use crate::http::state::AppState;
use crate::values::Campaign;

/// The operations and the problems that each declares.
const OPERATION_PROBLEMS: [(&str, &[ProblemExample]); 5] = [
    (Shorten::ID, Shorten::PROBLEMS),
    (ListLinks::ID, ListLinks::PROBLEMS),
    (GetStats::ID, GetStats::PROBLEMS),
    (EnableQrCode::ID, EnableQrCode::PROBLEMS),
    (ListQrCodes::ID, ListQrCodes::PROBLEMS),
];

/// Returns whether an operation declares a problem. No operation declares bugs.
pub fn declares(operation: OperationId, problem: &Problem) -> bool {
    let declared = OPERATION_PROBLEMS.iter().filter(|(id, _)| *id == operation.0);
    let mut types = declared.flat_map(|(_, examples)| *examples).map(|one| one.problem_type);
    types.any(|one| one == problem.problem_type)
        || problem.problem_type == ProblemType::INTERNAL_ERROR
}

/// How the operations are grouped.
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
    /// The link belongs to the owner of the API key and redirects as soon as the response is sent.
    /// Its code is random, 7 characters that are hard to confuse, unless `custom_code` is given and
    /// the owner's plan allows custom codes. The same `url` twice creates two links, each with its
    /// own clicks.
    ///
    /// Conflicts (409) are told apart by `code`: `code-in-use`, `code-reserved`,
    /// `plan-limit-reached` or `idempotency-key-reused`. None of them creates anything.
    #[oai(path = "/shorten", method = "post", operation_id = "shorten", tag = "Tag::Links")]
    async fn shorten(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link to create.
        JsonBody(body): JsonBody<wire::ShortenRequest>,
        /// A key of your own for this request, such as a UUID, different for each request: sent
        /// again with the same key within 24 hours, the request gets the same response and creates
        /// no second link. Quotation marks around the key are not part of it.
        #[oai(name = "Idempotency-Key")]
        key: KeyHeader,
    ) -> OperationResult<Shorten> {
        shorten::run(&app, caller, body, key).await
    }

    /// List all links
    ///
    /// All links of the owner of the API key, newest first, with their current clicks.
    ///
    /// With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
    /// absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
    #[oai(path = "/links", method = "get", operation_id = "listLinks", tag = "Tag::Links")]
    async fn list_links(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// At most this many links; without it, all of them.
        Parameter(limit): Parameter<Limit>,
        /// Where to continue: taken from the header `Link` of the previous page; best use its whole URL.
        Parameter(cursor): Parameter<Cursor>,
        /// Only links of this campaign, spelled exactly as when they were created.
        Parameter(campaign): Parameter<Campaign>,
        /// Only links that redirect (1), or only those that do not (0).
        Parameter(active): Parameter<bool>,
    ) -> OperationResult<ListLinks> {
        ListQuery { limit, cursor, campaign, active }.run(&app, caller).await
    }

    /// Read the statistics of a link
    ///
    /// Every click whose redirect was sent is counted, including the latest; prefetches and link
    /// previews are not clicks. Another owner's link is answered like one that does not exist.
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
    /// The images are then at `/{code}/qr.svg` and `/{code}/qr.png`, for everyone and without a
    /// key (410 while the link is disabled); `?size=` is their side length in pixels, up to 4096; a
    /// PNG needs at least one pixel per module. Calling it again changes how they are drawn, and what
    /// is left out stays as it is.
    ///
    /// Colours that are too similar to be scanned are refused (409, `qr-colours-too-close`); for
    /// one that is left out, the stored colour counts.
    #[oai(path = "/qrcodes", method = "post", operation_id = "enableQrCode", tag = "Tag::QrCodes")]
    async fn enable_qr_code(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link, and how to draw its code.
        JsonBody(body): JsonBody<wire::QrCodeRequest>,
        /// A key of your own for this request, such as a UUID, different for each request: sent
        /// again with the same key within 24 hours, the request gets the same response and changes
        /// nothing. Quotation marks around the key are not part of it.
        #[oai(name = "Idempotency-Key")]
        key: KeyHeader,
    ) -> OperationResult<EnableQrCode> {
        qr_codes::enable(&app, caller, body, key).await
    }

    /// List all links with a QR code
    ///
    /// All links of the owner of the API key whose QR code is enabled, newest first.
    ///
    /// With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
    /// absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
    #[oai(path = "/qrcodes", method = "get", operation_id = "listQrCodes", tag = "Tag::QrCodes")]
    async fn list_qr_codes(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// At most this many links; without it, all of them.
        Parameter(limit): Parameter<Limit>,
        /// Where to continue: taken from the header `Link` of the previous page; best use its whole URL.
        Parameter(cursor): Parameter<Cursor>,
        /// Only links of this campaign, spelled exactly as when they were created.
        Parameter(campaign): Parameter<Campaign>,
        /// Only links that redirect (1), or only those that do not (0).
        Parameter(active): Parameter<bool>,
    ) -> OperationResult<ListQrCodes> {
        ListQuery { limit, cursor, campaign, active }.run(&app, caller).await
    }
}
