//! Changes that both a command and a program of the operator can make: the databases are equal
//! afterwards, except for the actor.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{created, done};
use crate::harness::{Database, Server, contracts};
use crate::upgrades::content::{Tables, all_rows, tables};

/// Operations without a command: labels of keys and QR settings change only through HTTP.
const ONLY_OPERATIONS: [&str; 4] = ["findKey", "stopEvent", "disableWebhook", "enableWebhook"];

/// Columns that differ: times, secrets, and the actor.
const DIFFERENT: [&str; 19] = [
    "at",
    "actor",
    "actor_type",
    "actor_id",
    "created_at",
    "default_at",
    "changed_at",
    "updated_at",
    "hash",
    "revoked_at",
    "last_used_at",
    "secret",
    "nonce",
    "deleted_at",
    "hint",
    "suspended_at",
    "finished_at",
    "instance_id",
    "seen_at",
];

/// Tables that differ: what each database has of its own, and how caches are told.
const OTHER_TABLES: [&str; 6] =
    ["operator_keys", "changes", "change_counter", "installation", "instances", "seaql_migrations"];

/// A change: the operation, its path and body, and the command that does the same.
struct Change {
    operation: &'static str,
    request: (&'static str, String, Value),
    command: Vec<String>,
}

fn change(
    operation: &'static str,
    (method, path): (&'static str, &str),
    body: Value,
    command: &str,
) -> Change {
    let command = command.split('|').map(str::to_owned).collect();
    Change { operation, request: (method, path.to_owned(), body), command }
}

const FAR: &str = "2099-01-01T00:00:00.000Z";

/// Returns the changes, in an order in which they depend on each other. Owner 1 is `acme`, owner 2 is
/// `beta`; keys 1 and 2 are theirs.
fn changes() -> Vec<Change> {
    let why = json!({ "reason": "spam", "note": "as agreed", "case_id": "C-7" });
    let audit = json!({ "audit": why });
    let with_why = |body: Value| {
        let mut body = body;
        body["audit"] = why.clone();
        body
    };
    let links = |action: &str, selectors: Value| {
        with_why(json!({ "action": action, "selectors": selectors }))
    };
    let to = ("POST", "/link-changes");
    vec![
        change(
            "createOwner",
            ("POST", "/owners"),
            with_why(json!({ "name": "beta", "plan_name": "pro", "key": {
                "label": "crm", "scope": "full", "expires_at": FAR
            } })),
            &format!("owner|add|beta|--plan|pro|--label|crm|--scope|full|--expires|{FAR}"),
        ),
        change(
            "createOwner",
            ("POST", "/owners"),
            with_why(json!({ "name": "bare" })),
            "owner|add|bare|--no-key",
        ),
        change(
            "updateOwner",
            ("PATCH", "/owners/1"),
            with_why(json!({ "plan_name": "pro", "fallback_url": "https://example.org/ended" })),
            "owner|edit|acme|--plan|pro|--fallback|https://example.org/ended",
        ),
        change(
            "updateOwner",
            ("PATCH", "/owners/1"),
            with_why(json!({ "fallback_url": null })),
            "owner|edit|acme|--fallback|none",
        ),
        change(
            "updateOwner",
            ("PATCH", "/owners/1"),
            with_why(json!({ "name": "globex" })),
            "owner|rename|acme|globex",
        ),
        change(
            "suspendOwner",
            ("POST", "/owners/1/suspend"),
            audit.clone(),
            "owner|suspend|globex",
        ),
        change("resumeOwner", ("POST", "/owners/1/resume"), audit.clone(), "owner|resume|globex"),
        change(
            "createKey",
            ("POST", "/owners/1/keys"),
            with_why(json!({ "label": "shop", "scope": "read" })),
            "key|add|globex|--label|shop|--scope|read",
        ),
        change(
            "updateKey",
            ("PATCH", "/keys/1"),
            with_why(json!({ "expires_at": FAR })),
            &format!("key|expire|1|--at|{FAR}"),
        ),
        change(
            "revokeKey",
            ("DELETE", "/keys/1?reason=spam&note=as%20agreed&case_id=C-7"),
            Value::Null,
            "key|revoke|1",
        ),
        change(
            "createPlan",
            ("POST", "/plans"),
            with_why(json!({
                "name": "gold", "max_links": 5, "request_rate": "20/s", "burst": 30, "custom_codes": true
            })),
            "plan|add|gold|--max-links|5|--requests|20/s|--burst|30|--custom-codes|true",
        ),
        change(
            "updatePlan",
            ("PATCH", "/plans/gold"),
            with_why(json!({ "max_links": null, "links_per_day": 7 })),
            "plan|set|gold|--max-links|unlimited|--links-per-day|7",
        ),
        change(
            "deletePlan",
            ("DELETE", "/plans/gold?reason=spam&note=as%20agreed&case_id=C-7"),
            Value::Null,
            "plan|remove|gold",
        ),
        change(
            "createOperatorKey",
            ("POST", "/operator-keys"),
            with_why(json!({ "name": "billing", "role": "provisioner", "expires_at": FAR })),
            &format!("operator|add|billing|--role|provisioner|--expires|{FAR}"),
        ),
        change(
            "revokeOperatorKey",
            ("DELETE", "/operator-keys/3?reason=spam&note=as%20agreed&case_id=C-7"),
            Value::Null,
            "operator|revoke|billing",
        ),
        change(
            "updateLink",
            ("PATCH", "/links/one"),
            with_why(json!({
                "destination_url": "https://example.net/", "title": "One", "campaign": null,
                "expires_at": FAR
            })),
            &format!(
                "link|edit|one|--destination|https://example.net/|--title|One|--campaign||--expires|{FAR}"
            ),
        ),
        change(
            "changeLinks",
            to,
            links("disable", json!({ "host": "evil.example" })),
            "link|disable|--host|evil.example|--yes",
        ),
        change("changeLinks", to, links("enable", json!({ "code": ["two"] })), "link|enable|two"),
        change(
            "changeLinks",
            to,
            links("pause", json!({ "owner_id": 1, "campaign": "old" })),
            "link|pause|--owner|globex|--campaign|old|--yes",
        ),
        change(
            "changeLinks",
            to,
            links("unpause", json!({ "code": ["four"] })),
            "link|unpause|four",
        ),
        change(
            "changeLinks",
            to,
            links("delete", json!({ "destination_url": "https://evil.example/3" })),
            "link|delete|--destination|https://evil.example/3|--yes",
        ),
        change(
            "createBlocks",
            ("POST", "/blocks"),
            with_why(json!({ "patterns": ["bad.example"], "reason": "spam", "expires_at": FAR })),
            &format!("block|add|bad.example|--until|{FAR}"),
        ),
        change(
            "createBlocks",
            ("POST", "/blocks"),
            with_why(json!({
                "patterns": ["https://bad.example/good"], "action": "allow", "reason": "spam"
            })),
            "block|allow|https://bad.example/good",
        ),
        change(
            "deleteBlock",
            ("DELETE", "/blocks?pattern=bad.example&reason=spam&note=as%20agreed&case_id=C-7"),
            Value::Null,
            "block|remove|bad.example",
        ),
        change(
            "createDomain",
            ("POST", "/domains"),
            with_why(json!({
                "host": "Go.Globex.example.", "owner_id": 1, "home_url": "https://globex.example/"
            })),
            "domain|add|Go.Globex.example.|--owner|globex|--home|https://globex.example/",
        ),
        change(
            "createDomain",
            ("POST", "/domains"),
            with_why(
                json!({ "host": "example.net:8443", "owner_id": 1, "accept_destinations": true }),
            ),
            "domain|add|example.net:8443|--owner|globex|--yes",
        ),
        change(
            "updateDomain",
            ("PATCH", "/domains/go.globex.example"),
            with_why(json!({ "home_url": null })),
            "domain|edit|go.globex.example|--home|none",
        ),
        change(
            "updateDomain",
            ("PATCH", "/domains/example.net:8443"),
            with_why(json!({ "is_default": true })),
            "domain|default|example.net:8443",
        ),
        change(
            "deleteDomain",
            ("DELETE", "/domains/go.globex.example?reason=spam&note=as%20agreed&case_id=C-7"),
            Value::Null,
            "domain|remove|go.globex.example",
        ),
        change("undoEvent", ("POST", "/events/EVENT/undo"), audit.clone(), "undo|EVENT|--yes"),
        change("suspendOwner", ("POST", "/owners/2/suspend"), audit.clone(), "owner|suspend|beta"),
        change(
            "deleteOwner",
            ("DELETE", "/owners/2?reason=spam&note=as%20agreed&case_id=C-7"),
            Value::Null,
            "owner|delete|beta|--confirm|beta",
        ),
    ]
}

/// Creates a database with an owner, a key and links.
fn prepared() -> Arc<Database> {
    let database = created();
    database.terse(&["owner", "add", "acme", "--plan", "unlimited"]).key();
    let file = database.directory().join("links.csv");
    let rows = "short_code,destination_url,campaign,created_at\n\
                one,https://example.com/,old,2026-01-01T00:00:00Z\n\
                two,https://evil.example/2,,2026-01-01T00:00:00Z\n\
                three,https://evil.example/3,,2026-01-01T00:00:00Z\n\
                four,https://example.com/4,old,2026-01-01T00:00:00Z\n";
    std::fs::write(&file, rows).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "acme"]).done();
    database.operator_key("root", "admin");
    Arc::new(database)
}

