//! Every request returns a declared response, and never 500.
//!
//! The harness checks each response; the properties add their own conditions.

mod given;

use std::fmt::Debug;

use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::harness::{Response, Server, field};
use given::{
    field_names, header_fields, json_values, path_and_query, routes, texts, writing_routes,
};

const CODE: &str = "known";

/// A server with one link, whose code is [`CODE`] and whose QR code is enabled.
struct Target {
    server: Server,
}

impl Target {
    fn new() -> Self {
        let target = Self { server: Server::start() };
        let link = json!({"url": "https://example.com/", "custom_code": CODE});
        target.post("/api/v1/shorten", &link).expect(201);
        target.post("/api/v1/qrcodes", &json!({"short_code": CODE})).expect(201);
        target
    }

    /// Sends a request on a new connection, and then checks that the connection is still usable.
    fn ask(&self, method: &str, target: &str, fields: &[Vec<u8>], body: &[u8]) -> Response {
        let mut connection = self.server.connect();
        let response = connection.exchange(method, target.as_bytes(), fields, body);
        let response = response.expect("every request has a response");
        let closes = response.header("connection") == Some("close");
        if !closes {
            let next = connection.exchange("GET", b"/health/live", &[], b"");
            next.expect("the connection goes on").expect(200);
        }
        response
    }

    fn key_field(&self) -> Vec<u8> {
        field("X-API-Key", self.server.key())
    }

    fn post_bytes(&self, path: &str, content_type: &str, body: &[u8]) -> Response {
        let fields = [self.key_field(), field("Content-Type", content_type)];
        self.ask("POST", path, &fields, body)
    }

    fn post(&self, path: &str, body: &Value) -> Response {
        self.post_bytes(path, "application/json", body.to_string().as_bytes())
    }

    fn get(&self, target: &str) -> Response {
        self.ask("GET", target, &[self.key_field()], b"")
    }
}

/// Checks `test` with generated values, this number of times, on one server.
fn check_property<T: Debug>(
    cases: u32,
    values: &impl Strategy<Value = T>,
    test: impl Fn(&Target, T),
) {
    let target = Target::new();
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let result = TestRunner::new(config).run(values, |value| {
        test(&target, value);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}\n{}", target.server.log());
    }
}

#[test]
fn arbitrary_body_returns_a_declared_response() {
    let types = prop_oneof![
        Just("application/json".to_owned()),
        Just("application/json; charset=utf-16".to_owned()),
        "[a-z/;= -]{0,30}",
    ];
    let bodies = prop::collection::vec(any::<u8>(), 0..2_000);
    check_property(
        150,
        &(writing_routes(), types, bodies),
        |target, (path, content_type, body)| {
            let response = target.post_bytes(path, &content_type, &body);
            assert!([400, 415, 422].contains(&response.status), "{response:#?}");
        },
    );
}

#[test]
fn arbitrary_json_returns_a_declared_response() {
    check_property(200, &(writing_routes(), json_values()), |target, (path, body)| {
        let response = target.post(path, &body);
        assert!([201, 404, 409, 422].contains(&response.status), "{response:#?}");
    });
}

#[test]
fn arbitrary_field_values_return_a_declared_response() {
    let members = prop::collection::vec((field_names(), json_values()), 0..6);
    check_property(200, &(writing_routes(), members), |target, (path, members)| {
        let mut body: Map<String, Value> = members.into_iter().collect();
        body.entry("url").or_insert(json!("https://example.com/"));
        body.entry("short_code").or_insert(json!(CODE));
        let response = target.post(path, &Value::Object(body));
        assert!([201, 404, 409, 422].contains(&response.status), "{response:#?}");
        target.get("/known/qr.png").expect(200);
    });
}

#[test]
fn truncated_json_returns_a_declared_response() {
    check_property(
        100,
        &(writing_routes(), json_values(), any::<prop::sample::Index>()),
        |target, (path, body, end)| {
            let text = body.to_string().into_bytes();
            let part = &text[..end.index(text.len() + 1)];
            let response = target.post_bytes(path, "application/json", part);
            assert!([201, 400, 404, 409, 422].contains(&response.status), "{response:#?}");
        },
    );
}

#[test]
fn arbitrary_headers_return_a_declared_response() {
    let fields = prop::collection::vec(header_fields(), 0..8);
    let methods = prop::sample::select(vec!["GET", "HEAD", "POST"]);
    check_property(200, &(routes(), methods, fields), |target, (path, method, fields)| {
        target.ask(method, path, &fields, b"");
    });
}

#[test]
fn arbitrary_method_returns_a_declared_response() {
    let methods = prop_oneof![
        prop::sample::select(vec![
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"
        ])
        .prop_map(str::to_owned),
        "[A-Z]{1,12}".prop_filter("it asks for a tunnel", |method| method != "CONNECT"),
        "[a-z]{1,12}",
    ];
    let bodies = prop::collection::vec(any::<u8>(), 0..200);
    check_property(
        200,
        &(routes(), methods, any::<bool>(), bodies),
        |target, (path, method, keyed, body)| {
            let key = if keyed { vec![target.key_field()] } else { Vec::new() };
            target.ask(&method, path, &key, &body);
        },
    );
}

