//! `GET /api/v1/links` and `GET /api/v1/stats/{code}`

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::{Json, JsonList};
use super::case::Case;
use super::failure::{Failure, Operation};
use super::headers::NextLinks;
use super::list_query::{Limit, ListQuery};
use super::schema::CodeText;
use super::wire::{Link, LinkList, LinkStats, StatsResponse};
use crate::app::App;
use crate::domain::{self, links};
use crate::http::request_id::RequestId;

const PATH: &str = "/api/v1/links";

/// Listing links.
#[derive(Debug)]
pub struct ListLinks;

impl Operation for ListLinks {
    const ID: &'static str = "listLinks";
    const PROBLEMS: &'static [Case] = &[Case::MALFORMED_LIMIT, Case::NO_KEY, Case::NO_DATABASE];
}

/// How listing succeeds.
#[derive(Debug, ApiResponse)]
pub enum Listed {
    /// The links of the owner: all of them or, with `limit`, a part.
    #[oai(status = 200)]
    Ok(
        JsonList<LinkList>,
        /// With `limit`, where the list goes on (RFC 8288). Not on the last part, nor without `limit`.
        #[oai(header = "Link")]
        Option<NextLinks>,
    ),
}

pub(super) async fn list(
    app: &App,
    caller: Caller,
    query: ListQuery,
    request_id: RequestId,
) -> Result<Listed, Failure<ListLinks>> {
    let (owner_id, place) = (caller.owner_id, query.place(app, caller.owner_id));
    let (list, next) = match query.limit {
        None => {
            let pages = links::list(app.store.clone(), owner_id, query.filter(), place);
            (JsonList::of::<_, Link>(pages, request_id).await?, None)
        }
        Some(Limit(limit)) => {
            let part =
                links::list_part(&app.store, owner_id, &query.filter(), place, limit).await?;
            let next = part.next.map(|next| NextLinks(query.next(app, PATH, owner_id, next)));
            (JsonList::of_part::<_, Link>(part.links), next)
        }
    };
    Ok(Listed::Ok(list, next))
}

/// Reading statistics.
#[derive(Debug)]
pub struct GetStats;

impl Operation for GetStats {
    const ID: &'static str = "getStats";
    const PROBLEMS: &'static [Case] = &[Case::NO_KEY, Case::NO_LINK, Case::NO_DATABASE];
}

/// How reading statistics succeeds.
#[derive(Debug, ApiResponse)]
pub enum Counted {
    /// The statistics of the link.
    #[oai(status = 200)]
    Ok(Json<StatsResponse>),
}

pub(super) async fn statistics(
    app: &App,
    caller: Caller,
    code: CodeText,
) -> Result<Counted, Failure<GetStats>> {
    let code = code.0.ok_or(domain::Error::LinkNotFound)?;
    let link = links::statistics(&app.store, caller.owner_id, &code).await?;
    Ok(Counted::Ok(Json(StatsResponse { data: LinkStats::from(link) })))
}
