//! Requests that are repeated with their `Idempotency-Key`: they run once and return the same each
//! time.

mod kills;
mod unusual;

use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, Database, Response, Server, Store, find_object};

const URL: &str = "https://example.com/";
const SHORTEN: &str = "/api/v1/shorten";
const QR: &str = "/api/v1/qrcodes";

async fn post(api: &Api, path: &str, key: &str, body: &Value) -> Response {
    api.ask(Method::POST, path).header("Idempotency-Key", key).json(body).send().await
}

fn is_replayed(response: &Response) -> bool {
    response.header("idempotent-replayed") == Some("true")
}

/// Panics unless `again` is a replay of `first`, and is marked as one.
#[track_caller]
fn assert_replayed(first: &Response, again: &Response) {
    assert_eq!(first.status, again.status, "{again:?}");
    assert_eq!(first.text(), again.text());
    assert_eq!(first.header("location"), again.header("location"));
    assert_eq!(first.header("content-type"), again.header("content-type"));
    assert!(is_replayed(again), "{again:?}");
}

fn link_count(database: &Database, owner: &str) -> u64 {
    let owners = database.terse(&["owner", "list", "--json"]).json();
    find_object(&owners, "name", owner).unwrap()["links"].as_u64().unwrap()
}

/// Starts servers of one new database: one on SQLite, two on PostgreSQL.
fn start_servers() -> Vec<Server> {
    let first = Server::start();
    if Store::chosen() == Store::Sqlite {
        return vec![first];
    }
    let second = Server::on(first.database());
    vec![first, second]
}

#[tokio::test]
async fn repeated_request_is_replayed() {
    let server = Server::start();
    let api = server.api();
    let body = json!({"url": URL, "title": "One", "campaign": "spring"});
    let first = post(&api, SHORTEN, "one", &body).await.expect(201);
    assert!(!is_replayed(&first));
    for key in ["one", "\"one\""] {
        assert_replayed(&first, &post(&api, SHORTEN, key, &body).await);
    }
    // An absent field and a null one are the same request.
    let longer = json!({"campaign": "spring", "url": URL, "title": "One", "custom_code": null});
    assert_replayed(&first, &post(&api, SHORTEN, "one", &longer).await);
    assert_eq!(api.listed().await.len(), 1);

    let other = post(&api, SHORTEN, "two", &body).await.expect(201);
    assert!(!is_replayed(&other), "another key is another request");
    assert_ne!(first.text(), other.text());
    api.create_from(&body).await;
    assert_eq!(api.listed().await.len(), 3, "and so is one without a key");
}

#[tokio::test]
async fn qr_code_response_is_replayed() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    let body = json!({"short_code": code, "foreground": "#102030"});
    let first = post(&api, QR, "draw", &body).await.expect(201);
    assert!(!is_replayed(&first));
    // Another request changes the settings; a late retry changes nothing.
    api.qr(&json!({"short_code": code, "foreground": "#301020"})).await.expect(201);
    assert_replayed(&first, &post(&api, QR, "draw", &body).await);
    let image = server.anyone().get(&format!("/{code}/qr.svg")).await.expect(200);
    assert!(image.text().contains("#301020"), "{}", image.text());
}

#[tokio::test]
async fn plan_bounds_the_stored_responses() {
    let server = Server::start();
    server.database().plan("tiny", "1", true);
    let owner = server.database().owner("acme", "tiny");
    let api = server.with_key(&owner);
    let body = json!({"short_code": api.create(URL).await});
    let first = post(&api, QR, "first", &body).await.expect(201);
    for number in 0..1_100 {
        post(&api, QR, &format!("key-{number}"), &body).await.expect(201);
    }
    let connection = server.database().connect().await;
    let stored = connection.find_number("SELECT count(*) FROM idempotency_keys").await.unwrap();
    assert!(stored.unwrap() <= 1_001, "{stored:?}");
    assert_replayed(&first, &post(&api, QR, "key-1099", &body).await);
    assert!(!is_replayed(&post(&api, QR, "first", &body).await), "the oldest response stays");
}

