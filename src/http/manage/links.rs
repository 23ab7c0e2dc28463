//! `/api/manage/v1/links` and `/api/manage/v1/links/{code}`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::new_links::{self, CreatedLinkResponse};
use super::tag::ManageTag;
use crate::domain::links::{
    self, Link, LinkState, LinkTarget, LinkVersion, SearchFilter, SearchScope,
};
use crate::domain::page::FoundPage;
use crate::domain::{self, Realm};
use crate::http::caller::Caller;
use crate::http::cursor::Cursor;
use crate::http::objects::change::ChangeAccount;
use crate::http::objects::fields::CodeSegment;
use crate::http::objects::link::{LinkPatch, LinkRequest, ManagedLink, ManagedLinkList};
use crate::http::objects::parameters::{
    DestinationFilter, HostFilter, StateFilter, TitleFilter, conditions_of,
};
use crate::http::openapi::headers::{EntityTag, NextPageLink};
use crate::http::openapi::idempotency::KeyHeader;
use crate::http::openapi::if_match::IfMatch;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::json_body::{JsonBody, MergePatch};
use crate::http::openapi::page::{Limit, ListPage};
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{
    Json, ListResponse, NoContentResponse, OperationResult, TaggedResponse,
};
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{Campaign, CaseId, Note, Permission, Reason, ShortCode, Timestamp};

const PATH: &str = "/api/manage/v1/links";

/// Operation `GET /links`.
pub(super) const FIND_LINKS: Operation = Operation {
    id: "findLinks",
    permission: Permission::Manage,
    success: "A page of the owner's links.",
    problems: &[&[ProblemExample::MALFORMED_LIMIT, ProblemExample::CURSOR_NOT_FOUND]],
};

/// Operation `GET /links/{code}`.
pub(super) const GET_LINK: Operation = Operation {
    id: "getLink",
    permission: Permission::Manage,
    success: "The link, with its clicks and its state.",
    problems: &[&[ProblemExample::LINK_NOT_FOUND]],
};

/// Operation `PATCH /links/{code}`.
pub(super) const CHANGE_LINK: Operation = Operation {
    id: "changeLink",
    permission: Permission::Manage,
    success: "The link with its new values.",
    problems: &[
        ProblemExample::OF_PATCHES,
        &[
            ProblemExample::LINK_NOT_FOUND,
            ProblemExample::PRECONDITION_FAILED,
            ProblemExample::LINK_DISABLED,
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::COLOURS_TOO_CLOSE,
            ProblemExample::QR_CODE_TOO_LONG,
            ProblemExample::invalid("/destination_url", "must start with http:// or https://"),
            ProblemExample::blocked("/destination_url"),
        ],
    ],
};

/// Operation `DELETE /links/{code}`.
pub(super) const DELETE_LINK: Operation = Operation {
    id: "deleteLink",
    permission: Permission::Manage,
    success: "The link is deleted, and its code retired.",
    problems: &[&[
        ProblemExample::MALFORMED_IF_MATCH,
        ProblemExample::LINK_NOT_FOUND,
        ProblemExample::PRECONDITION_FAILED,
        ProblemExample::LINK_DISABLED,
    ]],
};

/// Links.
#[derive(Debug, Default)]
pub struct LinksApi;

#[OpenApi(prefix_path = "/api/manage/v1")]
impl LinksApi {
    /// Find links by their properties
    ///
    /// Returns links of the API key's owner, newest first, that meet all conditions.
    ///
    /// One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only
    /// the absence of the header `Link` ends the list. Links created meanwhile cause neither
    /// duplicates nor gaps.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    #[oai(path = "/links", method = "get", operation_id = "findLinks", tag = "ManageTag::Links")]
    async fn find_links(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// Maximum number of links, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the URL in the header `Link` of the previous page, valid only with
        /// the same conditions.
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
    ) -> OperationResult<ListResponse<ManagedLinkList, NextPageLink>> {
        let filter = SearchFilter {
            campaign: campaign.map(Campaign::into_string),
            state: state.map(|StateFilter(name)| name),
            host: host.map(|HostFilter(host)| host),
            destination: destination_url.map(|DestinationFilter(url)| url),
            title: title.map(|TitleFilter(text)| text),
            created_after,
            created_before,
        };
        find(&app, caller, &filter, limit, cursor).await
    }

