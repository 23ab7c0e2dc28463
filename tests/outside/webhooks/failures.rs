//! Receivers that fail, and addresses that are refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::receiver::{Answer, Receiver};
use super::{
    PATH, deliveries, patch, path_of, post, post_nothing, serve_quickly, serve_quickly_on,
    subscribe, wait_for_status,
};
use crate::harness::{Database, Server, TIMEOUT, eventually, only_on, until_available};

#[tokio::test]
async fn failed_delivery_is_repeated_with_the_same_id() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let webhook = subscribe(&api, &receiver, &["link.created"]).await;
    receiver.answer(Answer::Status("302 Found\r\nLocation: /elsewhere"));
    api.create("https://example.org/").await;
    receiver.wait_for("link.created", 2).await;
    let listed = deliveries(&api, &webhook).await;
    assert_eq!(listed[0]["status"], "waiting");
    assert_ne!(listed[0]["next_attempt_at"], Value::Null);
    let attempt = &listed[0]["attempts"][0];
    assert_eq!(json!([attempt["status_code"], attempt["error"]]), json!([302, "down"]));
    let shown = api.get(&path_of(&webhook)).await.expect(200).json();
    assert_eq!((&shown["waiting"], &shown["last_success_at"]), (&json!(1), &Value::Null));
    assert_ne!(shown["last_failure_at"], Value::Null);
    receiver.answer(Answer::Status("200 OK"));
    let retry =
        format!("{}/deliveries/{}/retry", path_of(&webhook), listed[0]["id"].as_str().unwrap());
    assert_eq!(post_nothing(&api, &retry).await.expect(200).json()["status"], "waiting");
    let listed = wait_for_status(&api, &webhook, "delivered").await;
    assert_eq!(listed[0]["next_attempt_at"], Value::Null);
    let received = receiver.all();
    assert!(
        received.iter().all(|one| one.id() == listed[0]["id"] && one.request.contains("/hook"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_requests_ask_for_one_delivery() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let webhook = subscribe(&api, &receiver, &["link.created"]).await;
    let path = path_of(&webhook);
    let ask =
        async |key: &str, path: &str| post_nothing(&api.with("Idempotency-Key", key), path).await;
    let test = format!("{path}/test");
    receiver.answer(Answer::Status("503 Down"));
    let first = ask("test", &test).await.expect(200);
    receiver.answer(Answer::Status("204 No Content"));
    let again = ask("test", &test).await.expect(200);
    assert_eq!(
        (first.header("idempotent-replayed"), first.json()["status_code"].as_i64()),
        (None, Some(503))
    );
    assert_eq!((again.header("idempotent-replayed"), again.text()), (Some("true"), first.text()));
    assert_eq!(receiver.of("webhook.test").len(), 1);

    let links = vec![json!({ "destination_url": "https://example.org/" }); 100];
    post(&api, "/api/manage/v1/link-batches", &json!({ "links": links })).await.expect(200);
    let delivered = async || {
        let mut listed = deliveries(&api, &webhook).await;
        listed.retain(|delivery| delivery["status"] == "delivered");
        listed
    };
    eventually(TIMEOUT, "100 deliveries", async || delivered().await.len() == 100).await;
    let retries: Vec<String> = delivered()
        .await
        .iter()
        .map(|delivery| format!("{path}/deliveries/{}/retry", delivery["id"].as_str().unwrap()))
        .collect();
    ask("test", &retries[0]).await.problem(409, "idempotency-key-reused");
    let mut first = Vec::new();
    for retry in &retries {
        let pair = [ask(retry, retry), ask(retry, retry)];
        let responses = futures_util::future::join_all(pair).await.into_iter();
        let texts: Vec<String> = responses.map(|response| response.expect(200).text()).collect();
        assert_eq!(texts[0], texts[1]);
        first.extend(texts.into_iter().next());
    }
    receiver.wait_for("link.created", 200).await;
    for (retry, first) in retries.iter().zip(first) {
        let again = ask(retry, retry).await.expect(200);
        assert_eq!((again.header("idempotent-replayed"), again.text()), (Some("true"), first));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(receiver.of("link.created").len(), 200);
}

#[tokio::test]
async fn receiver_that_is_gone_is_told_nothing_more() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let webhook = subscribe(&api, &receiver, &["link.created"]).await;
    receiver.answer(Answer::Status("410 Gone"));
    api.create("https://example.org/").await;
    wait_for_status(&api, &webhook, "failed").await;
    let shown = api.get(&path_of(&webhook)).await.expect(200).json();
    assert_eq!(json!([shown["is_enabled"], shown["disabled_reason"]]), json!([false, "gone"]));
    tokio::time::sleep(Duration::from_secs(1)).await;
    api.create("https://example.org/").await;
    assert_eq!(deliveries(&api, &webhook).await.len(), 1);
}

#[tokio::test]
async fn status_counts_without_a_body_unless_the_url_has_changed_meanwhile() {
    let server = serve_quickly();
    let (api, gone, good) = (server.api(), Receiver::start().await, Receiver::start().await);
    let webhook = subscribe(&api, &gone, &["link.created"]).await;
    let waiting = async || {
        let metrics = server.anyone().get("/metrics").await.expect(200).text();
        let line = metrics.lines().find_map(|line| line.strip_prefix("terse_webhooks_waiting "));
        line.map(str::to_owned)
    };
    gone.answer(Answer::Half("410 Gone"));
    api.create("https://example.org/").await;
    gone.wait_for("link.created", 1).await;
    patch(&api, &path_of(&webhook), &json!({ "url": good.url() })).await.expect(200);
    good.wait_for("link.created", 1).await;
    let all = wait_for_status(&api, &webhook, "delivered").await;
    assert_eq!(all[0]["attempts"][1]["status_code"], 204);
    assert_eq!(all[0]["attempts"][0]["status_code"], 410);
    let shown = api.get(&path_of(&webhook)).await.expect(200).json();
    assert_eq!((&shown["is_enabled"], &shown["last_failure_at"]), (&json!(true), &Value::Null));
    good.answer(Answer::Nothing);
    api.create("https://example.org/").await;
    eventually(TIMEOUT, "a waiting delivery", async || waiting().await.as_deref() == Some("1"))
        .await;
    patch(&api, &path_of(&webhook), &json!({ "url": gone.url() })).await.expect(200);
    eventually(2 * TIMEOUT, "a disabled webhook", async || {
        api.get(&path_of(&webhook)).await.expect(200).json()["disabled_reason"] == "gone"
    })
    .await;
    eventually(TIMEOUT, "no waiting delivery", async || waiting().await.as_deref() == Some("0"))
        .await;
}

#[tokio::test]
async fn webhook_that_fails_for_five_days_is_disabled() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let webhook = subscribe(&api, &receiver, &["link.created"]).await;
    receiver.answer(Answer::Status("500 Failed"));
    let failing = "SELECT COUNT(failing_since) FROM webhooks";
    let failing = async || server.database().number(failing).await;
    post_nothing(&api, &format!("{}/test", path_of(&webhook))).await.expect(200);
    assert_eq!(failing().await, 0, "a test is no delivery");
    let shown = api.get(&path_of(&webhook)).await.expect(200).json();
    assert!(shown["last_failure_at"].is_string(), "{shown}");
    api.create("https://example.org/").await;
    eventually(TIMEOUT, "a failure", async || failing().await == 1).await;
    let other = format!("{}?other", receiver.url());
    patch(&api, &path_of(&webhook), &json!({ "url": other })).await.expect(200);
    assert_eq!(failing().await, 0, "another URL has not failed");
    api.create("https://example.org/").await;
    eventually(TIMEOUT, "a failure", async || failing().await == 1).await;
    let age = "UPDATE webhooks SET failing_since = failing_since - 432000000";
    server.database().execute(age).await;
    eventually(TIMEOUT, "a disabled webhook", async || {
        api.get(&path_of(&webhook)).await.expect(200).json()["disabled_reason"] == "failing"
    })
    .await;
}

#[tokio::test]
async fn receiver_may_ask_to_wait() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let webhook = subscribe(&api, &receiver, &["link.created"]).await;
    receiver.answer(Answer::Status("429 Too Many\r\nRetry-After: 3600"));
    api.create("https://example.org/").await;
    receiver.wait_for("link.created", 1).await;
    let next = async || deliveries(&api, &webhook).await[0]["next_attempt_at"].clone();
    let hour_later = async || {
        let millis = "SELECT next_attempt_at - created_at FROM webhook_deliveries";
        server.database().number(millis).await
    };
    eventually(TIMEOUT, "an attempt", async || hour_later().await >= 3_600_000).await;
    assert_ne!(next().await, Value::Null);
}

