//! Pauses of links by their owners, and what the operator does to the same links.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use crate::cli_import::{csv, database, exported, import};
use crate::harness::{
    Api, Database, Response, Server, Store, assert_within_a_second, only_on, run,
};
use crate::link_commands::{lines, start_two_servers};

const URL: &str = "https://evil.example/";

async fn patch(api: &Api, code: &str, body: &Value) -> Response {
    api.ask(Method::PATCH, &format!("/api/manage/v1/links/{code}")).json(body).send().await
}

async fn managed(api: &Api, code: &str) -> Response {
    api.get(&format!("/api/manage/v1/links/{code}")).await.expect(200)
}

/// Waits until all servers return this status for a link.
async fn assert_status(servers: &[Server], code: &str, status: u16) {
    for server in servers {
        assert_within_a_second(code, async || {
            server.anyone().head(&format!("/{code}")).await.status == status
        })
        .await;
    }
}

fn terse(database: &Database, arguments: &[&str]) -> Value {
    database.terse(&[arguments, &["--json"]].concat()).json()
}

#[tokio::test]
async fn paused_link_returns_410_with_a_page_of_its_own_until_the_pause_ends() {
    let (database, servers) = start_two_servers();
    let api = servers[0].api();
    let body = json!({"url": URL, "custom_code": "held", "campaign": "c"});
    api.create_from(&body).await;
    api.qr(&json!({"short_code": "held"})).await.expect(201);
    let fallback = ["link", "edit", "held", "--fallback", "https://example.com/ended"];
    database.terse(&fallback).done();
    assert_status(&servers, "held", 302).await;
    let first = managed(&api, "held").await;
    let pausing = patch(&api, "held", &json!({"is_paused": true})).await.expect(200);
    assert_ne!(pausing.header("etag"), first.header("etag"), "the entity tag covers the pause");
    assert_status(&servers, "held", 410).await;
    for server in &servers {
        let page = server.anyone().get("/held").await.expect(410);
        assert!(page.text().contains("This link is paused"), "{page:#?}");
        assert_eq!(page.header("location"), None, "the fallback is for expired links only");
        server.anyone().get("/held/qr.svg").await.expect(410);
        let api = server.with_key(database.default_key());
        let stats = api.stats("held").await.data();
        assert_eq!((&stats["is_active"], &stats["clicks"]), (&json!(0), &json!(0)));
        let link = managed(&api, "held").await.json();
        assert_eq!(
            json!([link["state"], link["state_reason"], link["is_active"], link["is_paused"]]),
            json!(["paused", null, false, true])
        );
        for (query, count) in [
            ("/api/v1/links?active=0", 1),
            ("/api/v1/links?active=0&campaign=c", 1),
            ("/api/v1/links?active=1", 0),
            ("/api/v1/links?active=1&campaign=c", 0),
            ("/api/v1/qrcodes?active=0", 1),
            ("/api/v1/qrcodes?active=1", 0),
            ("/api/manage/v1/links?state=paused", 1),
            ("/api/manage/v1/links?state=active", 0),
        ] {
            assert_eq!(api.get(query).await.expect(200).codes().len(), count, "{query}");
        }
    }
    let shown = terse(&database, &["link", "show", "held"]);
    assert_eq!(json!([shown["state"], shown["is_paused"]]), json!(["paused", true]));
    let found = database.terse(&["link", "find", "held", "--state", "paused", "--json"]).done();
    assert_eq!(lines(&found.stdout)[0]["state"], "paused");
    let ended = patch(&api, "held", &json!({"is_paused": false})).await.expect(200);
    assert_eq!(ended.header("etag"), first.header("etag"));
    assert_status(&servers, "held", 302).await;
    database.terse(&["check"]).done();
}

#[tokio::test]
async fn is_paused_is_a_flag() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    for value in [json!(null), json!(1), json!(2), json!("true")] {
        patch(&api, &code, &json!({ "is_paused": value })).await.invalid(&["/is_paused"]);
    }
    patch(&api, &code, &json!({"state": "paused"})).await.invalid(&["/state"]);
}

/// Every way to stop a link, in the order of precedence: its state, and the commands that stop the
/// link and let it go.
const STOPS: [(&str, [&[&str]; 2]); 4] = [
    ("owner-suspended", [&["owner", "suspend", "default"], &["owner", "resume", "default"]]),
    ("blocked", [&["block", "add", "evil.example"], &["block", "remove", "evil.example"]]),
    ("disabled", [&["link", "disable", "code"], &["link", "enable", "code"]]),
    ("paused", [&["link", "pause", "code"], &["link", "unpause", "code"]]),
];

