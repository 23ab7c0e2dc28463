//! `/api/v1/shorten`, `/api/v1/links` and `/api/v1/stats/{code}`, and what the two list operations share:
//! their query parameters, and their bodies, which the server sends page by page.

use std::future::{pending, ready};

use futures_util::future::Either;
use futures_util::stream::once;
use futures_util::{StreamExt as _, TryStreamExt as _};
use poem::Body;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::wire::{
    Flag, LinkList, LinkStats, ListedLink, ShortenRequest, ShortenResponse, StatsResponse,
};
use crate::domain::keys;
use crate::domain::links::{self, ActiveAt, CreateLink, Link, LinkFilter, LinkPages};
use crate::domain::owners;
use crate::http::connections::response_token;
use crate::http::objects::fields::{CodeSegment, EXAMPLE_CODE, SEGMENT_PATTERN};
use crate::http::openapi::headers::NextLink;
use crate::http::prelude::*;
use crate::values::Campaign;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new(
        "shorten",
        Permission::Create,
        "The link was created and is durable across a power loss.",
    )
    .creating_links()
    .with(&[
        ProblemExample::invalid("/url", "must start with http:// or https://"),
        ProblemExample::invalid("/url", "is required").with_code(ErrorCode::Required).and_invalid(
            "/title",
            ErrorCode::TooLong,
            "must not be longer than 255 characters",
        ),
        ProblemExample::blocked("/url"),
    ]),
    Operation::new(
        "listLinks",
        Permission::Read,
        "The links of the owner: all of them or, with `limit`, one page.",
    ),
    Operation::new("getStats", Permission::Read, "The statistics of the link."),
];

header_type!(
    /// `Location` of a new link.
    StatsLocation,
    location_schema(
        "The link's statistics.",
        "/api/v1/stats/{code}",
        EXAMPLE_CODE,
        SEGMENT_PATTERN
    )
);

/// Links.
#[derive(Debug, Default)]
pub struct LinksApi;

