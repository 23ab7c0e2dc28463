//! The sample configurations of proxies in front of a server. Each passes on the same requests.

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
    Connection, Database, Proxy, RESPONSE_TIMEOUT, Server, TIMEOUT, free_port, until,
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

/// Sends a request through a proxy, with forged headers and these ones.
fn ask_with(
    proxy: &Proxy,
    head: (&str, &str),
    key: &str,
    more: &[(&str, &str)],
    body: &[u8],
) -> (u16, HeaderMap, Vec<u8>) {
    let mut connection = Connection::open(&format!("127.0.0.1:{}", proxy.port()), BASE_URL);
    let (method, target) = head;
    let length = body.len().to_string();
    let address = format!("203.0.113.{}", free_port() % 250);
    let trace = format!("00-{FORGED_TRACE}-00f067aa0ba902b7-01");
    let fields = [
        ("Host", "go.example.org"),
        ("X-API-Key", key),
        ("Content-Type", "application/json"),
        ("Content-Length", &length),
        ("X-Forwarded-For", &address),
        ("traceparent", &trace),
        ("X-Request-Id", "forged"),
    ];
    let fields = fields.iter().chain(more).map(|(name, value)| format!("{name}: {value}\r\n"));
    let head = format!("{method} {target} HTTP/1.1\r\n{}\r\n", fields.collect::<String>());
    connection.send(head.as_bytes()).unwrap();
    connection.send(body).unwrap();
    connection.read_response(false).unwrap()
}

/// Sends a request through a proxy, with forged headers.
fn ask(proxy: &Proxy, head: (&str, &str), key: &str, body: &Value) -> (u16, HeaderMap, Vec<u8>) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    ask_with(proxy, head, key, &[], body.as_bytes())
}

