//! `/api/manage/v1`: an owner's own links.

mod batches;
mod changes;
mod events;
mod external_ids;
mod keys;
mod links;
mod many;
mod new_keys;
mod new_links;
mod reads;
mod rights;
mod uploads;

use serde_json::Value;

use crate::harness::{Api, Response};

/// Beginning of all paths.
const PREFIX: &str = "/api/manage/v1";

/// Sends `GET` to a path of the interface.
async fn get(api: &Api, path: &str) -> Response {
    api.get(&format!("{PREFIX}{path}")).await
}

/// Returns a link.
async fn link(api: &Api, code: &str) -> Value {
    get(api, &format!("/links/{code}")).await.expect(200).json()
}