#[tokio::test]
async fn slow_receiver_delays_no_other_and_endless_responses_end() {
    let server = serve_quickly();
    let api = server.api();
    let (slow, endless, quick) =
        (Receiver::start().await, Receiver::start().await, Receiver::start().await);
    slow.answer(Answer::Nothing);
    endless.answer(Answer::Endless);
    let slow_webhook = subscribe(&api, &slow, &["link.created"]).await;
    subscribe(&api, &quick, &["link.created"]).await;
    for _ in 0..100 {
        let (api, path) = (api.clone(), format!("{}/test", path_of(&slow_webhook)));
        tokio::spawn(async move { post_nothing(&api, &path).await });
    }
    slow.wait_for("webhook.test", 1).await;
    let webhook = subscribe(&api, &endless, &["link.created"]).await;
    for _ in 0..20 {
        api.create("https://example.org/").await;
    }
    let started = Instant::now();
    quick.wait_for("link.created", 20).await;
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(slow.of("link.created").len() <= 4, "at most four at a time");
    assert_eq!(slow.of("webhook.test").len(), 1, "one at a time");
    eventually(TIMEOUT, "the end of a response", async || {
        let attempts = deliveries(&api, &webhook).await;
        attempts.iter().any(|delivery| {
            let error = delivery["attempts"][0]["error"].as_str();
            error.is_some_and(|error| error == "x".repeat(1_024))
        })
    })
    .await;
}

