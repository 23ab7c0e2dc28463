//! Public routes other than short URLs: pages, the document, health and metrics.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Database, Response, Server, contracts, document};

/// Returns the attributes of every tag with this name.
fn tags<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let start = format!("<{name} ");
    let begins = page.match_indices(&start).map(|(at, _)| at + start.len());
    begins.map(|at| page[at..].split('>').next().unwrap_or_default()).collect()
}

#[track_caller]
fn assert_requests_no_other_host(page: &str) {
    for name in ["script", "link", "img", "iframe"] {
        for tag in tags(page, name) {
            let loads = !tag.contains("rel=\"canonical\"");
            let elsewhere = tag.contains("://") || tag.contains("=\"//");
            assert!(!(loads && elsewhere), "<{name} {tag}>");
        }
    }
}

async fn get_page(server: &Server, path: &str) -> Response {
    let response = server.anyone().get(path).await.expect(200);
    assert_eq!(response.media_type(), "text/html", "{path}");
    assert_requests_no_other_host(&response.text());
    response
}

#[tokio::test]
async fn front_page_links_to_the_documentation() {
    let server = Server::start();
    let text = get_page(&server, "/").await.text();
    assert!(text.contains("Terse"));
    assert!(text.contains("/docs") && text.contains("/openapi.json"), "{text}");
    assert!(text.len() < 20_000, "a small page");
    server.anyone().head("/").await.expect(200);
}

#[tokio::test]
async fn documentation_is_a_complete_page() {
    let server = Server::start();
    let text = get_page(&server, "/docs").await.text();
    let start = text.trim_start().get(..15).unwrap_or_default();
    assert!(start.eq_ignore_ascii_case("<!doctype html>"), "{start}");
    assert!(text.contains("name=\"viewport\""));
    let title = text.split("<title>").nth(1).unwrap_or_default();
    let title = title.split("</title>").next().unwrap_or_default();
    assert!(title.contains("Terse"), "{title}");
    let mut scripts = String::new();
    for script in tags(&text, "script") {
        let source = script.split('"').nth(1).unwrap_or_default();
        let response = server.anyone().get(source).await.expect(200);
        scripts.push_str(&response.text());
    }
    assert!(scripts.contains("SwaggerUIBundle({"), "it shows a document");
    for document in ["\"/openapi.json\"", "\"/api/manage/v1/openapi.json\""] {
        assert!(text.contains(document), "the reader can select {document}");
    }
}

#[tokio::test]
async fn documentation_is_served_with_a_trailing_slash() {
    let server = Server::start();
    let with_slash = get_page(&server, "/docs/").await;
    assert_eq!(with_slash.text(), get_page(&server, "/docs").await.text());
}

#[tokio::test]
async fn document_names_the_base_url_as_its_server() {
    for server in [Server::start(), Server::with_base_url("https://go.example.test")] {
        let paths = ["/api/manage/v1/openapi.json", "/openapi.json"];
        for (path, contract) in
            paths.into_iter().zip(contracts().iter().filter(|one| !one.is_for_operator()))
        {
            let response = server.anyone().get(path).await.expect(200);
            assert_eq!(response.media_type(), "application/json");
            let mut served = response.json();
            assert_eq!(served["servers"][0]["url"], server.base_url());
            served["servers"] = contract.published["servers"].clone();
            let with_default = served.to_string();
            let with_default = with_default.replace(server.base_url(), "http://127.0.0.1:8080");
            let printed = contract.published.to_string();
            assert_eq!(with_default, printed, "and is what `terse openapi` prints");
        }
    }
    assert_eq!(document()["servers"][0]["url"], "http://127.0.0.1:8080");
}

#[tokio::test]
async fn matching_etag_returns_304() {
    let server = Server::start();
    let ask = |path: &str| server.anyone().ask(Method::GET, path).header("Accept-Encoding", "gzip");
    for path in [
        "/openapi.json",
        "/api/manage/v1/openapi.json",
        "/docs",
        "/docs/page.css",
        "/docs/start.js",
        "/docs/swagger-ui.css",
        "/docs/swagger-ui-bundle.js",
    ] {
        let response = ask(path).send().await.expect(200);
        assert_eq!(response.header("content-encoding"), Some("gzip"), "{path}");
        let etag = response.header("etag").expect("a tag").to_owned();
        let plain = server.anyone().get(path).await.expect(200);
        assert!(plain.body.len() > response.body.len(), "{path}");
        assert_eq!(plain.header("etag"), Some(&*etag), "{path}");
        for known in [&*etag, "*", &format!("\"other\", {etag}")] {
            let response = ask(path).header("If-None-Match", known).send().await.expect(304);
            assert_eq!((response.header("etag"), response.body.len()), (Some(&*etag), 0), "{path}");
        }
        ask(path).header("If-None-Match", "\"other\"").send().await.expect(200);
    }
}

