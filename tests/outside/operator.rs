//! `/api/operator/v1`: the operator's programs.

mod creations;
mod domains;
mod events;
mod keys;
mod listener;
mod long_changes;
mod operator_keys;
mod plans;
mod repeats;
mod resources;
mod same_as_commands;
mod status;

use serde_json::Value;

use crate::harness::{Api, Database, Response};

/// Beginning of all paths.
pub(crate) const PREFIX: &str = "/api/operator/v1";

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

/// Sends a request with a JSON body to a path of the interface.
async fn send(api: &Api, method: &str, path: &str, body: &Value) -> Response {
    let ask = api.ask(method.parse().unwrap(), &format!("{PREFIX}{path}"));
    ask.json(body).send().await
}

/// Returns the response to a request that succeeds.
async fn done(api: &Api, method: &str, path: &str, body: &Value) -> Value {
    let response = send(api, method, path, body).await;
    assert!(response.status < 300, "{method} {path}: {response:#?}");
    if response.status == 204 { Value::Null } else { response.json() }
}

/// Sends `DELETE` to a path of the interface.
async fn delete(api: &Api, path: &str) -> Response {
    api.ask(reqwest::Method::DELETE, &format!("{PREFIX}{path}")).send().await
}

/// Returns all items of a list, following its pages.
async fn all(api: &Api, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut target = format!("{PREFIX}{path}");
    loop {
        let page = api.get(&target).await.expect(200);
        items.extend(page.json()["data"].as_array().unwrap().clone());
        let Some(link) = page.header("link") else { return items };
        target = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
        assert!(target.starts_with(PREFIX), "{target} has no host");
    }
}
