//! Requests that are repeated with their `Idempotency-Key`, and changes that outlive them.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{PREFIX, delete, done, get, send};
use crate::harness::{
    Api, Database, Response, Server, TIMEOUT, contracts, eventually, until_available,
};

const LINKS: i64 = 6_000;

/// Imports links of an owner.
fn import(database: &Database, owner: &str, count: i64) {
    let mut file = String::from("short_code,destination_url\n");
    for number in 0..count {
        file.push_str(&format!("many{number},https://evil.example/{number}\n"));
    }
    let path = database.directory().join("many.csv");
    std::fs::write(&path, file).unwrap();
    database.terse(&["import", path.to_str().unwrap(), "--owner", owner]).done();
}

/// Returns a new database with an owner and many links.
fn with_links() -> Arc<Database> {
    let database = super::created();
    database.owner("default", "unlimited");
    import(&database, "default", LINKS);
    Arc::new(database)
}

/// Serves a database whose requests do not wait for their changes.
fn impatient(database: &Arc<Database>) -> Server {
    Server::with(database, &["--operator-listen", "127.0.0.1:0", "--change-wait", "0"])
}

fn body(action: &str) -> Value {
    let selectors = json!({ "host": "evil.example" });
    json!({ "action": action, "selectors": selectors, "audit": { "reason": "spam" } })
}

async fn post(api: &Api, key: &str, path: &str, body: &Value) -> Response {
    send(&api.with("Idempotency-Key", key), "POST", path, body).await
}

async fn events(database: &Database) -> i64 {
    database.number("SELECT COUNT(*) FROM events").await
}

async fn disabled(database: &Database) -> i64 {
    database.number("SELECT COUNT(*) FROM links WHERE disabled_reason IS NOT NULL").await
}

/// Lets a minute pass for the changes that run.
async fn silence(database: &Database) {
    let silence = "UPDATE events SET finished_at = finished_at - 61000 WHERE status = 'running'";
    database.execute(silence).await;
}

