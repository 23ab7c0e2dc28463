//! Batches of links.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::new_links::{create, full};
use super::{get, link};
use crate::harness::{Api, Response, Server, assert_within_a_second};

const URL: &str = "https://example.com/";
const BATCHES: &str = "/api/manage/v1/link-batches";
const MAX_BODY: usize = 4 * 1024 * 1024;

async fn send(api: &Api, links: &[Value]) -> Response {
    api.ask(Method::POST, BATCHES).json(&json!({ "links": links })).send().await
}

async fn send_once(api: &Api, key: &str, links: &[Value]) -> Response {
    let ask = api.ask(Method::POST, BATCHES).header("Idempotency-Key", key);
    ask.json(&json!({ "links": links })).send().await
}

/// Returns this number of different links.
fn links(count: usize) -> Vec<Value> {
    let link = |number| json!({ "destination_url": format!("{URL}{number}") });
    (0..count).map(link).collect()
}

fn statuses(response: &Response) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for item in response.data().as_array().unwrap() {
        *counts.entry(item["status"].as_u64().unwrap()).or_default() += 1;
    }
    counts
}

/// Returns the links that a batch has created, and panics unless the other items have problems.
fn created(response: &Response) -> Vec<Value> {
    let mut links = Vec::new();
    for item in response.data().as_array().unwrap() {
        if item["status"] == 201 {
            assert!(item.get("problem").is_none(), "{item}");
            links.push(item["link"].clone());
        } else {
            assert!(item.get("link").is_none(), "{item}");
            assert_eq!(item["problem"]["status"], item["status"], "{item}");
        }
    }
    links
}

async fn usage(api: &Api) -> u64 {
    get(api, "/owner").await.expect(200).json()["usage"]["links"].as_u64().unwrap()
}

#[tokio::test]
async fn each_link_of_a_batch_stands_for_itself() {
    let server = Server::start();
    let api = server.api();
    api.create_from(&json!({"url": URL, "custom_code": "taken"})).await;
    server.terse(&["block", "add", "evil.example", "--reason", "malware"]).done();
    assert_within_a_second("the destination is blocked", async || {
        api.shorten(&json!({"url": "https://evil.example/", "custom_code": "taken"})).await.status
            == 422
    })
    .await;
    let long = "x".repeat(70_000);
    let with = |name: &str, value: &str| json!({ "destination_url": URL, name: value });
    let cases = [
        (full("first"), 201, "", ""),
        (json!({"destination_url": "ftp://example.com"}), 422, "invalid-input", "/destination_url"),
        (json!(17), 422, "invalid-input", ""),
        (with("url", "x"), 422, "invalid-input", "/url"),
        (with("custom_code", "same"), 201, "", ""),
        (with("custom_code", "same"), 409, "code-in-use", ""),
        (with("custom_code", "taken"), 409, "code-in-use", ""),
        (with("custom_code", "API"), 409, "code-reserved", ""),
        (
            with("fallback_url", "https://evil.example/"),
            422,
            "destination-blocked",
            "/fallback_url",
        ),
        (with("expires_at", "2001-01-01T00:00:00Z"), 409, "expiry-passed", ""),
        (with("qr_background", "#000000"), 409, "qr-colours-too-close", ""),
        (with("title", &long), 413, "body-too-large", ""),
        (json!({"destination_url": URL}), 201, "", ""),
    ];
    let requests: Vec<Value> = cases.iter().map(|(body, ..)| body.clone()).collect();
    let response = send(&api, &requests).await.expect(200);
    assert_eq!(response.header("idempotent-replayed"), None);
    let items = response.data();
    assert_eq!(items.as_array().unwrap().len(), cases.len());
    for (position, (item, (_, status, code, field))) in
        items.as_array().unwrap().iter().zip(&cases).enumerate()
    {
        assert_eq!(item["status"], *status, "{position}: {item}");
        if *status == 201 {
            let code = item["link"]["short_code"].as_str().unwrap();
            assert_eq!(link(&api, code).await, item["link"], "{position}");
            continue;
        }
        assert_eq!(item["problem"]["code"], *code, "{position}");
        let id = response.header("x-request-id").unwrap();
        assert_eq!(item["problem"]["request_id"], id, "{position}");
        let pointer = format!("/links/{position}{field}");
        if *status == 422 {
            assert_eq!(item["problem"]["errors"][0]["pointer"], pointer, "{item}");
            let detail = item["problem"]["detail"].as_str().unwrap();
            assert!(detail.starts_with(&format!("{pointer} ")), "{detail}");
        }
    }
    assert_eq!(created(&response).len(), 3);
    assert_eq!(usage(&api).await, 4);
    // JSON that cannot be read fails alone, too.
    let half =
        r#"{"links": [{"destination_url": "\ud800"}, {"destination_url": "https://a.example/"}]}"#;
    let ask = api.ask(Method::POST, BATCHES).body("application/json", half);
    let response = ask.send().await.expect(200);
    assert_eq!(statuses(&response), BTreeMap::from([(201, 1), (400, 1)]));
}

