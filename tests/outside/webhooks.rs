//! Webhooks, and what a receiver gets.

mod exactness;
mod failures;
mod receiver;

use std::collections::HashSet;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use self::receiver::{Answer, Receiver};
use crate::harness::{
    Api, Database, Response, Server, TIMEOUT, assert_within_a_second, eventually,
};

const PATH: &str = "/api/manage/v1/webhooks";
/// All types of deliveries.
const TYPES: [&str; 9] = [
    "link.created",
    "link.updated",
    "link.deleted",
    "link.disabled",
    "link.enabled",
    "links.clicked",
    "links.changed",
    "owner.suspended",
    "owner.resumed",
];

/// Serves a new database with a short schedule: 5 s are 50 ms.
fn serve_quickly() -> Server {
    let database = Arc::new(Database::new().with_default_owner());
    serve_quickly_on(&database)
}

fn serve_quickly_on(database: &Arc<Database>) -> Server {
    Server::with(database, &["--webhook-second", "10"])
}

async fn post(api: &Api, path: &str, body: &Value) -> Response {
    api.ask(Method::POST, path).json(body).send().await
}

async fn post_nothing(api: &Api, path: &str) -> Response {
    api.ask(Method::POST, path).send().await
}

async fn patch(api: &Api, path: &str, body: &Value) -> Response {
    api.ask(Method::PATCH, path).json(body).send().await
}

async fn delete(api: &Api, path: &str) -> Response {
    api.ask(Method::DELETE, path).send().await
}

/// Creates a webhook for these types, and waits until it holds.
async fn subscribe(api: &Api, receiver: &Receiver, types: &[&str]) -> Value {
    let body = json!({ "url": receiver.url(), "types": types });
    let created = post(api, PATH, &body).await.expect(201).json();
    // A second is enough, unless the machine is very busy.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    created
}

fn path_of(webhook: &Value) -> String {
    format!("{PATH}/{}", webhook["id"])
}

async fn deliveries(api: &Api, webhook: &Value) -> Vec<Value> {
    let path = format!("{}/deliveries?limit=1000", path_of(webhook));
    api.get(&path).await.expect(200).json()["data"].as_array().unwrap().clone()
}

/// Waits until all deliveries of a webhook have this status.
async fn wait_for_status(api: &Api, webhook: &Value, status: &str) -> Vec<Value> {
    let all = async || deliveries(api, webhook).await;
    eventually(TIMEOUT, status, async || {
        let all = all().await;
        !all.is_empty() && all.iter().all(|delivery| delivery["status"] == status)
    })
    .await;
    all().await
}

#[tokio::test]
async fn clicks_of_links_with_the_longest_codes_fit_into_deliveries() {
    const LINKS: usize = 80;
    // Clicks of ten seconds go into the same deliveries.
    let server = Server::start();
    let (api, receiver) = (server.api(), Receiver::start().await);
    subscribe(&api, &receiver, &["links.clicked"]).await;
    let longest = |number: usize| format!("{number:03}{}", "𐍈".repeat(252));
    let mut rows = "short_code,destination_url,external_id\n".to_owned();
    for number in 0..LINKS {
        let code = longest(number);
        rows.push_str(&format!("{code},https://example.org/,{code}\n"));
    }
    let file = server.database().directory().join("in.csv");
    std::fs::write(&file, rows).unwrap();
    server.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    for number in 0..LINKS {
        let path: String = longest(number).bytes().map(|byte| format!("%{byte:02X}")).collect();
        // Until the server knows that such codes exist.
        eventually(TIMEOUT, "a redirect", async || {
            server.anyone().get(&format!("/{path}")).await.status == 302
        })
        .await;
    }
    let told = || {
        let bodies = receiver.of("links.clicked").into_iter().map(|one| one.body);
        bodies.collect::<Vec<Value>>()
    };
    eventually(TIMEOUT, "all clicks are told", async || {
        let bodies = told();
        let links = bodies.iter().flat_map(|body| body["data"]["links"].as_array().unwrap());
        links.map(|link| link["short_code"].to_string()).collect::<HashSet<_>>().len() == LINKS
    })
    .await;
    let largest = told().iter().map(|body| body.to_string().len()).max().unwrap();
    assert!(largest <= 128 * 1024, "{largest} bytes");
}

