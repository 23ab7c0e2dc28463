//! `/api/manage/v1/links` and `/api/manage/v1/links/{code}`

use poem_openapi::ApiResponse;

use crate::domain::idempotency::FirstResponse;
use crate::domain::links::{self, CreateLink, LinkTarget, LinkVersion, SearchFilter, SearchScope};
use crate::http::objects::fields::{CodeSegment, EXAMPLE_CODE, SEGMENT_PATTERN};
use crate::http::objects::link::{Link, LinkCreate, LinkUpdate};
use crate::http::objects::parameters::{
    DestinationFilter, HostFilter, StateFilter, TitleFilter, conditions_of,
};
use crate::http::prelude::*;
use crate::values::{Campaign, Timestamp};

const PATH: &str = "/api/manage/v1/links";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listLinks", Permission::Read, "A page of the owner's links."),
    Operation::new(
        "createLink",
        Permission::Create,
        "The link was created and is durable across a power loss.",
    )
    .creating_links()
    .with(&[
        ProblemExample::CUSTOM_CODES_NOT_ALLOWED,
        ProblemExample::COLOURS_TOO_CLOSE,
        ProblemExample::invalid("/destination_url", "is required").with_code(ErrorCode::Required),
        ProblemExample::invalid("/destination_url", "must start with http:// or https://")
            .and_invalid("/title", ErrorCode::TooLong, "must not be longer than 255 characters"),
        ProblemExample::blocked("/destination_url"),
    ]),
    Operation::new("getLink", Permission::Read, "The link, with its clicks and its state."),
    Operation::new("updateLink", Permission::Edit, "The link with its new values.").with(&[
        ProblemExample::LINK_DISABLED,
        ProblemExample::EXPIRY_PASSED,
        ProblemExample::COLOURS_TOO_CLOSE,
        ProblemExample::QR_CODE_TOO_LONG,
        ProblemExample::invalid("/destination_url", "must start with http:// or https://"),
        ProblemExample::blocked("/destination_url"),
    ]),
    Operation::new("deleteLink", Permission::Full, "The link is deleted, and its code retired.")
        .with(&[ProblemExample::LINK_DISABLED]),
];

header_type!(
    /// `Location` of a new link.
    LinkLocation,
    location_schema(
        "The address of the link.",
        "/api/manage/v1/links/{code}",
        EXAMPLE_CODE,
        SEGMENT_PATTERN
    )
);