#[tokio::test]
async fn malformed_batch_creates_nothing() {
    let server = Server::start();
    let api = server.api();
    let one = links(1);
    for (body, pointers) in [
        (json!({}), &["/links"][..]),
        (json!({"links": []}), &["/links"]),
        (json!({"links": null}), &["/links"]),
        (json!({"links": {"0": one[0]}}), &["/links"]),
        (json!({"links": links(1_001)}), &["/links"]),
        (json!({"links": vec![json!([]); 5_000]}), &["/links"]),
        (json!({"links": one, "link": 1, "a/b": 2}), &["/a~1b", "/link"]),
        (json!([one]), &[""]),
    ] {
        api.ask(Method::POST, BATCHES).json(&body).send().await.invalid(pointers);
    }
    let text = |text: String| api.ask(Method::POST, BATCHES).body("application/json", text);
    let twice = format!("{{\"links\": {0}, \"links\": {0}}}", json!(one));
    text(twice).send().await.invalid(&["/links"]);
    for malformed in ["", "{", "{\"links\": [", "{\"links\": [1]} 2", "[1"] {
        text(malformed.to_owned()).send().await.problem(400, "malformed-request");
    }
    text(" ".repeat(MAX_BODY + 1)).send().await.problem(413, "body-too-large");
    let ask = api.ask(Method::POST, BATCHES).body("text/plain", "{}");
    ask.send().await.problem(415, "unsupported-media-type");
    let ask = api.ask(Method::POST, BATCHES).header("Content-Encoding", "gzip");
    ask.json(&json!({})).send().await.problem(415, "unsupported-content-encoding");
    assert_eq!(usage(&api).await, 0);
    create(&api, &json!({"destination_url": URL, "title": "x".repeat(70_000)}))
        .await
        .problem(413, "body-too-large");
}

#[tokio::test]
async fn batch_may_have_4_mib_and_counts_as_one_request() {
    let server = Server::start();
    server.terse(&["plan", "add", "slow", "--requests", "1/min", "--burst", "3"]).done();
    server.terse(&["owner", "add", "slow", "--plan", "slow", "--no-key"]).done();
    let api = server.with_key(&server.terse(&["key", "add", "slow", "--scope", "full"]).key());
    let long = format!("{URL}{}", "x".repeat(4_100));
    let mut text = json!({ "links": vec![json!({ "destination_url": long }); 1_000] }).to_string();
    text.push_str(&" ".repeat(MAX_BODY - text.len()));
    let ask = api.ask(Method::POST, BATCHES).body("application/json", text);
    let response = ask.send().await.expect(200);
    assert_eq!(statuses(&response), BTreeMap::from([(201, 1_000)]));
    assert!(response.header("ratelimit").unwrap().contains("r=2;"), "{:?}", response.headers);
    assert_eq!(usage(&api).await, 1_000);
}

