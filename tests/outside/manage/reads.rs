//! The owner, a link, its clicks and the report of a month.

use serde_json::{Value, json};

use super::{get, link};
use crate::click_days::{self, pass, wait_for_close};
use crate::harness::{Server, TIMEOUT, assert_within_a_second, eventually};

#[tokio::test]
async fn owner_shows_plan_usage_and_key() {
    let server = Server::start();
    server.terse(&["plan", "add", "small", "--max-links", "7", "--links-per-day", "5"]).done();
    server.terse(&["plan", "set", "small", "--requests", "100/s"]).done();
    server.database().owner("acme", "small");
    let key = server
        .terse(&["key", "add", "acme", "--scope", "read", "--label", "crm", "--expires", "1d"])
        .key();
    let api = server.with_key(&key);
    let writer = server.with_key(&server.terse(&["key", "add", "acme"]).key());
    let code = writer.create("https://example.com/").await;
    writer.create("https://example.com/").await;
    server.terse(&["link", "delete", &code]).done();
    let owner = get(&api, "/owner").await.expect(200).json();
    let plan = json!({
        "name": "small", "max_links": 7, "links_per_day": 5, "request_rate": "100/s", "burst": null,
        "custom_codes": 0
    });
    assert_eq!(owner["name"], "acme");
    assert_eq!(owner["plan"], plan);
    assert_eq!(owner["fallback_url"], Value::Null);
    assert_eq!(owner["key"]["label"], "crm");
    assert_eq!(owner["key"]["scope"], "read");
    assert_eq!(owner["key"]["id"].to_string(), server.database().key_id("acme", "crm"));
    assert!(owner["key"]["expires_at"].is_string(), "{owner}");
    assert_eq!(owner["key"]["revoked_at"], Value::Null);
    assert_eq!(owner["domains"], json!([]));

    let first = get(&server.api(), "/owner").await.expect(200).json();
    let unlimited = json!({
        "name": "unlimited", "max_links": null, "links_per_day": null, "request_rate": null,
        "burst": null, "custom_codes": 1
    });
    assert_eq!(first["plan"], unlimited);
    assert_eq!(first["key"]["scope"], "full", "the key that Terse makes by itself");
    assert_ne!(first["id"], owner["id"]);
}

