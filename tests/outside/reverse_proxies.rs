//! The sample configurations of nginx, Caddy and HAProxy in front of a server.

use std::cell::Cell;
use std::fs;
use std::sync::Arc;

use h2::client;
use http::Request;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::harness::{
    Connection, Database, Proxy, RESPONSE_TIMEOUT, Server, TIMEOUT, field, free_port, proxy_sample,
    until,
};

const BASE_URL: &str = "https://go.example.org";
const URL: &str = "https://example.com/";
const FORGED_TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Imported codes with slashes, and the path segments that mean them.
const WIDE_CODES: [(&str, &str); 2] = [("a/b", "a%2Fb"), ("été/x.y~z", "%C3%A9t%C3%A9%2Fx.y~z")];

/// Returns a database with the links of [`WIDE_CODES`].
fn with_wide_codes() -> Arc<Database> {
    let database = Arc::new(Database::new().with_default_owner());
    let rows = WIDE_CODES.map(|(code, _)| format!("{code},{URL}\n")).concat();
    let file = database.directory().join("wide");
    fs::write(file, format!("short_code,destination_url\n{rows}")).unwrap();
    let server = Server::on(&database);
    server.terse(&["import", "wide", "--owner", "default"]).done();
    server.terminate().database
}

/// Sends a request through a proxy, with forged headers.
fn ask(proxy: &Proxy, head: (&str, &str), key: &str, body: &Value) -> (u16, HeaderMap, Vec<u8>) {
    let authority = format!("127.0.0.1:{}", proxy.port());
    let mut connection = Connection::open(&authority, BASE_URL);
    let (method, target) = head;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let fields = [
        field("X-API-Key", key),
        field("Content-Type", "application/json"),
        field("Content-Length", &body.len().to_string()),
        field("X-Forwarded-For", &format!("203.0.113.{}", free_port() % 250)),
        field("traceparent", &format!("00-{FORGED_TRACE}-00f067aa0ba902b7-01")),
        field("X-Request-Id", "forged"),
    ];
    connection.send_head(method, target.as_bytes(), &fields).unwrap();
    connection.send(body.as_bytes()).unwrap();
    connection.read_response(false).unwrap()
}

/// Sends a GET request over HTTP/2 with prior knowledge to a port of a proxy.
fn ask_over_http2(port: u16, target: &str, key: &str) -> (u16, HeaderMap, Vec<u8>) {
    let exchange = async {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let (client, connection) = client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let mut client = client.ready().await.unwrap();
        let request = Request::get(format!("http://go.example.org{target}"));
        let request = request.header("X-API-Key", key).body(()).unwrap();
        let (response, _) = client.send_request(request, true).unwrap();
        let (head, mut body) = response.await.unwrap().into_parts();
        let mut content = Vec::new();
        while let Some(part) = body.data().await {
            let part = part.unwrap();
            body.flow_control().release_capacity(part.len()).unwrap();
            content.extend_from_slice(&part);
        }
        (head.status.as_u16(), head.headers, content)
    };
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async { timeout(RESPONSE_TIMEOUT, exchange).await.unwrap() })
}

/// Panics unless both versions of HTTP deliver redirects with the longest `Location`, and the
/// responses of the API about their links.
#[track_caller]
fn check_long_locations(proxy: &Proxy, http2_port: u16, key: &str) {
    let start = "https://example.com/";
    let encoded = format!("{start}{}", "漢".repeat((8_192 - start.len()) / 9));
    let plain = format!("{start}{}", "x".repeat(8_192 - start.len()));
    for (number, url) in [plain, encoded].iter().enumerate() {
        let body = json!({ "url": url, "custom_code": format!("long-{number}") });
        let (status, ..) = ask(proxy, ("POST", "/api/v1/shorten"), key, &body);
        assert_eq!(status, 201);
        let (path, stats) = (format!("/long-{number}"), format!("/api/v1/stats/long-{number}"));
        let by_http1 = |target: &str| ask(proxy, ("GET", target), key, &Value::Null);
        let by_http2 = |target: &str| ask_over_http2(http2_port, target, key);
        for get in [&by_http1 as &dyn Fn(&str) -> _, &by_http2] {
            let (status, headers, _): (u16, HeaderMap, Vec<u8>) = get(&path);
            assert_eq!((status, headers["location"].len()), (302, 8_192));
            let (status, _, body) = get(&stats);
            let stats: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!((status, &stats["data"]["destination_url"]), (200, &json!(url)));
        }
    }
}

