//! The history, as programs of the operator follow it.

use std::cell::Cell;
use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{all, done, get, send};
use crate::harness::{Api, Server, contracts, until_available};

fn ids(list: &Value) -> Vec<i64> {
    list["data"].as_array().unwrap().iter().map(|event| event["id"].as_i64().unwrap()).collect()
}

/// Follows the events after `last` until there are no more, and returns their identifiers.
async fn follow(api: &Api, last: &mut i64) -> Vec<i64> {
    let mut all = Vec::new();
    loop {
        let page = get(api, &format!("/events?after_id={last}&limit=7")).await.expect(200).json();
        let page = ids(&page);
        let Some(newest) = page.last() else { return all };
        *last = *newest;
        all.extend(page);
    }
}

#[tokio::test]
async fn events_have_the_values_of_the_commands() {
    let server = Server::with_operator();
    let api = server.operator("moderator");
    let code = server.api().create("https://example.com/").await;
    let change = json!({
        "action": "disable", "selectors": { "code": [code] },
        "audit": { "reason": "phishing", "note": "seen", "case_id": "4711" }
    });
    let event = done(&api, "POST", "/link-changes", &change).await["event_id"].clone();
    let mut shown = get(&api, &format!("/events/{event}")).await.expect(200).json();
    let names: Vec<&String> = shown.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "created_at",
        "actor",
        "action",
        "subject",
        "owner_id",
        "owner_name",
        "audit",
        "changed",
        "status",
        "finished_at",
        "skipped",
        "skipped_count",
        "changes",
    ];
    assert_eq!(names, expected);
    let changes = shown.as_object_mut().unwrap().remove("changes").unwrap();
    let expected = json!([{
        "subject": code,
        "before": { "state": "active", "state_reason": null, "is_active": true },
        "after": { "state": "disabled", "state_reason": "phishing", "is_active": false },
    }]);
    assert_eq!(changes, expected);
    let command = server.terse(&["history", "--event", &event.to_string(), "--json"]).json();
    assert_eq!(command, changes[0]);
    assert_eq!(shown["actor"]["type"], "operator_key");
    assert_eq!(shown["actor"]["name"], "moderator");
    let listed = server.terse(&["history", "--case", "4711", "--json"]).json();
    assert_eq!(shown, listed);
    let audit = json!({ "reason": "phishing", "note": "seen", "case_id": "4711" });
    assert_eq!(shown["audit"], audit);
    let key = &shown["actor"]["id"];
    for query in [
        "case_id=4711",
        "owner_id=1",
        &format!("short_code={code}"),
        "action=link%20disable",
        &format!("actor_type=operator_key&actor_id={key}"),
        &format!("created_after={}", shown["created_at"].as_str().unwrap()),
    ] {
        let list = get(&api, &format!("/events?{query}")).await.expect(200).json();
        assert_eq!(list["data"][0], shown, "{query}");
        let list = get(&api, &format!("/events?{query}&after_id=0")).await.expect(200).json();
        assert!(list["data"].as_array().unwrap().contains(&shown), "{query}");
    }
    for query in [
        "action=link%20enable",
        "actor_type=owner_key",
        "actor_id=999",
        "created_after=2099-01-01T00:00:00Z",
    ] {
        for after in ["", "&after_id=0"] {
            let list = get(&api, &format!("/events?{query}{after}")).await.expect(200).json();
            assert_eq!(list["data"], json!([]), "{query}{after}");
        }
    }
    get(&api, "/events?actor_type=unknown").await.problem(400, "malformed-request");
    get(&api, "/events?short_code=unknown").await.problem(404, "link-not-found");
    get(&api, "/events/999999").await.problem(404, "event-not-found");
    // The owner sees neither the name nor the note.
    let own = server.terse(&["key", "add", "default", "--scope", "full"]).key();
    let history = server.with_key(&own).get(&format!("/api/manage/v1/links/{code}/events")).await;
    let text = history.expect(200).text();
    assert!(text.contains("operator_key") && !text.contains("moderator") && !text.contains("seen"));
}

