//! Lists, which the server sends page by page.

use std::fmt::Display;

use futures_util::stream::once;
use futures_util::{StreamExt, TryStreamExt};
use poem::Body;
use serde::Serialize;

use crate::domain::Error;
use crate::domain::links::{Link, LinkPages};
use crate::http::request_id::RequestId;

/// Returns the body of a list, `{"data": [ … ]}`, with each link converted to `W`. The first page
/// is read before this function returns, so that the server can still return 503 if the database is
/// unavailable. The other pages are read while the client receives the list.
pub(super) async fn list_body<W: From<Link> + Serialize>(
    mut pages: LinkPages,
    request_id: RequestId,
) -> Result<Body, Error> {
    let first = pages.try_next().await?.unwrap_or_default();
    let (mut begin, mut separator) = (r#"{"data":["#, "");
    let mut write = move |links: Vec<Link>| {
        let mut bytes = std::mem::take(&mut begin).as_bytes().to_vec();
        for link in links {
            bytes.extend_from_slice(std::mem::replace(&mut separator, ",").as_bytes());
            serde_json::to_writer(&mut bytes, &W::from(link))?;
        }
        serde_json::Result::Ok(bytes)
    };
    let chunks = once(async { Ok(first) })
        .chain(pages)
        .map(move |page| {
            let page = page.unwrap_or_else(|error| abort(&error, request_id));
            write(page).unwrap_or_else(|error| abort(&error, request_id))
        })
        .chain(once(async { b"]}".to_vec() }))
        .map(Ok::<_, std::io::Error>);
    Ok(Body::from_bytes_stream(chunks))
}

/// Aborts a list response by unwinding the task of the connection. If this function only returned
/// an error, poem would poll the connection again, and hyper would end the list as if it were
/// complete.
fn abort(error: &dyn Display, request_id: RequestId) -> ! {
    tracing::error!(%request_id, %error, "list response aborted");
    std::panic::resume_unwind(Box::new("list response aborted"))
}