#[tokio::test]
async fn every_change_is_told_once() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let webhook = subscribe(&api, &receiver, &TYPES).await;
    let secret = webhook["secret"].as_str().unwrap();

    let code = api.create("https://example.org/a").await;
    let link = receiver.data("link.created").await["link"].clone();
    let path = format!("/api/manage/v1/links/{code}");
    assert_eq!(link, api.get(&path).await.expect(200).json());

    let edit = json!({ "title": "New", "is_paused": true });
    let edited = patch(&api, &path, &edit).await.expect(200);
    let updated = receiver.data("link.updated").await;
    assert_eq!(updated["link"], edited.json());
    assert_eq!(updated["event_id"].to_string(), edited.header("event-id").unwrap());
    assert_eq!(updated["changes"]["before"], json!({ "title": null, "is_paused": false }));
    assert_eq!(updated["changes"]["after"], edit);

    api.qr(&json!({ "short_code": code, "margin": 2 })).await.expect(201);
    let drawn = receiver.wait_for("link.updated", 2).await.pop().unwrap().body["data"].clone();
    let events = api.get(&format!("{path}/events?limit=1")).await.expect(200).data();
    assert_eq!(drawn["event_id"], events[0]["id"]);
    assert_eq!(drawn["changes"]["after"], json!({ "has_qr": true, "qr_margin": 2 }));

    server.terse(&["link", "disable", &code, "--reason", "phishing"]).done();
    let disabled = receiver.data("link.disabled").await;
    assert_eq!(
        json!([disabled["link"]["state"], disabled["reason"]]),
        json!(["disabled", "phishing"])
    );
    server.terse(&["undo", &disabled["event_id"].to_string(), "--yes"]).done();
    let enabled = receiver.data("link.enabled").await;
    assert_eq!(enabled["link"]["state"], "paused");

    patch(&api, &path, &json!({ "is_paused": false })).await.expect(200);
    receiver.wait_for("link.updated", 3).await;
    assert_within_a_second(&code, async || {
        server.anyone().get(&format!("/{code}")).await.status == 302
    })
    .await;
    let clicked = |clicks: u64| json!({ "links": [{ "short_code": code, "external_id": null, "clicks": clicks }] });
    let clicks = api.clicks(&code).await;
    receiver.wait_for("links.clicked", 1).await;
    eventually(TIMEOUT, "the whole count", async || {
        receiver.of("links.clicked").iter().any(|one| one.body["data"] == clicked(clicks))
    })
    .await;

    server.terse(&["owner", "suspend", "default", "--reason", "spam"]).done();
    assert_eq!(receiver.data("owner.suspended").await, json!({ "reason": "spam" }));
    server.terse(&["owner", "resume", "default"]).done();
    assert_eq!(receiver.data("owner.resumed").await, json!({ "reason": "other" }));
    assert_within_a_second("the key", async || api.get(&path).await.status == 200).await;

    let deleted = delete(&api, &path).await.expect(204);
    let data = receiver.data("link.deleted").await;
    let event_id: i64 = deleted.header("event-id").unwrap().parse().unwrap();
    let expected = json!({ "short_code": code, "external_id": null, "event_id": event_id });
    assert_eq!(data, expected);

    for received in receiver.all() {
        assert_eq!(received.request, "POST /hook?from=terse HTTP/1.1");
        assert_eq!(received.header("content-type"), "application/json");
        assert!(received.header("user-agent").starts_with("Terse/"), "{received:?}");
        assert_eq!(received.signed_by(&[secret]), [true], "{received:?}");
        let members: Vec<&String> = received.body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["type", "timestamp", "data"]);
    }
    let ids: HashSet<_> = receiver.all().iter().map(|one| one.id().to_owned()).collect();
    assert_eq!(ids.len(), receiver.all().len(), "nothing was repeated");
    // The receiver knows of the last one before the server has written down that it has arrived.
    let listed = async || deliveries(&api, &webhook).await;
    eventually(TIMEOUT, "no waiting deliveries", async || {
        listed().await.iter().all(|delivery| delivery["status"] != "waiting")
    })
    .await;
    let listed = listed().await;
    for delivery in &listed {
        let is_about_link = delivery["type"].as_str().unwrap().starts_with("link.")
            && delivery["type"] != "link.deleted";
        let expected = if is_about_link { "erased" } else { "delivered" };
        assert_eq!(delivery["status"], expected, "{delivery}");
    }
    let first = listed.last().unwrap();
    let retry = format!("{}/deliveries/{}/retry", path_of(&webhook), first["id"].as_str().unwrap());
    assert_eq!(post_nothing(&api, &retry).await.expect(409).json()["code"], "delivery-erased");
}

