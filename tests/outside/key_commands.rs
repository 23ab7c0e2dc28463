//! Commands on API keys: scopes, expiry, revocation, and the identification of a leaked key.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Database, Outcome, Server, assert_within_a_second, find_object};
use crate::owner_commands::{count_events, start_instances};

const URL: &str = "https://example.com/";

/// Runs `terse` with this text on stdin.
pub(crate) fn with_input(database: &Database, arguments: &[&str], input: &str) -> Outcome {
    let mut command = database.command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read closes the pipe.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    Outcome::new(arguments, &child.wait_with_output().unwrap())
}

#[tokio::test]
async fn scope_limits_a_key_to_its_operations() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    for (scope, reads, creates) in
        [("edit", true, true), ("read", true, false), ("create", false, true)]
    {
        let key = server.terse(&["key", "add", "default", "--scope", scope]).key();
        let api = server.with_key(&key);
        let read = [
            api.links().await,
            api.get("/api/v1/links?limit=1").await,
            api.stats(&code).await,
            api.qr_list().await,
        ];
        for response in read {
            if reads {
                response.expect(200)
            } else {
                response.problem(403, "key-scope")
            };
        }
        let create =
            [api.shorten(&json!({"url": URL})).await, api.qr(&json!({"short_code": code})).await];
        for response in create {
            if creates {
                response.expect(201)
            } else {
                response.problem(403, "key-scope")
            };
        }
        let head = api.head(&format!("/api/v1/stats/{code}")).await;
        head.expect(if reads { 200 } else { 403 });
    }
    // A request that the scope does not allow creates no link.
    assert_eq!(server.api().listed().await.len(), 3);
    let keys = server.terse(&["key", "list", "default", "--json"]).json();
    let scopes: Vec<&Value> = keys.as_array().unwrap().iter().map(|key| &key["scope"]).collect();
    assert_eq!(scopes, ["full", "edit", "read", "create"]);
    let shown = server.terse(&["key", "list", "default"]).done().stdout;
    let created = server.terse(&["key", "add", "default", "--label", "crm", "--json"]).json();
    let listed = server.terse(&["key", "list", "default", "--json"]).json();
    let listed = listed.as_array().unwrap().iter().find(|key| key["id"] == created["id"]).unwrap();
    for (name, value) in listed.as_object().unwrap() {
        assert_eq!(created[name], *value, "{name}");
    }
    assert!(created["secret"].as_str().unwrap().starts_with("terse_"), "{created}");
    assert_eq!(created["key"], created["secret"]);
    let owner = server.terse(&["owner", "add", "new", "--json"]).json();
    assert!(owner["id"].is_number() && owner["key"].is_string(), "{owner}");
    let dry = server.terse(&["owner", "add", "dry", "--dry-run", "--json"]).json();
    assert_eq!((&dry["name"], dry.get("key"), dry.get("id")), (&json!("dry"), None, None));
    assert!(shown.contains("SCOPE") && shown.contains("STATE"), "{shown}");
}

#[tokio::test]
async fn find_names_the_owner_of_a_key_and_not_the_key() {
    let database = Database::new().migrated();
    let first = database.owner("acme", "pro");
    let labelled =
        database.terse(&["key", "add", "acme", "--label", "CI", "--scope", "read"]).key();
    let expired = database.terse(&["key", "add", "acme", "--expires", "2020-01-01"]).key();
    let revoked = database.terse(&["key", "add", "acme"]).key();
    database.terse(&["key", "revoke", "4"]).done();
    let find = |key: &str| {
        let found = with_input(&database, &["key", "find", "--json"], key).done();
        let text = with_input(&database, &["key", "find"], key).done().stdout;
        assert!(!found.stdout.contains("terse_") && !text.contains("terse_"), "{text}");
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        let values = ["id", "owner_name", "label", "scope"].map(|name| found[name].clone());
        let state = text.lines().find_map(|line| line.strip_prefix("state")).unwrap().trim();
        json!([values.to_vec(), vec![json!(state)]].concat())
    };
    assert_eq!(find(&first), json!([1, "acme", null, "full", "active"]));
    assert_eq!(find(&format!("  {labelled}\n\n")), json!([2, "acme", "CI", "read", "active"]));
    assert_eq!(find(&expired), json!([3, "acme", null, "full", "expired"]));
    assert_eq!(find(&revoked), json!([4, "acme", null, "full", "revoked"]));
    database.terse(&["owner", "suspend", "acme"]).done();
    assert_eq!(find(&first), json!([1, "acme", null, "full", "owner-suspended"]));
    assert_eq!(find(&revoked)[4], "revoked");

    let unknown = format!("{}A", &first[..first.len() - 1]);
    let unknown =
        if unknown == first { format!("{}B", &first[..first.len() - 1]) } else { unknown };
    for input in [unknown.as_str(), "", "nonsense", &format!("{first} {labelled}"), "\u{0}"] {
        let line = with_input(&database, &["key", "find"], input).failed();
        assert!(!line.contains(&first) && !line.contains(&unknown), "{line}");
    }
    let outcome = with_input(&database, &["key", "find", &first], "");
    assert!(!outcome.stderr.contains(&first[8..]), "{outcome:?}");
    outcome.misused();
}