#[tokio::test]
async fn only_what_the_operator_allows_is_reached() {
    let database = Arc::new(Database::new().with_default_owner());
    let receiver = Receiver::start().await;
    let mut command = database.command();
    command.args(["serve", "--listen", "127.0.0.1:0", "--webhook-second", "10"]);
    command.env_remove("TERSE_WEBHOOK_ALLOW").env("HTTP_PROXY", receiver.url());
    let server = Server::run(&database, command);
    let api = server.api();
    let port = receiver.url().rsplit(':').next().unwrap().to_owned();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "0.0.0.0",
    ] {
        let body = json!({ "url": format!("http://{host}:{port}"), "types": ["link.created"] });
        let refused = post(&api, PATH, &body).await.expect(422).json();
        assert_eq!(refused["errors"][0]["pointer"], "/url", "{host}");
    }
    for url in [
        "http://user@example.org/",
        "http://example.org:22/",
        "ftp://example.org/",
        "https://",
        "example.org",
    ] {
        let body = json!({ "url": url, "types": ["link.created"] });
        post(&api, PATH, &body).await.expect(422);
    }
    for types in [json!([]), json!(["link.created", "link.eaten"]), json!("link.created")] {
        let body = json!({ "url": "https://example.org/", "types": types });
        post(&api, PATH, &body).await.expect(422);
    }
    // A name is only looked up when something is sent.
    let body = json!({ "url": format!("http://localhost:{port}"), "types": ["link.created"] });
    let webhook = post(&api, PATH, &body).await.expect(201).json();
    let attempt =
        post_nothing(&api, &format!("{}/test", path_of(&webhook))).await.expect(200).json();
    assert_eq!(
        json!([attempt["status_code"], attempt["error"]]),
        json!([null, "address is not allowed"])
    );
    assert!(receiver.all().is_empty(), "neither directly nor as a proxy");
}