#[tokio::test]
async fn change_of_many_links_is_one_delivery() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let links: Vec<Value> = (0..601)
        .map(|number| {
            let campaign = if number < 100 { "few" } else { "many" };
            json!({ "destination_url": "https://example.org/", "campaign": campaign })
        })
        .collect();
    let other =
        server.with_key(&server.terse(&["owner", "add", "other", "--plan", "unlimited"]).key());
    let types = ["link.disabled", "link.enabled", "links.changed", "link.created", "link.deleted"];
    subscribe(&api, &receiver, &types).await;
    for part in links.chunks(300) {
        let body = json!({ "links": part });
        post(&api, "/api/manage/v1/link-batches", &body).await.expect(200);
    }
    assert_eq!(receiver.wait_for("link.created", 601).await.len(), 601);
    post(&other, "/api/v1/shorten", &json!({ "url": "https://example.org/" })).await.expect(201);
    for (campaign, count) in [("few", 100), ("many", 501)] {
        let disable = ["link", "disable", "--owner", "default", "--campaign", campaign, "--yes"];
        let disabled = server.terse(&[&disable[..], &["--json"]].concat()).json();
        assert_eq!(disabled["changed"], count);
        let undo = ["undo", &disabled["event_id"].to_string(), "--yes"];
        if campaign == "few" {
            assert_eq!(receiver.wait_for("link.disabled", 100).await.len(), 100);
            server.terse(&undo).done();
            assert_eq!(receiver.wait_for("link.enabled", 100).await.len(), 100);
            assert!(receiver.of("links.changed").is_empty());
            continue;
        }
        let expected = json!({
            "event_id": disabled["event_id"], "action": "link disable", "changed": count,
        });
        assert_eq!(receiver.data("links.changed").await, expected);
        server.terse(&undo).done();
        let undone = receiver.wait_for("links.changed", 2).await;
        assert_eq!(undone[1].body["data"]["action"], "undo");
        assert_eq!(undone[1].body["data"]["changed"], count);
        assert_eq!(receiver.of("link.disabled").len() + receiver.of("link.enabled").len(), 200);
    }
    // Everything of all owners: that of the other one is not told.
    let all = ["link", "delete", "--host", "example.org", "--yes", "--json"];
    assert_eq!(server.terse(&all).json()["changed"], 602);
    let deleted = receiver.wait_for("links.changed", 3).await;
    assert_eq!(deleted[2].body["data"]["changed"], 601);
    assert!(receiver.of("link.deleted").is_empty());
}

