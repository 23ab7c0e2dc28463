//! POST /api/v1/shorten: valid bodies, and generated codes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::Server;

const URL: &str = "https://example.com/";

/// The letters of generated codes, without the ambiguous `0 O 1 I l`.
const GENERATED: &str = "23456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";

fn names(value: &Value) -> BTreeSet<&str> {
    let members = value.as_object().expect("an object");
    members.keys().map(String::as_str).collect()
}

#[track_caller]
fn assert_generated(code: &str) {
    assert_eq!(code.len(), 7, "{code}");
    assert!(code.chars().all(|letter| GENERATED.contains(letter)), "{code}");
}

#[tokio::test]
async fn link_is_created() {
    let server = Server::start();
    let api = server.api();
    let response = api.shorten(&json!({"url": URL})).await.expect(201);
    let link = response.json();
    assert_eq!(names(&link), BTreeSet::from(["short_code", "short_url", "destination_url"]));
    let code = response.code();
    assert_generated(&code);
    assert_eq!(link["short_url"], format!("{}/{code}", server.base_url()));
    assert_eq!(link["destination_url"], URL);
    let stats = api.stats(&code).await.expect(200).data();
    assert_eq!(
        stats,
        json!({
            "short_code": code,
            "destination_url": URL,
            "campaign": null,
            "clicks": 0,
            "is_active": 1,
        })
    );
}

#[tokio::test]
async fn short_urls_begin_with_the_base_url() {
    for base in ["https://go.example.test", "http://go.example.test:8443"] {
        let server = Server::with_base_url(base);
        let link = server.api().shorten(&json!({"url": URL})).await.json();
        let code = link["short_code"].as_str().unwrap();
        assert_eq!(link["short_url"], format!("{base}/{code}"));
    }
}

#[tokio::test]
async fn generated_codes_are_unique_without_ambiguous_letters() {
    let server = Server::start();
    let api = server.api();
    let mut codes = BTreeSet::new();
    for _ in 0..150 {
        let code = api.create(URL).await;
        assert_generated(&code);
        assert!(codes.insert(code), "the same URL gets a code of its own");
    }
    let letters: BTreeSet<char> = codes.iter().flat_map(|code| code.chars()).collect();
    assert!(letters.len() > 40, "the whole alphabet is used: {letters:?}");
}

#[tokio::test]
async fn custom_code_is_used_unchanged() {
    let server = Server::start();
    let api = server.api();
    let longest = "x".repeat(64);
    for code in ["abc", "ABC", "aBc", "0O1Il", "-_-", "___", "---", "a-b_c", "2024", &longest] {
        let body = json!({"url": URL, "custom_code": code});
        let response = api.shorten(&body).await.expect(201);
        assert_eq!(response.code(), code);
        let redirect = server.anyone().get(&format!("/{code}")).await;
        assert_eq!(redirect.expect(302).header("location"), Some(URL));
    }
}

#[tokio::test]
async fn malformed_custom_code_is_invalid() {
    let server = Server::start();
    let too_long = "x".repeat(65);
    for code in [
        "",
        "a",
        "ab",
        &too_long,
        "a.b",
        "a b",
        " abc",
        "abc ",
        "a/b",
        "a%20b",
        "äbc",
        "abc\n",
        "ａｂｃ",
        "a+b",
        "a~b",
        "abc\u{0}",
    ] {
        let body = json!({"url": URL, "custom_code": code});
        server.api().shorten(&body).await.invalid(&["/custom_code"]);
    }
}

#[tokio::test]
async fn code_of_any_owner_is_in_use() {
    let server = Server::start();
    let body = json!({"url": URL, "custom_code": "summer"});
    let other = server.api_of("other", "pro");
    other.shorten(&body).await.expect(201);
    for api in [server.api(), other.clone()] {
        api.shorten(&body).await.problem(409, "code-in-use");
    }
    server.api().shorten(&json!({"url": URL, "custom_code": "Summer"})).await.expect(201);
}

#[tokio::test]
async fn generated_code_is_in_use() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    let body = json!({"url": URL, "custom_code": code});
    server.api().shorten(&body).await.problem(409, "code-in-use");
}

#[tokio::test]
async fn code_in_use_hides_its_owner() {
    let server = Server::start();
    let body = json!({"url": URL, "custom_code": "secret-code"});
    let other = server.api_of("hidden-owner", "pro");
    other.shorten(&body).await.expect(201);
    let responses = [
        other.shorten(&body).await.expect(409).json(),
        server.api().shorten(&body).await.expect(409).json(),
    ];
    let [mine, theirs] = responses.map(|mut problem| {
        problem["request_id"].take();
        problem
    });
    assert_eq!(mine, theirs);
}

#[tokio::test]
async fn reserved_code_is_rejected_in_any_letter_case() {
    let server = Server::start();
    for code in [
        "api",
        "API",
        "Api",
        "docs",
        "Docs",
        "DOCS",
        "health",
        "heaLth",
        "metrics",
        "METRICS",
        "problems",
        "Problems",
        "openapi.json",
        "OpenAPI.json",
        "OPENAPI.JSON",
        "robots.txt",
        "Robots.TXT",
        "favicon.ico",
        "FAVICON.ICO",
    ] {
        let body = json!({"url": URL, "custom_code": code});
        server.api().shorten(&body).await.problem(409, "code-reserved");
    }
}

