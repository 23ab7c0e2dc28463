//! `/api/manage/v1/links` and `/api/manage/v1/links/{code}`

use poem_openapi::ApiResponse;

use crate::domain::idempotency::FirstResponse;
use crate::domain::links::{
    self, CreateLink, KeyNames, LinkConditions, LinkCreator, LinkTarget, SearchScope,
};
use crate::http;
use crate::http::objects::fields::{CodeSegment, CodeText, EXAMPLE_CODE, KeyId, SEGMENT_PATTERN};
use crate::http::objects::link::{Link, LinkCreate, LinkUpdate};
use crate::http::objects::parameters::{HostFilter, SearchText, StateFilter, conditions_of};
use crate::http::openapi::headers::Tagged as _;
use crate::http::prelude::*;
use crate::values::{Campaign, Destination, ExternalId, Timestamp};

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
        ProblemExample::LINK_HAS_EXTERNAL_ID,
        ProblemExample::invalid("/destination_url", "is required").with_code(ErrorCode::Required),
        ProblemExample::invalid("/destination_url", "must start with http:// or https://")
            .and_invalid("/title", ErrorCode::TooLong, "must not be longer than 255 characters"),
        ProblemExample::blocked("/destination_url"),
    ]),
    Operation::new("getLink", Permission::Read, "The link, with its clicks and its state."),
    Operation::new("updateLink", Permission::Edit, "The link with its new values.").with(&[
        ProblemExample::LINK_DISABLED,
        ProblemExample::EXPIRY_PASSED,
        ProblemExample::LINK_HAS_EXTERNAL_ID,
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
    #[oai(path = "/links", method = "get", operation_id = "listLinks")]
    async fn list_links(
        &self,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only links with one of these short codes, at most 100. Unknown ones are ignored, and the list has no
        /// pages.
        Repeated(code): Repeated<CodeText, 100>,
        /// Only links with this external identifier.
        Parameter(external_id): Parameter<ExternalId>,
        /// Only links of this campaign, such as `spring`. The comparison is exact.
        Parameter(campaign): Parameter<Campaign>,
        /// Only links in this state.
        Parameter(state): Parameter<StateFilter>,
        /// Only links that lead to this host, such as `example.org`, or a subdomain of it.
        Parameter(host): Parameter<HostFilter>,
        /// Only links with exactly this destination.
        Parameter(destination_url): Parameter<Destination>,
        /// Only links whose code, external identifier, title or destination contains this text; ASCII
        /// letters match in any case.
        Parameter(q): Parameter<SearchText>,
        /// Only links created at this time or later (RFC 3339).
        Parameter(created_after): Parameter<Timestamp>,
        /// Only links created before this time (RFC 3339).
        Parameter(created_before): Parameter<Timestamp>,
        /// Only links created or changed at this time or later (RFC 3339).
        Parameter(updated_after): Parameter<Timestamp>,
        /// Only links that this API key created.
        Parameter(created_by_key_id): Parameter<KeyId>,
    ) -> OperationResult<ListResponse<List<Link>, NextPageLink>> {
        let app = &caller.app;
        let conditions = LinkConditions {
            owner_id: None,
            external_id: external_id.map(ExternalId::into_string),
            campaign: campaign.map(Campaign::into_string),
            state: state.map(|StateFilter(name)| name),
            host: host.map(|HostFilter(host)| host),
            destination: destination_url.map(Destination::into_string),
            text: q.map(|SearchText(text)| text),
            created_after,
            created_before,
            updated_after,
            created_by: created_by_key_id.map(|KeyId(id)| id),
        };
        let parameters = conditions_of(&code, &conditions);
        let (page, scope) =
            (caller.page(PATH, parameters, limit, cursor)?, SearchScope::own(caller.owner_id));
        let (found, keys) = http::links::search(app, &scope, code, &conditions, &page).await?;
        let read = |(link, state)| Link::read(&app.addresses, &keys, link, state);
        Ok(page.response(found.map(read)))
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
        caller: Caller,
        /// The link to create.
        JsonBody(body): JsonBody<LinkCreate>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<CreatedLinkResponse> {
        let app = &caller.app;
        let (request, now) = (CreateLink::from(body), app.store.now());
        let fingerprint = || request.full_fingerprint();
        let key = key.for_link_of(caller.owner_id, &app.addresses, fingerprint);
        let rng = &mut app.randomness();
        let done = app.creator.create(caller.creator(), &request, key, now, rng).await?;
        let first = done.first_response(&app.addresses, caller.owner_id, now);
        let link = describe(&request, &caller, &first).await?;
        let location = location_of(&first);
        let replayed = Replayed::from_flag(first.is_replay);
        Ok(CreatedLinkResponse::Created(Json::new(&link), location, link.etag(), replayed))
    }

    /// Read a link
    ///
    /// Returns a link with its clicks, every click included whose redirect was sent. The response for
    /// another owner's link is the same as for one that does not exist.
    #[oai(path = "/links/:code", method = "get", operation_id = "getLink")]
    async fn get_link(
        &self,
        caller: Caller,
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<TaggedResponse<Link>> {
        Ok(TaggedResponse::new(read(&caller, code).await?))
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
        caller: Caller,
        Path(code): Path<CodeSegment>,
        /// The new values.
        MergePatch(update): MergePatch<LinkUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Link>> {
        let (edit, audit) = update.into();
        let change = caller.change(audit).only_if(if_match.0);
        let (target, rules) = (target(&caller, &code)?, caller.app.creator.rules());
        let edited = links::edit(&caller.app.store, target, &edit, rules, &change).await?;
        Ok(ChangedResponse::new(read(&caller, code).await?, edited.event))
    }

    /// Delete a link
    ///
    /// Deletes a link with its clicks, and retires its code, which returns 410 from then on and is
    /// never used again. Deleting it again returns 404.
    ///
    /// With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the
    /// operator has disabled the link or blocked its destination, 409 `link-disabled`.
    #[oai(path = "/links/:code", method = "delete", operation_id = "deleteLink")]
    async fn delete_link(
        &self,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let app = &caller.app;
        let change = caller.change(Audit { reason, note, case_id });
        let (target, change) = (target(&caller, &code)?, change.only_if(if_match.0));
        let deleted = links::delete(&app.store, target, app.creator.rules(), &change).await?;
        Ok(NoContentResponse::new(deleted.event))
    }
}

/// Returns the link of a change by an owner's key.
fn target<'a>(
    caller: &Caller,
    CodeSegment(code): &'a CodeSegment,
) -> Result<LinkTarget<'a>, Error> {
    let code = code.as_ref().ok_or(Error::LinkNotFound)?.as_str();
    Ok(LinkTarget { realm: caller.realm(), code, external_id: None })
}

/// Returns the address of a new link.
pub(super) fn location_of(first: &FirstResponse) -> LinkLocation {
    LinkLocation(format!("{}{PATH}/{}", first.base_url, first.code.path_segment()))
}

/// Reads a link.
pub(super) async fn read(caller: &Caller, code: CodeSegment) -> Result<Link, Error> {
    let (app, code) = (&caller.app, code.parsed()?);
    let (link, state, _) = links::get(&app.link_source(), caller.realm(), &code).await?;
    let keys = KeyNames::find(&app.store, [&link]).await?;
    Ok(Link::read(&app.addresses, &keys, link, state))
}

/// Describes the link that a request has created, the same each time that the request is repeated.
pub(super) async fn describe(
    request: &CreateLink,
    caller: &Caller,
    first: &FirstResponse,
) -> Result<Link, Error> {
    let key_id = first.created_by.unwrap_or(caller.key_id);
    let creator = LinkCreator { key_id, ..caller.creator() };
    let (link, state) = request.created(creator, &first.code, first.at);
    let keys = match key_id == caller.key_id {
        true => KeyNames::from_key(key_id, caller.label.as_deref()),
        false => KeyNames::find(&caller.app.store, [&link]).await?,
    };
    Ok(Link::new(first.short_url(), &keys, link, state))
}
