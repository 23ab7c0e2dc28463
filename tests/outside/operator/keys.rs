//! Operator keys and their commands.

use serde_json::json;

use super::{created, get};
use crate::harness::{Database, Server, run};

#[test]
fn keys_are_added_listed_and_revoked() {
    let database = created();
    let key = database.operator_key("billing", "provisioner");
    let error = database.terse(&["operator", "add", "billing", "--role", "admin"]).failed();
    assert!(error.contains("'billing' already exists"), "{error}");
    let listed = database.terse(&["operator", "list", "--json"]).json();
    assert_eq!(listed[0]["name"], "billing");
    assert_eq!(listed[0]["role"], "provisioner");
    assert_eq!(listed[0]["revoked_at"], json!(null));
    assert!(!listed.to_string().contains(&key));
    let revoke = ["operator", "revoke", "billing", "--case", "4711", "--actor", "alice", "--json"];
    let revoked = database.terse(&revoke).json();
    assert_eq!(revoked["changed"], 1);
    let again = database.terse(&revoke).json();
    assert_eq!((&again["event_id"], &again["changed"]), (&json!(null), &json!(0)));
    // The name is free again, and a revocation ends the newer key.
    let other = database.operator_key("billing", "auditor");
    assert_ne!(other, key);
    database.terse(&["operator", "revoke", "billing"]).done();
    let listed = database.terse(&["operator", "list", "--json"]).json();
    let revoked = listed.as_array().unwrap().iter().map(|key| key["revoked_at"].is_string());
    assert_eq!(revoked.collect::<Vec<_>>(), [true, true]);
    let history = database.terse(&["history", "--case", "4711", "--json"]).done().stdout;
    assert!(history.contains("operator revoke") && history.contains("alice"), "{history}");
}

#[test]
fn wrong_arguments_are_rejected() {
    let database = created();
    database.terse(&["operator", "add", "billing"]).misused();
    database.terse(&["operator", "add", "billing", "--role", "owner"]).misused();
    database.terse(&["operator", "add", "", "--role", "admin"]).misused();
    database.terse(&["operator", "revoke"]).misused();
    let error = database.terse(&["operator", "revoke", "nothing"]).failed();
    assert!(error.contains("no operator key 'nothing'"), "{error}");
    let dry_run = ["operator", "add", "billing", "--role", "admin", "--dry-run"];
    assert_eq!(database.terse(&dry_run).done().stdout, "");
    assert_eq!(database.terse(&["operator", "list", "--json"]).json(), json!([]));
}

#[test]
fn no_message_repeats_a_key() {
    let database = created();
    let key = database.operator_key("billing", "admin");
    for arguments in [
        &["operator", "add", &key, "--role", "admin"][..],
        &["operator", "revoke", &key],
        &["owner", "plan", &key, "pro"],
        &["link", "show", &key],
        &["history", "--note", &key],
        &["operator", "revoke", "billing", "--note", &key],
        &[&key],
    ] {
        let outcome = database.terse(arguments);
        assert_ne!(outcome.code, Some(0), "{arguments:?}");
        let text = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(!text.contains(&key[9..]), "{arguments:?}: {text}");
    }
}

#[tokio::test]
async fn key_is_stored_as_a_hash_and_never_logged() {
    let server = Server::with_operator();
    let key = server.database().operator_key("billing", "admin");
    let api = server.with_operator_key(&key);
    let account = get(&api, "/operator").await.expect(200).json();
    assert_eq!((&account["name"], &account["role"]), (&json!("billing"), &json!("admin")));
    assert!(account["hint"].as_str().is_some_and(|hint| key.ends_with(hint)), "{account}");
    let id = get(&api, "/operator").await.expect(200);
    let id = id.header("x-request-id").unwrap().to_owned();
    let on_public = server.with_key(&key).links().await;
    assert!(!on_public.text().contains(&key));
    on_public.problem(401, "unauthorized");
    let _ = server.anyone().get(&format!("/{key}")).await.expect(404);
    let lines = server.log_of(&id);
    assert!(lines.is_empty(), "{lines:?}");
    let log = server.log();
    assert!(log.contains(r#""operator":"billing""#), "{log}");
    assert!(log.contains(r#""route":"getOperator""#), "{log}");
    let dump = server.database().terse(&["export"]).done().stdout;
    let database = std::sync::Arc::clone(server.database());
    let log = server.terminate().log;
    for text in [log, dump] {
        assert!(!text.contains(&key[9..]), "{text}");
    }
    let stored = "SELECT COUNT(*) FROM operator_keys WHERE LENGTH(hash) = 32";
    assert_eq!(database.number(stored).await, 1);
}

#[tokio::test]
async fn revocation_holds_at_once_and_last_use_is_recorded() {
    let server = Server::with_operator();
    let api = server.operator("auditor");
    get(&api, "/operator").await.expect(200);
    crate::harness::assert_within_a_second("the use is recorded", async || {
        let listed = server.terse(&["operator", "list", "--json"]).json();
        listed[0]["last_used_at"].is_string()
    })
    .await;
    server.terse(&["operator", "revoke", "auditor"]).done();
    get(&api, "/operator").await.problem(401, "unauthorized");
    server.database().operator_key("auditor", "admin");
    get(&api, "/operator").await.problem(401, "unauthorized");
}

#[tokio::test]
async fn copies_have_the_operator_keys() {
    let source = created();
    let key = source.operator_key("billing", "moderator");
    let target = std::sync::Arc::new(Database::new());
    run(&["copy", "--from", &source.url(), "--to", &target.url()]).done();
    let server = Server::with_operator_on(&target);
    get(&server.with_operator_key(&key), "/operator").await.expect(200);
    server.database().operator_key("other", "auditor");
}
