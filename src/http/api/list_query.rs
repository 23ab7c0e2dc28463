//! What the two list operations share: their query parameters, and their bodies, which the server
//! sends page by page.

use std::future::{pending, ready};
use std::sync::Arc;

use futures_util::future::Either;
use futures_util::stream::once;
use futures_util::{StreamExt as _, TryStreamExt as _};
use poem::Body;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::domain::links::{self, ActiveAt, Link, LinkFilter, LinkPages};
use crate::domain::{Error, keys};
use crate::http::caller::Caller;
use crate::http::connections::response_token;
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
            app.link_source(),
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

/// Returns the body of a list, `{"data": [ … ]}`, with each link converted to `W`. The first page
/// is read before this function returns, so that the server can still return 503 if the database is
/// unavailable. The other pages are read while the client receives the list.
///
/// The response is aborted if the database fails, or as soon as the caller's key is no longer
/// valid.
async fn list_body<W: From<Link> + Serialize>(
    mut pages: LinkPages,
    app: &AppState,
    caller: Caller,
) -> Result<Body, Error> {
    let first = pages.try_next().await?.unwrap_or_default();
    let (mut begin, mut separator) = (r#"{"data":["#, "");
    let mut write = move |links: Vec<Link>| {
        let mut bytes = std::mem::take(&mut begin).as_bytes().to_vec();
        for link in links {
            bytes.extend_from_slice(std::mem::replace(&mut separator, ",").as_bytes());
            serde_json::to_writer(&mut bytes, &W::from(link)).map_err(|error| error.to_string())?;
        }
        Ok(bytes)
    };
    let Caller { key, request_id, .. } = caller;
    let response = response_token();
    let aborted = response.clone();
    // Ends with the body. The body itself cannot check the key, because nothing polls it while the
    // client does not read.
    let in_progress = CancellationToken::new();
    let end = in_progress.clone().drop_guard();
    let (store, caches) = (app.store.clone(), Arc::clone(&app.caches));
    tokio::spawn(async move {
        let invalid = keys::wait_until_invalid(&store, &caches.keys, key);
        if in_progress.run_until_cancelled(invalid).await.is_some() {
            let error = "the API key is no longer valid";
            tracing::warn!(%request_id, error, "list response aborted");
            response.cancel();
        }
    });
    let chunks = once(async { Ok(first) })
        .chain(pages)
        .then(move |page| {
            let _ = &end;
            match page.map_err(|error| error.to_string()).and_then(&mut write) {
                Ok(bytes) => Either::Left(ready(bytes)),
                Err(error) => {
                    tracing::error!(%request_id, error, "list response aborted");
                    aborted.cancel();
                    Either::Right(pending())
                }
            }
        })
        .chain(once(async { b"]}".to_vec() }))
        .map(Ok::<_, std::io::Error>);
    Ok(Body::from_bytes_stream(chunks))
}