#[tokio::test]
async fn different_request_with_the_same_key_is_a_conflict() {
    let server = Server::start();
    let api = server.api();
    let body = json!({"url": URL, "title": "One"});
    let first = post(&api, SHORTEN, "one", &body).await.expect(201);
    let code = first.code();
    for other in [
        json!({"url": URL}),
        json!({"url": URL, "title": "Two"}),
        json!({"url": URL, "campaign": "One"}),
        json!({"url": format!("{URL}#"), "title": "One"}),
        json!({"url": URL, "title": "One", "custom_code": "wanted"}),
        json!({"url": URL, "title": "One", "custom_code": "api"}),
    ] {
        post(&api, SHORTEN, "one", &other).await.problem(409, "idempotency-key-reused");
    }
    let qr = json!({"short_code": code});
    post(&api, QR, "one", &qr).await.problem(409, "idempotency-key-reused");
    assert_eq!(api.qr_list().await.data(), json!([]), "nothing was changed");
    assert_eq!(api.listed().await, BTreeSet::from([code.clone()]));
    assert_replayed(&first, &post(&api, SHORTEN, "one", &body).await);

    post(&api, QR, "draw", &qr).await.expect(201);
    for other in [
        json!({"short_code": code, "margin": 2}),
        json!({"short_code": code, "error_correction": "H"}),
    ] {
        post(&api, QR, "draw", &other).await.problem(409, "idempotency-key-reused");
    }
    post(&api, SHORTEN, "draw", &body).await.problem(409, "idempotency-key-reused");
    server.anyone().get("/problems/idempotency-key-reused").await.expect(200);
}

#[tokio::test]
async fn idempotency_keys_belong_to_one_owner() {
    let server = Server::start();
    let (one, other) = (server.api_of("one", "pro"), server.api_of("other", "pro"));
    let body = json!({"url": URL});
    let first = post(&one, SHORTEN, "same", &body).await.expect(201);
    let second =
        post(&other, SHORTEN, "same", &json!({"url": format!("{URL}b")})).await.expect(201);
    assert!(!is_replayed(&second));
    let another_key = server.with_key(&server.terse(&["key", "add", "one"]).key());
    assert_replayed(&first, &post(&another_key, SHORTEN, "same", &body).await);
    assert_eq!((one.listed().await.len(), other.listed().await.len()), (1, 1));
}

