//! Query parameters of lists, and the code that the two list operations share.

use poem::Body;
use serde::Serialize;

use super::response::list_body;
use crate::domain::links::{self, ActiveAt, Link, LinkFilter, ListPosition};
use crate::http::caller::Caller;
use crate::http::cursor::{Cursor, OwnerList};
use crate::http::openapi::headers::NextLink;
use crate::http::openapi::page::{Limit, next_link, with_query};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{Campaign, Timestamp};

/// Problems that both list operations return.
pub(super) const LIST_PROBLEMS: &[&[ProblemExample]] =
    &[&[ProblemExample::MALFORMED_LIMIT, ProblemExample::CURSOR_NOT_FOUND]];

/// Query parameters of a list.
#[derive(Debug)]
pub struct ListQuery {
    pub(super) limit: Option<Limit>,
    pub(super) cursor: Option<Cursor>,
    pub(super) campaign: Option<Campaign>,
    pub(super) active: Option<bool>,
}

impl ListQuery {
    /// Returns the list of the operation at `path`, with each of the caller's links converted to
    /// `T`, and the header for the next page. `with_qr`: only links with a QR code.
    pub(super) async fn run<T: From<Link> + Serialize>(
        &self,
        app: &AppState,
        caller: Caller,
        path: &'static str,
        with_qr: bool,
    ) -> Result<(Body, Option<NextLink>), Problem> {
        let owner_id = caller.owner_id;
        let list = OwnerList { path, owner_id };
        let position = match self.cursor {
            None => ListPosition::START,
            Some(cursor) => app
                .cursor_cipher
                .decrypt(list, cursor)
                .ok_or_else(|| ProblemExample::CURSOR_NOT_FOUND.problem())?,
        };
        let (pages, next) = links::list(
            app.list_source(),
            app.caches.blocks.snapshot(),
            owner_id,
            self.filter(with_qr, app.store.now()),
            position,
            self.limit.map(|Limit(limit)| limit),
        )
        .await?;
        let body = list_body::<T>(pages, app, caller).await?;
        Ok((body, next.map(|next| self.next(app, list, next))))
    }

    fn filter(&self, with_qr: bool, now: Timestamp) -> LinkFilter {
        let campaign = self.campaign.clone().map(Campaign::into_string);
        let active = self.active.map(|is_active| ActiveAt { is_active, now });
        LinkFilter { campaign, active, with_qr }
    }

    /// Returns the header whose URL continues the list after `position`.
    fn next(&self, app: &AppState, list: OwnerList<'_>, position: ListPosition) -> NextLink {
        let Self { limit, cursor: _, campaign, active } = self;
        let url = [
            ("limit", limit.map(|Limit(limit)| limit.to_string())),
            ("campaign", campaign.as_ref().map(|campaign| campaign.as_str().to_owned())),
            ("active", active.map(|active| u8::from(active).to_string())),
            ("cursor", Some(app.cursor_cipher.encrypt(list, position).to_string())),
        ];
        NextLink(next_link(&with_query(&format!("{}{}", app.base_url, list.path), &url)))
    }
}
