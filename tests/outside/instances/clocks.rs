//! Instances on machines with different clocks.
#![expect(clippy::disallowed_methods, reason = "no rule of Terse's asks this clock")]

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::Method;
use serde_json::json;

use super::URL;
use crate::harness::{Api, Database, Response, Server, find_object, only_on};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn shorten(api: &Api, key: &str) -> Response {
    let asked = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", key);
    asked.json(&json!({"url": URL})).send().await.expect(201)
}

#[tokio::test]
async fn instance_with_a_wrong_clock_uses_the_database_clock() {
    only_on!(Postgres: "instances on one file have one clock");
    let database = Arc::new(Database::new().with_default_owner());
    let yesterday = humantime::format_rfc3339_seconds(SystemTime::now() - DAY).to_string();
    let expired = database.terse(&["key", "add", "default", "--expires", &yesterday]).key();
    let valid = database.terse(&["key", "add", "default", "--expires", "1d"]).key();
    let servers = [
        Server::on(&database),
        Server::with_clock_offset(&database, "-2d"),
        Server::with_clock_offset(&database, "+2d"),
    ];
    for (number, server) in servers.iter().enumerate() {
        let key = number.to_string();
        let first = shorten(&server.with_key(&valid), &key).await;
        for other in &servers {
            let again = shorten(&other.with_key(&valid), &key).await;
            assert_eq!(first.text(), again.text());
            other.with_key(&expired).get("/api/v1/links").await.problem(401, "unauthorized");
        }
        let export = database.terse(&["export", "--format", "jsonl"]).done().stdout;
        let lines: Vec<serde_json::Value> =
            export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let link = find_object(&lines.into(), "short_code", &first.code()).unwrap().clone();
        let created = humantime::parse_rfc3339(link["created_at"].as_str().unwrap()).unwrap();
        let age = SystemTime::now().duration_since(created).unwrap_or_default();
        assert!(age < Duration::from_secs(600), "{link}");
    }
    for server in servers {
        server.terminate();
    }
}