/// Repeats a request until its change has ended. Returns the last response, which names the event.
async fn until_done(api: &Api, key: &str, path: &str, body: &Value, event: &Value) -> Value {
    loop {
        let response = until_available(async || post(api, key, path, body).await).await;
        let result = response.json();
        assert_eq!(result["event_id"], *event, "{result}");
        if response.status == 200 {
            return result;
        }
        let location = format!("{PREFIX}/events/{event}");
        assert_eq!(response.expect(202).header("location"), Some(&*location));
        assert_eq!(result["status"], "running");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn every_post_but_searches_takes_an_idempotency_key() {
    let mut count = 0;
    for contract in contracts() {
        for (path, item) in contract.document["paths"].as_object().unwrap() {
            // A search changes nothing.
            let changes = !path.ends_with("/key-search");
            let Some(operation) = item.get("post").filter(|_| changes) else { continue };
            let text = operation["parameters"].to_string();
            assert!(text.contains("Idempotency-Key"), "{path}");
            count += 1;
        }
    }
    assert!(count >= 18, "{count}");
}

#[tokio::test]
async fn repeated_changes_return_the_first_response_and_change_nothing() {
    let server = Server::with_operator();
    let (api, database) = (server.operator("admin"), server.database());
    for code in ["one", "two"] {
        let link = json!({ "url": "https://evil.example/", "custom_code": code });
        server.api().create_from(&link).await;
    }
    let link = json!({ "url": "https://example.com/", "custom_code": "three" });
    server.api().create_from(&link).await;
    database.owner("acme", "free");
    let pause = body("pause");
    let paused = done(&api, "POST", "/link-changes", &pause).await["event_id"].clone();
    let codes = json!({ "code": ["one", "none"] });
    let requests = [
        ("/owners/2/suspend".to_owned(), json!({})),
        ("/owners/2/suspend".to_owned(), json!({ "audit": { "reason": "spam" } })),
        ("/owners/2/resume".to_owned(), json!({})),
        ("/owners/2/resume".to_owned(), json!({})),
        ("/blocks".to_owned(), json!({ "patterns": ["a.example"] })),
        ("/blocks".to_owned(), json!({ "patterns": ["a.example"] })),
        (
            "/link-changes".to_owned(),
            json!({ "action": "disable", "selectors": codes, "dry_run": true }),
        ),
        ("/link-changes".to_owned(), json!({ "action": "disable", "selectors": codes })),
        ("/link-changes".to_owned(), json!({ "action": "disable", "selectors": codes })),
        ("/link-changes".to_owned(), json!({ "action": "enable", "selectors": codes })),
        (format!("/events/{paused}/undo"), json!({})),
        (format!("/events/{paused}/undo"), json!({})),
        (format!("/events/{paused}/stop"), json!({})),
        (
            "/link-changes".to_owned(),
            json!({ "action": "delete", "selectors": { "code": ["three"] } }),
        ),
    ];
    let mut first = Vec::new();
    for (number, (path, body)) in requests.iter().enumerate() {
        first.push(post(&api, &number.to_string(), path, body).await.expect(200));
    }
    // What the first responses say has changed since.
    database.terse(&["owner", "delete", "acme", "--confirm", "acme"]).done();
    let before = events(database).await;
    for (number, (path, body)) in requests.iter().enumerate() {
        let (key, first) = (number.to_string(), &first[number]);
        let again = post(&api, &key, path, body).await.expect(200);
        assert_eq!(again.text(), first.text(), "{path} {body}");
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{path}");
        assert_eq!(first.header("idempotent-replayed"), None, "{path}");
        let mut other = body.clone();
        other["audit"] = json!({ "reason": "legal" });
        post(&api, &key, path, &other).await.problem(409, "idempotency-key-reused");
        let (path, _) = &requests[(number + 4) % requests.len()];
        if !requests[number].0.starts_with("/events") && path.starts_with("/events") {
            post(&api, &key, path, &json!({})).await.problem(409, "idempotency-key-reused");
        }
    }
    assert_eq!(events(database).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_repetitions_make_one_change() {
    let server = Server::with_operator();
    let (api, database) = (server.operator("admin"), server.database());
    server.api().create("https://evil.example/").await;
    for round in 0..100 {
        let (key, body) = (format!("round-{round}"), body(["pause", "unpause"][round % 2]));
        let before = events(database).await;
        let pair = [(); 2].map(|()| post(&api, &key, "/link-changes", &body));
        let [one, other] = <[_; 2]>::try_from(futures_util::future::join_all(pair).await).unwrap();
        assert_eq!(one.expect(200).text(), other.expect(200).text(), "{round}");
        assert_eq!(events(database).await, before + 1, "{round}");
    }
}

#[tokio::test]
async fn change_of_a_lost_connection_is_repeated() {
    let server = Server::with_operator();
    import(server.database(), "default", 1_000);
    let key = server.database().operator_key("abuse", "moderator");
    let text = body("disable").to_string();
    let head = format!(
        "POST {PREFIX}/link-changes HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\nIdempotency-Key: lost\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    let mut connection = TcpStream::connect(server.operator_authority()).unwrap();
    connection.write_all(head.as_bytes()).unwrap();
    eventually(TIMEOUT, "the change begins", async || disabled(server.database()).await > 0).await;
    drop(connection);
    let api = server.with_operator_key(&key);
    let event = server.database().number("SELECT MAX(id) FROM events").await;
    let result = until_done(&api, "lost", "/link-changes", &body("disable"), &json!(event)).await;
    assert_eq!(result["changed"], 1_000);
    assert_eq!(disabled(server.database()).await, 1_000);
}

/// Kills a server while it runs a change, and repeats the request at another one. Returns the result.
async fn killed_and_repeated(database: &Arc<Database>, path: &str, body: &Value) -> Value {
    let server = Server::with_operator_on(database);
    let key = database.operator_key(path, "admin");
    let api = server.with_operator_key(&key);
    let (target, sent) = (path.to_owned(), body.clone());
    let before = events(database).await;
    let change = tokio::spawn(async move {
        let request = api.with("Idempotency-Key", &target);
        let ask = request.ask(reqwest::Method::POST, &format!("{PREFIX}{target}"));
        ask.json(&sent).try_send().await
    });
    eventually(TIMEOUT, "the change begins", async || events(database).await > before).await;
    let database = server.kill9();
    assert_eq!(change.await.unwrap(), None, "the change ended too early");
    let event = json!(database.number("SELECT MAX(id) FROM events").await);
    let server = Server::with_operator_on(&database);
    let api = server.with_operator_key(&key);
    let repeated = post(&api, path, path, body).await.expect(202).json();
    assert_eq!((&repeated["event_id"], &repeated["status"]), (&event, &json!("running")));
    let undo = format!("/events/{event}/undo");
    send(&api, "POST", &undo, &json!({})).await.problem(409, "event-running");
    let shown = get(&api, &format!("/events/{event}")).await.json();
    assert_eq!((&shown["status"], &shown["finished_at"]), (&json!("running"), &json!(null)));
    silence(&database).await;
    let shown = get(&api, &format!("/events/{event}")).await.json();
    assert_eq!(shown["status"], "stopped", "{shown}");
    assert!(shown["finished_at"].is_string(), "{shown}");
    let result = until_done(&api, path, path, body, &event).await;
    assert_eq!((&result["event_id"], &result["status"]), (&event, &json!("done")));
    assert_eq!(until_done(&api, path, path, body, &event).await, result);
    let shown = get(&api, &format!("/events/{event}")).await.json();
    assert_eq!((&shown["status"], &shown["changed"]), (&json!("done"), &result["changed"]));
    if path.ends_with("undo") {
        assert_eq!(shown["skipped"], result["skipped"]);
        assert_eq!(shown["skipped_count"], result["skipped_count"]);
    }
    let rows =
        format!("SELECT COUNT(*) FROM event_changes WHERE kind = 'link' AND event_id = {event}");
    assert_eq!(result["changed"], database.number(&rows).await, "nothing changes twice");
    result
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_of_a_killed_server_go_on_under_their_events() {
    let database = with_links();
    let result = killed_and_repeated(&database, "/link-changes", &body("disable")).await;
    assert_eq!(result["changed"], LINKS);
    assert_eq!(disabled(&database).await, LINKS);
    let last = format!("many{}", LINKS - 1);
    for code in ["many0", &last] {
        database.terse(&["link", "disable", code, "--reason", "legal"]).done();
    }
    let undo = format!("/events/{}/undo", result["event_id"]);
    let undone = killed_and_repeated(&database, &undo, &json!({})).await;
    assert_eq!(undone["changed"], LINKS - 2);
    assert_eq!(undone["skipped"], json!(["many0", last]));
    assert_eq!(undone["skipped_count"], 2);
    assert_eq!(disabled(&database).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_changes_are_accepted_stopped_and_continued() {
    let database = with_links();
    let server = impatient(&database);
    let api = server.operator("moderator");
    let (path, sent) = ("/link-changes", body("disable"));
    let accepted = post(&api, "one", path, &sent).await.expect(202);
    let event = accepted.json()["event_id"].clone();
    let location = format!("{PREFIX}/events/{event}");
    assert_eq!(accepted.header("location"), Some(&*location));
    let stop = format!("/events/{event}/stop");
    let stopped = send(&api, "POST", &stop, &json!({})).await.expect(200).json();
    assert_eq!((&stopped["id"], &stopped["status"]), (&event, &json!("stopped")));
    assert!(stopped["changed"].as_i64().unwrap() < LINKS, "{stopped}");
    let history = events(&database).await;
    assert_eq!(done(&api, "POST", &stop, &json!({})).await, stopped);
    assert_eq!(events(&database).await, history, "a stop of what has ended is no event");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(json!(disabled(&database).await), stopped["changed"]);
    let result = until_done(&api, "one", path, &sent, &event).await;
    assert_eq!(result["changed"], LINKS);
    // The event is recorded even if nothing changes.
    let again = post(&api, "two", path, &sent).await;
    let event = again.json()["event_id"].clone();
    let result = until_done(&api, "two", path, &sent, &event).await;
    assert_eq!((result["changed"].clone(), event.is_null()), (json!(0), false));

    send(&api, "POST", "/owners/1/suspend", &json!({})).await.expect(200);
    let admin = server.operator("admin");
    let accepted = delete(&admin, "/owners/1?reason=spam").await.expect(202);
    let location = accepted.header("location").unwrap();
    let event = location.rsplit('/').next().unwrap();
    assert_eq!(accepted.header("event-id"), Some(event));
    assert_eq!(
        delete(&admin, "/owners/1?reason=spam").await.expect(202).header("location"),
        Some(location)
    );
    let stop = format!("/events/{event}/stop");
    send(&api, "POST", &stop, &json!({})).await.problem(403, "operator-role");
    assert_eq!(done(&admin, "POST", &stop, &json!({})).await["status"], "stopped");
    let links = "SELECT COUNT(*) FROM links WHERE owner_id IS NOT NULL";
    assert!(database.number(links).await > 0);
    let goes_on = delete(&admin, "/owners/1?reason=spam").await.expect(202);
    assert_eq!(goes_on.header("location"), Some(location));
    // The run that was stopped does not stop the one that goes on.
    eventually(TIMEOUT, "the owner is deleted", async || {
        get(&admin, &format!("/events/{event}")).await.json()["status"] == "done"
    })
    .await;
    let result = delete(&admin, "/owners/1?reason=spam").await.expect(204);
    assert_eq!(result.header("event-id"), Some(event));
    delete(&admin, "/owners/1?reason=phishing").await.problem(404, "owner-not-found");
    let shown = get(&admin, &format!("/events/{event}")).await.json();
    assert_eq!((&shown["status"], database.number(links).await), (&json!("done"), 0));
    assert_eq!(shown["changed"], LINKS + 2, "links, a key and the owner");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_of_a_killed_command_is_stopped_and_the_command_does_the_rest() {
    let database = with_links();
    let command = ["link", "disable", "--host", "evil.example", "--yes", "--json"];
    let mut running = database.command().args(command).spawn().unwrap();
    eventually(TIMEOUT, "the change begins", async || disabled(&database).await > 0).await;
    running.kill().unwrap();
    running.wait().unwrap();
    let changed = disabled(&database).await;
    assert!(changed < LINKS, "the command ended too early");
    let status = || database.terse(&["history", "--limit", "1", "--json"]).json()["status"].clone();
    assert_eq!(status(), "running");
    silence(&database).await;
    assert_eq!(status(), "stopped");
    assert_eq!(database.terse(&command).json()["changed"], LINKS - changed);
    assert_eq!(status(), "done");
}