#[OpenApi(prefix_path = "/api/v1", tag = "ApiTag::Links")]
impl LinksApi {
    /// Create a short link
    ///
    /// Creates a link of the API key's owner, which redirects as soon as the response is sent. Its
    /// code is random, 7 characters that are hard to confuse, unless `custom_code` is given and the
    /// owner's plan allows custom codes. The same `url` twice creates two links, each with its own
    /// clicks.
    ///
    /// Conflicts (409) differ in `code`: `code-in-use`, `code-reserved`, `plan-limit-reached`,
    /// `daily-limit-reached`, `expiry-passed` or `idempotency-key-reused`. None of them creates anything.
    #[oai(path = "/shorten", method = "post", operation_id = "shorten")]
    async fn shorten(
        &self,
        caller: Caller,
        /// The link to create.
        JsonBody(body): JsonBody<ShortenRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<CreatedResponse<ShortenResponse, StatsLocation>> {
        let app = &caller.app;
        let (request, now) = (CreateLink::from(body), app.store.now());
        let key = key.for_link_of(caller.owner_id, &app.addresses, || request.fingerprint());
        let rng = &mut app.randomness();
        let done = app.creator.create(caller.creator(), &request, key, now, rng).await;
        // The specification has this name for the destination in requests.
        let done = done.map_err(|error| Problem::from_error(error, "url"))?;
        let first = done.first_response(&app.addresses, caller.owner_id, now);
        let link = ShortenResponse::new(&first.origin, &first.code, request.destination.as_str());
        let location = format!("{}/api/v1/stats/{}", first.base_url, first.code.path_segment());
        Ok(CreatedResponse::new(link, StatsLocation(location), first.is_replay))
    }

    /// List all links
    ///
    /// Returns all links of the API key's owner, newest first, with their current clicks.
    ///
    /// With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
    /// absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
    #[oai(path = "/links", method = "get", operation_id = "listLinks")]
    async fn list_links(
        &self,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        Parameter(campaign): Parameter<Campaign>,
        Parameter(active): Parameter<Flag>,
    ) -> OperationResult<ListResponse<LinkList, NextLink>> {
        let filter = list_filter(&caller, campaign, active, false);
        let listed = list::<ListedLink>(&caller, "/api/v1/links", filter, limit, cursor);
        let (body, next) = listed.await?;
        Ok(ListResponse::Ok(Json::from_stream(body), next))
    }

    /// Read the statistics of a link
    ///
    /// Returns a link and its clicks. Every click whose redirect was sent is counted, including the
    /// latest (`docs/counting.md` of Terse lists the exceptions); prefetches, link previews and robots
    /// are not clicks. Another owner's link returns the same 404 as one that does not exist.
    #[oai(path = "/stats/:code", method = "get", operation_id = "getStats")]
    async fn get_stats(
        &self,
        caller: Caller,
        /// The link's short code, case-sensitive; slashes of an imported code as `%2F`.
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<OkResponse<StatsResponse>> {
        let code = code.parsed()?;
        let source = caller.app.link_source();
        let (link, state, _) = links::get(&source, caller.realm(), &code).await?;
        Ok(OkResponse::new(StatsResponse { data: LinkStats::from((link, state)) }))
    }
}

/// Returns the filter of a list, with the parameters of its request. `with_qr`: only links with a QR code.
pub(super) fn list_filter(
    caller: &Caller,
    campaign: Option<Campaign>,
    active: Option<Flag>,
    with_qr: bool,
) -> LinkFilter {
    let now = caller.app.store.now();
    let active = active.map(|Flag(flag)| ActiveAt { is_active: flag == 1, now });
    LinkFilter { campaign: campaign.map(Campaign::into_string), active, with_qr }
}

/// Returns the list of the operation at `path`, with each of the caller's links converted to `T`, and
/// the header for the next page.
pub(super) async fn list<T: From<Link> + Serialize>(
    caller: &Caller,
    path: &'static str,
    filter: LinkFilter,
    limit: Option<Limit>,
    cursor: Option<Cursor>,
) -> Result<(Body, Option<NextLink>), Problem> {
    let conditions = [
        ("campaign", filter.campaign.clone()),
        ("active", filter.active.map(|active| u8::from(active.is_active).to_string())),
    ];
    let page = caller.page(path, Vec::new(), limit, cursor)?;
    let (source, limit) = (caller.app.link_source(), limit.map(|Limit(limit)| limit));
    let (pages, next) = links::list(source, caller.owner_id, filter, page.position, limit).await?;
    let body = list_body::<T>(pages, caller).await?;
    Ok((body, page.link(next, &conditions)))
}

/// Returns the body of a list, `{"data": [ … ]}`, with each link converted to `W`. The first page
/// is read before this function returns, so that the server can still return 503 if the database is
/// unavailable. The other pages are read while the client receives the list.
///
/// The response is aborted if the database fails, or as soon as the caller's key is no longer
/// valid.
async fn list_body<W: From<Link> + Serialize>(
    mut pages: LinkPages,
    caller: &Caller,
) -> Result<Body, Error> {
    let first = pages.try_next().await?.unwrap_or_default();
    let (mut begin, mut separator) = (r#"{"data":["#, "");
    let mut write = move |links: Vec<Link>| {
        let mut bytes = std::mem::take(&mut begin).as_bytes().to_vec();
        for link in links {
            bytes.extend_from_slice(std::mem::replace(&mut separator, ",").as_bytes());
            serde_json::to_writer(&mut bytes, &W::from(link)).map_err(|error| error.to_string())?;
        }
        Ok(bytes)
    };
    let (app, key, request_id) = (Arc::clone(&caller.app), caller.key, caller.request_id);
    let response = response_token();
    let aborted = response.clone();
    // Ends with the body. The body itself cannot check the key, because nothing polls it while the
    // client does not read.
    let in_progress = CancellationToken::new();
    let end = in_progress.clone().drop_guard();
    let ended = CancellationToken::new();
    let is_ended = ended.clone();
    tokio::spawn(async move {
        let invalid = keys::wait_until_invalid(&app.store, &app.caches.keys, key);
        let invalid = is_ended.run_until_cancelled(invalid);
        if in_progress.run_until_cancelled(invalid).await.is_some() {
            let error = "the API key is no longer valid";
            tracing::warn!(%request_id, error, "list response aborted");
            response.cancel();
        }
    });
    // The task above notices a deletion of the owner within a second, and the deletion may take less. A list
    // without the deleted links must not seem complete.
    let (app, owner_id) = (Arc::clone(&caller.app), caller.owner_id);
    let pages = pages.and_then(move |page| {
        let (app, ended) = (Arc::clone(&app), ended.clone());
        async move {
            if !owners::is_active(&app.store, owner_id).await? {
                ended.cancel();
                pending::<()>().await;
            }
            Ok(page)
        }
    });
    let chunks = once(async { Ok(first) })
        .chain(pages)
        .then(move |page| {
            let _ = &end;
            match page.map_err(|error| error.to_string()).and_then(&mut write) {
                Ok(bytes) => Either::Left(ready(bytes)),
                Err(error) => {
                    tracing::error!(%request_id, error, "list response aborted");
                    aborted.cancel();
                    Either::Right(pending())
                }
            }
        })
        .chain(once(async { b"]}".to_vec() }))
        .map(Ok::<_, std::io::Error>);
    Ok(Body::from_bytes_stream(chunks))
}
