//! Who made a change, as the history, links and owners see it, and how long events stay.

use reqwest::Method;
use serde_json::{Value, json};

use crate::click_days::serve_later;
use crate::harness::{Api, Database, Server, TIMEOUT, eventually};
use crate::link_commands::lines;

const URL: &str = "https://example.org/";

async fn edit(api: &Api, code: &str, title: &str) {
    let ask = api.ask(Method::PATCH, &format!("/api/manage/v1/links/{code}"));
    ask.json(&json!({ "title": title, "audit": { "note": "mine", "case_id": "C-1" } }))
        .send()
        .await
        .expect(200);
}

/// Returns the events that `terse history` prints with these options.
fn history(database: &Database, options: &[&str]) -> Vec<Value> {
    lines(&database.terse(&[&["history", "--json"], options].concat()).done().stdout)
}

fn ids(events: &[Value]) -> Vec<i64> {
    events.iter().map(|event| event["id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn history_selects_events_by_the_type_of_the_actor() {
    let server = Server::start();
    let database = server.database();
    let key = server.terse(&["key", "add", "default", "--scope", "full", "--label", "crm"]).key();
    let api = server.with_key(&key);
    let code = api.create(URL).await;
    edit(&api, &code, "one").await;
    let options = ["--actor", "crm", "--reason", "spam", "--note", "secret", "--case", "T-9"];
    server.terse(&[&["link", "disable", &code], &options[..]].concat()).done();
    server.terse(&["link", "enable", &code]).done();
    edit(&api, &code, "two").await;

    let all = history(database, &[]);
    for (actor_type, actions) in [
        ("owner_key", &["link edit", "link edit"][..]),
        ("command", &["link enable", "link disable", "key add"]),
    ] {
        for options in [&[][..], &["--link", &code], &["--owner", "default"]] {
            let selected =
                history(database, &[&["--actor-type", actor_type][..], options].concat());
            let expected: Vec<&Value> = all
                .iter()
                .filter(|event| event["actor"]["type"] == actor_type)
                .filter(|event| options.first() != Some(&"--link") || event["action"] != "key add")
                .collect();
            assert_eq!(selected.iter().collect::<Vec<_>>(), expected, "{options:?}");
            let names: Vec<&str> =
                selected.iter().map(|event| event["action"].as_str().unwrap()).collect();
            assert_eq!(names, actions[..names.len()], "{options:?}");
        }
        let limited = history(database, &["--actor-type", actor_type, "--limit", "1"]);
        assert_eq!(limited.len(), 1);
    }
    database.terse(&["history", "--actor-type", "person"]).misused();
    database.terse(&["history", "--actor-type", "command", "--event", "1"]).misused();

    // The label of a key does not make it look like an operator of the same name.
    let shown = database.terse(&["link", "show", &code, "--json"]).json();
    let last = &shown["last_event"];
    assert_eq!(
        json!([last["action"], last["actor"]["name"], last["actor"]["type"]]),
        json!(["link edit", "crm", "owner_key"])
    );
    let text = database.terse(&["link", "show", &code]).done().stdout;
    assert!(text.contains("link edit by crm (owner_key) at "), "{text}");
    let table = database.terse(&["history"]).done().stdout;
    assert!(table.lines().nth(1).unwrap().contains("crm    owner_key"), "{table}");

    let own = api.get(&format!("/api/manage/v1/links/{code}/events")).await.expect(200).data();
    let own = own.as_array().unwrap();
    assert_eq!(own.len(), 4);
    let id: i64 = database.key_id("default", "crm").parse().unwrap();
    assert_eq!(own[0]["actor"], json!({"type": "owner_key", "id": id, "name": "crm"}));
    let audit = json!({"reason": "other", "note": "mine", "case_id": "C-1"});
    assert_eq!(own[0]["audit"], audit);
    let disabled = &own[2];
    assert_eq!(disabled["actor"], json!({"type": "command", "id": null, "name": null}));
    let audit = json!({"reason": "spam", "note": null, "case_id": null});
    assert_eq!((&disabled["action"], &disabled["audit"]), (&json!("link disable"), &audit));
}

#[tokio::test]
async fn events_of_keys_end_and_those_of_commands_stay() {
    let keep = ["--keep-days", "2"];
    let server = Server::start();
    let key = server.key().to_owned();
    let api = server.api();
    let (code, retired) = (api.create(URL).await, api.create(URL).await);
    for number in 0..450 {
        edit(&api, &code, &number.to_string()).await;
    }
    let path = format!("/api/manage/v1/links/{retired}");
    api.ask(Method::DELETE, &path).send().await.expect(204);
    server.terse(&["link", "disable", &code]).done();
    server.terse(&["link", "enable", &code]).done();
    let age = async |database: &Database, days: i64| {
        let millis = days * 86_400_000;
        database.execute(&format!("UPDATE events SET at = at - {millis}")).await;
    };
    let before = history(server.database(), &[]);
    let server = serve_later(server, 1, &keep).await;
    age(server.database(), 1).await;
    let server = serve_later(server, 1, &keep).await;
    age(server.database(), 1).await;
    edit(&server.with_key(&key), &code, "late").await;
    assert_eq!(history(server.database(), &[]).len(), before.len() + 1, "they are young enough");
    let server = serve_later(server, 2, &keep).await;
    age(server.database(), 2).await;
    let database = std::sync::Arc::clone(&server.terminate().database);
    let server = Server::with(&database, &keep);
    eventually(TIMEOUT, "old events are deleted", async || {
        history(&database, &["--actor-type", "owner_key"]).len() == 1
    })
    .await;
    let commands: Vec<Value> =
        before.iter().filter(|event| event["actor"]["type"] == "command").cloned().collect();
    assert_eq!(ids(&history(&database, &["--actor-type", "command"])), ids(&commands));
    let left = history(&database, &["--link", &code]);
    assert_eq!(left.len(), 3, "{left:?}");
    let changes = "SELECT COUNT(*) FROM event_changes
        WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.id = event_id)";
    assert_eq!(database.number(changes).await, 0);
    // A retired code stays, whatever happened to the event that deleted its link.
    server.anyone().get(&format!("/{retired}")).await.expect(410);
    let shown = database.terse(&["link", "show", &retired, "--json"]).json();
    assert_eq!(json!([shown["state"], shown["last_event"]]), json!(["deleted", null]));
    assert_eq!(history(&database, &["--link", &retired]), [] as [Value; 0]);
    let newest = left[0]["id"].to_string();
    assert_eq!(database.terse(&["undo", &newest, "--yes", "--json"]).json()["changed"], 1);
    database.terse(&["check"]).done();
}
