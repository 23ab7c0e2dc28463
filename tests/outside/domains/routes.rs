//! Every public route at every kind of host, as `docs/contributing/domain-routes.md` shows them.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Answer, URL, add, ask, ask_with};
use crate::harness::{Database, Server, TIMEOUT, eventually};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The kinds of hosts, as the table names its columns.
const KINDS: [(&str, &str); 6] = [
    ("base URL", ""),
    ("unknown host", "unknown.example"),
    ("removed domain", "removed.example"),
    ("owner's domain", "go.acme.example"),
    ("another owner's domain", "go.globex.example"),
    ("suspended owner's domain", "go.initech.example"),
];

/// Reads the table: requests with their status at each kind of host.
fn table() -> Vec<(String, Vec<u16>)> {
    let text = fs::read_to_string(format!("{ROOT}/docs/contributing/domain-routes.md")).unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = text.lines().skip_while(|line| !line.starts_with("| request |"));
    let head = cells(lines.next().unwrap());
    assert_eq!(head[1..], KINDS.map(|(kind, _)| kind));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let rows = rows.map(|line| {
        let cells = cells(line);
        let statuses = cells[1..].iter().map(|cell| cell.parse().unwrap());
        (cells[0].trim_matches('`').to_owned(), statuses.collect())
    });
    rows.collect()
}

/// Creates the links of an owner whose codes end in this letter.
async fn create_links(server: &Server, owner: &str, letter: char) -> String {
    let key = server.database().owner(owner, "pro");
    let api = server.with_key(&key);
    for name in ["code", "retired"] {
        let code = format!("{name}-{letter}");
        api.create_from(&json!({ "url": URL, "custom_code": code })).await;
        api.qr(&json!({ "short_code": code })).await.expect(201);
    }
    let file = server.database().directory().join("expired.csv");
    let row = format!("expired-{letter},{URL},2021-01-01T00:00:00Z\n");
    fs::write(&file, format!("short_code,destination_url,expires_at\n{row}")).unwrap();
    server.terse(&["import", file.to_str().unwrap(), "--owner", owner]).done();
    server.terse(&["link", "delete", &format!("retired-{letter}")]).done();
    key
}

/// Prepares owners, links and domains. Returns the owner's key.
async fn prepare(server: &Server) -> String {
    let key = create_links(server, "acme", 'a').await;
    create_links(server, "initech", 'i').await;
    server.database().owner("globex", "pro");
    for (host, owner, home) in [
        ("removed.example", "acme", None),
        ("go.acme.example", "acme", Some(URL)),
        ("go.globex.example", "globex", None),
        ("go.initech.example", "initech", None),
    ] {
        add(server, host, owner, home).await;
    }
    server.terse(&["domain", "remove", "removed.example"]).done();
    server.terse(&["owner", "suspend", "initech", "--reason", "spam"]).done();
    eventually(TIMEOUT, "the changes are in force", async || {
        ask(server, "removed.example", "GET /docs").status != 404
            && ask(server, "go.initech.example", "GET /").status == 410
    })
    .await;
    key
}