#[tokio::test]
async fn key_expiry_takes_effect_on_all_instances_within_a_second() {
    let servers = start_instances();
    let database = servers[0].database();
    let key = database.owner("acme", "pro");
    let id = find_object(
        &database.terse(&["key", "list", "acme", "--json"]).json(),
        "owner_name",
        "acme",
    )
    .unwrap()["id"]
        .to_string();
    for server in &servers {
        server.with_key(&key).links().await.expect(200);
    }
    for (at, status) in [
        ("2020-01-01", 401),
        ("never", 200),
        ("2020-01-01T00:00:00Z", 401),
        ("90d", 200),
        ("0s", 401),
    ] {
        let arguments = ["key", "expire", &id, "--at", at, "--json"];
        let result = database.terse(&arguments).json();
        assert_eq!((&result["changed"], &result["owner_name"]), (&json!(1), &json!("acme")));
        assert_eq!(result["expires_at"].is_null(), at == "never");
        assert_within_a_second(at, async || {
            let mut all = true;
            for server in &servers {
                all &= server.with_key(&key).links().await.status == status;
            }
            all
        })
        .await;
    }
    assert_eq!(count_events(database, "action = 'key expire' AND owner = 'acme'").await, 5);
}

#[tokio::test]
async fn new_expiry_of_a_revoked_key_does_not_make_it_valid() {
    let server = Server::start();
    let api = server.api();
    server.terse(&["key", "revoke", "1"]).done();
    assert_within_a_second("revoked", async || api.links().await.status == 401).await;
    for _ in 0..2 {
        let outcome = server.terse(&["key", "expire", "1", "--at", "90d"]).done();
        let warning = "terse: key 1 is revoked and stays so; its expiry has no effect\n";
        assert!(outcome.stderr.starts_with(warning), "{outcome:?}");
    }
    api.links().await.expect(401);
}

#[tokio::test]
async fn revocation_of_several_keys_is_all_or_nothing() {
    let servers = start_instances();
    let database = servers[0].database();
    let keys: Vec<String> = std::iter::once(database.owner("acme", "pro"))
        .chain((0..3).map(|_| database.terse(&["key", "add", "acme"]).key()))
        .collect();
    let listed = database.terse(&["key", "list", "acme", "--json"]).json();
    let ids: Vec<String> =
        listed.as_array().unwrap().iter().map(|key| key["id"].to_string()).collect();
    let works = async |key: &str| {
        let mut all = true;
        for server in &servers {
            all &= server.with_key(key).links().await.status == 200;
        }
        all
    };
    let line = database.terse(&["key", "revoke", &ids[0], "4711", &ids[1]]).failed();
    assert!(line.contains("4711"), "{line}");
    for key in &keys {
        assert!(works(key).await);
    }
    let result = database.terse(&["key", "revoke", &ids[1], &ids[0], &ids[1], "--json"]).json();
    assert_eq!(result["changed"], 2, "{result}");
    let revoked_at = |id: usize| {
        let listed = database.terse(&["key", "list", "acme", "--json"]).json();
        listed[id]["revoked_at"].clone()
    };
    let first = revoked_at(0);

    database.terse(&["key", "revoke", "--owner", "acme"]).misused();
    assert!(works(&keys[2]).await && works(&keys[3]).await);
    let dry = database.terse(&["key", "revoke", "--owner", "acme", "--dry-run", "--json"]).json();
    assert_eq!((&dry["event_id"], &dry["changed"]), (&Value::Null, &json!(2)));
    assert!(works(&keys[2]).await);
    let all = database.terse(&["key", "revoke", "--owner", "acme", "--yes", "--json"]).json();
    assert_eq!(all["changed"], 2, "{all}");
    assert_within_a_second("all are rejected", async || {
        let mut none = true;
        for key in &keys {
            for server in &servers {
                none &= server.with_key(key).links().await.status == 401;
            }
        }
        none
    })
    .await;
    assert_eq!(revoked_at(0), first, "it keeps the time of its first revocation");
    let again = database.terse(&["key", "revoke", "--owner", "acme", "--yes", "--json"]).json();
    assert_eq!((&again["event_id"], &again["changed"]), (&Value::Null, &json!(0)));
    assert_eq!(count_events(database, "action = 'key revoke' AND owner = 'acme'").await, 2);
    assert_eq!(count_events(database, "action = 'key revoke' AND changed = 2").await, 2);
}