/// Response with a new link.
#[derive(Debug, ApiResponse)]
pub enum CreatedLinkResponse {
    /// The link.
    #[oai(status = 201)]
    Created(
        Json<Link>,
        #[oai(header = "Location")] LinkLocation,
        #[oai(header = "ETag")] EntityTag,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

/// Links.
#[derive(Debug, Default)]
pub struct LinksApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl LinksApi {
    /// Find links by their properties
    ///
    /// Returns links of the API key's owner, newest first, that meet all conditions.
    ///
    /// One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only
    /// a `next_cursor` of `null` ends the list. Links created meanwhile cause neither
    /// duplicates nor gaps.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    #[oai(path = "/links", method = "get", operation_id = "listLinks")]
    async fn list_links(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// Maximum number of links, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only links of this campaign, such as `spring`. The comparison is exact.
        Parameter(campaign): Parameter<Campaign>,
        /// Only links in this state.
        Parameter(state): Parameter<StateFilter>,
        /// Only links that lead to this host, such as `example.org`, or a subdomain of it.
        Parameter(host): Parameter<HostFilter>,
        /// Only links with exactly this destination.
        Parameter(destination_url): Parameter<DestinationFilter>,
        /// Only links whose title contains this text; ASCII letters match in any case.
        Parameter(title): Parameter<TitleFilter>,
        /// Only links created at this time or later (RFC 3339).
        Parameter(created_after): Parameter<Timestamp>,
        /// Only links created before this time (RFC 3339).
        Parameter(created_before): Parameter<Timestamp>,
    ) -> OperationResult<ListResponse<List<Link>, NextPageLink>> {
        let filter = SearchFilter {
            campaign: campaign.map(Campaign::into_string),
            state: state.map(|StateFilter(name)| name),
            host: host.map(|HostFilter(host)| host),
            destination: destination_url.map(|DestinationFilter(url)| url),
            title: title.map(|TitleFilter(text)| text),
            created_after,
            created_before,
        };
        let (owner_id, conditions) = (caller.owner_id, conditions_of(&filter).to_vec());
        let page = ListPage::find(&app, owner_id, PATH.to_owned(), conditions, limit, cursor)?;
        let (source, scope) = (app.link_source(), SearchScope::own(owner_id));
        let found = links::search(&source, &scope, &filter, page.request()).await?;
        Ok(page.response(found.map(|(link, state)| Link::read(&app.addresses, link, state))))
    }

    /// Create a link
    ///
    /// Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change. Its
    /// code is random unless `custom_code` is given. If the owner's plan does not allow custom codes, 409
    /// `custom-codes-not-allowed`. The state in the response is that of the moment of creation.
    ///
    /// Both operations share the values of `Idempotency-Key`: one that was used for the other returns
    /// 409 `idempotency-key-reused`.
    #[oai(path = "/links", method = "post", operation_id = "createLink")]
    async fn create_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link to create.
        JsonBody(body): JsonBody<LinkCreate>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<CreatedLinkResponse> {
        let (request, now) = (CreateLink::from(body), app.store.now());
        let fingerprint = || request.full_fingerprint();
        let key = key.for_link_of(caller.owner_id, &app.addresses, fingerprint);
        let rng = &mut app.randomness();
        let done = app.creator.create(caller.owner_id, &request, key, now, rng).await?;
        let first = done.first_response(&app.addresses, caller.owner_id, now);
        let (link, tag) = describe(&request, caller.owner_id, &first);
        let location =
            LinkLocation(format!("{}{PATH}/{}", first.base_url, first.code.path_segment()));
        let replayed = Replayed::from_flag(first.is_replay);
        Ok(CreatedLinkResponse::Created(Json::new(&link), location, tag, replayed))
    }

    /// Read a link
    ///
    /// Returns a link with its clicks, every click included whose redirect was sent. The response for
    /// another owner's link is the same as for one that does not exist.
    #[oai(path = "/links/:code", method = "get", operation_id = "getLink")]
    async fn get_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<TaggedResponse<Link>> {
        Ok(read(&app, &caller, code).await?)
    }

    /// Change a link
    ///
    /// Changes the given properties of a link, and no others. Redirects follow within a second. An
    /// unchanged value is not checked again.
    ///
    /// With `If-Match`, the link is only changed if its `ETag` is still one of those; of several
    /// concurrent changes with the same `ETag`, exactly one succeeds. While the operator has disabled
    /// the link or blocked its destination, 409 `link-disabled`.
    #[oai(path = "/links/:code", method = "patch", operation_id = "updateLink")]
    async fn update_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(update): MergePatch<LinkUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<TaggedResponse<Link>> {
        let (edit, audit) = update.into();
        let change = caller.change(audit, app.store.now());
        let target = target(&caller, &code, &if_match)?;
        links::edit(&app.store, target, &edit, app.creator.rules(), &change).await?;
        Ok(read(&app, &caller, code).await?)
    }

    /// Delete a link
    ///
    /// Deletes a link with its clicks, and retires its code, which returns 410 from then on and is
    /// never used again. Deleting it again returns 404.
    ///
    /// With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the
    /// operator has disabled the link or blocked its destination, 409 `link-disabled`.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    #[oai(path = "/links/:code", method = "delete", operation_id = "deleteLink")]
    async fn delete_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        /// The reason for the deletion, for the history: `phishing`, `malware`, `spam`, `legal`,
        /// `owner-request` or `other`.
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id: case }, app.store.now());
        let target = target(&caller, &code, &if_match)?;
        links::delete(&app.store, target, app.creator.rules(), &change).await?;
        Ok(NoContentResponse::NoContent)
    }
}

/// Returns the link of a change by an owner's key.
fn target<'a>(
    caller: &Caller,
    CodeSegment(code): &'a CodeSegment,
    IfMatch(precondition): &'a IfMatch,
) -> Result<LinkTarget<'a>, Error> {
    let code = code.as_ref().ok_or(Error::LinkNotFound)?.as_str();
    let (realm, precondition) = (Realm::Owner(caller.owner_id), precondition.as_ref());
    Ok(LinkTarget { realm, code, precondition })
}

/// Reads a link and its entity tag.
async fn read(
    app: &AppState,
    caller: &Caller,
    CodeSegment(code): CodeSegment,
) -> Result<TaggedResponse<Link>, Error> {
    let (realm, code) = (Realm::Owner(caller.owner_id), code.ok_or(Error::LinkNotFound)?);
    let (link, state, _) = links::get(&app.link_source(), realm, &code).await?;
    let tag = EntityTag::of_version(LinkVersion::from_link(&link));
    Ok(TaggedResponse::Ok(Json::new(&Link::read(&app.addresses, link, state)), tag))
}

/// Describes the link that a request has created, the same each time that the request is repeated.
pub(super) fn describe(
    request: &CreateLink,
    owner_id: i64,
    first: &FirstResponse,
) -> (Link, EntityTag) {
    let (link, state) = request.created(owner_id, &first.code, first.at);
    let tag = EntityTag::of_version(LinkVersion::from_link(&link));
    (Link::new(first.short_url(), link, state), tag)
}
