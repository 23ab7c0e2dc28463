//! Limits of clients, which the server knows by their addresses.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Api, Database, Response, Server, assert_within_a_second};

const URL: &str = "https://example.com/";

/// Serves a new database behind a trusted proxy on this machine, with these settings.
fn behind_proxy(settings: &[&str]) -> Server {
    let database = Arc::new(Database::new().with_default_owner());
    Server::with(&database, &[&["--trusted-proxies", "127.0.0.1"], settings].concat())
}

/// Returns a client with this address, which has no key.
fn client(server: &Server, address: &str) -> Api {
    server.anyone().with("X-Forwarded-For", address)
}

/// Panics unless this is the page for a client that has exceeded a limit.
#[track_caller]
fn assert_throttled_page(response: &Response) {
    assert_eq!(response.status, 429, "{response:#?}");
    assert_eq!(response.media_type(), "text/html", "{response:#?}");
    let wait: u64 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{response:#?}");
    assert_eq!(response.header("cache-control"), Some("no-store"), "{response:#?}");
}

#[tokio::test]
async fn client_that_guesses_codes_still_follows_links() {
    let server = behind_proxy(&["--unknown-codes", "3/min"]);
    let code = server.api().create(URL).await;
    server.api().create(URL).await;
    let (one, other) = (client(&server, "192.0.2.1"), client(&server, "192.0.2.2"));
    for target in ["/unknown", "/un/known", "/unknown/qr.svg"] {
        one.get(target).await.expect(404);
    }
    for target in
        ["/unknown", "/un/known", "/unknown/qr.png", "/not-a-code!", &format!("/{code}/qr.svg")]
    {
        assert_throttled_page(&one.get(target).await);
    }
    assert_throttled_page(&one.head("/unknown").await.expect(429));
    one.get(&format!("/{code}")).await.expect(302);
    one.get("/").await.expect(200);
    other.get("/unknown").await.expect(404);
    server.database().terse(&["link", "disable", "--", &code]).done();
    let is_gone = async || one.get(&format!("/{code}")).await.status == 410;
    assert_within_a_second("the link is gone", is_gone).await;
    // The owner's requests with this address are not limited.
    let owner = server.api().with("X-Forwarded-For", "192.0.2.1");
    for _ in 0..5 {
        owner.stats("unknown").await.problem(404, "link-not-found");
    }
    let metrics = server.anyone().get("/metrics").await.text();
    assert!(metrics.contains("terse_throttled_total{limit=\"unknown_codes\"} 6"), "{metrics}");
}

#[tokio::test]
async fn client_with_failed_keys_still_uses_a_valid_key() {
    let server = behind_proxy(&["--failed-keys", "3/min"]);
    let one = client(&server, "2001:db8::1");
    let bad = one.with("X-API-Key", "terse_0123456789abcdefghijABCDEFGHIJ01");
    one.links().await.problem(401, "unauthorized");
    bad.links().await.problem(401, "unauthorized");
    one.with("Authorization", "Bearer x").links().await.problem(401, "unauthorized");
    // The whole network of the address is one client.
    for address in ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:0:1::"] {
        let api = client(&server, address);
        for response in [api.links().await, api.shorten(&json!({"url": 1})).await] {
            let response = response.problem(429, "rate-limited");
            let policy = "\"failed_keys\";q=3;w=60";
            assert_eq!(response.header("ratelimit-policy"), Some(policy), "{response:#?}");
        }
    }
    client(&server, "2001:db8:0:1::1").links().await.problem(401, "unauthorized");
    let valid = server.api().with("X-Forwarded-For", "2001:db8::1");
    let response = valid.links().await.expect(200);
    assert_eq!(response.header("ratelimit"), None);
    // Errors that precede the key are not failed keys.
    one.get("/api/v1/unknown").await.problem(404, "not-found");
    one.ask(Method::DELETE, "/api/v1/links").send().await.problem(405, "method-not-allowed");
}

#[tokio::test]
async fn only_drawn_images_count() {
    let server = behind_proxy(&["--qr-images", "2/min"]);
    let code = server.api().create(URL).await;
    server.api().qr(&json!({"short_code": code})).await.expect(201);
    let (one, other) = (client(&server, "192.0.2.1"), client(&server, "192.0.2.2"));
    let target = |size: u32| format!("/{code}/qr.png?size={size}");
    let drawn = one.get(&target(300)).await.expect(200);
    one.get(&target(301)).await.expect(200);
    assert_throttled_page(&one.get(&target(302)).await);
    assert_throttled_page(&one.get(&format!("/{code}/qr.svg")).await);
    // The server caches drawn images, which do not count again.
    assert_eq!(one.get(&target(300)).await.expect(200).body, drawn.body);
    let etag = drawn.header("etag").unwrap();
    let again = one.ask(Method::GET, &target(300)).header("If-None-Match", etag);
    again.send().await.expect(304);
    other.get(&target(302)).await.expect(200);
    one.get(&target(302)).await.expect(200);
    one.get(&format!("/{code}")).await.expect(302);
}

