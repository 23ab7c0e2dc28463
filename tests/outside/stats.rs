//! GET /api/v1/stats/{code}.

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Server, TIMEOUT, document, eventually, only_on};

const URL: &str = "https://example.com/";

#[tokio::test]
async fn statistics_have_exactly_the_specified_fields() {
    let server = Server::start();
    let api = server.api();
    let code = api
        .create_from(&json!({"url": URL, "title": "Not shown here", "campaign": "spring"}))
        .await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(
        api.stats(&code).await.expect(200).json(),
        json!({"data": {
            "short_code": code,
            "destination_url": URL,
            "campaign": "spring",
            "clicks": 1,
            "is_active": 1,
        }})
    );
}

#[tokio::test]
async fn unknown_code_returns_404() {
    let server = Server::start();
    let api = server.api();
    api.create_from(&json!({"url": URL, "custom_code": "known"})).await;
    let long = "x".repeat(3_000);
    for code in ["unknown", "KNOWN", "known2", "a", "api", "%20", "%F0%9F%98%80", "a.b", &long] {
        api.stats(code).await.problem(404, "link-not-found");
    }
    for undecodable in ["%ff", "%C3%28", "known%ff"] {
        api.stats(undecodable).await.expect(404);
    }
}

#[tokio::test]
async fn code_may_be_percent_encoded() {
    let server = Server::start();
    let api = server.api();
    api.create_from(&json!({"url": URL, "custom_code": "a-b_c"})).await;
    for encoded in ["a%2Db%5Fc", "%61%2d%62%5f%63", "%61-b_c"] {
        let stats = api.stats(encoded).await.expect(200);
        assert_eq!(stats.data()["short_code"], "a-b_c");
    }
}

#[tokio::test]
async fn path_around_a_code_returns_404() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    for path in [
        "/api/v1/stats".to_owned(),
        "/api/v1/stats/".to_owned(),
        format!("/api/v1/stats/{code}/"),
        format!("/api/v1/stats/{code}/more"),
        format!("/api/v1/stats//{code}"),
        format!("/api/v1//stats/{code}"),
        format!("/API/v1/stats/{code}"),
    ] {
        assert_eq!(api.get(&path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn link_of_another_owner_returns_the_same_404() {
    let server = Server::start();
    let other = server.api_of("other", "pro");
    let code = other.create_from(&json!({"url": URL, "custom_code": "theirs"})).await;
    let without_ids = |mut problem: serde_json::Value, code: &str| {
        problem["request_id"].take();
        problem.to_string().replace(code, "CODE")
    };
    let theirs = server.api().stats(&code).await;
    let theirs = theirs.problem(404, "link-not-found").json();
    let unknown = server.api().stats("unknown").await;
    let unknown = unknown.problem(404, "link-not-found").json();
    assert_eq!(without_ids(theirs, &code), without_ids(unknown, "unknown"));

    let enable = |code: &str| json!({"short_code": code});
    let theirs = server.api().qr(&enable(&code)).await;
    let theirs = theirs.problem(404, "link-not-found").json();
    let unknown = server.api().qr(&enable("unknown")).await;
    let unknown = unknown.problem(404, "link-not-found").json();
    assert_eq!(without_ids(theirs, &code), without_ids(unknown, "unknown"));
    assert_eq!(other.qr_list().await.data(), json!([]), "and nothing was enabled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_statistics_include_the_last_clicks() {
    let server = Server::start();
    let api = server.api_of("many", "unlimited");
    let mut requests = JoinSet::new();
    for _ in 0..40 {
        let (mine, second, anyone) = (api.clone(), server.api(), server.anyone());
        requests.spawn(async move {
            let code = mine.create(URL).await;
            for clicks in 1..=25 {
                anyone.get(&format!("/{code}")).await.expect(302);
                let stats = mine.stats(&code).await.expect(200);
                let data = stats.data();
                assert_eq!((&data["short_code"], &data["clicks"]), (&json!(code), &json!(clicks)));
                second.stats(&code).await.problem(404, "link-not-found");
            }
        });
    }
    requests.join_all().await;
}

#[tokio::test]
async fn click_count_stays_within_the_documented_maximum() {
    let server = Server::start();
    let max = &document()["components"]["schemas"]["LinkStats"]["properties"]["clicks"]["maximum"];
    let max = max.as_u64().unwrap();
    let line = json!({"short_code": "max", "destination_url": URL, "clicks": max});
    let file = server.database().directory().join("max.jsonl");
    std::fs::write(&file, line.to_string()).unwrap();
    server.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    let api = server.api();
    for _ in 0..3 {
        assert_eq!(api.clicks("max").await, max);
        assert_eq!(api.links().await.data()[0]["clicks"], max);
        server.anyone().get("/max").await.expect(302);
    }
    let shown = server.terse(&["link", "show", "max", "--json"]).json();
    assert_eq!(shown["clicks"], max);
    // An export can be imported.
    let exported = server.terse(&["export", "--format", "jsonl"]).done().stdout;
    let exported: serde_json::Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported["clicks"], max);
    // The test fails if the documented limit changes.
    assert_eq!(max, (1 << 53) - 1);
}

#[tokio::test]
async fn many_pending_clicks_are_rolled_up_in_parts() {
    only_on!(Postgres: "there a statement must not take too long");
    let server = Server::start();
    let database = server.database();
    // After an outage, full batches can be pending that have no link in common.
    database.sql(
        "INSERT INTO pending_click_batches (link_ids, counts)
         SELECT array_agg(link_id), array_agg(CAST(1 AS bigint))
         FROM generate_series(1000000, 1119999) AS link_id GROUP BY link_id / 400",
    );
    eventually(4 * TIMEOUT, "all is added up", async || {
        database.sql("SELECT COUNT(*) FROM pending_click_batches") == "0"
    })
    .await;
    assert_eq!(database.sql("SELECT SUM(count) FROM click_counts"), "120000");
    let parts = database.sql("SELECT COUNT(*) FROM click_counts GROUP BY CAST(xmin AS text)");
    let parts: Vec<u32> = parts.lines().map(|part| part.parse().unwrap()).collect();
    assert!(parts.iter().all(|part| *part <= 40_000), "{parts:?}");
    // On a busy machine, a statement may take too long, and further parts become smaller.
    let log = server.terminate().log;
    assert!(parts == [40_000; 3] || log.contains("cannot be rolled up"), "{parts:?} in:\n{log}");
}
