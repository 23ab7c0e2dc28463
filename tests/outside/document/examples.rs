//! A real server returns the examples of the document.

use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use super::parameters::UNKNOWN_PARAMETER;
use super::provoke::{CODE, path_of, provoke};
use super::{each_operation, second_examples};
use crate::harness::{Database, Response, Server, document};
use crate::outage::block_writers;

/// Short code of the older link in the examples.
const OLDER: &str = "wq3XbTn";

/// Returns the example of a schema.
fn example_of(schema: &str) -> Value {
    let example = &document()["components"]["schemas"][schema]["example"];
    assert!(!example.is_null(), "{schema} has an example");
    example.clone()
}

/// Returns the JSON of a response as a server at the document's address would return it.
fn as_published(server: &Server, response: &Response) -> Value {
    let here = document()["servers"][0]["url"].as_str().unwrap();
    serde_json::from_str(&response.text().replace(server.base_url(), here)).unwrap()
}

/// Creates the two links of the examples, with their clicks.
async fn create_links(server: &Server) -> (Response, Response) {
    let api = server.api();
    let about = json!({"url": "https://example.org/about", "custom_code": OLDER});
    api.shorten(&about).await.expect(201);
    let mut link = example_of("ShortenRequest");
    link["custom_code"] = json!(CODE);
    let created = api.shorten(&link).await.expect(201);
    for (code, clicks) in [(CODE, 42), (OLDER, 7)] {
        for _ in 0..clicks {
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
    }
    api.qr(&json!({ "short_code": OLDER })).await.expect(201);
    let enabled = api.qr(&example_of("QrCodeRequest")).await.expect(201);
    (created, enabled)
}

#[tokio::test]
async fn examples_of_success_match_the_server() {
    let server = Server::start();
    let api = server.api();
    let (created, enabled) = create_links(&server).await;
    assert_eq!(as_published(&server, &created), example_of("ShortenResponse"));
    assert_eq!(as_published(&server, &enabled), example_of("QrCodeResponse"));
    assert_eq!(as_published(&server, &api.links().await), example_of("LinkList"));
    assert_eq!(as_published(&server, &api.stats(CODE).await), example_of("StatsResponse"));
    assert_eq!(as_published(&server, &api.qr_list().await), example_of("QrCodeList"));
    let parts = [
        ("Link", &example_of("LinkList")["data"][0]),
        ("LinkStats", &example_of("StatsResponse")["data"]),
        ("QrCodeLink", &example_of("QrCodeList")["data"][0]),
    ];
    for (schema, part) in parts {
        assert_eq!(&example_of(schema), part);
    }
    for (response, path) in [(created, "/api/v1/shorten"), (enabled, "/api/v1/qrcodes")] {
        let declared = &document()["paths"][path]["post"]["responses"]["201"]["headers"];
        let location = response.header("location").unwrap();
        let here = location.replace(server.base_url(), "http://127.0.0.1:8080");
        assert_eq!(declared["Location"]["schema"]["example"], here);
        let target = location.strip_prefix(server.base_url()).unwrap();
        api.get(target).await.expect(200);
    }
}

/// A problem that an operation declares: operation, status, code and example.
pub(super) type DeclaredProblem = (String, String, String, Value);

/// Returns all problems of all operations.
pub(super) fn declared_problems() -> Vec<DeclaredProblem> {
    let mut problems = Vec::new();
    each_operation(|operation, id| {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let Some(media) = response["content"].get("application/problem+json") else {
                assert!(status.starts_with('2'), "{id} {status}");
                continue;
            };
            let examples = media["examples"].as_object();
            let examples = examples.unwrap_or_else(|| panic!("{id} {status} has no examples"));
            for example in examples.values().map(|example| &example["value"]) {
                let (id, status) = (id.to_owned(), status.clone());
                let code = example["code"].as_str().unwrap().to_owned();
                // `parameters` has its test.
                if example["detail"] != UNKNOWN_PARAMETER {
                    problems.push((id, status, code, example.clone()));
                }
            }
        }
    });
    problems
}

#[track_caller]
pub(super) fn assert_matches_example(
    server: &Server,
    response: &Response,
    status: &str,
    example: &Value,
) {
    assert_eq!(response.status.to_string(), status, "{response:#?}");
    let mut problem = as_published(server, response);
    problem["request_id"] = example["request_id"].clone();
    assert_eq!(&problem, example);
}

/// Compares all declared headers except `X-Request-Id` with their examples.
#[track_caller]
pub(super) fn assert_headers_match_examples(response: &Response, operation: &str, status: &str) {
    each_operation(|declared, id| {
        let headers = declared["responses"][status]["headers"].as_object();
        for (name, header) in headers.into_iter().flatten() {
            let given = response.header(name).filter(|_| id == operation && name != "X-Request-Id");
            if let Some(given) = given {
                let example = &header["schema"]["example"];
                let example = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
                assert_eq!(example, given, "{operation} {status} {name}");
            }
        }
    });
}

