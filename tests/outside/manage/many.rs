//! Many links at once: the conditions that choose them, changes of all of them, batches that update, and
//! campaigns.

use std::sync::Arc;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::new_links::{LINKS, create};
use super::{get, link};
use crate::harness::{
    Api, Database, RETRY_AFTER, Response, Server, TIMEOUT, assert_within_a_second, eventually,
    until_available,
};

const URL: &str = "https://example.com/";
const CHANGES: &str = "/api/manage/v1/link-changes";
const BATCHES: &str = "/api/manage/v1/link-batches";
const OF_OPERATOR: &str = "/api/operator/v1/link-changes";

async fn post(api: &Api, path: &str, body: Value) -> Response {
    api.ask(Method::POST, path).json(&body).send().await
}

/// Returns the short codes of a list, sorted.
fn codes(list: &Value) -> Vec<String> {
    let codes = list.as_array().unwrap().iter().map(|link| link["short_code"].as_str().unwrap());
    let mut codes: Vec<String> = codes.map(str::to_owned).collect();
    codes.sort();
    codes
}

/// Every condition chooses the same links in the lists and in bulk changes of both interfaces and of the
/// command line.
#[tokio::test]
async fn conditions_mean_the_same_everywhere() {
    let server = Server::with_operator();
    let api = server.api();
    let key =
        server.terse(&["key", "add", "default", "--label", "leaked", "--scope", "full"]).key();
    let leaked = server.database().key_id("default", "leaked");
    let owner = server.database().number("SELECT id FROM owners WHERE name = 'default'").await;
    let with = |code: &str, more: Value| {
        let mut body = json!({ "destination_url": format!("{URL}{code}"), "custom_code": code });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    create(&api, &with("old", json!({ "title": "SPRING sale" }))).await.expect(201);
    create(&api, &with("ext", json!({ "external_id": "Sku/7", "campaign": "autumn" })))
        .await
        .expect(201);
    let second =
        create(&api, &with("second", json!({ "is_paused": true }))).await.expect(201).json();
    let since = second["created_at"].as_str().unwrap().to_owned();
    create(&server.with_key(&key), &with("byleak", json!({}))).await.expect(201);
    let other = json!({ "destination_url": "https://sub.example.org/a_b", "custom_code": "host" });
    create(&api, &other).await.expect(201);
    let update = json!({ "title": "changed" });
    api.ask(Method::PATCH, &format!("{LINKS}/old")).json(&update).send().await.expect(200);
    server.terse(&["link", "edit", "old", "--title", "SPRING sale"]).done();
    let admin = server.operator("admin");
    for (name, value, expected) in [
        ("code", json!(["old", "ext"]), &["ext", "old"][..]),
        ("external_id", json!("Sku/7"), &["ext"]),
        ("external_id", json!("sku/7"), &[]),
        ("campaign", json!("autumn"), &["ext"]),
        ("state", json!("paused"), &["second"]),
        ("state", json!("active"), &["byleak", "ext", "host", "old"]),
        ("host", json!("example.org"), &["host"]),
        ("destination_url", json!("https://example.com/old"), &["old"]),
        ("q", json!("sPrInG"), &["old"]),
        ("q", json!("sku"), &["ext"]),
        ("q", json!("a_b"), &["host"]),
        ("q", json!("%"), &[]),
        ("q", json!("ECON"), &["second"]),
        ("created_after", json!(since), &["byleak", "host", "second"]),
        ("created_before", json!(since), &["ext", "old"]),
        ("updated_after", json!(since), &["byleak", "host", "old", "second"]),
        ("created_by_key_id", json!(leaked.parse::<i64>().unwrap()), &["byleak"]),
    ] {
        let texts = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let query: Vec<_> = texts.iter().map(|value| (name, text(value))).collect();
        let query = reqwest::Url::parse_with_params("http://a/", &query).unwrap();
        let query = query.query().unwrap();
        let own = get(&api, &format!("/links?{query}")).await.expect(200).data();
        assert_eq!(codes(&own), expected, "{query}");
        let of_all = admin.get(&format!("/api/operator/v1/links?{query}")).await.expect(200).data();
        assert_eq!(codes(&of_all), expected, "{query}");
        for selectors in [json!({ name: value }), json!({ name: value, "owner_id": owner })] {
            let by_operator = selectors.get("owner_id").is_some();
            let body = json!({ "action": "delete", "selectors": selectors, "dry_run": true });
            let changed = match by_operator {
                true => post(&admin, OF_OPERATOR, body).await,
                false => post(&api, CHANGES, body).await,
            };
            let changed = changed.expect(200).json();
            assert_eq!(changed["changed"], expected.len(), "{selectors}: {changed}");
            assert_eq!((&changed["dry_run"], &changed["event_id"]), (&json!(true), &Value::Null));
        }
        let option = match name {
            "code" => vec!["ext".to_owned(), "old".to_owned()],
            "destination_url" => vec!["--destination".to_owned(), text(&value)],
            "q" => vec!["--text".to_owned(), text(&value)],
            "created_by_key_id" => vec!["--created-by-key".to_owned(), text(&value)],
            name => vec![format!("--{}", name.replace('_', "-")), text(&value)],
        };
        let option: Vec<&str> = option.iter().map(String::as_str).collect();
        let found = server.terse(&[&["link", "find", "--json"], &*option].concat()).done().stdout;
        let found: Vec<Value> = crate::link_commands::lines(&found);
        assert_eq!(codes(&found.into()), expected, "{option:?}");
    }
    for query in ["q=", "created_by_key_id=0", "updated_after=x", "title=a", "external_id=.."] {
        get(&api, &format!("/links?{query}")).await.problem(400, "malformed-request");
    }
    assert_eq!(get(&api, "/links?code=%20").await.expect(200).data(), json!([]));
}

#[tokio::test]
async fn owners_change_many_of_their_own_links() {
    let server = Server::with_operator();
    let api = server.api();
    server.database().owner("other", "pro");
    let other = server.with_key(&server.terse(&["key", "add", "other", "--scope", "full"]).key());
    let theirs = create(&other, &json!({ "destination_url": URL })).await.expect(201).code();
    let links: Vec<Value> = (0..600)
        .map(|n| json!({ "destination_url": format!("{URL}{n}"), "campaign": "old" }))
        .collect();
    let made = post(&api, BATCHES, json!({ "links": links })).await.expect(200).data();
    let code = |n: usize| made[n]["link"]["short_code"].as_str().unwrap().to_owned();
    server.terse(&["link", "disable", &code(3)]).done();
    server.terse(&["block", "add", "https://example.com/4", "--reason", "phishing"]).done();
    assert_within_a_second("the destination is blocked", async || {
        link(&api, &code(4)).await["state"] == "blocked"
    })
    .await;

    let select = json!({ "campaign": "old", "q": URL });
    let update = json!({ "campaign": "new", "title": "All", "expires_at": "2999-01-01T00:00:00Z" });
    let body = json!({ "action": "update", "selectors": select, "update": update });
    let mut dry = body.clone();
    dry["dry_run"] = true.into();
    let planned = post(&api, CHANGES, dry).await.expect(200).json();
    let done = post(&api, CHANGES, body.clone()).await.expect(200).json();
    // The block of one destination also holds those whose number begins with its digit.
    let held = server.database().number("SELECT COUNT(*) FROM links WHERE campaign = 'old'").await;
    assert!(held >= 2);
    for result in [&planned, &done] {
        assert_eq!([&result["changed"], &result["skipped"]], [&json!(600 - held), &json!(held)]);
    }
    let changed = link(&api, &code(0)).await;
    assert_eq!(
        [&changed["campaign"], &changed["title"], &changed["expires_at"]],
        [&json!("new"), &json!("All"), &json!("2999-01-01T00:00:00.000Z")]
    );
    assert_eq!(link(&api, &code(3)).await["campaign"], "old");
    let event = server
        .operator("auditor")
        .get(&format!("/api/operator/v1/events/{}", done["event_id"]))
        .await;
    assert_eq!(event.expect(200).json()["changed"], 600 - held);
    let again = post(&api, CHANGES, body).await.expect(200).json();
    assert_eq!((&again["changed"], &again["event_id"]), (&json!(0), &Value::Null));
    let undone = server.terse(&["undo", &done["event_id"].to_string(), "--yes", "--json"]).json();
    assert_eq!(undone["changed"], 600 - held);
    assert_eq!(link(&api, &code(0)).await["title"], Value::Null);

    let codes = json!([code(0), theirs, "unknown", code(1)]);
    let paused = json!({ "action": "pause", "selectors": { "code": codes } });
    let paused = post(&api, CHANGES, paused).await.expect(200).json();
    assert_eq!((&paused["changed"], &paused["unknown_count"]), (&json!(2), &json!(2)));
    assert_eq!(paused["unknown_codes"], json!([theirs, "unknown"]));
    assert_eq!(link(&other, &theirs).await["state"], "active");
    let unpause = json!({ "action": "unpause", "selectors": { "state": "paused" } });
    assert_eq!(post(&api, CHANGES, unpause).await.expect(200).json()["changed"], 2);

    let edit = server.terse(&["key", "add", "default", "--scope", "edit"]).key();
    let delete = json!({ "action": "delete", "selectors": { "code": [code(0), code(3)] } });
    post(&server.with_key(&edit), CHANGES, delete.clone()).await.problem(403, "key-scope");
    let deleted = post(&api, CHANGES, delete).await.expect(200).json();
    assert_eq!([&deleted["changed"], &deleted["skipped"]], [&json!(1), &json!(1)]);
    for (body, pointer) in [
        (json!({ "action": "pause", "selectors": {} }), "/selectors"),
        (json!({ "action": "disable", "selectors": { "q": "a" } }), "/action"),
        (json!({ "action": "pause", "selectors": { "owner_id": 1 } }), "/selectors/owner_id"),
        (json!({ "action": "update", "selectors": { "q": "a" } }), "/update"),
        (json!({ "action": "update", "selectors": { "q": "a" }, "update": {} }), "/update"),
        (
            json!({ "action": "pause", "selectors": { "q": "a" }, "update": { "title": "a" } }),
            "/update",
        ),
        (
            json!({ "action": "update", "selectors": { "q": "a" }, "update": { "external_id": "a" } }),
            "/update/external_id",
        ),
    ] {
        post(&server.with_key(&edit), CHANGES, body).await.invalid(&[pointer]);
    }
    let late = json!({ "expires_at": "2020-01-01T00:00:00Z" });
    let late = json!({ "action": "update", "selectors": { "q": "a" }, "update": late });
    post(&api, CHANGES, late).await.problem(409, "expiry-passed");
    server.terse(&["check"]).done();
}

#[tokio::test]
async fn change_of_an_owner_outlives_its_request_and_is_alone() {
    let database = Database::new();
    let database = Arc::new(database.with_default_owner());
    let server = Server::with(&database, &["--change-wait", "0"]);
    let api = server.api();
    let links: Vec<Value> = (0..600).map(|_| json!({ "destination_url": URL })).collect();
    post(&api, BATCHES, json!({ "links": links })).await.expect(200);
    let keyed = api.with("Idempotency-Key", "once");
    let pause = json!({ "action": "pause", "selectors": { "destination_url": URL } });
    let mut event = Value::Null;
    eventually(TIMEOUT, "the end of the change", async || {
        let response = post(&keyed, CHANGES, pause.clone()).await;
        let is_done = response.status == 200;
        if !is_done {
            let response = response.expect(202);
            let location = response.header("location").unwrap().to_owned();
            event = response.json()["event_id"].clone();
            assert_eq!(location, format!("/api/manage/v1/events/{event}"));
        }
        is_done
    })
    .await;
    let done = post(&keyed, CHANGES, pause).await.expect(200);
    assert_eq!(done.header("idempotent-replayed"), Some("true"));
    assert_eq!([&done.json()["changed"], &done.json()["status"]], [&json!(600), &json!("done")]);
    let events = "SELECT COUNT(*) FROM events WHERE action = 'link pause'";
    assert_eq!(server.database().number(events).await, 1);
    let unpause = json!({ "action": "unpause", "selectors": { "state": "paused" } });
    post(&keyed, CHANGES, unpause.clone()).await.problem(409, "idempotency-key-reused");

    // As if the change had not ended.
    server.database().execute("UPDATE events SET status = 'running'").await;
    post(&api, CHANGES, unpause.clone()).await.problem(409, "change-running");
    let mut dry = unpause.clone();
    dry["dry_run"] = true.into();
    assert_eq!(post(&api, CHANGES, dry).await.expect(200).json()["changed"], 600);
    server.database().owner("other", "pro");
    let other = server.with_key(&server.terse(&["key", "add", "other", "--scope", "full"]).key());
    post(&other, CHANGES, unpause.clone()).await.expect(200);
    // The server or command has given no sign of life for a minute.
    server.database().execute("UPDATE events SET finished_at = finished_at - 61000").await;
    eventually(TIMEOUT, "the other change", async || {
        post(&api, CHANGES, unpause.clone()).await.json()["changed"] == 0
    })
    .await;
    assert_eq!(get(&api, "/links?state=paused").await.expect(200).data(), json!([]));
}

#[tokio::test]
async fn owners_stop_only_their_own_changes() {
    let database = Database::new();
    let database = Arc::new(database.with_default_owner());
    let server = Server::with(&database, &["--change-wait", "0"]);
    let api = server.api();
    let links: Vec<Value> = (0..1_000).map(|_| json!({ "destination_url": URL })).collect();
    for _ in 0..3 {
        post(&api, BATCHES, json!({ "links": links })).await.expect(200);
    }
    let keyed = api.with("Idempotency-Key", "once");
    let pause = json!({ "action": "pause", "selectors": { "destination_url": URL } });
    let accepted = post(&keyed, CHANGES, pause.clone()).await.expect(202);
    let event = accepted.json()["event_id"].clone();
    let stop = format!("/api/manage/v1/events/{event}/stop");
    let read = server.with_key(&server.terse(&["key", "add", "default", "--scope", "read"]).key());
    post(&read, &stop, json!({})).await.problem(403, "key-scope");
    let other = server.with_key(&database.owner("other", "pro"));
    post(&other, &stop, json!({})).await.problem(404, "event-not-found");
    let why = json!({ "audit": { "note": "too many" } });
    let stopped = post(&api, &stop, why).await.expect(200);
    let by = stopped.header("event-id").unwrap();
    assert_eq!([&stopped.json()["id"], &stopped.json()["status"]], [&event, &json!("stopped")]);
    let by = get(&api, &format!("/events/{by}")).await.expect(200).json();
    assert_eq!((&by["action"], &by["audit"]["note"]), (&json!("stop"), &json!("too many")));
    let again = post(&api, &stop, json!({})).await.expect(200);
    assert_eq!((again.header("event-id"), again.json()), (None, stopped.json()));
    eventually(TIMEOUT, "the rest", async || {
        let response = post(&keyed, CHANGES, pause.clone()).await;
        response.status == 200 && response.json()["changed"] == 3_000
    })
    .await;

    server.terse(&["link", "disable", "--owner", "default", "--reason", "spam", "--yes"]).done();
    let events = get(&api, "/events?action=link%20disable").await.expect(200).data();
    let stop = format!("/api/manage/v1/events/{}/stop", events[0]["id"]);
    database.execute("UPDATE events SET status = 'running' WHERE action = 'link disable'").await;
    post(&api, &stop, json!({})).await.problem(404, "event-not-found");
}

/// A batch whose links exist, with their titles.
fn update_batch(title: &str, numbers: std::ops::Range<usize>) -> Value {
    let link = |n| json!({ "destination_url": format!("{URL}{n}"), "external_id": format!("p{n}"), "title": title });
    let links: Vec<Value> = numbers.map(link).collect();
    json!({ "links": links, "if_exists": "update" })
}

/// Whatever happens to the links meanwhile, a repetition changes and creates nothing, and returns the same
/// codes and event.
#[tokio::test]
async fn repeated_batch_changes_no_link_again() {
    let server = Server::with_operator();
    let api = server.api();
    post(&api, BATCHES, update_batch("one", 0..600)).await.expect(200);
    let keyed = |key: &'static str, body: Value| {
        let ask = api.ask(Method::POST, BATCHES).header("Idempotency-Key", key);
        async move { ask.json(&body).send().await }
    };
    let results = |response: &Response| -> Vec<(u64, String)> {
        let items = response.data();
        let items = items.as_array().unwrap().iter();
        let code = |item: &Value| item["link"]["short_code"].as_str().unwrap_or("-").to_owned();
        items.map(|item| (item["status"].as_u64().unwrap(), code(item))).collect()
    };
    let number = async |sql: &str| server.database().number(sql).await;
    let events = "SELECT COUNT(*) FROM events WHERE action = 'link edit'";

    let first = keyed("changes", update_batch("two", 0..601)).await.expect(200);
    let event = first.json()["event_id"].clone();
    assert!(event.is_i64(), "{}", first.data()[0]);
    assert_eq!((results(&first)[0].0, results(&first)[600].0), (200, 201));
    let nothing = keyed("nothing", update_batch("two", 0..4)).await.expect(200);
    assert_eq!(nothing.json()["event_id"], Value::Null);
    let edit = json!({ "title": "three" });
    for (code, method) in [(1, "PATCH"), (300, "PATCH"), (2, "DELETE"), (600, "DELETE")] {
        let path = format!("{LINKS}/{}", results(&first)[code].1);
        let method: Method = method.parse().unwrap();
        let status = if method == Method::DELETE { 204 } else { 200 };
        api.ask(method, &path).json(&edit).send().await.expect(status);
    }
    let (links, before) = (number("SELECT COUNT(*) FROM links").await, number(events).await);
    for _ in 0..2 {
        let again = keyed("changes", update_batch("two", 0..601)).await.expect(200);
        assert_eq!((results(&again), &again.json()["event_id"]), (results(&first), &event));
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(again.data()[300]["link"]["title"], "three");
        assert_eq!(again.data()[2]["link"]["title"], "two");
        let again = keyed("nothing", update_batch("two", 0..4)).await.expect(200);
        assert_eq!((results(&again), &again.json()["event_id"]), (results(&nothing), &Value::Null));
    }
    assert_eq!((number("SELECT COUNT(*) FROM links").await, number(events).await), (links, before));
    assert_eq!(get(&api, "/external-links/p1").await.expect(200).json()["title"], "three");
    keyed("changes", update_batch("other", 0..601)).await.problem(409, "idempotency-key-reused");

    // While one of them runs, the others may be told to come again.
    let at_once = async || {
        let mut done = None;
        eventually(TIMEOUT, "the batch is not told to come again", async || {
            let response = keyed("at-once", update_batch("four", 3..200)).await;
            if response.status != 503 {
                let response = response.expect(200);
                let is_told = results(&response).iter().any(|(status, _)| *status == 503);
                done = (!is_told).then_some(response);
            }
            done.is_some()
        })
        .await;
        done.unwrap()
    };
    let all = join_all((0..8).map(|_| at_once())).await;
    let made = all[0].json()["event_id"].clone();
    assert!(made.is_i64(), "{made}");
    for one in &all {
        assert_eq!((results(one), &one.json()["event_id"]), (results(&all[0]), &made));
    }
    assert_eq!(number(events).await, before + 1);

    // An interrupted batch goes on under its event once it is known to be stopped.
    let body = update_batch("five", 3..590);
    let whole = keyed("interrupted", body.clone()).await.expect(200);
    let event = whole.json()["event_id"].clone();
    let interrupt = format!(
        "DELETE FROM idempotency_keys WHERE key LIKE '%nterrupted%changed' AND id IN (
             SELECT id FROM idempotency_keys WHERE event_id = {event} ORDER BY id DESC LIMIT 300);
         UPDATE events SET status = 'running' WHERE id = {event};"
    );
    server.database().execute(&interrupt).await;
    server.database().execute("UPDATE links SET title = 'two' WHERE title = 'five'").await;
    let early = keyed("interrupted", body.clone()).await.expect(200);
    let refused = results(&early).iter().filter(|(status, _)| *status == 503).count();
    assert_eq!((refused, &early.json()["event_id"]), (300, &event));
    server
        .database()
        .execute(&format!("UPDATE events SET finished_at = 0 WHERE id = {event}"))
        .await;
    let rest = keyed("interrupted", body).await.expect(200);
    assert_eq!((results(&rest), &rest.json()["event_id"]), (results(&whole), &event));
    let changed = number("SELECT COUNT(*) FROM links WHERE title = 'five'").await;
    assert_eq!((changed, number(events).await), (300, before + 2));
}

