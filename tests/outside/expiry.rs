//! Links that expire.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests choose times by the same machine's clock"
)]

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Database, Response, Server, TIMEOUT, eventually, only_on};
use crate::owner_commands::start_instances;

const URL: &str = "https://example.com/";
/// Time until a link expires; long enough for the checks before that on a busy machine.
const SOON: Duration = Duration::from_secs(4);

fn after(duration: Duration) -> String {
    humantime::format_rfc3339_millis(SystemTime::now() + duration).to_string()
}

async fn shorten_idempotently(api: &Api, key: &str, body: &Value) -> Response {
    let ask = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", key);
    ask.json(body).send().await
}

#[tokio::test]
async fn malformed_expiry_is_invalid_and_a_past_one_conflicts() {
    let server = Server::start();
    let api = server.api();
    for expiry in [
        json!("tomorrow"),
        json!(""),
        json!("2030-01-01"),
        json!("2030-01-01T00:00:00"),
        json!("2030-13-01T00:00:00Z"),
        json!("2030-02-30T00:00:00Z"),
        json!("12345-01-01T00:00:00Z"),
        json!("1893456000"),
        json!(1_893_456_000),
        json!(true),
        json!([]),
        json!({}),
    ] {
        let body = json!({"url": URL, "expires_at": expiry});
        api.shorten(&body).await.invalid(&["/expires_at"]);
        let body = json!({"url": "nonsense", "expires_at": expiry});
        api.shorten(&body).await.invalid(&["/url", "/expires_at"]);
    }
    for expiry in ["1970-01-01T00:00:00Z", "2020-01-01T00:00:00+02:00", &after(Duration::ZERO)] {
        let body = json!({"url": URL, "expires_at": expiry});
        api.shorten(&body).await.problem(409, "expiry-passed");
        // Faults that do not depend on the clock are reported first.
        let body = json!({"url": "ftp://example.com/", "expires_at": expiry});
        api.shorten(&body).await.invalid(&["/url"]);
    }
    assert!(api.listed().await.is_empty());
    for expiry in ["2999-12-31T23:59:59Z", "2999-12-31t23:59:59.123456789+14:00"] {
        let created = api.shorten(&json!({"url": URL, "expires_at": expiry})).await.expect(201);
        let body = created.json();
        let mut fields: Vec<&String> = body.as_object().unwrap().keys().collect();
        fields.sort();
        assert_eq!(fields, ["destination_url", "short_code", "short_url"]);
        server.anyone().get(&format!("/{}", created.code())).await.expect(302);
    }
    let code = api.create_from(&json!({"url": URL, "expires_at": null})).await;
    let link = server.terse(&["link", "show", &code, "--json"]).json();
    assert_eq!(link["expires_at"], Value::Null);
}