#[tokio::test]
async fn pages_of_changes_are_all_changes() {
    let server = Server::with_operator();
    let api = server.operator("auditor");
    let mut codes = Vec::new();
    for _ in 0..5 {
        codes.push(server.api().create("https://example.com/").await);
    }
    let subjects = async |event: &Value, limit: usize| {
        let mut all = Vec::new();
        let mut path = format!("{}/events/{event}/changes?limit={limit}", super::PREFIX);
        loop {
            let page = api.get(&path).await.expect(200);
            let data = page.data();
            assert!(data.as_array().unwrap().len() <= limit, "{data}");
            all.extend(data.as_array().unwrap().iter().map(|change| change["subject"].clone()));
            let Some(link) = page.header("link") else { return all };
            path = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
        }
    };
    let mut deleted = codes.clone();
    let pause = [&["link", "pause", "--yes", "--json"][..], &to_texts(&codes)].concat();
    let paused = server.terse(&pause).json()["event_id"].clone();
    let delete = [&["link", "delete", "--yes", "--json"][..], &to_texts(&codes)].concat();
    let deletion = server.terse(&delete).json()["event_id"].clone();
    deleted.sort_unstable();
    for event in [&paused, &deletion] {
        for limit in [1, 2, 5, 1_000] {
            let mut found = subjects(event, limit).await;
            found.sort_unstable_by_key(Value::to_string);
            assert_eq!(found, deleted, "{event} by {limit}");
        }
    }
    get(&api, "/events/999999/changes").await.problem(404, "event-not-found");
}

