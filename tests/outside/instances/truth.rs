//! Changes by one instance or by the command line reach all instances.

use std::slice;
use std::time::Duration;

use serde_json::json;

use super::{URL, two_instances};
use crate::harness::{Api, Server, assert_within_a_second, eventually, only_on};
use crate::outage::block_with;

async fn status(api: &Api, path: &str) -> u16 {
    api.get(path).await.status
}

async fn assert_on_all_within_a_second(
    what: &str,
    servers: &[Server],
    is_so: impl AsyncFn(&Server) -> bool,
) {
    assert_within_a_second(what, async || {
        let mut all = true;
        for server in servers {
            all &= is_so(server).await;
        }
        all
    })
    .await;
}

#[tokio::test]
async fn link_state_reaches_all_instances_within_a_second() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let code = servers[0].api().create(URL).await;
    let path = format!("/{code}");
    for server in &servers {
        server.anyone().get(&path).await.expect(302);
    }
    for (command, expected) in [("disable", 410), ("enable", 302), ("disable", 410)] {
        servers[0].terse(&["link", command, &code]).done();
        assert_on_all_within_a_second(command, &servers, async |server| {
            status(&server.anyone(), &path).await == expected
        })
        .await;
    }
}

#[tokio::test]
async fn link_is_disabled_within_a_second_during_a_blocked_rollup() {
    only_on!(Postgres: "an open SQLite transaction does not block rollups");
    let server = Server::start();
    let codes = [server.api().create(URL).await, server.api().create(URL).await];
    let held = block_with(&server, "BEGIN; LOCK TABLE click_counts IN EXCLUSIVE MODE").await;
    for code in codes {
        let path = format!("/{code}");
        server.anyone().get(&path).await.expect(302);
        eventually(Duration::from_secs(10), "the rollup is blocked", async || {
            let waiting = "SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock'";
            server.database().sql(waiting) != "0"
        })
        .await;
        server.terse(&["link", "disable", &code]).done();
        assert_on_all_within_a_second("it is gone", slice::from_ref(&server), async |server| {
            status(&server.anyone(), &path).await == 410
        })
        .await;
    }
    held.close().await;
}

#[tokio::test]
async fn key_revocation_reaches_all_instances_within_a_second() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let key = servers[0].terse(&["key", "add", "default", "--label", "gone soon"]).key();
    let key = key.as_str();
    for server in &servers {
        server.with_key(key).links().await.expect(200);
    }
    let id = servers[0].database().key_id("default", "gone soon");
    servers[1].terse(&["key", "revoke", &id]).done();
    assert_on_all_within_a_second("it is refused", &servers, async |server| {
        server.with_key(key).links().await.status == 401
    })
    .await;
    for server in &servers {
        server.with_key(servers[0].key()).links().await.expect(200);
    }
}

#[tokio::test]
async fn plan_change_reaches_all_instances_within_a_second() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let key = servers[0].database().owner("moving", "free");
    let key = key.as_str();
    let is_honoured = async |server: &Server, code: &str| {
        let response =
            server.with_key(key).shorten(&json!({"url": URL, "custom_code": code})).await;
        // The other instance has created a link with this code.
        let is_taken = response.status == 409 && response.json()["code"] == "code-in-use";
        is_taken || response.expect(201).code() == code
    };
    for server in &servers {
        assert!(!is_honoured(server, "ignored").await);
    }
    servers[0].terse(&["owner", "plan", "moving", "pro"]).done();
    assert_on_all_within_a_second("custom codes are honoured", &servers, async |server| {
        is_honoured(server, "wanted").await
    })
    .await;
    servers[1].terse(&["plan", "set", "pro", "--max-links", "0"]).done();
    assert_on_all_within_a_second("the limit is reached", &servers, async |server| {
        server.with_key(key).shorten(&json!({"url": URL})).await.status == 409
    })
    .await;
}

#[tokio::test]
async fn created_link_is_visible_at_once_on_instances_that_returned_404() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    for round in 0..20 {
        let code = format!("soon-{round}");
        let path = format!("/{code}");
        let (here, there) = (&servers[round % 2], &servers[(round + 1) % 2]);
        for server in &servers {
            server.anyone().get(&path).await.expect(404);
            server.with_key(servers[0].key()).stats(&code).await.expect(404);
        }
        let body = json!({"url": URL, "custom_code": code});
        here.with_key(servers[0].key()).create_from(&body).await;
        there.anyone().get(&path).await.expect(302);
        here.anyone().get(&path).await.expect(302);
        assert_eq!(there.with_key(servers[0].key()).clicks(&code).await, 2);
    }
}

#[tokio::test]
async fn statistics_and_lists_agree_after_a_redirect() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let apis: Vec<Api> = servers.iter().map(|server| server.with_key(servers[0].key())).collect();
    let code = apis[0].create(URL).await;
    for clicks in 1..=40_u64 {
        let server = &servers[usize::try_from(clicks % 3 / 2).unwrap()];
        server.anyone().get(&format!("/{code}")).await.expect(302);
        for api in &apis {
            assert_eq!(api.clicks(&code).await, clicks);
            assert_eq!(api.links().await.data()[0]["clicks"], clicks);
        }
    }
}

#[tokio::test]
async fn qr_code_is_visible_at_once_on_all_instances() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let apis: Vec<Api> = servers.iter().map(|server| server.with_key(servers[0].key())).collect();
    let code = apis[0].create(URL).await;
    for server in &servers {
        server.anyone().get(&format!("/{code}/qr.svg")).await.expect(404);
    }
    for (api, colour) in [(&apis[0], "#102030"), (&apis[1], "#203010")] {
        api.qr(&json!({"short_code": code, "foreground": colour})).await.expect(201);
        for server in &servers {
            let image = server.anyone().get(&format!("/{code}/qr.svg")).await.expect(200);
            assert!(image.text().contains(colour), "{}", image.text());
        }
    }
    assert_eq!(apis[0].qr_list().await.data(), apis[1].qr_list().await.data());
}

#[tokio::test]
async fn cursor_is_valid_on_all_instances() {
    only_on!(Postgres: "a file is one server's");
    let servers = two_instances();
    let apis: Vec<Api> = servers.iter().map(|server| server.with_key(servers[0].key())).collect();
    let mut created = Vec::new();
    for number in 0..25 {
        created.insert(0, apis[number % 2].create(URL).await);
    }
    let (mut seen, mut next) = (Vec::new(), Some("/api/v1/links?limit=10".to_owned()));
    let mut apis = apis.iter().cycle();
    while let (Some(target), Some(api)) = (next, apis.next()) {
        let page = api.get(&target).await.expect(200);
        seen.extend(page.codes());
        next = page.next_page();
    }
    assert_eq!(seen, created);
}