#[tokio::test]
async fn code_with_a_reserved_prefix_is_free() {
    let server = Server::start();
    for code in ["apis", "my-api", "docs2", "healthy", "api-docs", "metrics_"] {
        server.api().shorten(&json!({"url": URL, "custom_code": code})).await.expect(201);
    }
}

#[tokio::test]
async fn free_plan_ignores_custom_codes() {
    let server = Server::start();
    let free = server.api_of("frugal", "free");
    server.api().shorten(&json!({"url": URL, "custom_code": "taken"})).await.expect(201);
    let long = "x".repeat(20_000);
    for code in ["abcd", "taken", "api", "openapi.json", "", "a", "a b", "ä\u{0}\n", &long] {
        let body = json!({"url": URL, "custom_code": code});
        let response = free.shorten(&body).await.expect(201);
        assert_generated(&response.code());
        assert_ne!(response.code(), code);
    }
    for wrong in [json!(5), json!(["abc"]), json!({}), json!(true)] {
        let body = json!({"url": URL, "custom_code": wrong});
        free.shorten(&body).await.invalid(&["/custom_code"]);
    }
}

#[tokio::test]
async fn titles_and_campaigns_have_maximum_lengths_in_characters() {
    let server = Server::start();
    let api = server.api();
    for letter in ["x", "ä", "語", "😀"] {
        for (field, max) in [("title", 255), ("campaign", 100)] {
            let longest = letter.repeat(max);
            api.create_from(&json!({"url": URL, field: longest})).await;
            let too_long = letter.repeat(max + 1);
            let pointer = format!("/{field}");
            api.shorten(&json!({"url": URL, field: too_long})).await.invalid(&[&pointer]);
        }
    }
}

#[tokio::test]
async fn control_characters_in_titles_and_campaigns_are_rejected() {
    let server = Server::start();
    for field in ["title", "campaign"] {
        for control in ["\0", "\t", "\n", "\r", "\u{1b}", "\u{1f}", "\u{7f}", "\u{85}"] {
            let pointer = format!("/{field}");
            let body = json!({"url": URL, field: format!("a{control}b")});
            server.api().shorten(&body).await.invalid(&[&pointer]);
        }
    }
}

#[tokio::test]
async fn texts_are_returned_unchanged() {
    let server = Server::start();
    let api = server.api();
    for text in ["Ünï ✓ 😀", "<b>&amp;\"'", " two  blanks ", "\u{202e}rtl", "null", "a\\b/c"]
    {
        let code = api.create_from(&json!({"url": URL, "title": text, "campaign": text})).await;
        assert_eq!(api.stats(&code).await.data()["campaign"], text);
        api.qr(&json!({"short_code": code})).await.expect(201);
        let listed = api.qr_list().await.data();
        assert_eq!(listed[0]["title"], text);
    }
}

#[tokio::test]
async fn optional_fields_may_be_null() {
    let server = Server::start();
    let api = server.api();
    let code = api
        .create_from(&json!({"url": URL, "title": null, "campaign": null, "custom_code": null}))
        .await;
    assert_generated(&code);
    assert_eq!(api.stats(&code).await.data()["campaign"], Value::Null);
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let server = Server::start();
    let api = server.api();
    let body = json!({
        "url": URL,
        "clicks": 99,
        "is_active": 0,
        "has_qr": 1,
        "owner": "other",
        "short_code": "chosen",
        "nested": {"deep": [1, 2, {"x": null}]},
        "": "",
    });
    let code = api.create_from(&body).await;
    assert_generated(&code);
    let stats = api.stats(&code).await.data();
    assert_eq!((&stats["clicks"], &stats["is_active"]), (&json!(0), &json!(1)));
    assert_eq!(api.qr_list().await.data(), json!([]));
}

#[tokio::test]
async fn all_invalid_fields_are_reported_together() {
    let server = Server::start();
    let api = server.api();
    let body = json!({
        "url": "nonsense",
        "title": 5,
        "campaign": "x".repeat(101),
        "custom_code": "a b",
    });
    let problem = api.shorten(&body).await.problem(422, "invalid-input");
    // The plan decides whether codes are checked, so that error may be reported later.
    let mut pointers = problem.pointers();
    pointers.remove("/custom_code");
    assert!(pointers.iter().eq(["/campaign", "/title", "/url"]), "{problem:#?}");
    api.shorten(&json!({"title": "\n", "campaign": []})).await.invalid(&[
        "/url",
        "/title",
        "/campaign",
    ]);
    assert_eq!(api.links().await.data(), json!([]), "nothing was created");
}

#[tokio::test]
async fn field_of_the_wrong_type_is_invalid() {
    let server = Server::start();
    for wrong in [json!(1), json!(1.5), json!(true), json!([]), json!({}), json!([URL])] {
        for field in ["url", "title", "campaign", "custom_code"] {
            let mut body = json!({"url": URL});
            body[field] = wrong.clone();
            let pointer = format!("/{field}");
            server.api().shorten(&body).await.invalid(&[&pointer]);
        }
    }
    server.api().shorten(&json!({})).await.invalid(&["/url"]);
    let null = json!({"url": null});
    server.api().shorten(&null).await.invalid(&["/url"]);
}
