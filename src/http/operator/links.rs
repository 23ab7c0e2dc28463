//! `/api/operator/v1/links`, the paths below it, and `/api/operator/v1/link-changes`

use super::long_change;
use crate::domain::changes::{History, HistoryFilter};
use crate::domain::click_report;
use crate::domain::links::{
    self, LinkState, LinkTarget, LinkVersion, MissingCodes, SearchFilter, SearchScope,
};
use crate::http::objects::change::{LinkChange, LinkChangeResult};
use crate::http::objects::clicks::{LinkClicks, TOO_MANY_DAYS, day_range};
use crate::http::objects::event::operator::Event;
use crate::http::objects::fields::CodeSegment;
use crate::http::objects::link::{Link, LinkUpdate};
use crate::http::objects::owned::Owned;
use crate::http::objects::parameters::{
    CodeList, DestinationFilter, HostFilter, StateFilter, TitleFilter, conditions_of,
};
use crate::http::prelude::*;
use crate::values::{Campaign, Day, Name, ShortCode};

const PATH: &str = "/api/operator/v1/links";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listLinks", READ, "A page of links.").with(&[ProblemExample::OWNER_NOT_FOUND]),
    Operation::new("getLink", READ, "The link, with its clicks, its state and its owner."),
    Operation::new("updateLink", MODERATE, "The link, with its clicks, its state and its owner.")
        .with(&[
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::COLOURS_TOO_CLOSE,
            ProblemExample::QR_CODE_TOO_LONG,
            ProblemExample::invalid("/destination_url", "must start with http:// or https://"),
            ProblemExample::blocked("/destination_url"),
        ]),
    Operation::new("getLinkClicks", READ, "The clicks of the link by day.").with(&[TOO_MANY_DAYS]),
    Operation::new("listLinkEvents", READ, "A page of the changes of the link."),
    Operation::new("changeLinks", MODERATE, "What the request changed.")
        .with(&[ProblemExample::OWNER_NOT_FOUND, NO_SELECTOR]),
];