#[tokio::test]
async fn errors_are_not_replayed() {
    let server = Server::start();
    server.database().plan("none", "0", true);
    let api = server.api_of("small", "none");
    let body = json!({"url": URL, "custom_code": "mine"});
    post(&api, SHORTEN, "try", &body).await.problem(409, "plan-limit-reached");
    server.terse(&["owner", "plan", "small", "pro"]).done();
    let taken = json!({"url": URL, "custom_code": "taken"});
    server.api().create_from(&taken).await;
    post(&api, SHORTEN, "try", &taken).await.problem(409, "code-in-use");
    post(&api, SHORTEN, "try", &json!({"url": "nonsense"})).await.problem(422, "invalid-input");
    post(&api, SHORTEN, "try", &json!({"url": URL, "custom_code": "api"}))
        .await
        .problem(409, "code-reserved");
    let qr = json!({"short_code": "mine"});
    post(&api, QR, "draw", &qr).await.problem(404, "link-not-found");
    let first = post(&api, SHORTEN, "try", &body).await.expect(201);
    assert!(!is_replayed(&first));
    let close = json!({"short_code": "mine", "foreground": "#ffffff", "background": "#fffffe"});
    post(&api, QR, "draw", &close).await.problem(409, "qr-colours-too-close");
    assert!(!is_replayed(&post(&api, QR, "draw", &qr).await.expect(201)));
    assert_replayed(&first, &post(&api, SHORTEN, "try", &body).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_creates_with_one_key_create_one_link() {
    let servers = start_servers();
    let database = servers[0].database();
    let key = database.owner("crowd", "pro");
    let apis: Vec<Api> = servers.iter().map(|server| server.with_key(&key)).collect();
    for round in 0..10 {
        let body = json!({"url": format!("{URL}{round}")});
        let mut asked = JoinSet::new();
        for number in 0..32 {
            // Most requests are equal, some differ.
            let (api, body) = (apis[number % apis.len()].clone(), body.clone());
            let (name, other) = (format!("key-{round}"), json!({"url": URL}));
            asked.spawn(async move {
                let is_other = number % 8 == 7;
                (is_other, post(&api, SHORTEN, &name, if is_other { &other } else { &body }).await)
            });
        }
        let responses = asked.join_all().await;
        let is_created = |response: &Response| response.status == 201 && !is_replayed(response);
        let created: Vec<_> =
            responses.iter().filter(|(_, response)| is_created(response)).collect();
        assert_eq!(created.len(), 1, "{responses:#?}");
        let (winner, first) = created[0];
        for (is_other, response) in responses.iter().filter(|(_, response)| !is_created(response)) {
            if is_other == winner {
                assert_replayed(first, response);
            } else {
                response.clone().problem(409, "idempotency-key-reused");
            }
        }
    }
    assert_eq!(link_count(database, "crowd"), 10);
    assert_eq!(apis[0].listed().await.len(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn second_instance_replays_responses() {
    let servers = start_servers();
    let key = servers[0].key().to_owned();
    let apis: Vec<Api> = servers.iter().map(|server| server.with_key(&key)).collect();
    let body = json!({"url": URL, "custom_code": "mine"});
    let first = post(&apis[0], SHORTEN, "one", &body).await.expect(201);
    let qr = post(&apis[0], QR, "two", &json!({"short_code": "mine"})).await.expect(201);
    for api in &apis {
        assert_replayed(&first, &post(api, SHORTEN, "one", &body).await);
        assert_replayed(&qr, &post(api, QR, "two", &json!({"short_code": "mine"})).await);
    }
}

#[tokio::test]
async fn replay_ignores_later_changes() {
    let server = Server::start();
    let key = server.database().owner("moving", "free");
    // On this plan custom codes are ignored.
    let body = json!({"url": URL, "custom_code": "no code"});
    let first = post(&server.with_key(&key), SHORTEN, "one", &body).await.expect(201);
    let code = first.code();
    server.terse(&["link", "disable", &code]).done();
    server.terse(&["owner", "plan", "moving", "pro"]).done();
    server.terse(&["plan", "set", "pro", "--max-links", "0"]).done();
    assert_replayed(&first, &post(&server.with_key(&key), SHORTEN, "one", &body).await);
}

#[tokio::test]
async fn replay_ignores_a_new_base_url() {
    let server = Server::start();
    let body = json!({"url": "http://links.example.net/deep"});
    let first = post(&server.api(), SHORTEN, "one", &body).await.expect(201);
    let (key, database) = (server.key().to_owned(), Arc::clone(server.database()));
    assert_eq!(server.terminate().code, Some(0));
    let moved = Server::on_with_base_url(&database, "http://links.example.net");
    let api = moved.with_key(&key);
    assert_replayed(&first, &post(&api, SHORTEN, "one", &body).await);
    post(&api, SHORTEN, "two", &body).await.invalid(&["/url"]);
    // Validation precedes the lookup of the key.
    let other = json!({"url": "http://links.example.net/other"});
    post(&api, SHORTEN, "one", &other).await.invalid(&["/url"]);
}

#[tokio::test]
async fn copied_database_replays_responses() {
    let server = Server::start();
    let body = json!({"url": URL});
    let first = post(&server.api(), SHORTEN, "one", &body).await.expect(201);
    let (key, database) = (server.key().to_owned(), Arc::clone(server.database()));
    assert_eq!(server.terminate().code, Some(0));
    for to in [Store::Sqlite, Store::Postgres] {
        let copy = Arc::new(Database::of(to));
        database.terse(&["copy", "--from", &database.url(), "--to", &copy.url()]).done();
        let copied = Server::on(&copy);
        let again = post(&copied.with_key(&key), SHORTEN, "one", &body).await;
        assert_eq!(first.text(), again.text(), "{again:?}");
        assert!(is_replayed(&again));
        post(&copied.with_key(&key), SHORTEN, "new", &body).await.expect(201);
    }
}

/// Returns the stored hashes of requests, in hexadecimal digits.
fn fingerprints(database: &Database) -> BTreeSet<String> {
    if database.store() == Store::Sqlite {
        let connection = rusqlite::Connection::open(database.file()).unwrap();
        let mut all = connection.prepare("SELECT hex(fingerprint) FROM idempotency_keys").unwrap();
        return all.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    }
    let all = database.sql("SELECT encode(fingerprint, 'hex') FROM idempotency_keys");
    all.split_whitespace().map(str::to_owned).collect()
}

/// On `/api/v1` the short code is the whole response, and the manage interface adds what the request
/// says. The database keeps no hash of the request by which somebody could guess a destination.
#[tokio::test]
async fn repeated_creation_of_a_deleted_link_creates_nothing() {
    let servers = start_servers();
    let (server, other) = (&servers[0], servers.last().unwrap());
    let links = "/api/manage/v1/links";
    let managed = json!({"destination_url": URL, "title": "secret", "has_qr": true});
    let batch =
        json!({"links": [managed, {"destination_url": "nowhere"}, {"destination_url": URL}]});
    let requests = [
        (SHORTEN, json!({"url": URL, "title": "secret", "custom_code": "mine"})),
        (QR, json!({"short_code": "mine", "margin": 2})),
        (links, managed.clone()),
        ("/api/manage/v1/link-batches", batch.clone()),
    ];
    let api = server.api();
    let mut first = Vec::new();
    for (number, (path, body)) in requests.iter().enumerate() {
        first.push(post(&api, path, &format!("key-{number}"), body).await);
    }
    post(&api, SHORTEN, "kept", &json!({"url": URL})).await.expect(201);
    let before = fingerprints(server.database());
    let listed = api.listed().await.len();
    let mut codes = vec!["mine".to_owned()];
    codes.push(first[2].json()["short_code"].as_str().unwrap().to_owned());
    codes.push(first[3].json()["data"][0]["link"]["short_code"].as_str().unwrap().to_owned());
    for code in &codes {
        api.ask(Method::DELETE, &format!("{links}/{code}")).send().await.expect(204);
    }
    // The request that created another link keeps its hash.
    let after = fingerprints(server.database());
    assert_eq!(after.intersection(&before).count(), 1, "{before:?} {after:?}");
    for api in [server.api(), other.with_key(server.key())] {
        for (number, (path, body)) in requests.iter().enumerate() {
            let (key, first) = (format!("key-{number}"), &first[number]);
            let again = post(&api, path, &key, body).await;
            if *path == "/api/manage/v1/link-batches" {
                // The malformed link fails again.
                let created = |response: &Response| {
                    let data = response.json()["data"].clone();
                    [data[0].clone(), data[2].clone()]
                };
                assert_eq!(created(first), created(&again));
            } else {
                assert_replayed(first, &again);
            }
            let mut changed = body.clone();
            match changed.get_mut("links") {
                Some(links) => links[0]["title"] = json!("another"),
                None if *path == QR => changed["margin"] = json!(3),
                None => changed["title"] = json!("another"),
            }
            let reused = post(&api, path, &key, &changed).await;
            // The error of a missing link comes first.
            match *path == QR {
                true => reused.problem(404, "link-not-found"),
                false => reused.problem(409, "idempotency-key-reused"),
            };
        }
        assert_eq!(api.listed().await.len(), listed - codes.len());
    }
    assert_eq!(fingerprints(server.database()), after);
}

/// The links that a repetition creates keep no more of the request than those that exist.
#[tokio::test]
async fn repeated_batch_with_a_deleted_link_creates_the_others() {
    let server = Server::start();
    let database = server.database();
    database.terse(&["plan", "add", "two", "--max-links", "2"]).done();
    database.terse(&["owner", "plan", "default", "two"]).done();
    let api = server.api();
    let links: Vec<Value> =
        ["one", "two", "three"].map(|title| json!({"destination_url": URL, "title": title})).into();
    let send = async || {
        let body = json!({"links": links});
        post(&api, "/api/manage/v1/link-batches", "all", &body).await.expect(200).json()
    };
    let first = send().await;
    let code = first["data"][0]["link"]["short_code"].as_str().unwrap().to_owned();
    let plain = fingerprints(database);
    api.ask(Method::DELETE, &format!("/api/manage/v1/links/{code}")).send().await.expect(204);
    let again = send().await;
    assert_eq!((&again["data"][0], &again["data"][1]), (&first["data"][0], &first["data"][1]));
    assert_eq!(again["data"][2]["status"], 201, "{again}");
    assert_eq!(send().await, again);
    assert_eq!(link_count(database, "default"), 2);
    let kept = fingerprints(database);
    assert!(kept.len() == 1 && kept.is_disjoint(&plain), "{kept:?}");
}