    /// Create a link
    ///
    /// Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change. Its
    /// code is random unless `custom_code` is given and the owner's plan allows custom codes. The state
    /// in the response is that of the moment of creation.
    ///
    /// Both operations share the values of `Idempotency-Key`: one that was used for the other returns
    /// 409 `idempotency-key-reused`.
    #[oai(path = "/links", method = "post", operation_id = "createLink", tag = "ManageTag::Links")]
    async fn create_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link to create.
        JsonBody(body): JsonBody<LinkRequest>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are
        /// not part of the key.
        #[oai(name = "Idempotency-Key")]
        key: KeyHeader,
    ) -> OperationResult<CreatedLinkResponse> {
        new_links::run(&app, caller, body, key).await
    }

    /// Read a link
    ///
    /// Returns a link with its clicks, every click included whose redirect was sent. The response for
    /// another owner's link is the same as for one that does not exist.
    #[oai(
        path = "/links/:code",
        method = "get",
        operation_id = "getLink",
        tag = "ManageTag::Links"
    )]
    async fn get_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive.
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<TaggedResponse<ManagedLink>> {
        let (link, tag) = read(&app, &caller, code).await?;
        Ok(TaggedResponse::Ok(link, tag))
    }

    /// Change a link
    ///
    /// Changes the given properties of a link, and no others. Redirects follow within a second. An
    /// unchanged value is not checked again.
    ///
    /// With `If-Match`, the link is only changed if its `ETag` is still one of those; of several
    /// concurrent changes with the same `ETag`, exactly one succeeds. While the operator has disabled
    /// the link or blocked its destination, 409 `link-disabled`.
    #[oai(
        path = "/links/:code",
        method = "patch",
        operation_id = "changeLink",
        tag = "ManageTag::Links"
    )]
    async fn change_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive.
        Path(code): Path<CodeSegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(patch): MergePatch<LinkPatch>,
        /// `ETag`s of the versions to which the request applies, or `*` for any.
        #[oai(name = "If-Match")]
        if_match: IfMatch,
    ) -> OperationResult<TaggedResponse<ManagedLink>> {
        let (edit, account) = patch.into();
        let change = caller.change(account, app.store.now());
        let target = target(&caller, &code, &if_match)?;
        links::edit(&app.store, target, &edit, app.creator.rules(), &change).await?;
        let (link, tag) = read(&app, &caller, code).await?;
        Ok(TaggedResponse::Ok(link, tag))
    }

    /// Delete a link
    ///
    /// Deletes a link with its clicks, and retires its code, which returns 410 from then on and is
    /// never used again. Deleting it again returns 404.
    ///
    /// With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the
    /// operator has disabled the link or blocked its destination, 409 `link-disabled`.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    #[oai(
        path = "/links/:code",
        method = "delete",
        operation_id = "deleteLink",
        tag = "ManageTag::Links"
    )]
    async fn delete_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive.
        Path(code): Path<CodeSegment>,
        /// `ETag`s of the versions to which the request applies, or `*` for any.
        #[oai(name = "If-Match")]
        if_match: IfMatch,
        /// The reason for the deletion, for the history: `phishing`, `malware`, `spam`, `legal`,
        /// `owner-request` or `other`.
        Parameter(reason): Parameter<Reason>,
        /// A note for the history.
        Parameter(note): Parameter<Note>,
        /// The identifier of a case in your own system, for the history.
        Parameter(case): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(ChangeAccount { reason, note, case }, app.store.now());
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
) -> Result<LinkTarget<'a>, domain::Error> {
    let code = code.as_ref().ok_or(domain::Error::LinkNotFound)?.as_str();
    let (realm, precondition) = (Realm::Owner(caller.owner_id), precondition.as_ref());
    Ok(LinkTarget { realm, code, precondition })
}

/// Reads a link and its entity tag.
async fn read(
    app: &AppState,
    caller: &Caller,
    CodeSegment(code): CodeSegment,
) -> Result<(Json<ManagedLink>, EntityTag), domain::Error> {
    let code = code.ok_or(domain::Error::LinkNotFound)?;
    let link = links::statistics(&app.store, &app.recorder, caller.owner_id, &code).await?;
    let state = LinkState::from_link(&link, None, &app.caches.blocks.snapshot(), app.store.now());
    let tag = EntityTag::of_version(LinkVersion::from_link(&link));
    Ok((Json::new(&managed(app, link, state)), tag))
}

fn managed(app: &AppState, link: Link, state: LinkState) -> ManagedLink {
    let code = ShortCode::from_stored(&link.short_code);
    ManagedLink::new(app.addresses.short_url(link.owner_id, &code), link, state)
}

async fn find(
    app: &AppState,
    Caller { owner_id, .. }: Caller,
    filter: &SearchFilter,
    limit: Option<Limit>,
    cursor: Option<Cursor>,
) -> OperationResult<ListResponse<ManagedLinkList, NextPageLink>> {
    let conditions = conditions_of(filter).to_vec();
    let page = ListPage::find(app, owner_id, PATH.to_owned(), conditions, limit, cursor)?;
    let source = app.list_source();
    let (blocks, now) = (app.caches.blocks.snapshot(), app.store.now());
    let scope = SearchScope::own(owner_id);
    let found = links::search(source, &blocks, &scope, filter, page.request(), now).await?;
    let FoundPage { items, next } = found;
    let data = items.into_iter().map(|(link, state)| managed(app, link, state)).collect();
    Ok(ListResponse::Ok(Json::new(&ManagedLinkList { data }), page.link(next)))
}