/// Sends a GET request over HTTP/2 with prior knowledge to a port of a proxy.
fn ask_over_http2(proxy: &Proxy, target: &str, key: &str) -> (u16, HeaderMap, Vec<u8>) {
    let exchange = async {
        let stream = TcpStream::connect(("127.0.0.1", proxy.http2_port())).await.unwrap();
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
fn check_long_locations(proxy: &Proxy, key: &str) {
    let start = "https://example.com/";
    let encoded = format!("{start}{}", "漢".repeat((8_192 - start.len()) / 9));
    let plain = format!("{start}{}", "x".repeat(8_192 - start.len()));
    for (number, url) in [plain, encoded].iter().enumerate() {
        let body = json!({ "url": url, "custom_code": format!("long-{number}") });
        let (status, ..) = ask(proxy, ("POST", "/api/v1/shorten"), key, &body);
        assert_eq!(status, 201);
        let (path, stats) = (format!("/long-{number}"), format!("/api/v1/stats/long-{number}"));
        let by_http1 = |target: &str| ask(proxy, ("GET", target), key, &Value::Null);
        let by_http2 = |target: &str| ask_over_http2(proxy, target, key);
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
fn check_wide_codes(key: &str, proxy: &Proxy) {
    for (code, encoded) in WIDE_CODES {
        let body = json!({ "short_code": code });
        assert_eq!(ask(proxy, ("POST", "/api/v1/qrcodes"), key, &body).0, 201);
        let by_http1 = |target: &str| ask(proxy, ("GET", target), key, &Value::Null);
        let by_http2 = |target: &str| ask_over_http2(proxy, target, key);
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

/// Panics unless the proxy delivers the longest body that the server accepts, and its response.
#[track_caller]
fn check_long_body(proxy: &Proxy, key: &str) {
    let links = vec![json!({ "destination_url": format!("{URL}{}", "x".repeat(4_100)) }); 1_000];
    let mut body = json!({ "links": links }).to_string();
    body += &" ".repeat(4 * 1024 * 1024 - body.len());
    let head = ("POST", "/api/manage/v1/link-batches");
    let (status, _, response) = ask_with(proxy, head, key, &[], body.as_bytes());
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&response));
    let response: Value = serde_json::from_slice(&response).unwrap();
    assert_eq!(response["data"].as_array().map(Vec::len), Some(1_000));
}

/// Panics unless the proxy delivers the longest header fields and the longest URL. The server accepts
/// 16 KiB of them in total, with those of the proxy.
#[track_caller]
fn check_long_heads(proxy: &Proxy, key: &str) {
    let cookies = "x".repeat(15 * 1024 - 512);
    let owner = ("GET", "/api/manage/v1/owner");
    let (status, _, body) = ask_with(proxy, owner, key, &[("Cookie", &cookies)], b"");
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    let encoded = format!("{URL}{}", "%E6%BC%A2".repeat((8_192 - URL.len()) / 9));
    let target = format!("/api/manage/v1/links?destination_url={encoded}");
    let (by_http1, by_http2) =
        (ask(proxy, ("GET", &target), key, &Value::Null), ask_over_http2(proxy, &target, key));
    for (status, _, body) in [by_http1, by_http2] {
        let body = String::from_utf8_lossy(&body);
        assert!(status == 200 && body.contains("\"long-1\""), "{status} {body}");
    }
}

/// Panics unless an entity tag that came through the proxy identifies the version of its link there.
#[track_caller]
fn check_entity_tags(proxy: &Proxy, key: &str) {
    let link = "/api/manage/v1/links/long-0";
    let compressed = [("Accept-Encoding", "gzip, deflate, br, zstd")];
    let (status, headers, _) = ask_with(proxy, ("GET", link), key, &compressed, b"");
    assert_eq!(status, 200);
    let tag = headers["etag"].to_str().unwrap();
    let body = json!({ "title": "changed" }).to_string();
    let change = || ask_with(proxy, ("PATCH", link), key, &[("If-Match", tag)], body.as_bytes()).0;
    assert_eq!([change(), change()], [200, 412], "{tag}");
}

/// Panics unless requests through the proxy work, and its headers are used instead of forged ones.
#[track_caller]
fn check_proxy(server: Server, proxy: &Proxy) {
    let key = server.key().to_owned();
    check_long_locations(proxy, &key);
    check_wide_codes(&key, proxy);
    check_long_body(proxy, &key);
    check_long_heads(proxy, &key);
    check_entity_tags(proxy, &key);
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

/// Checks a sample in front of a server, whose operator's listener is at this address or nowhere.
#[track_caller]
fn check_sample(sample: &str, listen: &str, operator: Option<&str>) {
    let database = with_wide_codes();
    let listen = listen.replace("DIRECTORY", database.directory().to_str().unwrap());
    let proxies = if listen.starts_with("unix:") { "unix" } else { "127.0.0.1" };
    let mut command = database.command();
    command.args(["serve", "--listen", &listen, "--base-url", BASE_URL]);
    command.args(["--trusted-proxies", proxies, "--unknown-codes", "2/min"]);
    command.args(operator.map(|address| format!("--operator-listen={address}")));
    if sample.contains("domains") {
        command.args(["--unknown-hosts", "reject"]);
    }
    let server = Server::run(&database, command);
    let is_haproxy = sample.contains("haproxy");
    let logged = [("option dontlognull", "option dontlognull\n    option log-health-checks")];
    let replacements = if is_haproxy { &logged[..] } else { &[] };
    let proxy = Proxy::sample(sample, &listen, operator.unwrap_or(&listen), replacements);
    // Before its first check, a proxy may use a server that does not exist, or none.
    until(
        TIMEOUT,
        || format!("{sample} forwards:\n{}", proxy.log()),
        || {
            let (status, ..) = ask(&proxy, ("GET", "/"), "", &Value::Null);
            let log = proxy.log();
            let is_checked = log.contains("terse succeeded") || log.contains("terse1 succeeded");
            (status == 200 && (is_checked || !is_haproxy)).then_some(())
        },
    );
    check_proxy(server, &proxy);
}

/// Returns an address on loopback.
fn address() -> String {
    format!("127.0.0.1:{}", free_port())
}

#[test]
fn nginx_forwards_to_a_unix_socket() {
    check_sample("nginx/terse.conf", "unix:DIRECTORY/terse.sock", Some(&address()));
}

#[test]
fn nginx_forwards_requests_of_domains() {
    check_sample("nginx/terse-domains.conf", &address(), Some(&address()));
}

#[test]
fn nginx_with_the_annotations_for_kubernetes_forwards_requests() {
    check_sample("kubernetes/terse.yaml", &address(), Some(&address()));
}

#[test]
fn caddy_forwards_to_a_port() {
    check_sample("caddy/Caddyfile", &address(), Some(&address()));
}

#[test]
fn caddy_forwards_requests_of_domains() {
    check_sample("caddy/Caddyfile.domains", &address(), Some(&address()));
}

#[test]
fn caddy_of_the_containers_forwards_requests() {
    check_sample("docker/Caddyfile", &address(), Some(&address()));
}

#[test]
fn haproxy_forwards_to_its_servers() {
    check_sample("haproxy/haproxy.cfg", &address(), None);
}

#[test]
fn haproxy_forwards_requests_of_domains() {
    check_sample("haproxy/terse-domains.cfg", &address(), Some(&address()));
}

#[test]
fn haproxy_of_the_cluster_forwards_requests() {
    check_sample("patroni/haproxy.cfg", &address(), Some(&address()));
}