#[tokio::test]
async fn document_has_exactly_five_operations() {
    let document = document();
    assert_eq!(document["openapi"], "3.0.3");
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            operations.push(format!("{method} {path} {id}"));
            assert!(operation["responses"]["401"].is_object(), "{id}");
            let schemes = operation["security"].as_array().unwrap();
            assert_eq!(schemes.len(), 2, "{id}: either key, not both");
        }
    }
    operations.sort();
    assert_eq!(
        operations,
        [
            "get /api/v1/links listLinks",
            "get /api/v1/qrcodes listQrCodes",
            "get /api/v1/stats/{code} getStats",
            "post /api/v1/qrcodes enableQrCode",
            "post /api/v1/shorten shorten",
        ]
    );
}

#[tokio::test]
async fn health_needs_no_key() {
    let server = Server::start();
    for path in ["/health/live", "/health/ready"] {
        let response = server.anyone().get(path).await.expect(200);
        assert!(!response.body.is_empty(), "{path}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
        server.anyone().head(path).await.expect(200);
    }
    server.anyone().get("/health/other").await.expect(404);
}

fn sample(text: &str) -> Option<(&str, f64)> {
    let (name, value) = text.rsplit_once(' ')?;
    Some((name, value.parse().ok()?))
}

#[tokio::test]
async fn metrics_are_prometheus_text() {
    let server = Server::start();
    let code = server.api().create("https://example.com/private").await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let response = server.anyone().get("/metrics").await.expect(200);
    assert_eq!(response.media_type(), "text/plain");
    let text = response.text();
    let mut samples = 0;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("# HELP ") || line.starts_with("# TYPE ") {
            continue;
        }
        let (name, value) = sample(line).unwrap_or_else(|| panic!("{line}"));
        assert!(!name.is_empty() && !value.is_nan(), "{line}");
        samples += 1;
    }
    assert!(samples > 3, "{text}");
    for secret in [server.key(), "example.com", code.as_str()] {
        assert!(!text.contains(secret), "metrics contain {secret}");
    }
}

/// Metrics that a redirect increases.
const OF_REDIRECTS: [&str; 2] = [
    r#"terse_http_requests_total{method="GET",route="redirect",status="302"}"#,
    "terse_clicks_recorded_total",
];

#[tokio::test]
async fn redirect_increases_its_metrics() {
    let server = Server::start();
    let code = server.api().create("https://example.com/").await;
    let counts = async || {
        let text = server.anyone().get("/metrics").await.expect(200).text();
        OF_REDIRECTS.map(|wanted| {
            let found = text.lines().filter_map(sample).find(|(name, _)| *name == wanted);
            let (_, value) = found.unwrap_or_else(|| panic!("no {wanted} in {text}"));
            value
        })
    };
    let before = counts().await;
    for _ in 0..5 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
    assert_eq!(counts().await, before.map(|count| count + 5.0), "{OF_REDIRECTS:?}");
}

#[tokio::test]
async fn robots_txt_and_favicon_are_served() {
    let server = Server::start();
    let robots = server.anyone().get("/robots.txt").await.expect(200);
    assert_eq!(robots.media_type(), "text/plain");
    assert!(robots.text().to_ascii_lowercase().contains("user-agent:"));
    let icon = server.anyone().get("/favicon.ico").await.expect(200);
    assert_eq!(icon.media_type(), "image/svg+xml");
    assert!(icon.text().starts_with("<svg "), "{icon:#?}");
}

#[tokio::test]
async fn public_routes_ignore_keys() {
    let server = Server::start();
    for path in ["/", "/docs", "/openapi.json", "/health/ready", "/metrics", "/robots.txt"] {
        server.with_key("nonsense").get(path).await.expect(200);
    }
}

#[tokio::test]
async fn public_routes_reject_other_methods() {
    let server = Server::start();
    for path in ["/", "/docs", "/openapi.json", "/health/live", "/metrics", "/problems/not-found"] {
        for method in [Method::POST, Method::DELETE] {
            let response = server.anyone().ask(method, path).send().await;
            assert_eq!(response.status, 405, "{path}: {response:#?}");
        }
    }
}