#[tokio::test]
async fn repeated_batch_replays_what_exists_and_tries_the_rest() {
    let server = Server::start();
    let second = Server::on(server.database());
    let plan = ["plan", "add", "small", "--max-links", "10", "--links-per-day", "25"];
    server.terse(&plan).done();
    server.terse(&["owner", "add", "acme", "--plan", "small", "--no-key"]).done();
    let key = server.terse(&["key", "add", "acme", "--scope", "full"]).key();
    let (api, other) = (server.with_key(&key), second.with_key(&key));
    let mut links = links(40);
    links[3] = json!({"destination_url": "nowhere"});
    let mut known: Vec<Value> = Vec::new();
    for (max_links, expected) in [("10", 10), ("20", 20), ("unlimited", 25)] {
        server.terse(&["plan", "set", "small", "--max-links", max_links]).done();
        for api in [&api, &other, &api] {
            let response = send_once(api, "batch", &links).await.expect(200);
            let all = created(&response);
            assert_eq!(all.len(), expected, "{max_links}");
            assert!(known.iter().all(|link| all.contains(link)), "{max_links}");
            known = all;
            let problems = statuses(&response);
            assert_eq!((problems[&422], problems[&409]), (1, 39 - expected));
            assert_eq!(response.header("idempotent-replayed"), None);
        }
        assert_eq!(usage(&api).await, expected as u64);
    }
    let codes: BTreeSet<&str> =
        known.iter().map(|link| link["short_code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), 25);

    let mut others = links.clone();
    others[7] = json!({"destination_url": URL});
    send_once(&api, "batch", &others).await.problem(409, "idempotency-key-reused");
    send_once(&api, "batch", &links[..39]).await.problem(409, "idempotency-key-reused");
    let single = api.ask(Method::POST, "/api/manage/v1/links").header("Idempotency-Key", "batch");
    single.json(&links[0]).send().await.problem(409, "idempotency-key-reused");

    let api = server.api();
    let one = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", "single");
    one.json(&json!({"url": URL})).send().await.expect(201);
    send_once(&api, "single", &links[..2]).await.problem(409, "idempotency-key-reused");
    let whole = send_once(&api, "whole", &links[..2]).await.expect(200);
    // An absent member and a null one are the same.
    let same =
        [json!({"title": null, "destination_url": links[0]["destination_url"]}), links[1].clone()];
    let again = send_once(&api, "whole", &same).await.expect(200);
    assert_eq!(again.text(), whole.text());
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    // Nothing exists, so the key is free.
    send_once(&api, "free", &[json!({})]).await.expect(200);
    send_once(&api, "free", &links[..1]).await.expect(200);
    // A deleted link is not created again, as for single creations.
    let code = created(&whole)[0]["short_code"].as_str().unwrap().to_owned();
    api.ask(Method::DELETE, &format!("/api/manage/v1/links/{code}")).send().await.expect(204);
    let other_key = server.terse(&["key", "add", "default"]).key();
    for api in [api, server.with_key(&other_key)] {
        let third = send_once(&api, "whole", &links[..2]).await.expect(200);
        assert_eq!(third.text(), whole.text());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limits_and_codes_are_exact_under_contention() {
    let server = Server::start();
    let second = Server::on(server.database());
    for (plan, limit) in [("ten", ["--max-links", "10"]), ("day", ["--links-per-day", "10"])] {
        server
            .terse(&[&["plan", "add", plan, "--custom-codes", "true"], &limit[..]].concat())
            .done();
        server.terse(&["owner", "add", plan, "--plan", plan, "--no-key"]).done();
        let key = server.terse(&["key", "add", plan, "--scope", "full"]).key();
        let mut clients = JoinSet::new();
        for number in 0..4 {
            let api = if number % 2 == 0 { server.with_key(&key) } else { second.with_key(&key) };
            clients.spawn(async move { send(&api, &links(250)).await.expect(200) });
        }
        let responses = clients.join_all().await;
        let count: usize = responses.iter().map(|response| created(response).len()).sum();
        assert_eq!(count, 10, "{plan}");
        let failed: usize = responses.iter().map(|response| statuses(response)[&409]).sum();
        assert_eq!(failed, 990, "{plan}");
        assert_eq!(usage(&server.with_key(&key)).await, 10);
    }
    let mut clients = JoinSet::new();
    for number in 0..4 {
        let api = if number % 2 == 0 { server.api() } else { second.with_key(server.key()) };
        let with_code =
            |code| json!({"destination_url": URL, "custom_code": format!("code-{code}")});
        let codes: Vec<Value> =
            (0..100).map(|code| with_code((code * 37 + number * 11) % 100)).collect();
        clients.spawn(async move { send(&api, &codes).await.expect(200) });
    }
    let responses = clients.join_all().await;
    let count: usize = responses.iter().map(|response| created(response).len()).sum();
    assert_eq!((count, server.api().listed().await.len()), (100, 100));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn killed_batch_is_completed_by_its_repetition() {
    let mut server = Server::start();
    let key = server.key().to_owned();
    let all = links(1_000);
    for kill in 0..6_u64 {
        let name = format!("batch-{kill}");
        let (api, sent, batch) = (server.api(), all.clone(), name.clone());
        let ask = api.ask(Method::POST, BATCHES).header("Idempotency-Key", &batch);
        let ask = ask.json(&json!({ "links": sent }));
        let request = tokio::spawn(async move { ask.try_send().await });
        tokio::time::sleep(Duration::from_millis(20 + kill * 60)).await;
        let database = server.kill9();
        let _ = request.await.unwrap();
        server = Server::on(&database);
        let before = usage(&server.with_key(&key)).await - kill * 1_000;
        let response = send_once(&server.with_key(&key), &name, &all).await.expect(200);
        assert_eq!(created(&response).len(), 1_000, "{before} existed");
        assert_eq!(usage(&server.with_key(&key)).await, (kill + 1) * 1_000, "{before} existed");
        let urls: BTreeSet<String> =
            created(&response).iter().map(|link| link["short_code"].to_string()).collect();
        assert_eq!(urls.len(), 1_000);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batch_ends_with_the_rights_of_its_key() {
    let server = Server::start();
    let second = Server::on(server.database());
    for (round, command) in ["revoke", "suspend", "delete", "plan"].into_iter().enumerate() {
        let owner = format!("owner{round}");
        server.terse(&["owner", "add", &owner, "--plan", "unlimited", "--no-key"]).done();
        let add = ["key", "add", &owner, "--scope", "full", "--label", "author"];
        let key = server.terse(&add).key();
        let id = server.database().key_id(&owner, "author");
        let mut clients = JoinSet::new();
        for number in 0..4 {
            let api = if number % 2 == 0 { server.with_key(&key) } else { second.with_key(&key) };
            clients.spawn(async move {
                let mut codes = BTreeSet::new();
                for number in 0..6 {
                    let response = send_once(&api, &format!("batch-{number}"), &links(300)).await;
                    if response.status != 200 {
                        codes.insert(response.json()["code"].as_str().unwrap().to_owned());
                        continue;
                    }
                    for item in response.data().as_array().unwrap() {
                        let code = item["problem"]["code"].as_str().unwrap_or("created");
                        codes.insert(code.to_owned());
                    }
                }
                codes
            });
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let (allowed, outcome) = match command {
            "revoke" => ("unauthorized", server.terse(&["key", "revoke", &id])),
            "suspend" => ("owner-suspended", server.terse(&["owner", "suspend", &owner])),
            "delete" => {
                let delete = ["owner", "delete", &owner, "--confirm", &owner];
                ("unauthorized", server.terse(&delete))
            }
            _ => {
                server.terse(&["plan", "add", "few", "--max-links", "100"]).done();
                ("plan-limit-reached", server.terse(&["owner", "plan", &owner, "few"]))
            }
        };
        outcome.done();
        for codes in clients.join_all().await {
            let others = codes.iter().filter(|code| {
                // A deletion begins with a suspension.
                let is_deletion = command == "delete" && *code == "owner-suspended";
                !is_deletion && !["created", "unavailable", allowed].contains(&code.as_str())
            });
            assert_eq!(others.count(), 0, "{command}: {codes:?}");
        }
        if command == "revoke" || command == "suspend" {
            assert_within_a_second("the key is refused", async || {
                send(&server.with_key(&key), &links(1)).await.status != 200
            })
            .await;
        }
    }
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory_of_concurrent_batches_is_bounded() {
    let server = Server::start();
    let mut owners = Vec::new();
    for number in 0..16 {
        let name = format!("owner{number}");
        let add = ["owner", "add", &name, "--plan", "unlimited", "--scope", "full"];
        owners.push(server.with_key(&server.terse(&add).key()));
    }
    let before = server.private_memory();
    // Text that takes many times its size as a tree, in links that are all malformed.
    let nested = format!("{{\"x\": [{}1]}}", "[],".repeat(1_300));
    let mut text = format!("{{\"links\": [{}1]}}", format!("{nested},").repeat(999));
    text.truncate(MAX_BODY);
    let valid = json!({ "links": vec![json!({ "destination_url": format!("{URL}{}", "x".repeat(4_000)) }); 1_000] });
    let mut clients = JoinSet::new();
    for number in 0..64 {
        let api = owners[number % owners.len()].clone();
        let body = if number % 2 == 0 { text.clone() } else { valid.to_string() };
        clients.spawn(async move {
            let began = Instant::now();
            let ask = api.ask(Method::POST, BATCHES).body("application/json", body);
            // A busy machine may need more than the 30 seconds that a body may take, or than the 75
            // that a connection may make no progress.
            match ask.send_or_fail().await {
                Err(_) if began.elapsed() >= Duration::from_secs(30) => 503,
                Ok(late) if late.status == 400 && late.text().contains("in time") => 503,
                response => response.expect("the server responds").status,
            }
        });
    }
    let statuses: BTreeSet<u16> = clients.join_all().await.into_iter().collect();
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&200));
    let grown = server.max_private_memory().saturating_sub(before);
    assert!(grown < 220 << 20, "{} MiB more", grown >> 20);
}
