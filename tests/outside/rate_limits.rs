//! Limits of owners' requests, which plans set.

use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Database, Response, Server, Store, assert_within_a_second, find_object};

const URL: &str = "https://example.com/";

/// Calls all five operations, and returns the responses.
async fn all_operations(api: &Api) -> Vec<Response> {
    vec![
        api.links().await,
        api.qr_list().await,
        api.stats("unknown").await,
        api.shorten(&json!({"url": URL})).await,
        api.qr(&json!({"short_code": "unknown"})).await,
    ]
}

/// Sends requests until one returns 429, and returns the number of those before.
async fn requests_before_429(api: &Api) -> usize {
    for number in 0..100 {
        if api.stats("unknown").await.status == 429 {
            return number;
        }
    }
    panic!("no request returned 429");
}

/// Panics unless this is a 429 of a plan whose limit is one request per half an hour.
#[track_caller]
fn assert_throttled(response: Response, burst: u32) {
    let response = response.problem(429, "rate-limited");
    let wait: u32 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((1_700..=1_800).contains(&wait), "{response:#?}");
    let policy = format!("\"requests\";q={burst};w={}", burst * 1_800);
    assert_eq!(response.header("ratelimit-policy"), Some(policy.as_str()));
    assert_eq!(response.header("ratelimit"), Some(format!("\"requests\";r=0;t={wait}").as_str()));
}

#[tokio::test]
async fn all_operations_of_an_owner_share_one_limit() {
    let server = Server::start();
    let database = server.database();
    database.terse(&["plan", "add", "slow", "--requests", "2/h", "--burst", "5"]).done();
    let api = server.api_of("limited", "slow");
    let other = server.with_key(&database.terse(&["key", "add", "limited"]).key());
    for (number, response) in all_operations(&api).await.into_iter().enumerate() {
        assert_ne!(response.status, 429, "{response:#?}");
        let remaining = format!("\"requests\";r={};t=1800", 4 - number);
        assert_eq!(response.header("ratelimit"), Some(remaining.as_str()), "{response:#?}");
        let policy = "\"requests\";q=5;w=9000";
        assert_eq!(response.header("ratelimit-policy"), Some(policy), "{response:#?}");
    }
    let bearer = server.anyone().with(
        "Authorization",
        &format!("Bearer {}", {
            database.terse(&["key", "add", "limited", "--scope", "read"]).key()
        }),
    );
    for api in [&api, &other] {
        for response in all_operations(api).await {
            assert_throttled(response, 5);
        }
    }
    assert_throttled(bearer.links().await, 5);
    api.head("/api/v1/links").await.expect(429);
    // The requests that were throttled created nothing, and other owners are not affected.
    let owners = database.terse(&["owner", "list", "--json"]).json();
    assert_eq!(find_object(&owners, "name", "limited").unwrap()["links"], 1);
    let response = server.api().links().await.expect(200);
    assert_eq!(response.header("ratelimit"), None);
    let metrics = server.anyone().get("/metrics").await.text();
    let throttled =
        metrics.lines().find(|line| line.contains("throttled_total{limit=\"requests\"}"));
    assert!(throttled.is_some_and(|line| line.ends_with(" 12")), "{throttled:?}");
}

#[tokio::test]
async fn limit_applies_before_the_body_and_after_the_key() {
    let server = Server::start();
    let database = server.database();
    database.terse(&["plan", "add", "slow", "--requests", "1/h"]).done();
    let api = server.api_of("limited", "slow");
    api.links().await.expect(200);
    for body in ["", "{", "{\"url\": 1}", &"x".repeat(100_000)] {
        let ask = api.ask(Method::POST, "/api/v1/shorten").body("text/plain", body.to_owned());
        ask.send().await.problem(429, "rate-limited");
    }
    api.get("/api/v1/links?limit=x").await.problem(429, "rate-limited");
    api.ask(Method::DELETE, "/api/v1/links").send().await.problem(405, "method-not-allowed");
    api.get("/api/v1/other").await.problem(404, "not-found");
    api.with("Authorization", "Bearer terse_other").links().await.problem(401, "unauthorized");
    let reader = database.terse(&["key", "add", "limited", "--scope", "read"]).key();
    server.with_key(&reader).shorten(&json!({"url": URL})).await.problem(403, "key-scope");
    database.terse(&["owner", "suspend", "limited"]).done();
    assert_within_a_second("the suspension", async || api.links().await.status == 403).await;
}

