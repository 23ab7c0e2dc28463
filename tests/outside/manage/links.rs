//! Lists of links with conditions, page by page.

use std::time::Duration;

use serde_json::{Value, json};

use super::get;
use crate::harness::{Api, Server, assert_within_a_second, short_codes};

/// Follows a list to its end, and returns its links.
async fn all(api: &Api, query: &str) -> Vec<Value> {
    let (mut links, mut next) = (Vec::new(), Some(format!("/api/manage/v1/links{query}")));
    while let Some(target) = next {
        let page = api.get(&target).await.expect(200);
        links.extend(page.data().as_array().unwrap().clone());
        next = page.next_page();
    }
    links
}

async fn codes(api: &Api, query: &str) -> Vec<String> {
    short_codes(&all(api, query).await)
}

#[tokio::test]
async fn conditions_select_links() {
    let server = Server::start();
    let api = server.api();
    let mut made = Vec::new();
    for body in [
        json!({"url": "https://example.org/a?x=1", "title": "Spring Sale", "campaign": "spring"}),
        json!({"url": "https://shop.example.org/", "title": "spring letter"}),
        json!({"url": "http://notexample.org:8080/", "campaign": "spring"}),
        json!({"url": "https://bücher.example/", "expires_at": "2099-01-01T00:00:00Z"}),
    ] {
        made.insert(0, api.create_from(&body).await);
        // Times of creation are in milliseconds, and each must be another one.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let [fourth, third, second, first] = made.clone().try_into().unwrap();
    assert_eq!(codes(&api, "").await, made);
    let selected = async |query: &str, expected: &[&String]| {
        let expected: Vec<String> = expected.iter().copied().cloned().collect();
        assert_eq!(codes(&api, query).await, expected, "{query}");
        let paged = format!("{query}{}limit=1", if query.is_empty() { "?" } else { "&" });
        assert_eq!(codes(&api, &paged).await, expected, "{paged}");
    };
    selected("?campaign=spring", &[&third, &first]).await;
    selected("?campaign=Spring", &[]).await;
    let named = format!("?code={first}&code={third}&code={second}&code={first}");
    selected(&named, &[&third, &second, &first]).await;
    selected(&format!("{named}&campaign=spring"), &[&third, &first]).await;
    selected("?q=SPRING", &[&second, &first]).await;
    selected("?q=g%20s", &[&first]).await;
    selected("?host=example.org", &[&second, &first]).await;
    selected("?host=EXAMPLE.org.", &[&second, &first]).await;
    selected("?host=xn--bcher-kva.example", &[&fourth]).await;
    selected("?host=b%C3%BCcher.example", &[&fourth]).await;
    selected("?destination_url=https%3A%2F%2Fexample.org%2Fa%3Fx%3D1", &[&first]).await;
    selected("?destination_url=https%3A%2F%2Fexample.org%2Fa", &[]).await;
    selected("?destination_url=https%3A%2F%2Fb%C3%BCcher.example%2F", &[&fourth]).await;
    selected("?destination_url=https%3A%2F%2Fxn--bcher-kva.example%2F", &[]).await;
    selected("?campaign=spring&host=example.org&state=active", &[&first]).await;
    let times: Vec<String> =
        all(&api, "").await.iter().map(|link| text(&link["created_at"])).collect();
    selected(&format!("?created_after={}", times[0]), &[&fourth]).await;
    selected(&format!("?created_before={}", times[2]), &[&first]).await;
    let query = format!("?created_after={}&created_before={}", times[2], times[1]);
    selected(&query, &[&second]).await;

    server.terse(&["link", "disable", &first]).done();
    server.terse(&["block", "add", "notexample.org"]).done();
    assert_within_a_second("the states change", async || {
        codes(&api, "?state=blocked").await == [third.clone()]
    })
    .await;
    selected("?state=disabled", &[&first]).await;
    selected("?state=active", &[&fourth, &second]).await;
    selected("?state=expired", &[]).await;
    selected("?state=owner-suspended", &[]).await;
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn pages_have_every_link_once() {
    let server = Server::start();
    let api = server.api();
    let mut made = Vec::new();
    for number in 0..25 {
        let campaign = if number % 3 == 0 { "a" } else { "b" };
        made.insert(
            0,
            api.create_from(&json!({"url": "https://example.org/", "campaign": campaign})).await,
        );
    }
    for limit in [1, 7, 24, 25, 26, 1000] {
        assert_eq!(codes(&api, &format!("?limit={limit}")).await, made, "{limit}");
    }
    let page = get(&api, "/links?limit=10").await.expect(200);
    assert_eq!(page.codes(), made[..10]);
    api.create("https://example.org/").await;
    let next = page.next_page().expect("more links");
    assert_eq!(api.get(&next).await.expect(200).codes(), made[10..20]);
}

#[tokio::test]
async fn cursor_belongs_to_its_conditions_and_owner() {
    let server = Server::start();
    let api = server.api();
    for _ in 0..3 {
        api.create_from(&json!({"url": "https://example.org/", "campaign": "a"})).await;
    }
    let page = get(&api, "/links?limit=1&campaign=a").await.expect(200);
    let next = page.next_page().expect("more links");
    api.get(&next.replace("limit=1", "limit=2")).await.expect(200);
    let cursor = next.split("cursor=").nth(1).unwrap();
    server.database().owner("other", "unlimited");
    let other = server.with_key(&server.terse(&["key", "add", "other", "--scope", "full"]).key());
    other.get(&next).await.problem(404, "cursor-not-found");
    for path in [
        format!("/api/manage/v1/links?cursor={cursor}"),
        format!("/api/manage/v1/links?campaign=b&cursor={cursor}"),
        format!("/api/manage/v1/links?campaign=a&state=active&cursor={cursor}"),
        format!("/api/v1/links?campaign=a&cursor={cursor}"),
    ] {
        api.get(&path).await.problem(404, "cursor-not-found");
    }
    let page = api.get("/api/v1/links?limit=1&campaign=a").await.expect(200);
    let foreign = page.next_page().unwrap().replace("/api/v1/", "/api/manage/v1/");
    api.get(&foreign).await.problem(404, "cursor-not-found");
}

#[tokio::test]
async fn malformed_conditions_return_400() {
    let server = Server::start();
    for query in [
        "limit=0",
        "limit=1001",
        "cursor=x",
        "campaign=a%00b",
        "state=gone",
        "state=",
        "host=",
        "host=a%20b",
        "destination_url=example",
        "created_after=today",
        "created_before=2026-01-01",
        "q=%FF",
        "state=active&state=active",
        "unknown=1",
    ] {
        let response = get(&server.api(), &format!("/links?{query}")).await;
        response.problem(400, "malformed-request");
    }
}