/// Any combination of stops shows the first one, and the end of one leaves the others.
#[tokio::test]
async fn owner_and_operator_do_not_undo_each_other() {
    let (database, servers) = start_two_servers();
    servers[0].api().create_from(&json!({"url": URL, "custom_code": "code"})).await;
    let mut are_stopped = [false; STOPS.len()];
    // A Gray code: each step changes one stop, and together they reach all combinations.
    for step in 1_usize..=1 << STOPS.len() {
        let changed = (step.trailing_zeros() as usize).min(STOPS.len() - 1);
        let (_, [stop, release]) = STOPS[changed];
        terse(&database, if are_stopped[changed] { release } else { stop });
        are_stopped[changed] = !are_stopped[changed];
        let first = are_stopped.iter().position(|is_stopped| *is_stopped);
        let state = first.map_or("active", |first| STOPS[first].0);
        let shown = terse(&database, &["link", "show", "code"]);
        assert_eq!(shown["state"], state, "{are_stopped:?}");
        assert_eq!(shown["is_paused"], are_stopped[3], "{are_stopped:?}");
        assert_status(&servers, "code", if first.is_some() { 410 } else { 302 }).await;
        if are_stopped[0] {
            continue;
        }
        let api = servers[1].with_key(database.default_key());
        assert_within_a_second(state, async || {
            managed(&api, "code").await.json()["state"] == state
        })
        .await;
        let is_paused = are_stopped[3];
        let patched = patch(&api, "code", &json!({ "is_paused": is_paused })).await;
        if are_stopped[1] || are_stopped[2] {
            patched.problem(409, "link-disabled");
            let other = json!({ "is_paused": !is_paused });
            patch(&api, "code", &other).await.problem(409, "link-disabled");
        } else {
            patched.expect(200);
        }
    }
    assert_eq!(are_stopped, [false; STOPS.len()]);
}

#[tokio::test]
async fn pauses_are_events_that_can_be_undone() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let code = api.create(URL).await;
    let is_paused = async || managed(&api, &code).await.json()["is_paused"].clone();
    let options = ["--reason", "owner-request", "--case", "T-1", "--note", "asked by mail"];
    let paused = terse(database, &[&["link", "pause", &code], &options[..]].concat());
    assert_eq!(
        json!([paused["changed"], paused["short_code"], paused["is_paused"]]),
        json!([1, code, true])
    );
    let again = terse(database, &["link", "pause", &code]);
    assert_eq!(json!([again["event_id"], again["changed"]]), json!([null, 0]));
    let disabled = terse(database, &["link", "disable", &code]);
    let undone = terse(database, &["undo", &paused["event_id"].to_string(), "--yes"]);
    assert_eq!(json!([undone["changed"], undone["skipped"]]), json!([1, []]));
    let shown = terse(database, &["link", "show", &code]);
    assert_eq!(json!([shown["is_paused"], shown["state"]]), json!([false, "disabled"]));
    terse(database, &["undo", &disabled["event_id"].to_string(), "--yes"]);

    patch(&api, &code, &json!({"is_paused": true})).await.expect(200);
    let unpaused = terse(database, &["link", "unpause", &code]);
    assert_eq!(unpaused["is_paused"], false);
    let undone = terse(database, &["undo", &unpaused["event_id"].to_string(), "--yes"]);
    assert_eq!(undone["changed"], 1);
    assert_eq!(is_paused().await, true);
    let history = lines(&database.terse(&["history", "--link", &code, "--json"]).done().stdout);
    let actions: Vec<&str> =
        history.iter().map(|event| event["action"].as_str().unwrap()).collect();
    let expected =
        ["undo", "link unpause", "link edit", "undo", "undo", "link disable", "link pause"];
    assert_eq!(actions, expected);
    let pause = history.last().unwrap();
    assert_eq!(
        json!([pause["audit"]["reason"], pause["audit"]["case_id"]]),
        json!(["owner-request", "T-1"])
    );
    let edit = history[2]["id"].to_string();
    terse(database, &["undo", &edit, "--yes"]);
    assert_eq!(is_paused().await, false);
    let events = api.get(&format!("/api/manage/v1/links/{code}/events")).await.expect(200);
    let newest = &events.data()[1];
    assert_eq!(newest["action"], "undo");
}