#[tokio::test]
async fn owner_shows_usage_of_this_month_and_domains() {
    let server = Server::start();
    server.database().owner("acme", "pro");
    let key = |scope: &str| server.terse(&["key", "add", "acme", "--scope", scope]).key();
    let (reader, creator) = (server.with_key(&key("read")), server.with_key(&key("create")));
    // What others do is not this owner's.
    server.anyone().get(&format!("/{}", server.api().create("https://example.com/").await)).await;
    let code = creator.create("https://example.com/").await;
    let deleted = creator.create("https://example.com/").await;
    server.terse(&["link", "delete", &deleted]).done();
    for _ in 0..3 {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
    for (host, home) in [("one.example", "https://example.org/"), ("two.example", "none")] {
        let add = ["domain", "add", host, "--owner", "acme"];
        let home: &[&str] = if home == "none" { &[] } else { &["--home", home] };
        server.terse(&[&add[..], home].concat()).done();
    }
    server.terse(&["domain", "default", "two.example"]).done();
    server.terse(&["owner", "edit", "acme", "--fallback", "https://example.org/ended"]).done();
    let month = "SELECT CAST(COALESCE(SUM(requests), 0) AS bigint) FROM usage_requests JOIN owners
        ON owners.id = owner_id WHERE name = 'acme'";
    eventually(TIMEOUT, "the requests and clicks are counted", async || {
        let usage = get(&reader, "/owner").await.expect(200).json()["usage"].clone();
        let counted = server.database().number(month).await;
        usage["clicks"] == 3
            && usage["requests"].as_i64() >= Some(3)
            && usage["requests"] == counted
    })
    .await;
    let owner = get(&reader, "/owner").await.expect(200).json();
    let mut usage = owner["usage"].clone();
    usage.as_object_mut().unwrap().remove("requests");
    let expected = json!({ "links": 1, "links_today": 2, "links_created": 2, "clicks": 3 });
    assert_eq!(usage, expected);
    assert_eq!(owner["fallback_url"], "https://example.org/ended");
    let domains: Vec<_> = owner["domains"].as_array().unwrap().iter().collect();
    let shown = |domain: &Value| (domain["host"].clone(), domain["home_url"].clone());
    assert_eq!(shown(domains[0]), (json!("two.example"), Value::Null));
    assert_eq!(shown(domains[1]), (json!("one.example"), json!("https://example.org/")));
    assert_ne!(domains[0]["is_default"], domains[1]["is_default"]);

    let limited = get(&creator, "/owner").await.expect(200).json();
    assert_eq!((&limited["usage"], &limited["domains"]), (&Value::Null, &Value::Null));
    assert_eq!(limited["key"]["scope"], "create");
    for member in ["id", "name", "fallback_url", "plan"] {
        assert_eq!(limited[member], owner[member], "{member}");
    }
}

#[tokio::test]
async fn link_shows_all_properties_and_its_state() {
    let server = Server::start();
    let api = server.api();
    let code = api
        .create_from(&json!({
            "url": "https://example.com/a", "title": "Spring", "campaign": "sale",
            "expires_at": "2099-01-01T00:00:00+01:00"
        }))
        .await;
    let body = json!({"short_code": code, "margin": 2, "foreground": "#1D3557"});
    api.qr(&body).await.expect(201);
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let mut shown = link(&api, &code).await;
    let created_at = shown["created_at"].take();
    assert!(created_at.as_str().unwrap().ends_with('Z'), "{created_at}");
    assert_eq!(
        shown,
        json!({
            "short_code": code,
            "short_url": format!("{}/{code}", server.base_url()),
            "destination_url": "https://example.com/a",
            "title": "Spring",
            "campaign": "sale",
            "clicks": 1,
            "is_active": 1,
            "state": "active",
            "state_reason": null,
            "has_qr": 1,
            "qr_error_correction": "M",
            "qr_margin": 2,
            "qr_foreground": "#1d3557",
            "qr_background": "#ffffff",
            "created_at": null,
            "is_paused": 0,
            "forward_query": 0,
            "fallback_url": null,
            "expires_at": "2098-12-31T23:00:00.000Z",
        })
    );
    server.terse(&["link", "disable", &code, "--reason", "phishing"]).done();
    assert_state(&server, &code, "disabled", json!("phishing")).await;
    server.terse(&["block", "add", "example.com", "--reason", "malware"]).done();
    assert_state(&server, &code, "blocked", json!("malware")).await;
    for unknown in ["nothere", "x", "%FF", "a%2Fb"] {
        get(&api, &format!("/links/{unknown}")).await.problem(404, "link-not-found");
    }
}

async fn assert_state(server: &Server, code: &str, state: &str, reason: Value) {
    assert_within_a_second("the state changes", async || {
        let shown = link(&server.api(), code).await;
        shown["state"] == state && shown["state_reason"] == reason && shown["is_active"] == 0
    })
    .await;
}

#[tokio::test]
async fn entity_tag_changes_with_what_can_be_written() {
    let server = Server::start();
    let api = server.api();
    let code = api.create("https://example.com/").await;
    let tag = async || {
        let response = get(&api, &format!("/links/{code}")).await.expect(200);
        response.header("etag").expect("a tag").to_owned()
    };
    let first = tag().await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    server.terse(&["link", "disable", &code]).done();
    assert_eq!(tag().await, first, "neither clicks nor the state change it");
    server.terse(&["link", "enable", &code]).done();
    let mut tags = vec![first.clone()];
    for edit in [
        ["--title", "Other"],
        ["--campaign", "sale"],
        ["--destination", "https://example.com/other"],
        ["--expires", "2099-01-01T00:00:00Z"],
        ["--fallback", "https://example.com/fallback"],
        ["--forward-query", "true"],
    ] {
        server.terse(&[&["link", "edit", &code], &edit[..]].concat()).done();
        tags.push(tag().await);
    }
    for style in [json!({}), json!({"margin": 1}), json!({"background": "#eeeeee"})] {
        let mut body = style;
        body["short_code"] = json!(code);
        api.qr(&body).await.expect(201);
        tags.push(tag().await);
    }
    for (number, tag) in tags.iter().enumerate() {
        assert!(!tags[..number].contains(tag), "{tags:?}");
    }
    for edit in [["--title", ""], ["--campaign", ""], ["--expires", "never"]] {
        server.terse(&[&["link", "edit", &code], &edit[..]].concat()).done();
    }
    let response = get(&api, &format!("/links/{code}")).await;
    let known = response.header("etag").unwrap().to_owned();
    let path = format!("/api/manage/v1/links/{code}");
    let ask = api.ask(reqwest::Method::GET, &path).header("If-None-Match", &known);
    ask.send().await.expect(200);
}

#[tokio::test]
async fn clicks_of_days_before_and_after_add_up() {
    let server = Server::start();
    let code = server.api().create("https://example.com/").await;
    for (visits, days) in [(3, 1), (5, 1), (2, 2)] {
        for _ in 0..visits {
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
        pass_days(&server, days).await;
    }
    let api = server.api();
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let path = format!("/links/{code}/clicks");
    let all = get(&api, &path).await.expect(200).json();
    let days = all["data"].as_array().unwrap();
    assert_eq!(days.len(), 30);
    let clicks = |day: &Value| day["clicks"].as_i64().unwrap();
    let last: Vec<i64> = days[25..].iter().map(clicks).collect();
    assert_eq!(last, [3, 5, 2, 0, 1]);
    assert_eq!(days[29]["day"], click_days::date(0));
    assert_eq!((&all["clicks_before"], &all["clicks_after"]), (&json!(0), &json!(0)));
    let query = format!("?from={}&to={}", click_days::date(3), click_days::date(2));
    let part = get(&api, &format!("{path}{query}")).await.expect(200).json();
    let expected = json!({
        "data": [
            {"day": click_days::date(3), "clicks": 5},
            {"day": click_days::date(2), "clicks": 2},
        ],
        "clicks_before": 3,
        "clicks_after": 1,
    });
    assert_eq!(part, expected);
    let (day, today) = (click_days::date(400), click_days::date(0));
    for query in [
        format!("?from={day}"),
        format!("?from={today}&to={day}"),
        "?from=2026-1-31".to_owned(),
        "?to=yesterday".to_owned(),
    ] {
        get(&api, &format!("{path}{query}")).await.problem(400, "malformed-request");
    }
    get(&api, &format!("{path}?from={}", click_days::date(399))).await.expect(200);
    get(&api, "/links/nothere/clicks").await.problem(404, "link-not-found");
}

async fn pass_days(server: &Server, days: i64) {
    // The server closes the days that have passed meanwhile within its period.
    pass(server.database(), days).await;
    wait_for_close(server.database()).await;
}

#[tokio::test]
async fn report_has_only_links_of_the_owner() {
    let server = Server::start();
    server.database().owner("other", "unlimited");
    let other = server.with_key(&server.terse(&["key", "add", "other", "--scope", "full"]).key());
    let api = server.api();
    let spring = json!({"url": "https://example.com/", "campaign": "spring"});
    let codes = [
        api.create_from(&spring).await,
        api.create_from(&spring).await,
        api.create("https://example.com/").await,
        other.create_from(&spring).await,
    ];
    for (code, visits) in codes.iter().zip([1, 2, 4, 8]) {
        for _ in 0..visits {
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
    }
    let by_campaign = get(&api, "/reports/clicks").await.expect(200).data();
    let expected = json!([{"campaign": null, "clicks": 4}, {"campaign": "spring", "clicks": 3}]);
    assert_eq!(by_campaign, expected);
    let month = &click_days::date(0)[..7];
    let query = format!("/reports/clicks?by=link&month={month}");
    let by_link = get(&api, &query).await.expect(200).data();
    let mut expected = [1, 2, 4].map(|clicks| json!({"short_code": null, "clicks": clicks}));
    for (row, code) in expected.iter_mut().zip(&codes) {
        row["short_code"] = json!(code);
    }
    expected.sort_by_key(|row| row["short_code"].to_string());
    assert_eq!(by_link, json!(expected));
    let of_other = get(&other, "/reports/clicks?by=campaign").await.expect(200).data();
    assert_eq!(of_other, json!([{"campaign": "spring", "clicks": 8}]));
    let empty = get(&api, "/reports/clicks?month=2001-02").await.expect(200).data();
    assert_eq!(empty, json!([]));
    for query in ["month=2026", "month=2026-13", "by=owner", "by=", "month=2026-01&month=2026-02"] {
        let response = get(&api, &format!("/reports/clicks?{query}")).await;
        response.problem(400, "malformed-request");
    }
}
