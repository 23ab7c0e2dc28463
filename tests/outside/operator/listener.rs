//! The listener of the operator's programs.

use std::sync::Arc;

use super::{created, get};
use crate::harness::{Database, Server};

/// Paths of the interface and its documentation.
const PATHS: [&str; 3] =
    ["/api/operator/v1/operator", "/api/operator/v1/openapi.json", "/api/operator/v1/links"];

#[tokio::test]
async fn interface_is_on_the_operators_listener_alone() {
    let with_operator = Server::with_operator();
    let key = with_operator.database().operator_key("root", "admin");
    for server in [Server::on(with_operator.database()), with_operator] {
        for path in PATHS {
            let http = reqwest::Client::builder().no_proxy().build().unwrap();
            let url = format!("{}{path}", server.origin());
            let response = http.get(url).header("X-API-Key", &key).send().await.unwrap();
            assert_eq!(response.status(), 404, "{path}");
            let problem: serde_json::Value = response.json().await.unwrap();
            assert_eq!(problem["code"], "not-found", "{path}");
        }
        let text = server.anyone().get("/docs").await.expect(200).text();
        assert!(!text.contains("/api/operator/"), "{text}");
    }
}

#[tokio::test]
async fn documentation_is_on_the_operators_listener() {
    let server = Server::with_operator();
    let anyone = server.operator_anyone();
    for path in ["/docs", "/docs/"] {
        let text = anyone.get(path).await.expect(200).text();
        assert!(text.contains("/api/operator/v1/openapi.json"), "{text}");
        assert!(!text.contains("/api/manage/"), "{text}");
    }
    for path in ["/docs/start.js", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"] {
        anyone.get(path).await.expect(200);
    }
    let document = anyone.get("/api/operator/v1/openapi.json").await.expect(200).json();
    assert_eq!(document["servers"][0]["url"], "/");
    let printed = server.terse(&["openapi", "operator"]).done().stdout;
    let printed = printed.replace("http://127.0.0.1:8080", server.base_url());
    assert_eq!(document, serde_json::from_str::<serde_json::Value>(&printed).unwrap());
    for path in ["/", "/openapi.json", "/api/manage/v1/openapi.json", "/robots.txt"] {
        assert_eq!(anyone.get(path).await.status, 404, "{path}");
    }
    for path in ["/api/v1/links", "/api/manage/v1/owner"] {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("http://{}{path}", server.operator_authority());
        let response = http.get(url).header("X-API-Key", server.key()).send().await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn each_listener_has_a_console_of_its_own() {
    let server = Server::with_operator();
    let (public, operator) = (server.anyone(), server.operator_anyone());
    let mut scripts = Vec::new();
    for (own, other) in [(&public, &operator), (&operator, &public)] {
        let page = own.get("/console").await.expect(200);
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'self';"), "{policy}");
        assert_eq!(own.get("/console/any/screen").await.expect(200).text(), page.text());
        let text = page.text();
        let script = text.split("src=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        scripts.push(own.get(script).await.expect(200).text());
        other.get(script).await.expect(404);
    }
    for (script, own, other) in [(0, "manage", "operator"), (1, "operator", "manage")] {
        assert!(scripts[script].contains(&format!("/api/{own}/v1")));
        assert!(!scripts[script].contains(&format!("/api/{other}/v1")));
    }
}

#[tokio::test]
async fn public_address_of_the_operators_listener_is_reported() {
    let database = Arc::new(Database::new().with_default_owner());
    let warning = "the operator's listener has a public address";
    for (address, is_public) in [("127.0.0.1:0", false), ("0.0.0.0:0", true), ("[::1]:0", false)] {
        let server = Server::with(&database, &["--operator-listen", address]);
        if is_public {
            server.wait_for_log(warning);
        }
        assert_eq!(server.log().contains(warning), is_public, "{address}");
        server.terminate();
    }
    let path = database.directory().join("operator.sock");
    let server =
        Server::with(&database, &["--operator-listen", &format!("unix:{}", path.display())]);
    assert!(!server.log().contains(warning));
}

#[tokio::test]
async fn requests_without_a_valid_key_are_limited() {
    let database = Arc::new(created());
    let key = database.operator_key("root", "admin");
    let settings = ["--failed-keys", "2/min", "--trusted-proxies", "127.0.0.1"];
    let server =
        Server::with(&database, &[&settings[..], &["--operator-listen", "127.0.0.1:0"]].concat());
    let client = server.operator_anyone().with("X-Forwarded-For", "192.0.2.1");
    for _ in 0..2 {
        get(&client, "/operator").await.problem(401, "unauthorized");
    }
    get(&client, "/operator").await.problem(429, "rate-limited");
    get(&client.with("X-API-Key", &key), "/operator").await.expect(200);
}
