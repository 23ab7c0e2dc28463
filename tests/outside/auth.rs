//! Keys: how they are sent, and when they are invalid.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::harness::{Api, Server, assert_within_a_second, eventually, field};

/// Every operation, with a valid body if it has one.
pub(crate) const OPERATIONS: [(&str, &str, Option<&str>); 5] = [
    ("POST", "/api/v1/shorten", Some(r#"{"url":"https://example.com/"}"#)),
    ("GET", "/api/v1/links", None),
    ("GET", "/api/v1/stats/abcdefg", None),
    ("POST", "/api/v1/qrcodes", Some(r#"{"short_code":"abcdefg"}"#)),
    ("GET", "/api/v1/qrcodes", None),
];

async fn status_of_list(api: &Api) -> u16 {
    api.links().await.status
}

#[tokio::test]
async fn every_operation_requires_a_key() {
    let server = Server::start();
    for (method, path, body) in OPERATIONS {
        for api in [server.anyone(), server.with_key("terse_unknownunknownunknown1")] {
            let mut ask = api.ask(method.parse::<Method>().unwrap(), path);
            if let Some(body) = body {
                ask = ask.body("application/json", body);
            }
            ask.send().await.problem(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn key_is_accepted_in_either_header() {
    let server = Server::start();
    let key = server.key();
    for (name, value) in [
        ("X-API-Key", key.to_owned()),
        ("x-api-key", key.to_owned()),
        ("Authorization", format!("Bearer {key}")),
        ("Authorization", format!("bearer {key}")),
        ("Authorization", format!("BEARER {key}")),
        ("Authorization", format!("bEaReR {key}")),
    ] {
        let api = server.anyone().with(name, &value);
        assert_eq!(status_of_list(&api).await, 200, "{name}: {value}");
    }
}

#[tokio::test]
async fn malformed_key_is_rejected() {
    let server = Server::start();
    let key = server.key();
    let flipped = if key.ends_with('a') { 'b' } else { 'a' };
    for (name, value) in [
        ("X-API-Key", String::new()),
        ("X-API-Key", format!("Bearer {key}")),
        ("X-API-Key", key[..key.len() - 1].to_owned()),
        ("X-API-Key", format!("{key}a")),
        ("X-API-Key", key.to_uppercase()),
        ("X-API-Key", format!("{}{flipped}", &key[..key.len() - 1])),
        ("Authorization", String::new()),
        ("Authorization", "Bearer".to_owned()),
        ("Authorization", "Bearer ".to_owned()),
        ("Authorization", key.to_owned()),
        ("Authorization", format!("Basic {key}")),
        ("Authorization", format!("Token {key}")),
        ("Authorization", format!("Bearer{key}")),
        ("Authorization", format!("Bearer {key} x")),
    ] {
        let api = server.anyone().with(name, &value);
        let response = api.links().await;
        assert_eq!(response.status, 401, "{name}: {value}");
    }
}

#[tokio::test]
async fn empty_key_header_counts_as_absent() {
    let server = Server::start();
    let key = server.key();
    let bearer = format!("Bearer {key}");
    for (api_key, authorization) in [(key, ""), ("", bearer.as_str())] {
        let api = server.anyone();
        let api = api.with("X-API-Key", api_key);
        let api = api.with("Authorization", authorization);
        assert_eq!(status_of_list(&api).await, 200, "{api_key} {authorization}");
    }
    let neither = server.anyone().with("X-API-Key", "");
    let neither = neither.with("Authorization", "");
    assert_eq!(status_of_list(&neither).await, 401);
}

#[tokio::test]
async fn other_authorization_scheme_is_not_a_key() {
    let server = Server::start();
    for other in ["Basic dXNlcjpwYXNz", "Digest username=x", "Negotiate abc", "Bearer"] {
        let api = server.api().with("Authorization", other);
        assert_eq!(status_of_list(&api).await, 200, "{other}");
    }
}

#[tokio::test]
async fn different_keys_in_both_headers_are_rejected() {
    let server = Server::start();
    let key = server.key();
    let other_of_owner = server.terse(&["key", "add", "default"]).key();
    let other_owners = server.database().owner("other", "pro");
    let same = server.with_key(key).with("Authorization", &format!("Bearer {key}"));
    assert_eq!(status_of_list(&same).await, 200);
    for other in
        [other_of_owner.as_str(), other_owners.as_str(), "terse_unknownunknownunknown1", "nonsense"]
    {
        for (first, second) in [(key, other), (other, key)] {
            let api = server.with_key(first);
            let api = api.with("Authorization", &format!("Bearer {second}"));
            api.links().await.problem(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn key_header_with_two_values_is_rejected() {
    let server = Server::start();
    let other = server.terse(&["key", "add", "default"]).key();
    for (first, second) in [(server.key(), other.as_str()), (&other, server.key())] {
        let api = server.with_key(first).with("X-API-Key", second);
        api.links().await.problem(401, "unauthorized");
    }
}

#[test]
fn key_of_arbitrary_bytes_is_rejected() {
    let server = Server::start();
    for name in ["X-API-Key", "Authorization"] {
        for value in [&b"\xff\xfe\xfd"[..], b"Bearer \xc3\x28", "ключ".as_bytes()] {
            let mut bytes = field(name, "");
            bytes.extend_from_slice(value);
            let response = server.connect().exchange("GET", b"/api/v1/links", &[bytes], b"");
            response.unwrap().problem(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn all_keys_of_an_owner_access_the_same_links() {
    let server = Server::start();
    let code = server.api().create("https://example.com/").await;
    let second = server.terse(&["key", "add", "default", "--label", "second"]).key();
    server.with_key(&second).stats(&code).await.expect(200);
}

#[tokio::test]
async fn revoked_key_is_rejected_within_a_second() {
    let server = Server::start();
    let key = server.terse(&["key", "add", "default", "--label", "gone soon"]).key();
    let api = server.with_key(&key);
    assert_eq!(status_of_list(&api).await, 200, "and the server knows it now");
    let id = server.database().key_id("default", "gone soon");
    server.terse(&["key", "revoke", &id]).done();
    assert_within_a_second("the key is refused", async || status_of_list(&api).await == 401).await;
    api.shorten(&json!({"url": "https://example.com/"})).await.problem(401, "unauthorized");
    assert_eq!(status_of_list(&server.api()).await, 200, "no other key is");
}

#[tokio::test]
async fn expired_key_is_rejected() {
    let server = Server::start();
    let asked = Instant::now();
    let key = server.terse(&["key", "add", "default", "--expires", "3s"]).key();
    let api = server.with_key(&key);
    assert_eq!(status_of_list(&api).await, 200, "it is good until then");
    eventually(Duration::from_secs(10), "the key has expired", async || {
        status_of_list(&api).await == 401
    })
    .await;
    assert!(asked.elapsed() >= Duration::from_secs(3), "it was good until then");
}

#[tokio::test]
async fn revoked_and_expired_keys_return_the_same_as_unknown_keys() {
    let server = Server::start();
    let revoked = server.terse(&["key", "add", "default", "--label", "revoked"]).key();
    let id = server.database().key_id("default", "revoked");
    server.terse(&["key", "revoke", &id]).done();
    let past = ["key", "add", "default", "--expires", "2001-01-01T00:00:00Z"];
    let expired = server.terse(&past).key();
    let problem_for = async |key: &str| {
        let response = server.with_key(key).links().await;
        let mut problem = response.problem(401, "unauthorized").json();
        problem["request_id"].take();
        problem
    };
    let unknown = problem_for("terse_unknownunknownunknown1").await;
    assert_eq!(problem_for(&revoked).await, unknown);
    assert_eq!(problem_for(&expired).await, unknown);
}

#[tokio::test]
async fn keys_are_stored_as_hashes() {
    let server = Server::start();
    let added = server.database().owner("another", "free");
    server.with_key(&added).create("https://example.com/").await;
    let keys = [server.key().to_owned(), added];
    let ended = server.terminate();
    let bytes = ended.database.bytes();
    let contains = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(
        contains("another") && contains("https://example.com/"),
        "the database contains the rows"
    );
    for key in &keys {
        assert!(!contains(key), "the key is in the database");
    }
}