/// Panics unless both versions of HTTP deliver paths with a code that has slashes as they are, also
/// percent-encoded.
#[track_caller]
fn check_wide_codes(key: &str, proxy: &Proxy, http2_port: u16) {
    for (code, encoded) in WIDE_CODES {
        let body = json!({ "short_code": code });
        assert_eq!(ask(proxy, ("POST", "/api/v1/qrcodes"), key, &body).0, 201);
        let by_http1 = |target: &str| ask(proxy, ("GET", target), key, &Value::Null);
        let by_http2 = |target: &str| ask_over_http2(http2_port, target, key);
        for get in [&by_http1 as &dyn Fn(&str) -> (u16, HeaderMap, Vec<u8>), &by_http2] {
            let path = encoded.replace("%2F", "/");
            for code in [encoded, &path] {
                let (status, headers, _) = get(&format!("/{code}"));
                assert_eq!((status, headers["location"].as_bytes()), (302, URL.as_bytes()));
                assert_eq!(get(&format!("/{code}/qr.svg")).0, 200, "{code}");
            }
            for resource in ["/api/v1/stats", "/api/manage/v1/links"] {
                let (status, _, body) = get(&format!("{resource}/{encoded}"));
                let body = String::from_utf8(body).unwrap();
                assert!(status == 200 && body.contains(&format!("\"{code}\"")), "{status} {body}");
            }
        }
    }
}

/// Panics unless the proxy delivers a body of nearly 4 MiB, and its response.
#[track_caller]
fn check_long_body(proxy: &Proxy, key: &str) {
    let links = vec![json!({ "destination_url": format!("{URL}{}", "x".repeat(4_100)) }); 1_000];
    let body = json!({ "links": links });
    let (status, _, body) = ask(proxy, ("POST", "/api/manage/v1/link-batches"), key, &body);
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    let response: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(response["data"].as_array().map(Vec::len), Some(1_000));
}

/// Panics unless requests through the proxy work, and its headers are used instead of forged ones.
#[track_caller]
fn check_proxy(server: Server, proxy: &Proxy, http2_port: u16) {
    check_long_locations(proxy, http2_port, server.key());
    check_wide_codes(server.key(), proxy, http2_port);
    check_long_body(proxy, server.key());
    let key = server.key().to_owned();
    let get = |target: &str| ask(proxy, ("GET", target), "", &Value::Null);
    let (status, _, body) = ask(proxy, ("POST", "/api/v1/shorten"), &key, &json!({"url": URL}));
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
    let link: Value = serde_json::from_slice(&body).unwrap();
    let short_url = link["short_url"].as_str().unwrap();
    let path = short_url.strip_prefix(BASE_URL).unwrap_or_else(|| panic!("{short_url}"));
    let (status, headers, _) = get(path);
    assert_eq!((status, headers["location"].as_bytes()), (302, URL.as_bytes()));
    assert_eq!(get("/metrics").0, 404);
    // All requests have the same client, although each names another address.
    let statuses: Vec<u16> = (0..4).map(|number| get(&format!("/missing{number}")).0).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    let log = server.terminate().log;
    let completed = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let completed = completed.filter(|event| event["message"] == "request completed");
    let ids: Vec<String> = completed.map(|event| event["trace_id"].to_string()).collect();
    let is_of_the_proxy =
        |id: &String| id.len() >= 32 && !id.contains(FORGED_TRACE) && !id.contains("forged");
    assert!(!ids.is_empty() && ids.iter().all(is_of_the_proxy), "{ids:?}");
}