#[tokio::test]
async fn examples_of_problems_match_the_server() {
    let server = Server::start();
    create_links(&server).await;
    let mut problems = declared_problems();
    problems.retain(|(operation, ..)| !operation.starts_with("operator."));
    let codes: BTreeSet<&str> = problems.iter().map(|(_, _, code, _)| code.as_str()).collect();
    assert_eq!(codes.len(), 38, "{codes:?}");
    let limits = ["--failed-keys", "1/min", "--trusted-proxies", "127.0.0.1"];
    let limited = Server::with(&Arc::new(Database::new().with_default_owner()), &limits);
    for (operation, status, code, example) in &problems {
        let further = second_examples::provoke(&server, &limited, operation, example).await;
        if let Some((server, response)) = further {
            assert_matches_example(server, &response, status, example);
            continue;
        }
        // No request causes an internal error, and another test has an outage.
        if !["internal-error", "unavailable"].contains(&code.as_str()) {
            let response = provoke(&server, operation, code).await;
            assert_matches_example(&server, &response, status, example);
            assert_headers_match_examples(&response, operation, status);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn example_of_503_matches_an_outage() {
    let server = Server::start();
    let holder = block_writers(&server).await;
    let response = server.api().shorten(&json!({"url": "https://example.org/"})).await;
    holder.close().await;
    let detail = "The database is too busy at the moment.";
    let outages =
        declared_problems().into_iter().filter(|(.., example)| example["detail"] == detail);
    let (mut operations, mut all) = (0, 0);
    each_operation(|_, _| all += 1);
    for (_, status, _, example) in outages {
        assert_matches_example(&server, &response, &status, &example);
        operations += 1;
    }
    assert_eq!(operations, all);
    let shown = &document()["paths"]["/api/v1/shorten"]["post"]["responses"]["503"]["headers"];
    let shown = shown["Retry-After"]["schema"]["example"].to_string();
    assert_eq!(response.header("retry-after"), Some(shown.as_str()));
}

/// Returns a value of a parameter: its example, or the one in its description.
fn parameter(operation: &str, name: &str) -> String {
    let mut found = None;
    each_operation(|declared, id| {
        let parameters = declared["parameters"].as_array().into_iter().flatten();
        for parameter in parameters.filter(|parameter| id == operation && parameter["name"] == name)
        {
            let description = parameter["description"].as_str().unwrap();
            let example = parameter["example"].as_str().or_else(|| description.split('`').nth(1));
            found = example.map(str::to_owned);
        }
    });
    found.unwrap_or_else(|| panic!("{operation} shows no {name}"))
}

#[tokio::test]
async fn examples_of_parameters_are_accepted() {
    let server = Server::start();
    create_links(&server).await;
    let api = server.api();
    let code = parameter("getStats", "code");
    assert_eq!(as_published(&server, &api.stats(&code).await), example_of("StatsResponse"));

    for operation in ["listLinks", "listQrCodes"] {
        let path = path_of(operation);
        let query = ["limit", "campaign", "active", "cursor"]
            .map(|name| format!("{name}={}", parameter(operation, name)));
        for part in &query[..3] {
            api.get(&format!("{path}?{part}")).await.expect(200);
        }
        // A cursor is valid only in the installation that issued it.
        let page = api.get(&format!("{path}?{}", query[3])).await;
        page.problem(404, "cursor-not-found");
        let whole = api.get(&format!("{path}?{}", query[..3].join("&"))).await.expect(200);
        // Only one link of the examples has that campaign.
        assert_eq!(whole.codes(), [CODE], "{operation}");
    }

    let bodies = [("shorten", "ShortenRequest"), ("enableQrCode", "QrCodeRequest")];
    for (operation, schema) in bodies {
        // Both operations have the same example key, which an owner can use once.
        let server = Server::start();
        create_links(&server).await;
        let api = server.api().with("Idempotency-Key", &parameter(operation, "Idempotency-Key"));
        let again = || async {
            let ask = api.ask(Method::POST, path_of(operation));
            ask.json(&example_of(schema)).send().await.expect(201)
        };
        let (first, second) = (again().await, again().await);
        assert_eq!(first.header("idempotent-replayed"), None, "{operation}");
        assert_eq!(second.header("idempotent-replayed"), Some("true"), "{operation}");
        assert_eq!(first.json(), second.json());
    }
}

/// Checks that the example of the `Link` header has the example of the parameter `cursor`.
#[test]
fn example_of_the_link_header_has_the_example_cursor() {
    for operation in ["listLinks", "listQrCodes"] {
        let responses = &document()["paths"][path_of(operation)]["get"]["responses"];
        let link = &responses["200"]["headers"]["Link"]["schema"]["example"];
        let shown = format!("cursor={}>", parameter(operation, "cursor"));
        assert!(link.as_str().unwrap().contains(&shown), "{link}");
    }
}