#[tokio::test]
async fn changed_limit_applies_within_a_second() {
    let server = Server::start();
    let database = server.database();
    database.terse(&["plan", "add", "own"]).done();
    let api = server.api_of("limited", "own");
    let policy = async || api.links().await.header("ratelimit-policy").map(str::to_owned);
    assert_eq!(policy().await, None);
    let second = Server::on(database);
    let there = second.with_key(&database.terse(&["key", "add", "limited"]).key());
    assert_eq!(there.links().await.expect(200).header("ratelimit-policy"), None);

    database.terse(&["plan", "set", "own", "--requests", "600/min"]).done();
    let expected = Some("\"requests\";q=600;w=60".to_owned());
    assert_within_a_second("the rate", async || policy().await == expected).await;
    assert_within_a_second("the rate on the other instance", async || {
        let response = there.links().await;
        response.header("ratelimit-policy").map(str::to_owned) == expected
    })
    .await;
    database.terse(&["plan", "set", "own", "--burst", "7"]).done();
    let expected = Some("\"requests\";q=7;w=1".to_owned());
    assert_within_a_second("the burst", async || policy().await == expected).await;
    database.terse(&["plan", "add", "slow", "--requests", "3/h"]).done();
    database.terse(&["owner", "plan", "limited", "slow"]).done();
    assert_within_a_second("the plan", async || api.links().await.status == 429).await;
    database.terse(&["plan", "set", "slow", "--requests", "unlimited"]).done();
    assert_within_a_second("the end", async || policy().await.is_none()).await;
    api.links().await.expect(200);
}

#[tokio::test]
async fn limit_refills_evenly() {
    let server = Server::start();
    server.database().terse(&["plan", "add", "own", "--requests", "2/s"]).done();
    let api = server.api_of("limited", "own");
    assert!(requests_before_429(&api).await >= 2);
    let response = api.links().await;
    if response.status == 429 {
        assert_eq!(response.header("retry-after"), Some("1"));
    }
    assert_within_a_second("another request", async || api.links().await.status == 200).await;
}

#[tokio::test]
async fn retry_under_an_idempotency_key_counts_as_a_request() {
    let server = Server::start();
    server.database().terse(&["plan", "add", "slow", "--requests", "2/h"]).done();
    let api = server.api_of("limited", "slow").with("Idempotency-Key", "one");
    let first = api.shorten(&json!({"url": URL})).await.expect(201);
    assert_eq!(api.shorten(&json!({"url": URL})).await.expect(201).json(), first.json());
    api.shorten(&json!({"url": URL})).await.problem(429, "rate-limited");
}

#[test]
fn plans_store_rates() {
    let database = Database::new().migrated();
    let plan = || {
        let plans = database.terse(&["plan", "list", "--json"]).json();
        let plan = find_object(&plans, "name", "own").expect("the plan is listed");
        ["request_rate", "burst", "links_per_day"].map(|key| plan[key].clone())
    };
    let limits = ["--requests", "600/min", "--burst", "20", "--links-per-day", "1000"];
    database.terse(&[&["plan", "add", "own"], limits.as_slice()].concat()).done();
    assert_eq!(plan(), [json!("600/min"), json!(20), json!(1000)]);
    let listed = database.terse(&["plan", "list"]).done().stdout;
    assert!(listed.contains("600/min (burst 20)"), "{listed}");
    database.terse(&["plan", "set", "own", "--requests", "20/s"]).done();
    assert_eq!(plan(), [json!("20/s"), json!(20), json!(1000)]);
    database.terse(&["plan", "set", "own", "--links-per-day", "unlimited"]).done();
    database.terse(&["plan", "set", "own", "--requests", "unlimited"]).done();
    assert_eq!(plan(), [Value::Null, Value::Null, Value::Null]);
    let again = database.terse(&["plan", "set", "own", "--requests", "unlimited", "--json"]).json();
    assert_eq!((&again["event_id"], &again["changed"]), (&Value::Null, &json!(0)));
    database
        .terse(&["plan", "set", "own", "--requests", "1/s", "--burst", "9", "--dry-run"])
        .done();
    assert_eq!(plan(), [Value::Null, Value::Null, Value::Null]);
}