/// Removes times, which events store as JSON.
fn without_times(row: &str) -> String {
    let mut rest = row.to_owned();
    for name in ["created_at", "default_at", "suspended_at", "revoked_at"] {
        let parts: Vec<&str> = rest.split(name).collect();
        let parts = parts.iter().map(|part| {
            let value = part.trim_start_matches(['"', ':']);
            let is_time = value.len() < part.len();
            if is_time {
                value.trim_start_matches(|digit: char| digit.is_ascii_digit())
            } else {
                part
            }
        });
        rest = parts.collect::<Vec<_>>().join(name);
    }
    rest
}

/// Returns the tables with the columns in which both databases must agree.
fn compared_tables(database: &Database) -> Tables {
    let mut tables = tables(database);
    tables.retain(|table, columns| {
        columns.retain(|column| !DIFFERENT.contains(&column.as_str()));
        !columns.is_empty() && !OTHER_TABLES.contains(&table.as_str())
    });
    tables
}

/// Returns the rows of these tables, without what differs.
fn content(database: &Database, tables: &Tables) -> BTreeMap<String, Vec<String>> {
    let mut content = all_rows(database, tables);
    for rows in content.values_mut() {
        for row in &mut *rows {
            *row = without_times(row);
        }
        rows.sort();
    }
    content
}

