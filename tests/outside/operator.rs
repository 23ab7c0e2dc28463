//! `/api/operator/v1`: the operator's programs.

mod keys;
mod listener;

use crate::harness::{Api, Database, Response};

/// Beginning of all paths.
const PREFIX: &str = "/api/operator/v1";

/// Returns a new database without an owner.
fn created() -> Database {
    let database = Database::new();
    database.terse(&["migrate"]).done();
    database
}

/// Sends `GET` to a path of the interface.
async fn get(api: &Api, path: &str) -> Response {
    api.get(&format!("{PREFIX}{path}")).await
}
