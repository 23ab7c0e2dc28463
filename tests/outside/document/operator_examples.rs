//! A real server returns the examples of problems in the document of the operator's listener.

use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;

use super::examples::{
    assert_headers_match_examples, assert_matches_example, declared_problems, is_for_operator,
};
use crate::harness::{Api, Ask, Database, Response, Server};

/// Returns the method and the path of an operation.
fn target(operation: &str) -> (Method, &'static str) {
    match operation {
        "getOperator" => (Method::GET, "/operator"),
        "getUsage" => (Method::GET, "/usage"),
        "getOwnersReport" => (Method::GET, "/reports/clicks"),
        _ => panic!("no path is known for {operation}"),
    }
}

fn ask(api: &Api, operation: &str) -> Ask {
    let (method, path) = target(operation);
    api.ask(method, &format!("/api/operator/v1{path}"))
}

/// Sends a request that returns this problem.
async fn provoke(server: &Server, operation: &str, code: &str) -> Response {
    match code {
        "unauthorized" => ask(&server.operator_anyone(), operation).send().await,
        "rate-limited" => throttled(server, operation).await,
        "malformed-request" => {
            let (method, path) = target(operation);
            let key = server.database().operator_key(operation, "auditor");
            let api = server.with_operator_key(&key);
            api.ask(method, &format!("/api/operator/v1{path}?month=2026")).send().await
        }
        _ => panic!("no request is known for {code} in {operation}"),
    }
}

/// Calls an operation without a key until the limit of the client is reached.
async fn throttled(server: &Server, operation: &str) -> Response {
    let client = format!("192.0.2.{}", operation.len());
    let api = server.operator_anyone().with("X-Forwarded-For", &client);
    for _ in 0..1_000 {
        let response = ask(&api, operation).send().await;
        if response.status == 429 {
            return response;
        }
    }
    panic!("no request of {operation} was throttled");
}

#[tokio::test]
async fn examples_of_operators_problems_match_the_server() {
    let database = Arc::new(Database::new().with_default_owner());
    let limits = ["--failed-keys", "100/min", "--trusted-proxies", "127.0.0.1"];
    let listener = ["--operator-listen", "127.0.0.1:0"];
    let server = Server::with(&database, &[&limits[..], &listener].concat());
    let mut problems = declared_problems();
    problems.retain(|(operation, ..)| is_for_operator(operation));
    let codes: BTreeSet<&str> = problems.iter().map(|(_, _, code, _)| code.as_str()).collect();
    assert_eq!(codes.len(), 5, "{codes:?}");
    for (operation, status, code, example) in &problems {
        // No request causes an internal error, and another test has an outage.
        if !["internal-error", "unavailable"].contains(&code.as_str()) {
            let response = provoke(&server, operation, code).await;
            assert_matches_example(&server, &response, status, example);
            assert_headers_match_examples(&response, operation, status);
        }
    }
}