#[tokio::test]
async fn batch_updates_the_links_that_exist() {
    let server = Server::with_operator();
    let api = server.api();
    let body = update_batch;
    let statuses = |response: &Response| {
        let items = response.data();
        let items = items.as_array().unwrap().iter();
        items.map(|item| item["status"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let first = post(&api, BATCHES, body("one", 0..300)).await.expect(200);
    assert_eq!(statuses(&first), [201; 300]);
    assert_eq!(first.json()["event_id"], Value::Null);
    let second = post(&api, BATCHES, body("two", 200..500)).await.expect(200);
    assert_eq!(statuses(&second), [[200; 100].as_slice(), &[201; 200]].concat());
    assert_eq!(second.data()[0]["link"]["title"], "two");
    let event = format!("/api/operator/v1/events/{}", second.json()["event_id"]);
    assert_eq!(server.operator("auditor").get(&event).await.expect(200).json()["changed"], 100);
    let same = post(&api, BATCHES, body("two", 200..500)).await.expect(200);
    assert_eq!((statuses(&same), &same.json()["event_id"]), (vec![200; 300], &Value::Null));

    // On a busy machine, each of them may wait for the others for too long.
    let repeat = async |number: usize| {
        let body = body(&format!("race {number}"), 450..650);
        let mut created = 0;
        for _ in 0..30 {
            let response = until_available(async || post(&api, BATCHES, body.clone()).await).await;
            let statuses = statuses(&response);
            created += statuses.iter().filter(|status| **status == 201).count();
            if !statuses.contains(&503) {
                assert!(statuses.iter().all(|status| [200, 201].contains(status)), "{statuses:?}");
                assert_eq!(statuses.len(), 200);
                return created;
            }
            tokio::time::sleep(RETRY_AFTER).await;
        }
        panic!("a batch is not completed by its repetitions");
    };
    let created: usize = join_all((0..4).map(repeat)).await.into_iter().sum();
    assert_eq!(created, 150);
    assert_eq!(server.database().number("SELECT COUNT(*) FROM links").await, 650);

    let fail = json!({ "links": [{ "destination_url": URL, "external_id": "p1" }] });
    let failed = post(&api, BATCHES, fail).await.expect(200).data();
    assert_eq!(failed[0]["problem"]["code"], "external-id-in-use");
    assert!(failed[0]["problem"]["short_code"].is_string());
    let twice = json!({ "destination_url": URL, "external_id": "twice" });
    for if_exists in ["fail", "update"] {
        let body = json!({ "links": [twice, twice], "if_exists": if_exists });
        let items = post(&api, BATCHES, body).await.expect(200).data();
        assert_eq!(items[1]["status"], 422, "{items}");
        assert_eq!(items[1]["problem"]["errors"][0]["pointer"], "/links/1/external_id");
    }
    post(&api, BATCHES, json!({ "links": [twice], "if_exists": "x" }))
        .await
        .invalid(&["/if_exists"]);
    let code = get(&api, "/external-links/p1").await.expect(200).code();
    server.terse(&["link", "disable", &code]).done();
    let held = post(&api, BATCHES, body("three", 0..3)).await.expect(200);
    assert_eq!(statuses(&held), [200, 409, 200]);
    assert_eq!(held.data()[1]["problem"]["code"], "link-disabled");

    let create_only =
        server.with_key(&server.terse(&["key", "add", "default", "--scope", "create"]).key());
    post(&create_only, BATCHES, body("four", 0..1)).await.problem(403, "key-scope");
    let keyed = api.with("Idempotency-Key", "one");
    let new = post(&keyed, BATCHES, body("five", 700..702)).await.expect(200);
    let again = post(&keyed, BATCHES, body("five", 700..702)).await.expect(200);
    assert_eq!(again.json(), new.json());
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    server.terse(&["check"]).done();
}

#[tokio::test]
async fn campaigns_are_listed_by_name() {
    let server = Server::start();
    let api = server.api();
    for campaign in ["b", "a", "ä", "a", "B"] {
        create(&api, &json!({ "destination_url": URL, "campaign": campaign })).await.expect(201);
    }
    create(&api, &json!({ "destination_url": URL })).await.expect(201);
    server.database().owner("other", "pro");
    let other = server.with_key(&server.terse(&["key", "add", "other", "--scope", "read"]).key());
    assert_eq!(get(&other, "/campaigns").await.expect(200).data(), json!([]));
    let all = get(&api, "/campaigns").await.expect(200).json();
    assert_eq!(all["next_cursor"], Value::Null);
    let count = |name: &str| {
        let found = all["data"].as_array().unwrap().iter().find(|one| one["campaign"] == name);
        found.map(|one| one["links"].clone())
    };
    assert_eq!(["a", "b", "B", "ä"].map(count), [2, 1, 1, 1].map(|links| Some(json!(links))));
    let (mut path, mut paged) = ("/campaigns?limit=1".to_owned(), Vec::new());
    loop {
        let page = get(&api, &path).await.expect(200).json();
        paged.extend(page["data"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/campaigns?limit=1&cursor={cursor}");
    }
    assert_eq!(Value::Array(paged), all["data"]);
}

#[tokio::test]
async fn refused_new_value_of_a_change_is_named() {
    let server = Server::with_operator();
    let api = server.api();
    let admin = server.operator("admin");
    let code = create(&api, &json!({ "destination_url": URL })).await.expect(201).code();
    server.terse(&["block", "add", "evil.example", "--reason", "phishing"]).done();
    let own = format!("{}/{code}", server.base_url());
    for (url, status) in [("https://evil.example/", "destination-blocked"), (&own, "invalid-input")]
    {
        let body = json!({
            "action": "update", "selectors": { "code": [code] }, "update": { "fallback_url": url },
        });
        for (api, path) in [(&api, CHANGES), (&admin, OF_OPERATOR)] {
            assert_within_a_second("the new value is refused", async || {
                post(api, path, body.clone()).await.status == 422
            })
            .await;
            let problem = post(api, path, body.clone()).await.problem(422, status).json();
            assert_eq!(problem["errors"][0]["pointer"], "/update/fallback_url", "{path} {url}");
        }
    }
}

#[tokio::test]
async fn change_names_ten_thousand_long_codes() {
    let server = Server::with_operator();
    let api = server.api();
    let admin = server.operator("admin");
    let code = create(&api, &json!({ "destination_url": URL })).await.expect(201).code();
    let mut all: Vec<String> = (1..10_000).map(|number| format!("{number:064}")).collect();
    all.push(code);
    for (api, path) in [(&api, CHANGES), (&admin, OF_OPERATOR)] {
        let body = json!({ "action": "pause", "selectors": { "code": all }, "dry_run": true });
        let text = body.to_string();
        let changed = post(api, path, body).await.expect(200).json();
        assert_eq!((&changed["changed"], &changed["unknown_count"]), (&json!(1), &json!(9_999)));
        for (length, status) in [(1 << 20, 200), ((1 << 20) + 1, 413)] {
            let padded = format!("{text}{}", " ".repeat(length - text.len()));
            let ask = api.ask(Method::POST, path).body("application/json", padded);
            ask.send().await.expect(status);
        }
    }
}
