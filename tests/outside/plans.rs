//! Plans: custom codes, and exact limits.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, Server, assert_within_a_second};

const URL: &str = "https://example.com/";

/// Sends this number of creations concurrently; returns the codes of the created links.
async fn create_concurrently(api: &Api, wanted: usize, body: Value) -> Vec<String> {
    let mut creations = JoinSet::new();
    for _ in 0..wanted {
        let (api, body) = (api.clone(), body.clone());
        creations.spawn(async move { api.shorten(&body).await });
    }
    let mut created = Vec::new();
    while let Some(response) = creations.join_next().await {
        let response = response.unwrap();
        if response.status == 201 {
            created.push(response.code());
        } else {
            response.problem(409, "plan-limit-reached");
        }
    }
    created
}

async fn custom_code_is_honoured(api: &Api, code: &str) -> bool {
    let body = json!({"url": URL, "custom_code": code});
    let response = api.shorten(&body).await;
    response.expect(201).code() == code
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plan_limit_is_exact_under_concurrency() {
    let server = Server::start();
    server.database().plan("twenty", "20", false);
    let api = server.api_of("crowd", "twenty");
    let created = create_concurrently(&api, 64, json!({"url": URL})).await;
    assert_eq!(created.len(), 20);
    assert_eq!(api.listed().await, created.into_iter().collect());
    api.shorten(&json!({"url": URL})).await.problem(409, "plan-limit-reached");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn free_plan_allows_100_links() {
    let server = Server::start();
    let api = server.api_of("frugal", "free");
    let created = create_concurrently(&api, 130, json!({"url": URL, "custom_code": "same"})).await;
    assert_eq!(created.len(), 100);
    assert_eq!(api.listed().await.len(), 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plan_limits_apply_to_each_owner() {
    let server = Server::start();
    server.database().plan("five", "5", true);
    let (one, other) = (server.api_of("one", "five"), server.api_of("other", "five"));
    assert_eq!(create_concurrently(&one, 8, json!({"url": URL})).await.len(), 5);
    assert_eq!(create_concurrently(&other, 8, json!({"url": URL})).await.len(), 5);
    assert_eq!(create_concurrently(&server.api(), 8, json!({"url": URL})).await.len(), 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_creates_of_one_custom_code_return_one_201() {
    let server = Server::start();
    let mut creations = JoinSet::new();
    for number in 0..24 {
        let api = if number % 2 == 0 {
            server.api()
        } else {
            server.api_of(&format!("owner-{number}"), "pro")
        };
        creations.spawn(async move {
            let body = json!({"url": URL, "custom_code": "wanted"});
            api.shorten(&body).await
        });
    }
    let mut created = 0;
    while let Some(response) = creations.join_next().await {
        let response = response.unwrap();
        if response.status == 201 {
            created += 1;
        } else {
            response.problem(409, "code-in-use");
        }
    }
    assert_eq!(created, 1);
}

#[tokio::test]
async fn failed_creation_does_not_count_towards_the_limit() {
    let server = Server::start();
    server.database().plan("two", "2", true);
    let api = server.api_of("small", "two");
    api.create_from(&json!({"url": URL, "custom_code": "first"})).await;
    for _ in 0..5 {
        for body in [
            json!({"url": URL, "custom_code": "first"}),
            json!({"url": URL, "custom_code": "api"}),
            json!({"url": "nonsense"}),
        ] {
            let status = api.shorten(&body).await.status;
            assert!([409, 422].contains(&status), "{body}");
        }
    }
    api.create(URL).await;
    api.shorten(&json!({"url": URL})).await.problem(409, "plan-limit-reached");
}

#[tokio::test]
async fn disabled_link_counts_towards_the_limit() {
    let server = Server::start();
    server.database().plan("one", "1", true);
    let api = server.api_of("small", "one");
    let code = api.create(URL).await;
    server.terse(&["link", "disable", &code]).done();
    api.shorten(&json!({"url": URL})).await.problem(409, "plan-limit-reached");
}

#[tokio::test]
async fn owner_changes_plan_within_a_second() {
    let server = Server::start();
    server.database().plan("none", "0", true);
    let api = server.api_of("moving", "free");
    assert!(!custom_code_is_honoured(&api, "before").await);
    server.terse(&["owner", "plan", "moving", "pro"]).done();
    let mut tries = 0;
    assert_within_a_second("custom codes are honoured", async || {
        tries += 1;
        custom_code_is_honoured(&api, &format!("pro-{tries}")).await
    })
    .await;
    server.terse(&["owner", "plan", "moving", "none"]).done();
    assert_within_a_second("the limit is reached", async || {
        api.shorten(&json!({"url": URL})).await.status == 409
    })
    .await;
    assert!(!api.listed().await.is_empty(), "and the links stay");
}

#[tokio::test]
async fn plan_change_takes_effect_within_a_second() {
    let server = Server::start();
    server.database().plan("growing", "1", false);
    let api = server.api_of("patient", "growing");
    let first = api.create(URL).await;
    api.shorten(&json!({"url": URL})).await.expect(409);
    server.terse(&["plan", "set", "growing", "--max-links", "2"]).done();
    assert_within_a_second("the plan allows one more link", async || {
        api.shorten(&json!({"url": URL})).await.status == 201
    })
    .await;
    api.shorten(&json!({"url": URL})).await.expect(409);
    server.terse(&["plan", "set", "growing", "--max-links", "unlimited"]).done();
    assert_within_a_second("the plan allows many links", async || {
        api.shorten(&json!({"url": URL})).await.status == 201
    })
    .await;
    server.terse(&["plan", "set", "growing", "--custom-codes", "true"]).done();
    let mut tries = 0;
    assert_within_a_second("custom codes are honoured", async || {
        tries += 1;
        custom_code_is_honoured(&api, &format!("custom-{tries}")).await
    })
    .await;
    server.terse(&["plan", "set", "growing", "--max-links", "1"]).done();
    assert_within_a_second("the limit is reached", async || {
        api.shorten(&json!({"url": URL})).await.status == 409
    })
    .await;
    api.stats(&first).await.expect(200);
    server.anyone().get(&format!("/{first}")).await.expect(302);
}

#[tokio::test]
async fn new_plan_has_no_custom_codes_and_no_limit() {
    let server = Server::start();
    server.terse(&["plan", "add", "plain"]).done();
    let api = server.api_of("another", "plain");
    assert!(!custom_code_is_honoured(&api, "custom").await);
    for _ in 0..101 {
        api.create(URL).await;
    }
}