const NO_SELECTOR: ProblemExample =
    ProblemExample::invalid("/selectors", "must have at least one condition")
        .with_code(ErrorCode::Required);

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
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    #[oai(path = "/links", method = "get", operation_id = "listLinks")]
    async fn list_links(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// Maximum number of links, from `1` to `1000`. Without it, 100. With `codes`, the list has no
        /// pages.
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only links with these short codes, at most 100, separated by commas. Unknown ones are
        /// ignored.
        Parameter(codes): Parameter<CodeList>,
        /// Only links of the owner with this name.
        Parameter(owner): Parameter<Name>,
        /// Only links of this campaign, such as `spring`. The comparison is exact.
        Parameter(campaign): Parameter<Campaign>,
        /// Only links that lead to this host, such as `example.org`, or a subdomain of it.
        Parameter(host): Parameter<HostFilter>,
        /// Only links with exactly this destination.
        Parameter(destination_url): Parameter<DestinationFilter>,
        /// Only links in this state.
        Parameter(state): Parameter<StateFilter>,
        /// Only links whose title contains this text; ASCII letters match in any case.
        Parameter(title): Parameter<TitleFilter>,
    ) -> OperationResult<ListResponse<List<Owned<Link>>, NextPathLink>> {
        let owner = owner.map(|name| name.as_str().to_owned());
        if let Some(owner) = &owner {
            caller.concerns(owner);
        }
        let filter = SearchFilter {
            campaign: campaign.map(Campaign::into_string),
            state: state.map(|StateFilter(name)| name),
            host: host.map(|HostFilter(host)| host),
            destination: destination_url.map(|DestinationFilter(url)| url),
            title: title.map(|TitleFilter(text)| text),
            ..SearchFilter::default()
        };
        let conditions = [("owner", owner.clone())].into_iter().chain(conditions_of(&filter));
        let conditions = conditions.collect();
        let page = ListPage::find(&app, NO_OWNER, PATH.to_owned(), conditions, limit, cursor)?;
        let scope = SearchScope::of_operator(&app.store, owner.as_deref()).await?;
        let source = app.link_source();
        let found = match codes {
            Some(CodeList(codes)) => links::search_codes(&source, &scope, &codes, &filter).await?,
            None => links::search(&source, &scope, &filter, page.request()).await?,
        };
        Ok(page.response(found.map(|(link, state)| {
            let owner = scope.owner_of(&link).to_owned();
            owned(&app, link, state, &owner)
        })))
    }

    /// Read a link
    ///
    /// Returns a link with its clicks, its state and its owner. Deleted links are missing.
    #[oai(path = "/links/:code", method = "get", operation_id = "getLink")]
    async fn get_link(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
    ) -> OperationResult<TaggedResponse<Owned<Link>>> {
        read(&app, &caller, code).await
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
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(update): MergePatch<LinkUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<TaggedResponse<Owned<Link>>> {
        let (edit, audit) = update.into();
        let change = caller.change(audit, app.store.now());
        let text = code.0.as_ref().ok_or(Error::LinkNotFound)?.as_str();
        let precondition = if_match.0.as_ref();
        let target = LinkTarget { realm: Realm::Everyone, code: text, precondition };
        links::edit(&app.store, target, &edit, app.creator.rules(), &change).await?;
        read(&app, &caller, code).await
    }

    /// Read the clicks of a link by day
    ///
    /// Returns the clicks of a link on each day (UTC) of a range, today included: without parameters,
    /// the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
    #[oai(path = "/links/:code/clicks", method = "get", operation_id = "getLinkClicks")]
    async fn get_link_clicks(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
        /// The first day, such as `2026-01-31`. Without it, the 30th up to `to`.
        Parameter(from): Parameter<Day>,
        /// The last day, such as `2026-01-31`, at most 400 days from `from`. Without it, today.
        Parameter(to): Parameter<Day>,
    ) -> OperationResult<OkResponse<LinkClicks>> {
        let range = day_range(from, to, app.store.now())?;
        let (link, _, code) = find_one(&app, &caller, code).await?;
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
        app: Data<&Arc<AppState>>,
        _caller: OperatorCaller,
        Path(code): Path<CodeSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Event>, NextPathLink>> {
        let code = code.0.ok_or(Error::LinkNotFound)?;
        let path = format!("{PATH}/{}/events", code.path_segment());
        let page = ListPage::find(&app, NO_OWNER, path, Vec::new(), limit, cursor)?;
        let filter = HistoryFilter::of_link(Realm::Everyone, code.as_str());
        let history = History::new(&app.store, filter).await?;
        let found = history.page(&app.store, page.request()).await?;
        Ok(page.response(found))
    }

    /// Change any number of links
    ///
    /// Changes the links that all selectors choose: disables, enables, pauses, unpauses or deletes them.
    /// Redirects follow within a second. Codes that no link has are named, and the other links change.
    ///
    /// The change is one event, made in slices, and the response follows when all are done. If the
    /// client disconnects, the change continues. If the operator key is revoked or the server shuts down,
    /// the change stops after the slice in progress; the event counts what was done, and the same request
    /// does the rest.
    #[oai(path = "/link-changes", method = "post", operation_id = "changeLinks")]
    async fn change_links(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The change.
        JsonBody(body): JsonBody<LinkChange>,
    ) -> OperationResult<OkResponse<LinkChangeResult>> {
        let parts = body.into_parts().ok_or_else(|| NO_SELECTOR.problem())?;
        let (switch, selector, is_dry_run, audit) = parts;
        if let Some(owner) = &selector.owner {
            caller.concerns(owner);
        }
        let mut change = caller.change(audit, app.store.now());
        change.is_dry_run = is_dry_run;
        let store = app.store.clone();
        let work = async move |change| {
            links::switch(&store, &selector, switch, MissingCodes::Return, &change).await
        };
        let changed = long_change::run(change, work).await?;
        Ok(OkResponse::new(LinkChangeResult::new(&changed, is_dry_run)))
    }
}

/// Finds a link, and notes its owner for the log. Returns the link, its state and its code.
async fn find_one(
    app: &AppState,
    caller: &OperatorCaller,
    CodeSegment(code): CodeSegment,
) -> Result<(links::Link, LinkState, ShortCode), Error> {
    let code = code.ok_or(Error::LinkNotFound)?;
    let (link, state, owner) = links::get(&app.link_source(), Realm::Everyone, &code).await?;
    owner.iter().for_each(|owner| caller.concerns(&owner.name));
    Ok((link, state, code))
}

/// Reads a link and its entity tag.
async fn read(
    app: &AppState,
    caller: &OperatorCaller,
    code: CodeSegment,
) -> OperationResult<TaggedResponse<Owned<Link>>> {
    let (link, state, _) = find_one(app, caller, code).await?;
    let tag = EntityTag::of_version(LinkVersion::from_link(&link));
    let owner = caller.owner().unwrap_or_default();
    Ok(TaggedResponse::Ok(Json::new(&owned(app, link, state, &owner)), tag))
}

/// Describes a link of an owner.
fn owned(app: &AppState, link: links::Link, state: LinkState, owner: &str) -> Owned<Link> {
    let owner_id = link.owner_id;
    Owned::new(Link::read(&app.addresses, link, state), owner_id, owner)
}