#[test]
fn nginx_forwards_to_a_unix_socket() {
    let database = with_wide_codes();
    let socket = format!("unix:{}/terse.sock", database.directory().display());
    let mut command = database.command();
    command.args(["serve", "--listen", &socket, "--base-url", BASE_URL]);
    command.args(["--trusted-proxies", "unix", "--unknown-codes", "2/min"]);
    command.args(["--operator-listen", "127.0.0.1:0"]);
    let server = Server::run(&database, command);
    let http2_port = Cell::new(0);
    let configuration = |port: u16| {
        http2_port.set(free_port());
        let without_tls =
            format!("listen 127.0.0.1:{port};\n    listen 127.0.0.1:{} http2;", http2_port.get());
        let certificate = "/etc/letsencrypt/live/go.example.org";
        let replacements = [
            ("server 127.0.0.1:8080;", &*format!("server {socket};")),
            ("listen 80;", &format!("listen 127.0.0.1:{};", free_port())),
            ("listen 443 ssl http2;", &without_tls),
            (&format!("ssl_certificate {certificate}/fullchain.pem;"), ""),
            (&format!("ssl_certificate_key {certificate}/privkey.pem;"), ""),
        ];
        proxy_sample("nginx/terse.conf", &replacements)
    };
    let proxy = Proxy::nginx(configuration);
    check_proxy(server, &proxy, http2_port.get());
}

#[test]
fn caddy_forwards_to_a_port() {
    let database = with_wide_codes();
    let settings = ["--base-url", BASE_URL, "--trusted-proxies", "127.0.0.1"];
    let limits = ["--unknown-codes", "2/min", "--operator-listen", "127.0.0.1:0"];
    let listen = format!("127.0.0.1:{}", free_port());
    let mut command = database.command();
    command.args(["serve", "--listen", &listen]).args(settings).args(limits);
    let server = Server::run(&database, command);
    let configuration = |port: u16| {
        let site = format!("http://:{port} {{");
        let replacements = [
            ("go.example.org {", &*site),
            ("reverse_proxy 127.0.0.1:8080 {", &format!("reverse_proxy {listen} {{")),
        ];
        proxy_sample("caddy/Caddyfile", &replacements)
    };
    let proxy = Proxy::caddy(configuration);
    check_proxy(server, &proxy, proxy.port());
}

#[test]
fn haproxy_forwards_to_its_servers() {
    let database = with_wide_codes();
    let settings = ["--base-url", BASE_URL, "--trusted-proxies", "127.0.0.1"];
    let listen = format!("127.0.0.1:{}", free_port());
    let mut command = database.command();
    command.args(["serve", "--listen", &listen, "--unknown-codes", "2/min"]).args(settings);
    let server = Server::run(&database, command);
    let http2_port = Cell::new(0);
    let configuration = |port: u16| {
        http2_port.set(free_port());
        let binds =
            format!("bind 127.0.0.1:{port}\n    bind 127.0.0.1:{} proto h2", http2_port.get());
        // All three are the same server.
        let address = format!("\"{listen}\"");
        let mut text = proxy_sample("haproxy/haproxy.cfg", &[("bind :8080", &*binds)]);
        for number in 1..=3 {
            let variable = format!("\"${{TERSE_{number}-127.0.0.1:808{number}}}\"");
            assert!(text.contains(&variable));
            text = text.replace(&variable, &address);
        }
        text
    };
    let proxy = Proxy::haproxy(configuration);
    // Before its first check, HAProxy may use a server that does not exist.
    until(
        TIMEOUT,
        || "the first server is found ready".to_owned(),
        || {
            let (status, ..) = ask(&proxy, ("GET", "/health/ready"), "", &Value::Null);
            (status == 200).then_some(())
        },
    );
    check_proxy(server, &proxy, http2_port.get());
}
