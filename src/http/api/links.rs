//! `GET /api/v1/links` and `GET /api/v1/stats/{code}`

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::{JsonList, JsonText};
use super::case::Case;
use super::failure::{Does, Failure, Operation};
use super::headers::NextLinks;
use super::list_query::{ListQuery, Lists};
use super::schema::CodeText;
use super::wire::{self, LinkList, LinkStats, StatsResponse};
use crate::domain::{self, links};
use crate::http::App;

/// Listing links.
#[derive(Debug)]
pub struct ListLinks;

impl Operation for ListLinks {
    const ID: &'static str = "listLinks";
    const DOES: Does = Does::List;
    const PROBLEMS: &'static [Case] =
        &[Case::MALFORMED_LIMIT, Case::NO_KEY, Case::NO_CURSOR, Case::NO_DATABASE];
}

impl Lists for ListLinks {
    const PATH: &'static str = "/api/v1/links";
    type Link = links::Link;
    type Item = wire::Link;
    type List = LinkList;
}

/// How listing succeeds.
#[derive(Debug, ApiResponse)]
pub enum Listed {
    /// The links of the owner: all of them or, with `limit`, one page.
    #[oai(status = 200)]
    Ok(
        JsonList<LinkList>,
        /// With `limit`, the next page (RFC 8288). Absent on the last page, and without `limit`.
        #[oai(header = "Link")]
        Option<NextLinks>,
    ),
}

pub(super) async fn list(
    app: &App,
    caller: Caller,
    query: ListQuery,
) -> Result<Listed, Failure<ListLinks>> {
    let (list, next) = query.answer::<ListLinks>(app, caller).await?;
    Ok(Listed::Ok(list, next.map(NextLinks)))
}

/// Reading statistics.
#[derive(Debug)]
pub struct GetStats;

impl Operation for GetStats {
    const ID: &'static str = "getStats";
    const DOES: Does = Does::Read;
    const PROBLEMS: &'static [Case] = &[Case::NO_KEY, Case::NO_LINK, Case::NO_DATABASE];
}

/// How reading statistics succeeds.
#[derive(Debug, ApiResponse)]
pub enum Counted {
    /// The statistics of the link.
    #[oai(status = 200)]
    Ok(JsonText<StatsResponse>),
}

pub(super) async fn statistics(
    app: &App,
    caller: Caller,
    code: CodeText,
) -> Result<Counted, Failure<GetStats>> {
    let code = code.0.ok_or(domain::Error::LinkNotFound)?;
    let link = links::statistics(&app.store, &app.recorder, caller.owner_id, &code).await?;
    let response = StatsResponse { data: LinkStats::from(link) };
    Ok(Counted::Ok(JsonText::of(&response)))
}