#[tokio::test]
async fn webhook_is_managed_by_its_owner_and_stopped_by_the_operator() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let body = json!({ "url": receiver.url(), "types": ["link.created"], "description": "crm" });
    let create = || api.ask(Method::POST, PATH).header("Idempotency-Key", "once").json(&body);
    let created = create().send().await.expect(201);
    let webhook = created.json();
    assert_eq!(create().send().await.expect(201).json(), webhook, "the same secret");
    let path = path_of(&webhook);
    assert_eq!(created.header("location").unwrap(), format!("{}{path}", server.base_url()));
    let shown = api.get(&path).await.expect(200);
    assert_eq!(shown.header("etag"), created.header("etag"));
    let mut expected = webhook.clone();
    expected.as_object_mut().unwrap().remove("secret");
    assert_eq!(shown.json(), expected);
    assert_eq!(api.get(PATH).await.expect(200).json()["data"], json!([expected]));

    let stale = api.ask(Method::PATCH, &path).header("If-Match", "\"0\"");
    stale.json(&json!({ "is_enabled": false })).send().await.expect(412);
    let edited = patch(&api, &path, &json!({ "description": null })).await.expect(200).json();
    assert_ne!(edited["etag"], webhook["etag"]);
    assert_eq!(edited["description"], Value::Null);

    let other = server.with_key(&server.terse(&["owner", "add", "other"]).key());
    other.get(&path).await.expect(404);
    other.get(&format!("{path}/deliveries")).await.expect(404);
    delete(&other, &path).await.expect(404);
    for number in 2..=10 {
        let body = json!({ "url": receiver.url(), "types": ["link.created"], "description": number.to_string() });
        post(&api, PATH, &body).await.expect(201);
    }
    let eleventh = post(&api, PATH, &body).await.expect(409);
    assert_eq!(eleventh.json()["code"], "webhook-limit-reached");

    let listed = server.terse(&["webhook", "list", "--owner", "default", "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 10);
    assert_eq!(listed[9]["owner_name"], "default");
    let disable = ["webhook", "disable", &webhook["id"].to_string(), "--reason", "spam", "--json"];
    assert_eq!(server.terse(&disable).json()["changed"], 1);
    let disabled = api.get(&path).await.expect(200).json();
    assert_eq!(
        json!([disabled["is_enabled"], disabled["disabled_reason"]]),
        json!([false, "operator"])
    );
    let enable = json!({ "is_enabled": true });
    assert_eq!(patch(&api, &path, &enable).await.expect(409).json()["code"], "webhook-disabled");
    let test = format!("{path}/test");
    assert_eq!(post_nothing(&api, &test).await.expect(409).json()["code"], "webhook-disabled");
    server.terse(&["webhook", "enable", &webhook["id"].to_string()]).done();
    assert_eq!(api.get(&path).await.expect(200).json()["disabled_reason"], Value::Null);
    let attempt = post_nothing(&api, &test).await.expect(200).json();
    assert_eq!(json!([attempt["status_code"], attempt["error"]]), json!([204, null]));
    assert_eq!(receiver.data("webhook.test").await, json!({}));

    delete(&api, &path).await.expect(204);
    api.get(&path).await.expect(404);
    let deleted = create().send().await.expect(409);
    assert_eq!(deleted.json()["code"], "secret-unavailable");
}

#[tokio::test]
async fn both_secrets_sign_after_a_rotation() {
    let server = serve_quickly();
    let (api, receiver) = (server.api(), Receiver::start().await);
    let webhook = subscribe(&api, &receiver, &["link.created"]).await;
    let rotate = || {
        let ask = api.ask(Method::POST, &format!("{}/rotate", path_of(&webhook)));
        ask.header("Idempotency-Key", "rotation")
    };
    let rotated = rotate().send().await.expect(200).json();
    assert_eq!(rotate().send().await.expect(200).json()["secret"], rotated["secret"]);
    let [old, new] = [&webhook, &rotated].map(|webhook| webhook["secret"].as_str().unwrap());
    assert_ne!(old, new);
    api.create("https://example.org/").await;
    let received = receiver.wait_for("link.created", 1).await;
    assert_eq!(received[0].signed_by(&[old, new]), [true, true]);
    let day = 24 * 60 * 60 * 1_000;
    let age = format!("UPDATE webhooks SET secret_at = secret_at - {day}");
    server.database().execute(&age).await;
    api.create("https://example.org/").await;
    let received = receiver.wait_for("link.created", 2).await;
    assert_eq!(received[1].signed_by(&[old, new]), [false, true]);
}

#[tokio::test]
async fn service_without_webhooks_has_no_operations_and_stores_nothing() {
    let database = Arc::new(Database::new().with_default_owner());
    let receiver = Receiver::start().await;
    let server = serve_quickly_on(&database);
    let webhook = subscribe(&server.api(), &receiver, &TYPES).await;
    drop(server);
    let server = Server::with(&database, &["--webhooks", "false"]);
    let api = server.api();
    for path in [PATH, &path_of(&webhook)] {
        // The document declares what a service with webhooks returns.
        assert_eq!(api.ask(Method::GET, path).try_send().await, Some(404), "{path}");
    }
    let code = api.create("https://example.org/").await;
    patch(&api, &format!("/api/manage/v1/links/{code}"), &json!({ "title": "x" }))
        .await
        .expect(200);
    assert_eq!(database.number("SELECT COUNT(*) FROM webhook_deliveries").await, 0);
    assert!(receiver.all().is_empty());
}

#[tokio::test]
async fn commits_are_delivered_after_kills_and_nothing_else_is() {
    let database = Arc::new(Database::new().with_default_owner());
    let receiver = Receiver::start().await;
    let mut server = serve_quickly_on(&database);
    let webhook = subscribe(&server.api(), &receiver, &["link.created", "link.updated"]).await;
    for round in 0..4 {
        receiver.answer(if round % 2 == 0 {
            Answer::Status("503 Down")
        } else {
            Answer::Status("200 OK")
        });
        let api = server.api();
        let count = "SELECT COUNT(*) FROM links";
        let before = database.number(count).await;
        let creations = (0..200).map(|_| {
            let api = api.clone();
            tokio::spawn(async move {
                let ask = api.ask(Method::POST, "/api/v1/shorten");
                ask.json(&json!({ "url": "https://example.org/" })).try_send().await
            })
        });
        let creations: Vec<_> = creations.collect();
        // Before the first commit, there is nothing to deliver.
        eventually(TIMEOUT, "the first commit", async || database.number(count).await > before)
            .await;
        server.kill9();
        for creation in creations {
            let _ = creation.await;
        }
        server = serve_quickly_on(&database);
    }
    receiver.answer(Answer::Status("200 OK"));
    let links = database.number("SELECT COUNT(*) FROM links").await;
    wait_for_status(&server.api(), &webhook, "delivered").await;
    let codes: std::collections::BTreeSet<String> = receiver
        .of("link.created")
        .iter()
        .map(|one| one.body["data"]["link"]["short_code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(codes, server.api().listed().await);
    let listed = deliveries(&server.api(), &webhook).await;
    assert_eq!(i64::try_from(listed.len()).unwrap(), links, "one delivery per link");
    let ids: std::collections::BTreeSet<String> =
        receiver.all().iter().map(|one| one.id().to_owned()).collect();
    assert_eq!(i64::try_from(ids.len()).unwrap(), links, "repeats have the same id");
}

#[tokio::test]
async fn deletion_of_an_owner_deletes_the_webhooks() {
    let server = serve_quickly();
    let receiver = Receiver::start().await;
    let api = server.with_key(&server.terse(&["owner", "add", "leaving"]).key());
    receiver.answer(Answer::Status("500 Failed"));
    subscribe(&api, &receiver, &["link.created", "link.deleted", "owner.suspended"]).await;
    api.create("https://example.org/").await;
    receiver.wait_for("link.created", 1).await;
    server.terse(&["owner", "delete", "leaving", "--confirm", "leaving", "--yes"]).done();
    for table in ["webhooks", "webhook_deliveries"] {
        let count = format!("SELECT COUNT(*) FROM {table}");
        assert_eq!(server.database().number(&count).await, 0, "{table}");
    }
    assert!(receiver.of("link.deleted").is_empty());
}