#[tokio::test]
async fn spoofed_addresses_change_nothing() {
    let server = behind_proxy(&["--unknown-codes", "3/min"]);
    for number in 0..3 {
        client(&server, &format!("203.0.113.{number}, 192.0.2.1"))
            .get("/unknown")
            .await
            .expect(404);
    }
    let spoofed = client(&server, "203.0.113.9").with("X-Forwarded-For", "192.0.2.1:4711");
    assert_throttled_page(&spoofed.get("/unknown").await);
    let long = format!("{}, ::ffff:192.0.2.1", "203.0.113.9, ".repeat(1_000));
    assert_throttled_page(&client(&server, &long).get("/unknown").await);
    let ignored = client(&server, "192.0.2.1").with("Forwarded", "for=203.0.113.9");
    assert_throttled_page(&ignored.get("/unknown").await);
    // A malformed element hides the client, so the peer is the client.
    for _ in 0..3 {
        client(&server, "192.0.2.2, unknown").get("/unknown").await.expect(404);
    }
    assert_throttled_page(&client(&server, "192.0.2.3, 192.0.2").get("/unknown").await);
}

#[tokio::test]
async fn local_client_without_a_trusted_header_is_exempt() {
    let server = behind_proxy(&["--unknown-codes", "1/min", "--client-header", "Forwarded"]);
    let one = server.anyone().with("Forwarded", "for=\"[2001:db8::1]:4711\";proto=https");
    one.get("/unknown").await.expect(404);
    assert_throttled_page(&one.get("/unknown").await);
    for _ in 0..3 {
        server.anyone().get("/unknown").await.expect(404);
        client(&server, "192.0.2.1").get("/unknown").await.expect(404);
    }

    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with(&database, &["--unknown-codes", "1/min"]);
    for _ in 0..3 {
        client(&server, "192.0.2.1").get("/unknown").await.expect(404);
    }
}

#[test]
fn invalid_settings_are_rejected() {
    let database = Database::new();
    for (arguments, word) in [
        (["--unknown-codes", "60"], "600/min"),
        (["--failed-keys", "5/h"], "per s or min"),
        (["--qr-images", "0/s"], "20/s"),
        (["--trusted-proxies", "10.0.0.0/33"], "unix"),
        (["--trusted-proxies", "proxy.example"], "unix"),
        (["--client-header", "X-Real-IP"], "Forwarded"),
    ] {
        let outcome = database.terse(&[&["serve"], arguments.as_slice()].concat());
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
        assert!(outcome.stderr.contains(word), "{outcome:#?}");
    }
}

/// Requests an unknown code over a Unix socket with this header field, and returns the status.
fn status_over_unix(path: &Path, field: &str) -> String {
    let mut stream = UnixStream::connect(path).unwrap();
    let request = format!("GET /unknown HTTP/1.1\r\nHost: go.example\r\n{field}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).unwrap();
    String::from_utf8_lossy(&begin["HTTP/1.1 ".len()..]).into_owned()
}

#[test]
fn peers_of_a_unix_socket_may_be_trusted() {
    for (is_trusted, expected) in [(true, ["404", "429"]), (false, ["404", "404"])] {
        let database = Arc::new(Database::new().with_default_owner());
        let path = database.directory().join("terse.sock");
        let mut command = database.command();
        let listen = format!("unix:{}", path.display());
        command.args(["serve", "--listen", &listen, "--base-url", "http://go.example"]);
        command.args(["--unknown-codes", "1/min"]);
        if is_trusted {
            command.args(["--trusted-proxies", "10.0.0.0/8,unix"]);
        }
        let _server = Server::run(&database, command);
        let field = "X-Forwarded-For: 192.0.2.1, 10.0.0.1";
        assert_eq!([0, 1].map(|_| status_over_unix(&path, field)), expected);
        // Without the header, the client is on this machine.
        assert_eq!([0, 1].map(|_| status_over_unix(&path, "Accept: */*")), ["404", "404"]);
    }
}