#[test]
fn arbitrary_path_returns_a_declared_response() {
    let methods = prop::sample::select(vec!["GET", "HEAD", "POST", "DELETE"]);
    check_property(200, &(path_and_query(), methods), |target, (path, method)| {
        target.ask(method, &path, &[target.key_field()], b"");
    });
}

#[test]
fn arbitrary_code_in_a_path_returns_a_declared_response() {
    check_property(150, &texts(), |target, code| {
        let encoded: String = code.bytes().map(|byte| format!("%{byte:02X}")).collect();
        if code == CODE || code.is_empty() {
            return;
        }
        target.get(&format!("/api/v1/stats/{encoded}")).expect(404);
        target.get(&format!("/api/v1/stats/{encoded}/")).expect(404);
        let public = target.get(&format!("/{encoded}")).status;
        assert!([200, 404].contains(&public), "{code:?}: {public}");
        target.get(&format!("/{encoded}/qr.png")).expect(404);
    });
}

#[test]
fn custom_code_is_accepted_if_its_form_is_valid() {
    const RESERVED: [&str; 8] = [
        "api",
        "docs",
        "health",
        "metrics",
        "problems",
        "openapi.json",
        "robots.txt",
        "favicon.ico",
    ];
    let codes = prop_oneof![1 => texts(), 3 => "[0-9A-Za-z_-]{1,66}", 1 => "[0-9A-Za-z_. -]{1,8}"];
    check_property(200, &codes, |target, code| {
        let body = json!({"url": "https://example.com/", "custom_code": code});
        let response = target.post("/api/v1/shorten", &body);
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let is_right = (3..=64).contains(&code.len()) && code.bytes().all(letters);
        let is_reserved = RESERVED.contains(&code.to_ascii_lowercase().as_str());
        match response.status {
            201 => assert!(is_right && !is_reserved, "{code:?}"),
            409 => assert!(is_right || is_reserved, "{code:?}"),
            _ => {
                assert!(!is_right && !is_reserved, "{code:?}");
                response.invalid(&["/custom_code"]);
            }
        }
    });
}

#[test]
fn text_is_accepted_if_it_is_short_and_has_no_control_characters() {
    let fields = prop::sample::select(vec![("title", 255), ("campaign", 100)]);
    let letters = prop_oneof![10 => any::<char>(), 1 => Just('\u{85}'), 200 => Just('ä')];
    let words = prop::collection::vec(letters, 1..300).prop_map(String::from_iter);
    check_property(200, &(fields, words), |target, ((field, max), text)| {
        let body = json!({"url": "https://example.com/", field: text});
        let response = target.post("/api/v1/shorten", &body);
        let is_right = text.chars().count() <= max && !text.contains(char::is_control);
        assert_eq!(response.status == 201, is_right, "{field}: {text:?}: {response:#?}");
    });
}

#[test]
fn arbitrary_destination_returns_a_declared_response() {
    let starts = prop::sample::select(vec![
        "",
        "http://",
        "https://",
        "HTTP://",
        "https://example.com/",
        "https://example.com/?",
        "https://example.com/#",
        "https://example.com:",
        "https://user@",
        "https://[",
        "https://a.",
    ]);
    check_property(200, &(starts, texts()), |target, (start, text)| {
        let url = format!("{start}{text}");
        let response = target.post("/api/v1/shorten", &json!({"url": url}));
        if response.status != 201 {
            response.invalid(&["/url"]);
            return;
        }
        assert_eq!(response.json()["destination_url"], url);
        let redirect = target.get(&format!("/{}", response.code())).expect(302);
        let location = redirect.header("location").expect("it is readable");
        assert!(url::Url::parse(location).is_ok(), "{url:?} became {location:?}");
        // Clients follow some further characters unchanged in queries and fragments.
        let (before, after) =
            location.split_at(location.find(['?', '#']).unwrap_or(location.len()));
        let is_uri = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\`".contains(&byte);
        assert!(location.bytes().all(is_uri), "{url:?} became {location:?}");
        assert!(!before.contains(['^', '{', '|', '}']), "{url:?} became {location:?} {after}");
    });
}

#[test]
fn arbitrary_query_returns_a_declared_response() {
    let paths = prop::sample::select(vec![
        "/api/v1/links",
        "/known/qr.png",
        "/known/qr.svg",
        "/known",
        "/docs",
        "/openapi.json",
    ]);
    let names = prop_oneof![
        prop::sample::select(vec!["limit", "cursor", "campaign", "active", "size"])
            .prop_map(str::to_owned),
        "[a-z]{0,5}",
    ];
    let values = "([a-zA-Z0-9._~+:-]|%[0-9A-Fa-f]{2}){0,30}|-?[0-9]{1,25}";
    let pairs = prop::collection::vec((names, values), 0..4);
    check_property(200, &(paths, pairs), |target, (path, pairs)| {
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let response = target.get(&format!("{path}?{}", pairs.join("&")));
        assert!([200, 302, 400].contains(&response.status), "{response:#?}");
    });
}