fn to_texts(codes: &[String]) -> Vec<&str> {
    codes.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn undo_reverts_and_names_what_it_skips() {
    let server = Server::with_operator();
    let api = server.operator("moderator");
    let codes = [
        server.api().create("https://example.com/1").await,
        server.api().create("https://example.com/2").await,
    ];
    let change = json!({ "action": "disable", "selectors": { "code": codes } });
    let event = done(&api, "POST", "/link-changes", &change).await["event_id"].clone();
    server.terse(&["link", "enable", &codes[1]]).done();
    let undo = format!("/events/{event}/undo");
    let undone = done(&api, "POST", &undo, &json!({ "audit": { "note": "a mistake" } })).await;
    assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(1), &json!([codes[1]])));
    let add = server.terse(&["owner", "add", "acme", "--no-key", "--json"]).json();
    let path = format!("/events/{}/undo", add["event_id"]);
    send(&api, "POST", &path, &json!({})).await.problem(409, "cannot-undo");
    send(&api, "POST", "/events/999999/undo", &json!({})).await.problem(404, "event-not-found");
    // A moderator may undo what somebody else did; no body is needed.
    let suspended = server.terse(&["owner", "suspend", "acme", "--json"]).json();
    let path = format!("{}/events/{}/undo", super::PREFIX, suspended["event_id"]);
    let undone = api.ask(reqwest::Method::POST, &path).send().await.expect(200).json();
    assert_eq!(undone["changed"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followed_events_miss_none_that_is_made_meanwhile() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    let (mut last, mut seen) = (0, Vec::new());
    let is_over = Cell::new(false);
    let make = async |maker: usize| {
        for number in 0..10 {
            let body = json!({ "patterns": [format!("evil{number}.maker{maker}.example")] });
            // On a busy machine, each of them may wait for the others for too long.
            let add = async || send(&api, "POST", "/blocks", &body).await;
            until_available(add).await.expect(200);
        }
    };
    let making = async {
        join_all((0..6).map(make)).await;
        is_over.set(true);
    };
    let following = async {
        while !is_over.get() {
            seen.extend(follow(&api, &mut last).await);
        }
    };
    tokio::join!(making, following);
    seen.extend(follow(&api, &mut last).await);
    let count = server.database().number("SELECT COUNT(*) FROM events").await;
    assert_eq!(i64::try_from(seen.len()).unwrap(), count);
    assert!(seen.is_sorted());
    // The same events newest first, in pages.
    let mut path = "/api/operator/v1/events?limit=7".to_owned();
    let mut listed = Vec::new();
    loop {
        let page = api.get(&path).await.expect(200);
        listed.extend(ids(&page.json()));
        let Some(link) = page.header("link") else { break };
        path = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
        assert!(path.starts_with("/api/operator/v1/events?"), "{path}");
    }
    listed.reverse();
    assert_eq!(listed, seen);
}

/// Events under two filters are those under each of them, newest first and followed.
#[tokio::test]
async fn filters_of_events_hold_together() {
    let server = Server::with_operator();
    let admin = server.operator("admin");
    let other = server.terse(&["owner", "add", "other", "--scope", "full"]).key();
    let apis = [server.api(), server.with_key(&other)];
    let codes = [
        apis[0].create("https://example.com/").await,
        apis[1].create("https://example.com/").await,
    ];
    let change = async |action: &str, codes: &[String], case: &str| {
        let audit = json!({ "case_id": case });
        let body = json!({ "action": action, "selectors": { "code": codes }, "audit": audit });
        done(&admin, "POST", "/link-changes", &body).await["event_id"].clone()
    };
    change("pause", &codes, "one").await;
    change("unpause", &codes[..1], "two").await;
    let middle = change("disable", &codes[1..], "one").await;
    change("enable", &codes, "two").await;
    for (api, code) in apis.iter().zip(&codes) {
        let path = format!("/api/manage/v1/links/{code}");
        let ask = api.ask(reqwest::Method::PATCH, &path);
        ask.json(&json!({ "title": "own" })).send().await.expect(200);
    }
    server.terse(&["link", "delete", &codes[1], "--yes", "--case", "one"]).done();
    let middle = get(&admin, &format!("/events/{middle}")).await.expect(200).json();
    let mut values = [
        ("case_id", vec!["one".to_owned(), "two".to_owned()]),
        ("owner_id", Vec::new()),
        ("short_code", codes.to_vec()),
        (
            "action",
            ["link pause", "link enable", "link edit", "link delete"].map(str::to_owned).to_vec(),
        ),
        ("actor_type", ["owner_key", "operator_key", "command"].map(str::to_owned).to_vec()),
        ("actor_id", vec![middle["actor"]["id"].to_string(), "1".to_owned()]),
        ("created_after", vec![middle["created_at"].as_str().unwrap().to_owned()]),
        ("after_id", vec!["0".to_owned(), middle["id"].to_string()]),
    ];
    for name in ["default", "other"] {
        let query = format!("SELECT id FROM owners WHERE name = '{name}'");
        values[1].1.push(server.database().number(&query).await.to_string());
    }
    let contract = contracts().iter().find(|contract| contract.is_for_operator()).unwrap();
    let parameters =
        contract.document["paths"]["/api/operator/v1/events"]["get"]["parameters"].as_array();
    let declared = parameters.unwrap().iter().map(|one| one["name"].as_str().unwrap());
    let filters: BTreeSet<&str> =
        declared.filter(|name| !["limit", "cursor"].contains(name)).collect();
    assert_eq!(filters, values.iter().map(|(name, _)| *name).collect());
    let filters = values.iter().flat_map(|(name, all)| all.iter().map(move |value| (*name, value)));
    let filters: Vec<(&str, &String)> = filters.collect();
    let list = async |pairs: &[(&str, &String)]| -> BTreeSet<i64> {
        let url = reqwest::Url::parse_with_params("http://a/?limit=3", pairs).unwrap();
        let events = all(&admin, &format!("/events?{}", url.query().unwrap())).await;
        events.iter().map(|event| event["id"].as_i64().unwrap()).collect()
    };
    let (start, mut found) = ("0".to_owned(), 0);
    for (index, one) in filters.iter().enumerate() {
        for two in filters[..index].iter().filter(|two| two.0 != one.0) {
            let (first, second) = (list(&[*one]).await, list(&[*two]).await);
            let both: BTreeSet<i64> = first.intersection(&second).copied().collect();
            found += usize::from(both.len() < first.len().min(second.len()) && !both.is_empty());
            assert_eq!(list(&[*one, *two]).await, both, "{one:?} {two:?}");
            if one.0 != "after_id" {
                let followed = list(&[*one, *two, ("after_id", &start)]).await;
                assert_eq!(followed, both, "{one:?} {two:?}, followed");
            }
        }
    }
    assert!(found > 20, "{found} pairs differ from both of their filters");
}