#[tokio::test]
async fn no_output_repeats_a_key_given_by_mistake() {
    let database = Database::new().migrated();
    let key = database.owner("acme", "pro");
    let key = key.as_str();
    for arguments in [
        &["owner", "add", key][..],
        &["owner", "add", "new", "--plan", key],
        &["owner", "add", "new", "--note", key],
        &["owner", "add", "new", "--case", key],
        &["owner", "add", "new", "--actor", key],
        &["owner", "add", "new", "--reason", key],
        &["owner", "plan", key, "pro"],
        &["owner", "plan", "acme", key],
        &["owner", "rename", key, "new"],
        &["owner", "rename", "acme", key],
        &["owner", "suspend", key],
        &["owner", "resume", key],
        &["owner", "delete", key, "--confirm", key],
        &["owner", "delete", "acme", "--confirm", key],
        &["owner", key],
        &["key", "add", key],
        &["key", "add", "acme", "--label", key],
        &["key", "add", "acme", "--scope", key],
        &["key", "add", "acme", "--expires", key],
        &["key", "add", "acme", key],
        &["key", "list", key],
        &["key", "find", key],
        &["key", "expire", key, "--at", "never"],
        &["key", "expire", "1", "--at", key],
        &["key", "revoke", key],
        &["key", "revoke", "1", key],
        &["key", "revoke", "--owner", key, "--yes"],
        &["plan", "add", key],
        &["plan", "set", key],
        &["plan", "set", "pro", "--max-links", key],
        &["link", "show", key],
        &["link", "disable", key],
        &["import", key, "--owner", "acme"],
        &["import", "/dev/null", "--owner", key],
        &["export", "--owner", key],
        &["export", key],
        &["copy", "--from", key, "--to", key],
        &["serve", key],
        &["serve", "--listen", key],
        &["serve", "--base-url", key],
        &["serve", "--log", key],
        &["owner", "list", "--database-url", key],
        &[key],
        &["help", key],
    ] {
        for json in [&[][..], &["--json"]] {
            let outcome = database.terse(&[json, arguments].concat());
            assert_ne!(outcome.code, Some(0), "{arguments:?}");
            let printed = format!("{}{}", outcome.stdout, outcome.stderr);
            // No part of the secret either.
            assert!(!printed.contains(&key[6..26]), "{arguments:?}: {printed}");
            assert!(!outcome.stderr.is_empty(), "{arguments:?}");
        }
    }
    assert_eq!(count_events(&database, "TRUE").await, 1, "none of these has changed anything");
}

#[test]
fn invalid_key_id_is_explained() {
    let database = Database::new().migrated();
    for arguments in [&["key", "revoke", "abc"][..], &["key", "expire", "abc", "--at", "7d"]] {
        let outcome = database.terse(arguments);
        let is_explained = outcome.stderr.contains("is a number that `terse key list OWNER` shows");
        assert!(is_explained, "{outcome:#?}");
        outcome.misused();
    }
}

#[test]
fn key_revoke_names_the_owner() {
    let database = Database::new().migrated();
    database.owner("another owner", "free");
    for label in ["one", "other"] {
        database.terse(&["key", "add", "another owner", "--label", label]).done();
    }
    let (one, other) =
        (database.key_id("another owner", "one"), database.key_id("another owner", "other"));
    let outcome = database.terse(&["key", "revoke", &one]).done();
    assert_eq!(outcome.stdout, "");
    assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:#?}");
    assert!(
        outcome.stderr.contains("another owner") && outcome.stderr.contains(&one),
        "{outcome:#?}"
    );
    let outcome = database.terse(&["key", "revoke", &other, "--json"]).json();
    assert_eq!(outcome["owner_name"], "another owner");
    assert_eq!(outcome["id"].to_string(), other);
}