#[tokio::test]
async fn databases_are_equal_except_for_the_actor() {
    let (by_command, by_request) = (prepared(), prepared());
    let server = Server::with_operator_on(&by_request);
    let api = server.with_operator_key(&by_request.operator_key("http", "admin"));
    by_command.operator_key("http", "admin");
    let tables = compared_tables(&by_command);
    let mut done_by_requests = BTreeSet::new();
    for Change { operation, request: (method, path, body), command } in changes() {
        let newest = "SELECT COALESCE(MAX(id), 0) FROM events WHERE action = 'link disable'";
        let event = by_command.number(newest).await.to_string();
        let path = path.replace("EVENT", &event);
        if body.is_null() {
            super::delete(&api, &path).await.expect(204);
        } else {
            done(&api, method, &path, &body).await;
        }
        let (words, options) = command.split_at(2);
        let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        if arguments[0] == "undo" {
            arguments[1] = &event;
        }
        arguments.extend(options.iter().map(String::as_str));
        let why = ["--reason", "spam", "--note", "as agreed", "--case", "C-7", "--actor", "alice"];
        by_command.terse(&[&arguments[..], &why].concat()).done();
        done_by_requests.insert(operation.to_owned());
        let (expected, found) = (content(&by_command, &tables), content(&by_request, &tables));
        for (table, rows) in &expected {
            assert_eq!(&found[table], rows, "{table} after {operation}: {arguments:?}");
        }
    }
    let document = contracts().iter().find(|one| one.is_for_operator()).unwrap();
    for (path, item) in document.document["paths"].as_object().unwrap() {
        for (method, declared) in item.as_object().unwrap() {
            let id = declared["operationId"].as_str().unwrap();
            let is_known = ONLY_OPERATIONS.contains(&id) || done_by_requests.contains(id);
            assert!(method == "get" || is_known, "{method} {path} is not compared with a command");
        }
    }
}
