//! Problem details, their pages, and request ids.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Response, Server, document};

const PROBLEM_CODES: [&str; 24] = [
    "malformed-request",
    "unauthorized",
    "link-not-found",
    "cursor-not-found",
    "not-found",
    "method-not-allowed",
    "code-in-use",
    "code-reserved",
    "plan-limit-reached",
    "daily-limit-reached",
    "idempotency-key-reused",
    "qr-colours-too-close",
    "qr-code-too-long",
    "body-too-large",
    "unsupported-media-type",
    "unsupported-content-encoding",
    "invalid-input",
    "destination-blocked",
    "expiry-passed",
    "owner-suspended",
    "key-scope",
    "rate-limited",
    "unavailable",
    "internal-error",
];

async fn some_problems(server: &Server) -> Vec<Response> {
    let api = server.api();
    let reserved = json!({"url": "https://example.com/", "custom_code": "api"});
    vec![
        server.anyone().links().await,
        api.get("/api/v1/nothing").await,
        api.get("/api/v1/shorten").await,
        api.stats("unknown").await,
        api.shorten(&json!({})).await,
        api.shorten(&reserved).await,
        api.ask(Method::POST, "/api/v1/shorten").body("application/json", "{").send().await,
    ]
}

#[tokio::test]
async fn every_problem_type_has_a_page() {
    let server = Server::start();
    for slug in PROBLEM_CODES {
        let page = server.anyone().get(&format!("/problems/{slug}")).await;
        let page = page.expect(200);
        assert_eq!(page.media_type(), "text/html", "{slug}");
        assert!(page.text().len() > 200, "{slug}");
    }
    for unknown in ["/problems/nothing", "/problems/", "/problems", "/problems/Unauthorized"] {
        assert_eq!(server.anyone().get(unknown).await.status, 404, "{unknown}");
    }
}

#[test]
fn document_lists_all_problem_types() {
    let code = &document()["components"]["schemas"]["Problem"]["properties"]["code"];
    let named = code["x-extensible-enum"].as_array().unwrap();
    let named: BTreeSet<&str> = named.iter().map(|slug| slug.as_str().unwrap()).collect();
    assert_eq!(named, BTreeSet::from(PROBLEM_CODES));
}

#[tokio::test]
async fn problem_type_leads_to_its_page() {
    let server = Server::start();
    let problems = some_problems(&server).await;
    for problem in problems {
        let problem = problem.json();
        let link = problem["type"].as_str().unwrap();
        let path = link.strip_prefix(server.base_url()).unwrap();
        let page = server.anyone().get(path).await.expect(200).text();
        let title = problem["title"].as_str().unwrap();
        assert!(page.contains(title), "{path} does not say {title}");
    }
}

#[tokio::test]
async fn problem_types_begin_with_the_base_url() {
    let server = Server::with_base_url("https://go.example.test");
    let problem = server.anyone().links().await.json();
    assert_eq!(problem["type"], "https://go.example.test/problems/unauthorized");
}

#[tokio::test]
async fn problem_has_exactly_its_members() {
    let server = Server::start();
    for problem in some_problems(&server).await {
        let problem = problem.json();
        let members = problem.as_object().unwrap();
        let names: BTreeSet<&str> = members.keys().map(String::as_str).collect();
        let mut expected =
            BTreeSet::from(["type", "title", "status", "detail", "code", "request_id"]);
        if problem["code"] == "invalid-input" {
            expected.insert("errors");
        }
        assert_eq!(names, expected);
    }
}

#[tokio::test]
async fn problems_are_not_cached() {
    let server = Server::start();
    for problem in some_problems(&server).await {
        assert_eq!(problem.header("cache-control"), Some("no-store"), "{problem:#?}");
    }
}

#[tokio::test]
async fn problem_title_belongs_to_its_code() {
    let server = Server::start();
    let api = server.api();
    let first = api.stats("one").await.json();
    let second = api.stats("two").await.json();
    assert_eq!(first["title"], second["title"]);
    assert_eq!(first["type"], second["type"]);
    assert_ne!(first["request_id"], second["request_id"]);
}

#[tokio::test]
async fn request_ids_are_unique() {
    let server = Server::start();
    let mut ids = BTreeSet::new();
    for path in ["/", "/", "/docs", "/health/live", "/unknown", "/api/v1/links", "/metrics"] {
        let response = server.api().get(path).await;
        let id = response.header("x-request-id").unwrap().to_owned();
        assert!(ids.insert(id), "{path}");
    }
}

#[test]
fn unparsable_request_returns_a_status_without_a_problem() {
    let server = Server::start();
    let long = "a".repeat(100_000);
    let many = "a: b\r\n".repeat(1_000);
    for (request, expected) in [
        (format!("GET /api/v1/links?campaign={long} HTTP/1.1\r\nHost: x\r\n\r\n"), 431),
        (format!("GET /api/v1/links HTTP/1.1\r\nHost: x\r\n{many}\r\n"), 431),
        ("GET /api/v1/links\r\n\r\n".to_owned(), 400),
    ] {
        let mut connection = server.connect();
        connection.send(request.as_bytes()).unwrap();
        let (status, headers, body) = connection.read_response(false).unwrap();
        assert_eq!(status, expected);
        assert_eq!((headers.get("x-request-id"), body.len()), (None, 0), "{status}");
    }
}

#[tokio::test]
async fn detail_is_prose_without_internals() {
    let server = Server::start();
    let inside = ["sqlx", "sea_orm", "SELECT", "panicked", "src/", "UNIQUE", "poem"];
    for problem in some_problems(&server).await {
        let text = problem.text();
        let leaked = inside.iter().find(|word| text.contains(*word));
        assert_eq!(leaked, None, "{text}");
        let detail = problem.json()["detail"].clone();
        let Value::String(detail) = detail else { panic!("{detail}") };
        assert!(detail.contains(' '), "a sentence: {detail}");
    }
}
