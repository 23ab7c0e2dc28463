//! The sample configurations of nginx and Caddy in front of a server.

use std::fs;
use std::sync::Arc;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::harness::{Connection, Database, Proxy, ROOT, Server, field, free_port};

const BASE_URL: &str = "https://go.example.org";
const URL: &str = "https://example.com/";
const FORGED_TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn sample(path: &str) -> String {
    fs::read_to_string(format!("{ROOT}/deploy/{path}")).unwrap()
}

/// Replaces texts, each of which must occur.
fn replace(mut text: String, replacements: &[(&str, &str)]) -> String {
    for (from, to) in replacements {
        assert!(text.contains(from), "{from} in:\n{text}");
        text = text.replacen(from, to, 1);
    }
    text
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

/// Panics unless requests through the proxy work, and its headers are used instead of forged ones.
#[track_caller]
fn check_proxy(server: Server, proxy: &Proxy) {
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
    let database = Arc::new(Database::new().with_default_owner());
    let socket = format!("unix:{}/terse.sock", database.directory().display());
    let mut command = database.command();
    command.args(["serve", "--listen", &socket, "--base-url", BASE_URL]);
    command.args(["--trusted-proxies", "unix", "--unknown-codes", "2/min"]);
    command.args(["--operator-listen", "127.0.0.1:0"]);
    let server = Server::run(&database, command);
    let configuration = |port: u16| {
        let certificate = "/etc/letsencrypt/live/go.example.org";
        let replacements = [
            ("server 127.0.0.1:8080;", &*format!("server {socket};")),
            ("listen 80;", &format!("listen 127.0.0.1:{};", free_port())),
            ("listen 443 ssl http2;", &format!("listen 127.0.0.1:{port};")),
            (&format!("ssl_certificate {certificate}/fullchain.pem;"), ""),
            (&format!("ssl_certificate_key {certificate}/privkey.pem;"), ""),
        ];
        replace(sample("nginx/terse.conf"), &replacements)
    };
    check_proxy(server, &Proxy::nginx(configuration));
}

#[test]
fn caddy_forwards_to_a_port() {
    let database = Arc::new(Database::new().with_default_owner());
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
        replace(sample("caddy/Caddyfile"), &replacements)
    };
    check_proxy(server, &Proxy::caddy(configuration));
}
