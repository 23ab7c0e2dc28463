//! `/api/operator/v1/links`, the paths below it, and `/api/operator/v1/link-changes`

use crate::domain::changes::HistoryFilter;
use crate::domain::links::{self, KeyNames, LinkConditions, LinkState, LinkTarget, SearchScope};
use crate::domain::{click_report, owners};
use crate::http::long_change::{EventLocation, LongChangeResponse};
use crate::http::objects::clicks::{LinkClicks, TOO_MANY_DAYS, day_range};
use crate::http::objects::event::operator::Event;
use crate::http::objects::fields::{CodeSegment, CodeText, KeyId, OwnerId};
use crate::http::objects::link::{Link, LinkUpdate};
use crate::http::objects::link_change::operator::LinkChange;
use crate::http::objects::link_change::{ChangeParts, LinkChangeResult};
use crate::http::objects::owned::Owned;
use crate::http::objects::parameters::{HostFilter, SearchText, StateFilter, conditions_of};
use crate::http::prelude::*;
use crate::http::{self, events};
use crate::values::{Campaign, Day, Destination, ExternalId, ShortCode, Timestamp};

const PATH: &str = "/api/operator/v1/links";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listLinks", READ, "A page of links.").with(&[ProblemExample::OWNER_NOT_FOUND]),
    Operation::new("getLink", READ, "The link, with its clicks, its state and its owner."),
    Operation::new("updateLink", MODERATE, "The link, with its clicks, its state and its owner.")
        .with(&[
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::LINK_HAS_EXTERNAL_ID,
            ProblemExample::COLOURS_TOO_CLOSE,
            ProblemExample::QR_CODE_TOO_LONG,
            ProblemExample::invalid("/destination_url", "must start with http:// or https://"),
            ProblemExample::blocked("/destination_url"),
        ]),
    Operation::new("getLinkClicks", READ, "The clicks of the link by day.").with(&[TOO_MANY_DAYS]),
    Operation::new("listLinkEvents", READ, "A page of the changes of the link."),
    Operation::new("changeLinks", MODERATE, "What the request changed.").with(&[
        ProblemExample::LARGE_BODY_TOO_LARGE,
        ProblemExample::OWNER_NOT_FOUND,
        ProblemExample::EXPIRY_PASSED,
        ChangeParts::NO_SELECTOR,
        ProblemExample::blocked("/update/fallback_url"),
    ]),
];

