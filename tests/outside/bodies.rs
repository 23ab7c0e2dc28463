//! Request bodies: content type, size, and JSON syntax.

use reqwest::{Body, Method};
use serde_json::json;

use crate::harness::{Api, Response, Server, field};

const GOOD: &str = r#"{"url":"https://example.com/"}"#;
/// Paths of the operations that read a body.
const BODY_PATHS: [&str; 2] = ["/api/v1/shorten", "/api/v1/qrcodes"];

/// Maximum size of a body.
const LIMIT: usize = 64 * 1024;

async fn post(api: &Api, path: &str, content_type: &str, body: impl Into<Body>) -> Response {
    let ask = api.ask(Method::POST, path).body(content_type, body);
    ask.send().await
}

/// Returns a valid body of this size, padded with spaces.
fn valid_body(length: usize) -> String {
    format!("{GOOD}{}", " ".repeat(length - GOOD.len()))
}

#[tokio::test]
async fn content_type_of_json_may_have_any_spelling() {
    let server = Server::start();
    for content_type in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "application/json ; charset=\"utf-8\"",
    ] {
        let response = post(&server.api(), "/api/v1/shorten", content_type, GOOD).await;
        assert_eq!(response.status, 201, "{content_type}");
    }
}

#[tokio::test]
async fn other_content_type_is_rejected() {
    let server = Server::start();
    let api = server.api();
    for path in BODY_PATHS {
        for content_type in [
            "text/plain",
            "text/json",
            "application/jsonx",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/problem+json",
            "text/html; application/json",
            "json",
            "",
        ] {
            post(&api, path, content_type, GOOD).await.problem(415, "unsupported-media-type");
        }
        let untyped = api.ask(Method::POST, path).untyped(GOOD).send().await;
        untyped.problem(415, "unsupported-media-type");
        let nothing = api.ask(Method::POST, path).send().await;
        nothing.problem(415, "unsupported-media-type");
    }
}

#[tokio::test]
async fn compressed_body_is_rejected() {
    let server = Server::start();
    let api = server.api();
    for path in BODY_PATHS {
        for coding in ["gzip", "br", "zstd", "GZIP", "deflate, gzip", "identity, gzip", "x-nothing"]
        {
            // The server does not read the body, so it cannot tell whether it is too large or
            // malformed.
            for body in [GOOD.to_owned(), "\u{1f}\u{8b}".to_owned(), valid_body(LIMIT + 1)] {
                let ask = api.ask(Method::POST, path).header("Content-Encoding", coding);
                let response = ask.body("application/json", body).send().await;
                let response = response.problem(415, "unsupported-content-encoding");
                assert_eq!(response.header("accept-encoding"), Some("identity"));
            }
            let ask = api.ask(Method::POST, path).header("Content-Encoding", coding);
            let response = ask.body("text/plain", GOOD).send().await;
            let response = response.problem(415, "unsupported-media-type");
            assert_eq!(response.header("accept-encoding"), None);
        }
    }
    assert_eq!(api.links().await.data(), json!([]));
}

#[tokio::test]
async fn identity_encoded_body_is_accepted() {
    let server = Server::start();
    for coding in ["identity", "Identity", "", " "] {
        let ask = server.api().ask(Method::POST, "/api/v1/shorten");
        let ask = ask.header("Content-Encoding", coding);
        ask.body("application/json", GOOD).send().await.expect(201);
    }
    // Operations without a body ignore its encoding.
    let ask = server.api().ask(Method::GET, "/api/v1/links").header("Content-Encoding", "gzip");
    ask.send().await.expect(200);
}

#[tokio::test]
async fn body_that_is_not_json_is_malformed() {
    let server = Server::start();
    let nested = "[".repeat(60_000);
    let bodies: [&[u8]; 20] = [
        b"",
        b" ",
        b"{",
        b"}",
        b"{\"url\":",
        b"{\"url\":\"https://example.com/\"",
        b"{\"url\":\"https://example.com/\"}}",
        b"{\"url\":\"https://example.com/\"} x",
        b"{\"url\":\"https://example.com/\",}",
        b"{url:\"https://example.com/\"}",
        b"{'url':'https://example.com/'}",
        b"{\"url\":\"https://example.com/\n\"}",
        b"{\"url\":\"\\x\"}",
        b"{\"url\":NaN}",
        b"undefined",
        b"url=https://example.com/",
        b"<url>https://example.com/</url>",
        b"{\"url\":\"\xff\xfe\"}",
        b"\xff\xfe{\0}\0",
        nested.as_bytes(),
    ];
    for path in BODY_PATHS {
        for body in bodies {
            let response = post(&server.api(), path, "application/json", body.to_vec()).await;
            assert_eq!(response.status, 400, "{}", String::from_utf8_lossy(body));
            response.problem(400, "malformed-request");
        }
    }
}

#[tokio::test]
async fn body_that_is_not_an_object_is_invalid() {
    let server = Server::start();
    for path in BODY_PATHS {
        for body in ["null", "true", "5", "\"x\"", "[]", "[{\"url\":\"https://example.com/\"}]"] {
            let response = post(&server.api(), path, "application/json", body).await;
            response.invalid(&[""]);
        }
    }
}

