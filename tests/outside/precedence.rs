//! Precedence of errors: 404 path, 405, 401, 415, 413, 400, 422, 404 link, 409.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Response, Server};

const SHORTEN: &str = "/api/v1/shorten";
const QRCODES: &str = "/api/v1/qrcodes";

fn too_long(start: &str) -> String {
    format!("{start}{}", " ".repeat(70_000))
}

async fn ask(api: &Api, method: Method, path: &str, content_type: &str, body: String) -> Response {
    let ask = api.ask(method, path).body(content_type, body);
    ask.send().await
}

#[tokio::test]
async fn unknown_path_precedes_all_other_errors() {
    let server = Server::start();
    for path in [
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/",
        "/api/v2/links",
        "/api/v1/shorten/",
        "/api/v1/links/x",
        "/api/v1/qrcodes/abcdefg",
        "/api/v1/openapi.json",
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE, Method::PUT] {
            let response = ask(&server.anyone(), method, path, "text/plain", too_long("x")).await;
            response.problem(404, "not-found");
        }
    }
}

#[tokio::test]
async fn wrong_method_precedes_the_key_error() {
    let server = Server::start();
    for (path, allowed) in [
        (SHORTEN, vec!["POST"]),
        (QRCODES, vec!["GET", "POST"]),
        ("/api/v1/links", vec!["GET"]),
        ("/api/v1/stats/abcdefg", vec!["GET"]),
    ] {
        for method in ["DELETE", "PUT", "PATCH", "POST", "GET", "PROPFIND"] {
            if allowed.contains(&method) {
                continue;
            }
            let method: Method = method.parse().unwrap();
            let response = ask(&server.anyone(), method, path, "text/plain", too_long("x")).await;
            let response = response.problem(405, "method-not-allowed");
            let allow = response.header("allow").unwrap();
            let named: Vec<&str> = allow.split(',').map(str::trim).collect();
            for method in &allowed {
                assert!(named.contains(method), "{path}: Allow: {allow}");
            }
            let implied = ["HEAD", "OPTIONS"];
            let fits = |method| allowed.contains(&method) || implied.contains(&method);
            assert!(named.iter().all(|method| fits(method)), "{path}: Allow: {allow}");
        }
    }
}

#[tokio::test]
async fn key_error_precedes_body_and_query_errors() {
    let server = Server::start();
    let anyone = server.anyone();
    for path in [SHORTEN, QRCODES] {
        for content_type in ["text/plain", "application/json"] {
            for body in ["", "{", "{}", &too_long("{")] {
                let response =
                    ask(&anyone, Method::POST, path, content_type, body.to_owned()).await;
                response.problem(401, "unauthorized");
            }
        }
    }
    let response = anyone.get("/api/v1/links?active=nonsense").await;
    response.problem(401, "unauthorized");
    anyone.stats("abcdefg").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn body_type_precedes_size_which_precedes_syntax() {
    let server = Server::start();
    let api = server.api();
    for path in [SHORTEN, QRCODES] {
        for body in [too_long("{"), "{".to_owned(), "{}".to_owned()] {
            let response = ask(&api, Method::POST, path, "text/plain", body).await;
            response.problem(415, "unsupported-media-type");
        }
        for body in [too_long("{"), too_long("{}")] {
            let response = ask(&api, Method::POST, path, "application/json", body).await;
            response.problem(413, "body-too-large");
        }
        let body = r#"{"url": 5, "short_code": 5"#.to_owned();
        let response = ask(&api, Method::POST, path, "application/json", body).await;
        response.problem(400, "malformed-request");
    }
}

#[tokio::test]
async fn invalid_field_precedes_conflicts() {
    let server = Server::start();
    server.database().plan("one", "1", true);
    let api = server.api_of("small", "one");
    let url = "https://example.com/";
    api.create_from(&json!({"url": url, "custom_code": "taken"})).await;
    // The plan is full, the code is in use or reserved, and the body is invalid.
    for code in ["taken", "api", "openapi.json"] {
        let bad_url = json!({"url": "nonsense", "custom_code": code});
        api.shorten(&bad_url).await.invalid(&["/url"]);
        let bad_title = json!({"url": url, "title": "\n", "custom_code": code});
        api.shorten(&bad_title).await.invalid(&["/title"]);
    }
    let bad_code = json!({"url": url, "custom_code": "a b"});
    api.shorten(&bad_code).await.invalid(&["/custom_code"]);
}

#[tokio::test]
async fn invalid_qr_setting_precedes_404_which_precedes_409() {
    let server = Server::start();
    let api = server.api();
    let too_close = |more: Value| {
        let mut body = json!({"foreground": "#777777", "background": "#777777"});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    api.qr(&too_close(json!({"short_code": "unknown", "margin": 17}))).await.invalid(&["/margin"]);
    api.qr(&too_close(json!({"short_code": "unknown"}))).await.problem(404, "link-not-found");
    let code = api.create("https://example.com/").await;
    api.qr(&too_close(json!({"short_code": code}))).await.problem(409, "qr-colours-too-close");
}
