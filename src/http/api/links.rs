//! `/api/v1/shorten`, `/api/v1/links` and `/api/v1/stats/{code}`

use super::list_query::ListQuery;
use super::wire::{
    Flag, LinkList, LinkStats, ListedLink, ShortenRequest, ShortenResponse, StatsResponse,
};
use crate::domain::links::{self, CreateLink};
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
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link to create.
        JsonBody(body): JsonBody<ShortenRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<CreatedResponse<ShortenResponse, StatsLocation>> {
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
        app: Data<&Arc<AppState>>,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        Parameter(campaign): Parameter<Campaign>,
        Parameter(active): Parameter<Flag>,
    ) -> OperationResult<ListResponse<LinkList, NextLink>> {
        let active = active.map(|Flag(flag)| flag == 1);
        let query = ListQuery { limit, cursor, campaign, active };
        let (body, next) = query.run::<ListedLink>(&app, caller, "/api/v1/links", false).await?;
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
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive; slashes of an imported code as `%2F`.
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<OkResponse<StatsResponse>> {
        let code = code.0.ok_or(Error::LinkNotFound)?;
        let realm = Realm::Owner(caller.owner_id);
        let (link, state, _) = links::get(&app.link_source(), realm, &code).await?;
        Ok(OkResponse::new(StatsResponse { data: LinkStats::from((link, state)) }))
    }
}