#[tokio::test]
async fn too_many_waiting_deliveries_are_dropped() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    receiver.answer(Answer::Status("503 Down\r\nRetry-After: 3600"));
    let webhook = subscribe(&api, &receiver, &["link.created", "link.updated"]).await;
    let code = api.create("https://example.org/").await;
    let path = format!("/api/manage/v1/links/{code}");
    super::patch(&api, &path, &json!({ "title": "kept" })).await.expect(200);
    let link: Vec<Value> = vec![json!({ "destination_url": "https://example.org/" }); 1_000];
    for _ in 0..10 {
        post(&api, "/api/manage/v1/link-batches", &json!({ "links": link })).await.expect(200);
    }
    eventually(TIMEOUT, "dropped deliveries", async || {
        let shown = api.get(&path_of(&webhook)).await.expect(200).json();
        json!([shown["waiting"], shown["dropped"]]) == json!([10_000, 2])
    })
    .await;
    let updated = "SELECT COUNT(*) FROM webhook_deliveries WHERE type = 'link.updated'";
    assert_eq!(server.database().number(updated).await, 1);
}

#[tokio::test]
async fn another_instance_goes_on_when_the_deliverer_dies() {
    only_on!(Postgres: "SQLite has one server");
    let database = Arc::new(Database::new().with_default_owner());
    let receiver = Receiver::start().await;
    let first = serve_quickly_on(&database);
    let second = serve_quickly_on(&database);
    let webhook = subscribe(&first.api(), &receiver, &["link.created"]).await;
    first.api().create("https://example.org/").await;
    receiver.wait_for("link.created", 1).await;
    first.kill9();
    second.api().create("https://example.org/").await;
    let started = Instant::now();
    receiver.wait_for("link.created", 2).await;
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    wait_for_status(&second.api(), &webhook, "delivered").await;
}

/// The others do not respond, respond too slowly, redirect, fail, or respond with a gigabyte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_a_thousand_webhooks_that_works_waits_for_no_other() {
    const OWNERS: usize = 100;
    const SLACK: u64 = 32 * 1024 * 1024;
    let database = Arc::new(Database::new().with_default_owner());
    let arguments = ["--webhook-second", "10", "--operator-listen", "127.0.0.1:0"];
    let server = Server::with(&database, &arguments);
    let (api, operator) = (server.api(), server.operator("admin"));
    let mut receivers = Vec::new();
    for answer in [
        Answer::Nothing,
        Answer::Slow,
        Answer::Status("302 Found\r\nLocation: /elsewhere"),
        Answer::Status("500 Failed"),
        Answer::Endless,
    ] {
        let receiver = Receiver::start().await;
        receiver.answer(answer);
        receivers.push(receiver);
    }
    let mut owners = Vec::new();
    for number in 0..OWNERS {
        let body = json!({ "name": format!("o{number}"), "plan_name": "unlimited", "key": {} });
        let created = post(&operator, "/api/operator/v1/owners", &body).await.expect(201).json();
        owners.push(server.with_key(created["key"]["secret"].as_str().unwrap()));
    }
    for number in 1..1_000 {
        // 120 of them hold an attempt for 15 seconds.
        let receiver = if number <= 120 { number % 2 } else { 2 + number % 3 };
        let body = json!({ "url": receivers[receiver].url(), "types": ["link.created"] });
        post(&owners[number % OWNERS], PATH, &body).await.expect(201);
    }
    let works = Receiver::start().await;
    subscribe(&api, &works, &["link.created"]).await;
    api.create("https://example.org/").await;
    works.wait_for("link.created", 1).await;
    let before = server.private_memory();
    let links = vec![json!({ "destination_url": "https://example.org/" }); 20];
    for owner in &owners {
        let body = json!({ "links": links });
        let send = async || post(owner, "/api/manage/v1/link-batches", &body).await;
        until_available(send).await.expect(200);
    }
    let untried = "SELECT COUNT(*) FROM webhooks WHERE last_failure_at IS NULL";
    eventually(2 * TIMEOUT, "all others have failed", async || database.number(untried).await == 1)
        .await;
    for round in 0..100 {
        api.create("https://example.org/").await;
        works.wait_for("link.created", 2 + round).await;
    }
    let after = server.private_memory();
    assert!(after < before + SLACK, "{before} bytes before, {after} after");
    assert_eq!(works.all().len(), 101);
}