#[tokio::test]
async fn selectors_choose_links_to_pause() {
    let server = Server::start();
    let (api, database) = (server.api(), server.database());
    let mut codes = Vec::new();
    for number in 0..600 {
        let body = json!({"url": format!("https://a.example/{number}"), "campaign": "c"});
        codes.push(api.create_from(&body).await);
    }
    terse(database, &["link", "pause", &codes[0]]);
    let pause = ["link", "pause", "--campaign", "c", "--host", "a.example", "--json"];
    database.terse(&pause).misused();
    let dry = database.terse(&[&pause[..], &["--dry-run"]].concat()).json();
    assert_eq!(json!([dry["changed"], dry["event_id"]]), json!([599, null]));
    let paused = database.terse(&[&pause[..], &["--yes"]].concat()).json();
    assert_eq!(paused["changed"], 599);
    assert_eq!(paused.get("is_paused"), None);
    let found = database.terse(&["link", "find", "--campaign", "c", "--state", "paused", "--json"]);
    assert_eq!(found.done().stdout.lines().count(), 600);
    let event = paused["event_id"].to_string();
    assert_eq!(terse(database, &["undo", &event, "--yes"])["changed"], 599);
    let missing = database.terse(&["link", "unpause", &codes[0], "nothere", "--yes"]).failed();
    assert!(missing.contains("'nothere'"), "{missing}");
    let unpaused = terse(database, &["link", "unpause", "--owner", "default", "--yes"]);
    assert_eq!(unpaused["changed"], 1);
    terse(database, &["link", "delete", &codes[1], "--yes"]);
    database.terse(&["link", "pause", &codes[1]]).failed();
    database.terse(&["link", "pause"]).misused();
    database.terse(&["check"]).done();
}

const ROWS: &str = "short_code,destination_url,title,campaign,clicks,is_active,has_qr,created_at,\
expires_at,is_paused,forward_query,fallback_url,external_id
open,https://example.com/,,,0,1,0,2026-01-02T03:04:05.678Z,,0,0,,
held,https://example.com/,,,7,1,1,2026-01-02T03:04:05.678Z,,1,0,,
both,https://example.com/,,,0,0,0,2026-01-02T03:04:05.678Z,,1,1,,
";

#[test]
fn pauses_are_imported_exported_and_copied() {
    let source = database();
    import(&source, ROWS).done();
    assert_eq!(csv(&source), ROWS);
    let flags: Vec<Value> = exported(&source)
        .iter()
        .map(|link| json!([link["is_active"], link["is_paused"]]))
        .collect();
    assert_eq!(flags, [json!([1, 0]), json!([1, 1]), json!([0, 1])]);
    let lines: Vec<String> = exported(&source).iter().map(Value::to_string).collect();
    let other = database();
    import(&other, lines.join("\n")).done();
    assert_eq!(csv(&other), ROWS);
    // Files of versions without the column have no paused links.
    let older = database();
    let row = "destination_url,is_active,expires_at,forward_query,fallback_url\nhttps://a.example/,1,,1,\n";
    import(&older, row).done();
    assert_eq!(exported(&older)[0]["is_paused"], 0);
    let invalid = import(&older, "destination_url,is_paused\nhttps://a.example/,maybe\n");
    assert!(invalid.stderr.contains("is_paused must be 0 or 1"), "{invalid:?}");
    for copy in [Arc::new(Database::of(Store::Sqlite)), Arc::new(Database::new())] {
        let copied = ["copy", "--from", &source.url(), "--to", &copy.url()];
        run(&copied).done();
        assert_eq!(csv(&copy), ROWS);
        copy.terse(&["check"]).done();
    }
}

/// On SQLite, a pause that the file loses is damage, and not a link that redirects.
#[tokio::test]
async fn checksum_covers_a_pause() {
    only_on!(Sqlite: "PostgreSQL has checksums of pages");
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::on(&database);
    server.api().create_from(&json!({"url": URL, "custom_code": "held"})).await;
    let checksum = "SELECT checksum FROM links";
    let before = database.number(checksum).await;
    terse(&database, &["link", "pause", "held"]);
    assert_ne!(database.number(checksum).await, before);
    terse(&database, &["link", "unpause", "held"]);
    assert_eq!(database.number(checksum).await, before, "checksums without a pause stay");
    terse(&database, &["link", "pause", "held"]);
    let paused = database.number(checksum).await;
    server.terminate();
    // A trigger clears the checksum of a row that somebody changes by hand.
    database.execute("UPDATE links SET is_paused = 0").await;
    database.execute(&format!("UPDATE links SET checksum = {paused}")).await;
    let server = Server::on(&database);
    server.anyone().get("/held").await.expect(503);
}