#[tokio::test]
async fn link_redirects_until_it_expires_and_never_after() {
    let servers = start_instances();
    let apis: Vec<Api> = servers.iter().map(|server| server.with_key(servers[0].key())).collect();
    let lasting = apis[0].create_from(&json!({"url": URL, "campaign": "c"})).await;
    let body = json!({"url": URL, "campaign": "c", "expires_at": after(SOON)});
    let code = apis[0].create_from(&body).await;
    apis[0].qr(&json!({"short_code": code})).await.expect(201);
    let (path, image) = (format!("/{code}"), format!("/{code}/qr.svg"));
    let codes = async |api: &Api, query: &str| {
        api.get(&format!("/api/v1/links?{query}")).await.expect(200).codes()
    };
    let mut clicks = 0;
    for (server, api) in servers.iter().zip(&apis) {
        // If the link has expired already, the machine is too busy for this test.
        server.anyone().get(&path).await.expect(302);
        clicks += 1;
        server.anyone().get(&image).await.expect(200);
        assert_eq!(api.stats(&code).await.data()["is_active"], 1);
        assert_eq!(codes(api, "active=1").await, [code.clone(), lasting.clone()]);
        assert_eq!(codes(api, "active=0&campaign=c").await, Vec::<String>::new());
    }
    eventually(TIMEOUT, "it expires", async || {
        let response = servers[0].anyone().get(&path).await;
        clicks += u64::from(response.status == 302);
        response.status == 410
    })
    .await;
    for (server, api) in servers.iter().zip(&apis) {
        eventually(TIMEOUT, "by every clock", async || {
            server.anyone().head(&path).await.status == 410
        })
        .await;
        server.anyone().get(&path).await.expect(410);
        server.anyone().get(&image).await.expect(410);
        let stats = api.stats(&code).await.data();
        assert_eq!((&stats["is_active"], &stats["clicks"]), (&json!(0), &json!(clicks)));
        assert_eq!(stats.get("expires_at"), None, "responses keep their fields");
        assert_eq!(codes(api, "active=0").await, [code.as_str()]);
        assert_eq!(codes(api, "active=0&campaign=c").await, [code.as_str()]);
        assert_eq!(codes(api, "active=1").await, [lasting.as_str()]);
        assert_eq!(codes(api, "active=1&campaign=c").await, [lasting.as_str()]);
        assert_eq!(codes(api, "campaign=c").await, [code.clone(), lasting.clone()]);
        server.anyone().get(&format!("/{lasting}")).await.expect(302);
    }
    // The link still exists, and the export does not show it as disabled.
    let exported = servers[0].terse(&["export", "--json"]).done().stdout;
    let link = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let link = link.into_iter().find(|link| link["short_code"] == code).unwrap();
    assert_eq!(link["is_active"], 1);
    assert!(link["expires_at"].is_string(), "{link}");
}

#[tokio::test]
async fn expiry_is_part_of_an_idempotent_request() {
    let server = Server::start();
    let api = server.api();
    let body = json!({"url": URL, "expires_at": after(SOON)});
    let created = shorten_idempotently(&api, "one", &body).await.expect(201);
    for other in [json!({"url": URL}), json!({"url": URL, "expires_at": "2999-01-01T00:00:00Z"})] {
        shorten_idempotently(&api, "one", &other).await.problem(409, "idempotency-key-reused");
    }
    let path = format!("/{}", created.code());
    eventually(TIMEOUT, "it expires", async || server.anyone().get(&path).await.status == 410)
        .await;
    // A replay succeeds, whatever has happened to the link since.
    let again = shorten_idempotently(&api, "one", &body).await.expect(201);
    assert_eq!(again.text(), created.text());
    shorten_idempotently(&api, "two", &body).await.problem(409, "expiry-passed");
    assert_eq!(api.listed().await.len(), 1);
}

#[tokio::test]
async fn links_expire_by_the_clock_of_the_database() {
    only_on!(Postgres: "who writes to one file has one clock");
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [
        Server::on(&database),
        Server::with_clock_offset(&database, "-2d"),
        Server::with_clock_offset(&database, "+2d"),
    ];
    let hour = Duration::from_secs(60 * 60);
    let past = humantime::format_rfc3339_millis(SystemTime::now() - hour).to_string();
    let file = database.directory().join("in.csv");
    let rows = format!("short_code,destination_url,expires_at\nover,{URL},{past}\n");
    std::fs::write(&file, rows).unwrap();
    database.terse(&["import", "in.csv", "--owner", "default"]).done();
    for server in &servers {
        let api = server.with_key(database.default_key());
        let code = api.create_from(&json!({"url": URL, "expires_at": after(hour)})).await;
        let body = json!({"url": URL, "expires_at": past});
        api.shorten(&body).await.problem(409, "expiry-passed");
        for other in &servers {
            other.anyone().get(&format!("/{code}")).await.expect(302);
            let api = other.with_key(database.default_key());
            assert_eq!(api.stats(&code).await.data()["is_active"], 1);
            assert_eq!(api.get("/api/v1/links?active=0").await.codes(), ["over"]);
            other.anyone().get("/over").await.expect(410);
        }
    }
    for server in servers {
        server.terminate();
    }
}