#[tokio::test]
async fn duplicate_field_is_invalid() {
    let server = Server::start();
    let api = server.api();
    let code = api.create("https://example.com/").await;
    let (one, other) = (r#""url":"https://example.com/1""#, r#""url":"https://example.com/2""#);
    for (body, pointers) in [
        (format!("{{{one},{other}}}"), &["/url"][..]),
        (format!("{{{one},{one}}}"), &["/url"]),
        (format!(r#"{{{one},"u\u0072l":null}}"#), &["/url"]),
        (format!(r#"{{{one},"title":null,"title":"x"}}"#), &["/title"]),
        (
            format!(r#"{{"title":"x","campaign":5,"title":"x",{one},{other}}}"#),
            &["/campaign", "/title", "/url"],
        ),
    ] {
        post(&api, BODY_PATHS[0], "application/json", body).await.invalid(pointers);
    }
    let body = format!(r#"{{"short_code":"{code}","margin":1,"margin":2}}"#);
    post(&api, BODY_PATHS[1], "application/json", body).await.invalid(&["/margin"]);
    // Duplicate unknown fields are ignored.
    let body = format!(r#"{{"x":1,"x":2,{one},"y":{{"url":1,"url":2}}}}"#);
    post(&api, BODY_PATHS[0], "application/json", body).await.expect(201);
}

#[tokio::test]
async fn lone_surrogate_is_rejected() {
    let server = Server::start();
    for body in [r#"{"url":"https://example.com/\ud800"}"#, r#"{"\udc00":1}"#] {
        let response = post(&server.api(), "/api/v1/shorten", "application/json", body).await;
        assert!([400, 422].contains(&response.status), "{response:#?}");
    }
}

#[tokio::test]
async fn body_of_64_kib_is_accepted() {
    let server = Server::start();
    let api = server.api();
    post(&api, "/api/v1/shorten", "application/json", valid_body(LIMIT)).await.expect(201);
    for path in BODY_PATHS {
        post(&api, path, "application/json", valid_body(LIMIT + 1))
            .await
            .problem(413, "body-too-large");
    }
}

#[test]
fn chunked_body_has_the_same_size_limit() {
    let server = Server::start();
    for (length, status) in [(GOOD.len(), 201), (LIMIT, 201), (LIMIT + 1, 413)] {
        let mut connection = server.connect();
        let fields = [
            field("X-API-Key", server.key()),
            field("Content-Type", "application/json"),
            field("Transfer-Encoding", "chunked"),
        ];
        let target = b"/api/v1/shorten";
        connection.send_head("POST", target, &fields).unwrap();
        for part in valid_body(length).as_bytes().chunks(5_000) {
            let size = format!("{:x}\r\n", part.len());
            connection.send(size.as_bytes()).unwrap();
            connection.send(part).unwrap();
            connection.send(b"\r\n").unwrap();
        }
        connection.send(b"0\r\n\r\n").unwrap();
        let response = connection.response("POST", target).unwrap();
        assert_eq!(response.status, status, "{length} bytes");
    }
}

/// Sends the whole body before it reads the response, as simple clients do.
fn send_whole_body(server: &Server, length: usize, fields: &[Vec<u8>]) -> Response {
    let body = vec![b' '; length];
    server
        .connect()
        .exchange("POST", b"/api/v1/shorten", fields, &body)
        .expect("a client that is still sending receives the response")
}

#[test]
fn sending_client_receives_413() {
    let server = Server::start();
    let fields = [field("X-API-Key", server.key()), field("Content-Type", "application/json")];
    for length in [LIMIT + 1, 200_000, 1 << 20, 2 << 20, 3 << 20, 4 << 20] {
        send_whole_body(&server, length, &fields).problem(413, "body-too-large");
    }
}

#[test]
fn sending_client_receives_errors_found_before_the_body() {
    let server = Server::start();
    let typed = field("Content-Type", "application/json");
    let untyped = [field("X-API-Key", server.key())];
    for length in [200_000, 1 << 20, 4 << 20] {
        let response = send_whole_body(&server, length, std::slice::from_ref(&typed));
        response.problem(401, "unauthorized");
        let response = send_whole_body(&server, length, &untyped);
        response.problem(415, "unsupported-media-type");
        let body = vec![b' '; length];
        for (target, status) in [("/api/v1/nothing", 404), ("/api/v1/links", 405)] {
            let mut connection = server.connect();
            let response = connection.exchange("POST", target.as_bytes(), &[], &body);
            response.expect("the client receives the response").expect(status);
        }
    }
}

#[test]
fn endless_body_does_not_block_the_server() {
    let server = Server::start();
    let mut connection = server.connect();
    let fields = [
        field("X-API-Key", server.key()),
        field("Content-Type", "application/json"),
        field("Content-Length", "1000000000000"),
    ];
    let target = b"/api/v1/shorten";
    connection.send_head("POST", target, &fields).unwrap();
    let part = vec![b' '; 1 << 20];
    // The server may close the connection after as many bytes as it promises to read.
    let mut sent = 0;
    while sent < 8 && connection.send(&part).is_ok() {
        sent += 1;
    }
    if let Ok(response) = connection.response("POST", target) {
        response.problem(413, "body-too-large");
    }
    let alive = server.connect().exchange("GET", b"/health/live", &[], b"");
    alive.unwrap().expect(200);
}

#[tokio::test]
async fn rejected_body_is_not_stored() {
    let server = Server::start();
    let api = server.api();
    post(&api, "/api/v1/shorten", "application/json", valid_body(LIMIT + 1)).await;
    post(&api, "/api/v1/shorten", "text/plain", GOOD).await;
    post(&api, "/api/v1/shorten", "application/json", format!("{GOOD}x")).await;
    assert_eq!(api.links().await.data(), json!([]));
}
