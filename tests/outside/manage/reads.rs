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
    let mut plan = json!({
        "name": "small", "max_links": 7, "links_per_day": 5, "request_rate": "100/s", "burst": null,
        "custom_codes": false
    });
    assert_eq!(owner["name"], "acme");
    plan["etag"] = owner["plan"]["etag"].clone();
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
        "etag": first["plan"]["etag"],
        "name": "unlimited", "max_links": null, "links_per_day": null, "request_rate": null,
        "burst": null, "custom_codes": true
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
    assert!(shown.as_object_mut().unwrap().remove("etag").is_some());
    let [created_at, updated_at] = ["created_at", "updated_at"].map(|name| shown[name].take());
    assert!(created_at.as_str().unwrap().ends_with('Z'), "{created_at}");
    // The QR code came later.
    assert!(updated_at.as_str() > created_at.as_str(), "{updated_at}");
    assert_eq!(
        shown,
        json!({
            "short_code": code,
            "short_url": format!("{}/{code}", server.base_url()),
            "destination_url": "https://example.com/a",
            "title": "Spring",
            "campaign": "sale",
            "external_id": null,
            "clicks": 1,
            "is_active": true,
            "state": "active",
            "state_reason": null,
            "has_qr": true,
            "qr_error_correction": "M",
            "qr_margin": 2,
            "qr_foreground": "#1d3557",
            "qr_background": "#ffffff",
            "qr_svg_url": format!("{}/{code}/qr.svg", server.base_url()),
            "qr_png_url": format!("{}/{code}/qr.png", server.base_url()),
            "created_at": null,
            "created_by": {"type": "owner_key", "id": 1, "name": "key 1"},
            "updated_at": null,
            "is_paused": false,
            "forward_query": false,
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
        shown["state"] == state && shown["state_reason"] == reason && shown["is_active"] == false
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
    let query = format!("?from_day={}&to_day={}", click_days::date(3), click_days::date(2));
    let part = get(&api, &format!("{path}{query}")).await.expect(200).json();
    let expected = json!({
        "data": [
            {"day": click_days::date(3), "clicks": 5},
            {"day": click_days::date(2), "clicks": 2},
        ],
        "from_day": click_days::date(3), "to_day": click_days::date(2), "clicks_before": 3,
        "clicks_after": 1,
    });
    assert_eq!(part, expected);
    let (day, today) = (click_days::date(400), click_days::date(0));
    for query in [
        format!("?from_day={day}"),
        format!("?from_day={today}&to_day={day}"),
        "?from_day=2026-1-31".to_owned(),
        "?to_day=yesterday".to_owned(),
    ] {
        get(&api, &format!("{path}{query}")).await.problem(400, "malformed-request");
    }
    get(&api, &format!("{path}?from_day={}", click_days::date(399))).await.expect(200);
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
    let report = async |api: &crate::harness::Api, query: &str| {
        get(api, &format!("/reports/clicks{query}")).await.expect(200).json()
    };
    let by_day = report(&api, "").await;
    let today = click_days::date(0);
    let (month, first) = (&today[..7], format!("{}-01", &today[..7]));
    assert_eq!((&by_day["from_day"], &by_day["is_truncated"]), (&json!(first), &json!(false)));
    assert_eq!(by_day["is_final"], false);
    let days = by_day["data"].as_array().unwrap();
    assert!((28..=31).contains(&days.len()), "{by_day}");
    assert_eq!(
        days.iter().find(|row| row["day"] == today),
        Some(&json!({"day": today, "clicks": 7}))
    );
    let query = format!("?from_day={}&to_day={today}", click_days::date(2));
    let expected = json!([
        {"day": click_days::date(2), "clicks": 0},
        {"day": click_days::date(1), "clicks": 0},
        {"day": today, "clicks": 7},
    ]);
    assert_eq!(report(&api, &query).await["data"], expected);
    let expected = json!([{"campaign": null, "clicks": 4}, {"campaign": "spring", "clicks": 3}]);
    assert_eq!(report(&api, "?by=campaign").await["data"], expected);
    let link = |code: Value, id: Value, clicks: i64| json!({"short_code": code, "external_id": id, "title": null, "clicks": clicks});
    let row = |code: &str, clicks| {
        let id = if code == codes[0] { json!("crm/1") } else { Value::Null };
        link(json!(code), id, clicks)
    };
    let path = format!("/api/manage/v1/links/{}", codes[0]);
    let named = api.ask(reqwest::Method::PATCH, &path).json(&json!({"external_id": "crm/1"}));
    named.send().await.expect(200);
    let expected = json!([row(&codes[2], 4), row(&codes[1], 2), row(&codes[0], 1)]);
    assert_eq!(report(&api, &format!("?by=link&month={month}")).await["data"], expected);
    let expected = json!([row(&codes[1], 2), row(&codes[0], 1)]);
    assert_eq!(report(&api, "?by=link&campaign=spring").await["data"], expected);
    let of_other = report(&other, "?by=campaign").await;
    assert_eq!(of_other["data"], json!([{"campaign": "spring", "clicks": 8}]));
    assert_eq!(report(&api, "?month=2001-02&by=link").await["data"], json!([]));
    // What is deleted stays in the sums.
    server.terse(&["link", "delete", &codes[1], &codes[2], "--yes"]).done();
    let deleted = json!([link(Value::Null, Value::Null, 6), row(&codes[0], 1)]);
    assert_eq!(report(&api, "?by=link").await["data"], deleted);
    assert_eq!(report(&api, &query).await["data"][2], json!({"day": today, "clicks": 7}));
    let expected = json!([{"campaign": "spring", "clicks": 1}]);
    assert_eq!(report(&api, "?by=campaign&campaign=spring").await["data"], expected);
    for query in [
        "month=2026",
        "month=2026-13",
        "by=owner",
        "by=",
        "month=2026-01&month=2026-02",
        "month=2026-01&from_day=2026-01-01",
        "from_day=2026-02-01&to_day=2026-01-01",
        "from_day=2024-01-01&to_day=2026-01-01",
    ] {
        let response = get(&api, &format!("/reports/clicks?{query}")).await;
        response.problem(400, "malformed-request");
    }
}

#[tokio::test]
async fn report_begins_no_earlier_than_the_year_0() {
    let server = Server::start();
    let report = "/api/manage/v1/reports/clicks?to_day=0000-01-10";
    let report = server.api().get(report).await.expect(200).json();
    assert_eq!(json!([report["from_day"], report["to_day"]]), json!(["0000-01-01", "0000-01-10"]));
}
