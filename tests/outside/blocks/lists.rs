//! Statistics and lists of links whose destinations are blocked.

use std::collections::BTreeSet;

use serde_json::json;

use super::{block, is_listed, wait_for_status};
use crate::harness::{Api, Server};

/// Returns the codes on all pages of the list of active (1) or inactive (0) links.
async fn codes_on_all_pages(api: &Api, active: u8, limit: u32) -> Vec<String> {
    let mut target = format!("/api/v1/links?active={active}&limit={limit}");
    let mut codes = Vec::new();
    loop {
        let page = api.get(&target).await.expect(200);
        let found = page.codes();
        assert!(found.len() <= limit as usize);
        codes.extend(found);
        match page.next_page() {
            Some(next) => target = next,
            None => return codes,
        }
    }
}

#[tokio::test]
async fn blocked_links_are_inactive_in_statistics_and_lists() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let campaign = json!({"url": "https://evil.example/", "campaign": "c"});
    let blocked = api.create_from(&campaign).await;
    let active = api.create("https://good.example/").await;
    block(database, &["add", "evil.example"]);
    wait_for_status(&server, &blocked, 410).await;
    assert_eq!(api.stats(&blocked).await.expect(200).data()["is_active"], 0);
    assert_eq!(api.stats(&active).await.expect(200).data()["is_active"], 1);
    for (target, has_blocked, has_active) in [
        ("/api/v1/links", true, true),
        ("/api/v1/links?active=0", true, false),
        ("/api/v1/links?active=1", false, true),
        ("/api/v1/links?active=0&campaign=c", true, false),
        ("/api/v1/links?active=1&campaign=c", false, false),
    ] {
        assert_eq!(is_listed(&api, target, &blocked).await, has_blocked, "{target}");
        assert_eq!(is_listed(&api, target, &active).await, has_active, "{target}");
    }
}

#[tokio::test]
async fn pages_with_blocked_links_are_full_and_complete() {
    let server = Server::start();
    let (database, api) = (server.database(), server.api());
    // 1,200 links: one in three is disabled, and runs of 150 in 200 are blocked.
    let rows: String = (0..1_200)
        .map(|n| {
            let host = if n % 200 < 150 { "evil" } else { "good" };
            format!("code{n},https://{host}.example/{n},{}\n", u8::from(n % 3 != 0))
        })
        .collect();
    let file = database.directory().join("in.csv");
    std::fs::write(&file, format!("short_code,destination_url,is_active\n{rows}")).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    block(database, &["add", "evil.example"]);
    wait_for_status(&server, "code1", 410).await;
    let is_active = |n: u32| n % 200 >= 150 && !n.is_multiple_of(3);
    for active in [0, 1] {
        let expected: Vec<String> = (0..1_200)
            .rev()
            .filter(|n| is_active(*n) == (active == 1))
            .map(|n| format!("code{n}"))
            .collect();
        for limit in [7, 100, 101, 400, 1_000] {
            assert_eq!(codes_on_all_pages(&api, active, limit).await, expected, "{active} {limit}");
        }
        let all = api.get(&format!("/api/v1/links?active={active}")).await.expect(200).codes();
        assert_eq!(all, expected);
    }
    let first = api.get("/api/v1/links?active=0&limit=50").await.expect(200).codes();
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 50);
}