#[test]
fn invalid_limits_are_rejected() {
    let database = Database::new().migrated();
    for arguments in [
        ["--requests", "20"],
        ["--requests", "0/s"],
        ["--requests", "20/day"],
        ["--requests", "-1/s"],
        ["--burst", "0"],
        ["--burst", "1000001"],
        ["--links-per-day", "-1"],
        ["--links-per-day", "many"],
    ] {
        let outcome = database.terse(&[&["plan", "add", "own"], arguments.as_slice()].concat());
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    }
    let outcome = database.terse(&["plan", "add", "own", "--burst", "5"]);
    assert!(outcome.stderr.contains("--requests"), "{outcome:?}");
    outcome.misused();
    let plans = database.terse(&["plan", "list", "--json"]).json();
    assert_eq!(find_object(&plans, "name", "own"), None);
}

/// Checks that a problem says when the day ends.
#[track_caller]
fn assert_daily_limit(response: &Response) {
    let problem = response.json();
    assert!(problem["detail"].as_str().unwrap().contains("per day"), "{problem}");
    let seconds: u64 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&seconds), "{seconds}");
}

#[tokio::test]
async fn links_per_day_are_counted_exactly() {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [Server::on(&database), Server::on(&database)];
    database.terse(&["plan", "add", "daily", "--links-per-day", "15"]).done();
    let key = database.owner("daily", "daily");
    let apis = servers.each_ref().map(|server| server.with_key(&key));
    let mut creations = tokio::task::JoinSet::new();
    for number in 0..40 {
        let api = apis[number % 2].clone();
        creations.spawn(async move { api.shorten(&json!({"url": URL})).await });
    }
    let mut created = BTreeSet::new();
    while let Some(response) = creations.join_next().await {
        let response = response.unwrap();
        if response.status == 201 {
            created.insert(response.code());
        } else {
            assert_daily_limit(&response.problem(409, "daily-limit-reached"));
        }
    }
    assert_eq!(created.len(), 15);
    // A deletion does not reduce the count of the day.
    let code = created.first().unwrap().as_str();
    database.terse(&["link", "delete", "--", code]).done();
    apis[0].shorten(&json!({"url": URL})).await.problem(409, "daily-limit-reached");
    let key = database.terse(&["key", "add", "daily", "--scope", "full"]).key();
    let api = servers[1].with_key(&key);
    let link = json!({"destination_url": URL});
    let ask = api.ask(Method::POST, "/api/manage/v1/links").json(&link);
    assert_daily_limit(&ask.send().await.problem(409, "daily-limit-reached"));
    let ask = api.ask(Method::POST, "/api/manage/v1/link-batches").json(&json!({"links": [link]}));
    let batch = ask.send().await.expect(200);
    assert_eq!(batch.header("retry-after"), None);
    assert_eq!(batch.data()[0]["problem"]["code"], "daily-limit-reached");
    // A higher limit applies from the beginning of the day, and imports do not count.
    database.terse(&["plan", "set", "daily", "--links-per-day", "17"]).done();
    let file = database.directory().join("links.csv");
    std::fs::write(&file, "destination_url\nhttps://example.com/1\nhttps://example.com/2\n")
        .unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "daily"]).done();
    for status in [201, 201, 409] {
        apis[1].shorten(&json!({"url": URL})).await.expect(status);
    }
}

/// The clocks of the two servers are days apart. On SQLite, each server's clock decides, so the
/// second server counts for a later day. On PostgreSQL, the database's clock decides.
#[tokio::test]
async fn next_day_allows_as_many_links_again() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::on(&database);
    database.terse(&["plan", "add", "daily", "--links-per-day", "2"]).done();
    let key = database.owner("daily", "daily");
    let api = server.with_key(&key);
    for status in [201, 201, 409] {
        api.shorten(&json!({"url": URL})).await.expect(status);
    }
    drop(server);
    let later = Server::with_clock_offset(&database, "+3d");
    let api = later.with_key(&key);
    let statuses = if Store::chosen() == Store::Sqlite { [201, 201, 409] } else { [409, 409, 409] };
    for status in statuses {
        api.shorten(&json!({"url": URL})).await.expect(status);
    }
}
