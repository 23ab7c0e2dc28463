//! Query parameters of lists, and the code that the two list operations share.

use poem::Body;
use serde::Serialize;

use super::response::list_body;
use crate::domain::links::{self, ActiveAt, Link, LinkFilter};
use crate::http::caller::Caller;
use crate::http::cursor::Cursor;
use crate::http::openapi::headers::NextLink;
use crate::http::openapi::page::{Limit, ListPage};
use crate::http::problem::Problem;
use crate::http::state::AppState;
use crate::values::{Campaign, Timestamp};

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
        let Self { limit, cursor, campaign, active } = self;
        let conditions = vec![
            ("campaign", campaign.as_ref().map(|campaign| campaign.as_str().to_owned())),
            ("active", active.map(|active| u8::from(active).to_string())),
        ];
        let (owner_id, path) = (caller.owner_id, path.to_owned());
        let page = ListPage::find(app, owner_id, path, Vec::new(), *limit, *cursor)?;
        let page = page.with_free_conditions(conditions);
        let (pages, next) = links::list(
            app.list_source(),
            app.caches.blocks.snapshot(),
            owner_id,
            self.filter(with_qr, app.store.now()),
            page.position,
            limit.map(|Limit(limit)| limit),
        )
        .await?;
        let body = list_body::<T>(pages, app, caller).await?;
        Ok((body, page.link(next)))
    }

    fn filter(&self, with_qr: bool, now: Timestamp) -> LinkFilter {
        let campaign = self.campaign.clone().map(Campaign::into_string);
        let active = self.active.map(|is_active| ActiveAt { is_active, now });
        LinkFilter { campaign, active, with_qr }
    }
}