/// Links of all owners.
#[derive(Debug, Default)]
pub struct LinksApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Links")]
impl LinksApi {
    /// Find links of all owners
    ///
    /// Returns the links that meet all conditions, newest first.
    ///
    /// One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only
    /// a `next_cursor` of `null` ends the list. Links created meanwhile cause neither
    /// duplicates nor gaps.
    #[oai(path = "/links", method = "get", operation_id = "listLinks")]
    async fn list_links(
        &self,
        caller: OperatorCaller,
        /// Maximum number of links, from `1` to `1000`. Without it, 100. With `code`, the list has no
        /// pages.
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only links with one of these short codes, at most 100. Unknown ones are ignored.
        Repeated(code): Repeated<CodeText, 100>,
        /// Only links of this owner.
        Parameter(owner_id): Parameter<OwnerId>,
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
    ) -> OperationResult<ListResponse<List<Owned<Link>>, NextPathLink>> {
        let app = &caller.app;
        caller.concerns_owner(owner_id).await?;
        let conditions = LinkConditions {
            owner_id: owner_id.map(|OwnerId(id)| id),
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
        let page = caller.page(PATH, parameters, limit, cursor)?;
        let scope = SearchScope::of_operator(&app.store, owner_id.map(Into::into)).await?;
        let (found, keys) = http::links::search(app, &scope, code, &conditions, &page).await?;
        Ok(page.response(found.map(|(link, state)| {
            let owner = scope.owner_of(&link).to_owned();
            owned(app, &keys, link, state, &owner)
        })))
    }

    /// Read a link
    ///
    /// Returns a link with its clicks, its state and its owner. Deleted links are missing.
    #[oai(path = "/links/:code", method = "get", operation_id = "getLink")]
    async fn get_link(
        &self,
        caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<TaggedResponse<Owned<Link>>> {
        Ok(TaggedResponse::new(read(&caller, code).await?))
    }

    /// Change a link
    ///
    /// Changes the given properties of a link, and no others. Redirects follow within a second. An
    /// unchanged value is not checked again. `POST /link-changes` disables and deletes links.
    ///
    /// With `If-Match`, the link is only changed if its `ETag` is still one of those.
    #[oai(path = "/links/:code", method = "patch", operation_id = "updateLink")]
    async fn update_link(
        &self,
        caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
        /// The new values.
        MergePatch(update): MergePatch<LinkUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Owned<Link>>> {
        let (edit, audit) = update.into();
        let change = caller.change(audit).only_if(if_match.0);
        let text = code.0.as_ref().ok_or(Error::LinkNotFound)?.as_str();
        let (target, rules) = (LinkTarget::of_code(text), caller.app.creator.rules());
        let edited = links::edit(&caller.app.store, target, &edit, rules, &change).await?;
        Ok(ChangedResponse::new(read(&caller, code).await?, edited.event))
    }

    /// Read the clicks of a link by day
    ///
    /// Returns the clicks of a link on each day (UTC) of a range, today included: without parameters,
    /// the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
    #[oai(path = "/links/:code/clicks", method = "get", operation_id = "getLinkClicks")]
    async fn get_link_clicks(
        &self,
        caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
        /// The first day, such as `2026-01-31`. Without it, the 30th up to `to_day`.
        Parameter(from_day): Parameter<Day>,
        /// The last day, such as `2026-01-31`, at most 400 days from `from_day`. Without it,
        /// today.
        Parameter(to_day): Parameter<Day>,
    ) -> OperationResult<OkResponse<LinkClicks>> {
        let app = &caller.app;
        let range = day_range(from_day, to_day, app.store.now())?;
        let (link, _, code) = find_one(&caller, code).await?;
        let (store, recorder, owner_id) = (&app.store, &app.recorder, link.owner_id);
        let days = click_report::of_own_link(store, recorder, owner_id, &code, range).await?;
        Ok(OkResponse::new(days))
    }

    /// List the events of a link
    ///
    /// Returns the changes of a link, newest first, even if the link is deleted.
    #[oai(path = "/links/:code/events", method = "get", operation_id = "listLinkEvents")]
    async fn list_link_events(
        &self,
        caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Event>, NextPathLink>> {
        let code = code.parsed()?;
        let path = format!("{PATH}/{}/events", code.path_segment());
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        let filter = HistoryFilter::of_link(Realm::Everyone, code.as_str());
        events::list(&caller.app, page, filter, None).await
    }

    /// Change any number of links
    ///
    /// Changes the links that all selectors choose: disables, enables, pauses, unpauses, deletes or updates
    /// them.
    /// Redirects follow within a second. Codes that no link has are named, and the other links change.
    ///
    /// The change is one event, made in slices. It does not depend on the connection: if it takes longer
    /// than 20 seconds, the response is 202 with the `Location` of its event, and a repetition with the same
    /// `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is
    /// done. `POST /events/{id}/stop` stops a change after the slice in progress. If the operator key is
    /// revoked or the server shuts down, it stops, too; the event counts what was done, and the same request
    /// does the rest, with the same `Idempotency-Key` under the same event.
    #[oai(path = "/link-changes", method = "post", operation_id = "changeLinks")]
    async fn change_links(
        &self,
        caller: OperatorCaller,
        /// The change; the body may have 1 MiB.
        LargeBody(body): LargeBody<LinkChange>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<LongChangeResponse<LinkChangeResult, EventLocation>> {
        let parts = body.into_parts(Realm::Everyone)?;
        if let Some(owner) = parts.selector.owner.clone() {
            caller.concerns(&owners::get(&caller.app.store, owner).await?.name);
        }
        http::links::change(&caller, parts, key).await
    }
}

/// Finds a link, and notes its owner for the log. Returns the link, its state and its code.
async fn find_one(
    caller: &OperatorCaller,
    code: CodeSegment,
) -> Result<(links::Link, LinkState, ShortCode), Error> {
    let code = code.parsed()?;
    let (link, state, owner) =
        links::get(&caller.app.link_source(), Realm::Everyone, &code).await?;
    owner.iter().for_each(|owner| caller.concerns(&owner.name));
    Ok((link, state, code))
}

/// Reads a link.
async fn read(caller: &OperatorCaller, code: CodeSegment) -> Result<Owned<Link>, Error> {
    let (link, state, _) = find_one(caller, code).await?;
    let keys = KeyNames::find(&caller.app.store, [&link]).await?;
    Ok(owned(&caller.app, &keys, link, state, &caller.owner().unwrap_or_default()))
}

/// Describes a link of an owner.
fn owned(
    app: &AppState,
    keys: &KeyNames,
    link: links::Link,
    state: LinkState,
    owner: &str,
) -> Owned<Link> {
    let owner_id = link.owner_id;
    Owned::new(Link::read(&app.addresses, keys, link, state), owner_id, owner)
}
