//! Searches and changes of links, in both interfaces.

use super::long_change::{self, LocationOfEvent, LongChangeResponse};
use super::objects::fields::CodeText;
use super::objects::link_change::{ChangeParts, LinkChangeResult};
use super::prelude::*;
use crate::domain::links::{
    self, KeyNames, Link, LinkConditions, LinkState, MissingCodes, SearchScope,
};
use crate::domain::page::FoundPage;

/// Returns a page of the links that meet all conditions, and the names of the keys that created them. If
/// there are `codes`, the links have one of these.
pub(super) async fn search(
    app: &AppState,
    scope: &SearchScope,
    codes: Vec<CodeText>,
    conditions: &LinkConditions,
    page: &ListPage<'_>,
) -> Result<(FoundPage<(Link, LinkState)>, KeyNames), Error> {
    let has_codes = !codes.is_empty();
    let codes: Vec<_> = codes.into_iter().filter_map(|CodeText(code)| code).collect();
    let found = if has_codes && codes.is_empty() {
        FoundPage::empty()
    } else {
        links::search(&app.link_source(), scope, &codes, conditions, page.request()).await?
    };
    let keys = KeyNames::find(&app.store, found.items.iter().map(|(link, _)| link)).await?;
    Ok((found, keys))
}

/// Changes the links that a request chooses, and returns how far the change has come.
pub(super) async fn change<L: LocationOfEvent>(
    caller: &(impl Requester + Sync),
    parts: ChangeParts,
    key: IdempotencyKeyHeader,
) -> OperationResult<LongChangeResponse<LinkChangeResult, L>> {
    let ChangeParts { bulk, selector, is_dry_run, audit } = parts;
    let operation = format!("link changes: {bulk:?} {selector:?} {is_dry_run}");
    let mut change = caller.change_once(audit, key, &operation);
    change.is_dry_run = is_dry_run;
    let (store, creator) = (caller.app().store.clone(), caller.app().creator.clone());
    let work = async move |change| {
        let (missing, rules) = (MissingCodes::Return, creator.rules());
        links::change_all(&store, &selector, &bulk, missing, rules, &change).await
    };
    let changed = long_change::run(caller.app(), change, work).await;
    let changed = changed.map_err(ChangeParts::problem)?;
    Ok(LongChangeResponse::new(&changed, LinkChangeResult::new(&changed, is_dry_run)))
}