#[tokio::test]
async fn pages_declare_their_charset() {
    let server = Server::start();
    for path in ["/", "/docs", "/unknown", "/problems/not-found"] {
        let response = server.anyone().get(path).await;
        let content_type = response.header("content-type").unwrap_or_default();
        let content_type = content_type.to_ascii_lowercase();
        assert!(content_type.contains("charset=utf-8"), "{path}: {content_type}");
    }
}

#[tokio::test]
async fn api_responses_are_not_cached() {
    let server = Server::start();
    let api = server.api();
    let code = api.create("https://example.com/").await;
    for response in [api.links().await, api.stats(&code).await, api.qr_list().await] {
        assert_eq!(response.header("cache-control"), Some("private, no-store"), "{response:#?}");
    }
}

#[tokio::test]
async fn examples_of_the_document_work() {
    let server = Server::start();
    let mut examples = Vec::new();
    collect_examples(document(), &mut examples);
    for example in examples {
        let Some(url) = example["url"].as_str() else {
            continue;
        };
        let response = server.api().shorten(&example).await.expect(201);
        assert_eq!(response.json()["destination_url"], url);
        server.api().shorten(&example).await.expect(201);
    }
}

fn collect_examples(value: &Value, examples: &mut Vec<Value>) {
    if let Some(example) = value.get("example") {
        examples.push(example.clone());
    }
    for member in value.as_object().into_iter().flat_map(|object| object.values()) {
        collect_examples(member, examples);
    }
    for item in value.as_array().into_iter().flatten() {
        collect_examples(item, examples);
    }
}

#[tokio::test]
async fn console_has_the_address_of_every_screen_and_files_that_stay() {
    let server = Server::start();
    let page = get_page(&server, "/console").await;
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'self';") && policy.contains("frame-ancestors 'none'"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    for path in ["/console/", "/console/links/spring?days=90", "/console/links/a%2Fb"] {
        assert_eq!(get_page(&server, path).await.text(), page.text(), "{path}");
    }
    let text = page.text();
    let script =
        tags(&text, "script")[0].split("src=\"").nth(1).and_then(|rest| rest.split('"').next());
    let style = text.split("href=\"/console/files/").nth(1).and_then(|rest| rest.split('"').next());
    let style = format!("/console/files/{}", style.expect("a style sheet"));
    for path in [script.expect("a script"), &style] {
        let ask = || server.anyone().ask(Method::GET, path);
        let file = ask().header("Accept-Encoding", "gzip").send().await.expect(200);
        assert_eq!(file.header("content-encoding"), Some("gzip"), "{path}");
        assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"));
        assert!(ask().send().await.expect(200).body.len() > file.body.len(), "{path}");
        let etag = file.header("etag").expect("a tag").to_owned();
        ask().header("If-None-Match", &etag).send().await.expect(304);
    }
    server.anyone().get("/console/files/other.js").await.expect(404);
    server.anyone().get("/consoles").await.expect(404);
    assert!(get_page(&server, "/").await.text().contains("href=\"/console/\""));
    server.anyone().ask(Method::POST, "/console").send().await.expect(405);
}

#[tokio::test]
async fn console_can_be_turned_off() {
    let database = Arc::new(Database::new().with_default_owner());
    let settings = ["--console", "false", "--operator-listen", "127.0.0.1:0"];
    let server = Server::with(&database, &settings);
    for path in ["/console", "/console/", "/console/links"] {
        server.anyone().get(path).await.expect(404);
        server.operator_anyone().get(path).await.expect(404);
    }
    assert!(!get_page(&server, "/").await.text().contains("console"));
}

#[tokio::test]
async fn older_link_with_the_code_of_the_console_takes_precedence() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with(&database, &[]);
    let code = server.api().create("https://example.com/old").await;
    let reserved = json!({ "url": "https://example.com/", "custom_code": "console" });
    server.api().shorten(&reserved).await.problem(409, "code-reserved");
    drop(server);
    let change = format!("UPDATE links SET short_code = 'console' WHERE short_code = '{code}'");
    database.execute(&change).await;
    let server = Server::with(&database, &[]);
    let redirect = server.anyone().get("/console").await.expect(302);
    assert_eq!(redirect.header("location"), Some("https://example.com/old"));
    get_page(&server, "/console/").await;
    get_page(&server, "/console/links").await;
    assert!(server.log().contains("reserved code console"), "{}", server.log());
}