/// Sends a request of the table, and returns the response.
fn send(server: &Server, key: &str, host: &str, request: &str) -> Answer {
    let letter = if host == "go.initech.example" { 'i' } else { 'a' };
    let request = request
        .replace("CODE", &format!("code-{letter}"))
        .replace("EXPIRED", &format!("expired-{letter}"))
        .replace("RETIRED", &format!("retired-{letter}"))
        .replace("UNKNOWN", "unknown-1");
    let host = if host.is_empty() { server.authority() } else { host };
    let key = format!("X-API-Key: {key}\r\n");
    if request == "POST /api/v1/shorten" {
        let body = json!({ "url": URL }).to_string();
        let fields =
            format!("{key}Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        return ask_with(server, host, &request, &fields, &body);
    }
    ask_with(server, host, &request, &key, "")
}

#[tokio::test]
async fn routes_answer_as_the_documentation_says() {
    let server = Server::start();
    let key = prepare(&server).await;
    let mut faults = Vec::new();
    for (request, statuses) in table() {
        for ((kind, host), expected) in KINDS.into_iter().zip(statuses) {
            let answer = send(&server, &key, host, &request);
            if answer.status != expected {
                faults
                    .push(format!("{request} at {kind}: {} instead of {expected}", answer.status));
            }
            // A 404 on a domain is that of a code that does not exist.
            if host.starts_with("go.") && expected == 404 && !request.starts_with("HEAD") {
                let unknown = ask(&server, host, "GET /unknown-1").without_id();
                if answer.without_id() != unknown {
                    faults.push(format!("{request} at {kind}: another page"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[tokio::test]
async fn rejected_hosts_reach_only_health_checks() {
    let first = Server::start();
    let key = prepare(&first).await;
    let also = ["--unknown-hosts", "reject", "--also-at", "https://former.example"];
    let server = Server::with(first.database(), &also);
    for (request, statuses) in table() {
        for ((kind, host), expected) in KINDS.into_iter().zip(statuses) {
            let is_unknown = ["unknown.example", "removed.example"].contains(&host);
            let is_health = request.contains("/health/");
            let expected = if is_unknown && !is_health { 404 } else { expected };
            let status = send(&server, &key, host, &request).status;
            assert_eq!(status, expected, "{request} at {kind}");
        }
        let additional = send(&server, &key, "former.example:8443", &request).status;
        assert_eq!(additional, send(&server, &key, "", &request).status, "{request}");
    }
}

/// Returns the operations of the published documents, with examples for the parts of their paths.
fn operations() -> Vec<String> {
    let mut operations = Vec::new();
    for file in fs::read_dir(format!("{ROOT}/openapi")).unwrap() {
        let Ok(text) = fs::read_to_string(file.unwrap().path()) else { continue };
        let Ok(document) = serde_json::from_str::<Value>(&text) else { continue };
        let paths: HashMap<String, Value> =
            serde_json::from_value(document["paths"].clone()).unwrap_or_default();
        for (path, methods) in paths {
            let path = path.replace("{code}", "code-a").replace("{id}", "1").replace("{name}", "x");
            let path = path.replace("{host}", "go.acme.example");
            let methods = methods.as_object().unwrap().keys();
            operations.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
        }
    }
    assert!(operations.len() > 5, "{operations:?}");
    operations
}

#[tokio::test]
async fn no_operation_exists_on_a_domain() {
    let server = Server::start();
    let key = server.database().owner("acme", "pro");
    add(&server, "go.acme.example", "acme", None).await;
    let unknown = ask(&server, "go.acme.example", "GET /unknown-1").without_id();
    for operation in operations() {
        let answer = send(&server, &key, "go.acme.example", &operation).without_id();
        assert_eq!(answer, unknown, "{operation}");
    }
}

#[tokio::test]
async fn pages_of_a_domain_tell_nothing_of_the_service() {
    let server = Server::start();
    add(&server, "go.example", "default", None).await;
    for path in ["/", "/robots.txt", "/unknown", "/favicon.ico"] {
        let answer = ask(&server, "go.example", &format!("GET {path}"));
        let text = String::from_utf8_lossy(&answer.body).to_lowercase();
        for word in ["docs", "api", "openapi", server.authority(), "terse, "] {
            assert!(!text.contains(word), "{path} has {word}: {text}");
        }
        let headers = format!("{:?}", answer.headers);
        assert!(!headers.contains(server.authority()), "{path}: {headers}");
    }
    let mut pages = server.database().directory().to_owned();
    pages.push("pages");
    fs::create_dir(&pages).unwrap();
    fs::write(pages.join("home.html"), "{% if is_domain %}mine{% else %}theirs{% endif %}")
        .unwrap();
    let server = Server::with(server.database(), &["--pages", pages.to_str().unwrap()]);
    assert_eq!(ask(&server, "go.example", "GET /").body, b"mine");
    assert_eq!(ask(&server, server.authority(), "GET /").body, b"theirs");
}

#[tokio::test]
async fn blocked_home_url_is_not_visited() {
    let server = Server::start();
    add(&server, "go.example", "default", Some("https://evil.example/home")).await;
    assert_eq!(ask(&server, "go.example", "GET /").status, 302);
    server.terse(&["block", "add", "evil.example", "--reason", "malware"]).done();
    eventually(TIMEOUT, "it is blocked", async || {
        ask(&server, "go.example", "GET /").status == 410
    })
    .await;
    let database: &Arc<Database> = server.database();
    database.terse(&["domain", "edit", "go.example", "--home", "https://evil.example/2"]).failed();
}
