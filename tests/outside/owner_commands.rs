//! Commands on owners: suspensions, renaming, and the events of all commands on owners and plans.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{
    Database, Load, Server, Store, TIMEOUT, assert_within_a_second, eventually, find_object,
};

const URL: &str = "https://example.com/";

/// Starts the servers of one new database: one on SQLite, two on PostgreSQL.
pub(crate) fn start_instances() -> Vec<Server> {
    let mut servers = vec![Server::start()];
    if Store::chosen() == Store::Postgres {
        servers.push(Server::on(servers[0].database()));
    }
    servers
}

/// Returns the number of events that meet an SQL condition.
pub(crate) async fn count_events(database: &Database, condition: &str) -> i64 {
    database.number(&format!("SELECT COUNT(*) FROM events WHERE {condition}")).await
}

/// Returns the printed lists of owners, plans and keys of `acme`.
fn printed_lists(database: &Database) -> Vec<String> {
    let lists = [&["owner", "list"][..], &["plan", "list"], &["key", "list", "acme"]];
    lists.map(|list| database.terse(list).done().stdout).to_vec()
}

/// Returns an owner as `owner list --json` shows it.
fn listed_owner(database: &Database, name: &str) -> Value {
    let owners = database.terse(&["owner", "list", "--json"]).json();
    find_object(&owners, "name", name).expect("the owner is listed").clone()
}

#[tokio::test]
async fn suspension_stops_keys_and_links_until_resume() {
    let servers = start_instances();
    let (server, database) = (&servers[0], servers[0].database());
    let key = database.owner("acme", "pro");
    let api = server.with_key(&key);
    let other = server.api().create(URL).await;
    let [plain, off, uncached] = ["plain", "off", "uncached"];
    for code in [plain, off, uncached] {
        api.create_from(&json!({"url": URL, "custom_code": code, "title": "T"})).await;
    }
    server.terse(&["link", "disable", off]).done();
    api.qr(&json!({"short_code": plain, "foreground": "#102030"})).await.expect(201);
    let image = format!("/{plain}/qr.svg");
    for server in &servers {
        server.anyone().get("/plain").await.expect(302);
        server.anyone().get(&image).await.expect(200);
        server.with_key(&key).links().await.expect(200);
    }
    assert_within_a_second("the link is disabled", async || {
        servers[0].anyone().get("/off").await.status == 410
    })
    .await;
    let export = database.terse(&["export", "--owner", "acme"]).done().stdout;

    let arguments = ["owner", "suspend", "acme", "--reason", "spam", "--case", "7", "--json"];
    let suspended = server.terse(&arguments).json();
    assert_eq!(suspended["changed"], 1, "{suspended}");
    assert!(suspended["event_id"].is_i64(), "{suspended}");
    assert_within_a_second("everything is stopped", async || {
        let mut all = true;
        for server in &servers {
            for path in ["/plain", "/off", "/uncached", &image] {
                all &= server.anyone().head(path).await.status == 410;
            }
            all &= server.with_key(&key).links().await.status == 403;
        }
        all
    })
    .await;
    for server in &servers {
        let api = server.with_key(&key);
        api.links().await.problem(403, "owner-suspended");
        api.stats(plain).await.problem(403, "owner-suspended");
        api.qr_list().await.problem(403, "owner-suspended");
        api.qr(&json!({"short_code": plain})).await.problem(403, "owner-suspended");
        api.shorten(&json!({"url": URL})).await.problem(403, "owner-suspended");
        server.anyone().get(&format!("/{other}")).await.expect(302);
        server.with_key(servers[0].key()).links().await.expect(200);
    }
    assert_eq!(database.terse(&["export", "--owner", "acme"]).done().stdout, export);

    server.terse(&["owner", "resume", "acme"]).done();
    assert_within_a_second("everything is as it was", async || {
        let mut all = true;
        for server in &servers {
            for (path, status) in [("/plain", 302), ("/off", 410), ("/uncached", 302)] {
                all &= server.anyone().head(path).await.status == status;
            }
            all &= server.anyone().get(&image).await.status == 200;
            all &= server.with_key(&key).links().await.status == 200;
        }
        all
    })
    .await;
    assert_eq!(database.terse(&["export", "--owner", "acme"]).done().stdout, export);
    for server in &servers {
        let image = server.anyone().get(&image).await.text();
        assert!(image.contains("#102030"), "{image}");
    }
}

#[tokio::test]
async fn repeated_suspension_changes_only_an_explicit_reason() {
    let database = Database::new().migrated();
    database.owner("acme", "pro");
    assert_eq!(listed_owner(&database, "acme")["suspended_reason"], Value::Null);
    for (command, reason, changed, then) in [
        ("resume", None, 0, Value::Null),
        ("suspend", None, 1, json!("other")),
        ("suspend", None, 0, json!("other")),
        ("suspend", Some("phishing"), 1, json!("phishing")),
        ("suspend", Some("phishing"), 0, json!("phishing")),
        ("suspend", None, 0, json!("phishing")),
        ("suspend", Some("other"), 1, json!("other")),
        ("resume", Some("spam"), 1, Value::Null),
        ("resume", None, 0, Value::Null),
    ] {
        let mut arguments = vec!["owner", command, "acme", "--json"];
        arguments.extend(reason.into_iter().flat_map(|reason| ["--reason", reason]));
        for dry_run in [true, false] {
            let before = listed_owner(&database, "acme");
            let dry: &[&str] = if dry_run { &["--dry-run"] } else { &[] };
            let outcome = database.terse(&[&arguments, dry].concat()).json();
            assert_eq!(outcome["changed"], changed, "{arguments:?}");
            assert_eq!(outcome["event_id"].is_null(), dry_run || changed == 0, "{arguments:?}");
            if dry_run {
                assert_eq!(listed_owner(&database, "acme"), before);
            }
        }
        assert_eq!(listed_owner(&database, "acme")["suspended_reason"], then, "{arguments:?}");
    }
    let suspend = "SELECT MIN(at) FROM events WHERE action = 'owner suspend'";
    let since = database.number(suspend).await;
    let none = r#"{"suspended_reason":null,"suspended_at":null}"#;
    let other = format!(r#"{{"suspended_reason":"other","suspended_at":{since}}}"#);
    let changes = [
        (none, &*other),
        (r#"{"suspended_reason":"other"}"#, r#"{"suspended_reason":"phishing"}"#),
        (r#"{"suspended_reason":"phishing"}"#, r#"{"suspended_reason":"other"}"#),
        (&*other, none),
    ];
    for (before, after) in changes {
        let query = format!(
            "SELECT COUNT(*) FROM event_changes WHERE kind = 'owner' AND before = '{before}'
             AND after = '{after}' AND subject = (SELECT CAST(id AS text) FROM owners)"
        );
        assert_eq!(database.number(&query).await, 1, "{before} {after}");
    }
    assert_eq!(count_events(&database, "action = 'owner suspend'").await, 3);
    assert_eq!(count_events(&database, "action = 'owner resume' AND reason = 'spam'").await, 1);
    assert!(database.terse(&["owner", "list"]).done().stdout.contains("SUSPENDED"));
}

/// An earlier version records no time of a suspension, and leaves it when it resumes an owner.
#[tokio::test]
async fn undo_restores_since_when_an_owner_is_suspended() {
    for is_earlier in [false, true] {
        let database = Database::new().migrated();
        database.owner("acme", "pro");
        let since = "SELECT COALESCE(suspended_at, 0) FROM owners";
        let suspended = database.terse(&["owner", "suspend", "acme", "--json"]).json();
        let first = database.number(since).await;
        assert!(first > 0);
        let resumed = database.terse(&["owner", "resume", "acme", "--json"]).json();
        assert_eq!(database.number(since).await, 0);
        if is_earlier {
            let event = &resumed["event_id"];
            let values = format!(
                r#"UPDATE event_changes SET before = '{{"suspended_reason":"other"}}',
                    after = '{{"suspended_reason":null}}' WHERE event_id = {event}"#
            );
            database.execute(&values).await;
            database.execute(&format!("UPDATE owners SET suspended_at = {first}")).await;
        }
        database.terse(&["undo", &resumed["event_id"].to_string(), "--yes"]).done();
        assert_eq!(database.number(since).await, first, "{is_earlier}");
        assert_eq!(listed_owner(&database, "acme")["suspended_reason"], "other");
        database.terse(&["undo", &suspended["event_id"].to_string(), "--yes"]).done();
        assert_eq!(database.number(since).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_creation_succeeds_after_a_suspension() {
    let servers = start_instances();
    let database = servers[0].database();
    let key = database.owner("acme", "unlimited");
    let mut load = Load::default();
    for server in &servers {
        load.create(server, 8, &key, &[403, 503]);
    }
    eventually(TIMEOUT, "links are created", async || load.created().len() > 50).await;
    tokio::task::block_in_place(|| database.terse(&["owner", "suspend", "acme"]).done());
    let links = "SELECT link_count FROM owners WHERE name = 'acme'";
    let counted = database.number(links).await;
    eventually(TIMEOUT, "creations are refused", async || load.refused() > 200).await;
    load.stop();
    assert_eq!(database.number(links).await, counted);
    let stored = "SELECT COUNT(*) FROM links JOIN owners ON owners.id = owner_id
                  WHERE name = 'acme'";
    assert_eq!(database.number(stored).await, counted);
    // The last responses may still have been in flight when the command read the row.
    assert_eq!(i64::try_from(load.created().len()).unwrap(), counted);
    for server in &servers {
        assert_within_a_second("the key is refused", async || {
            server.with_key(&key).links().await.status == 403
        })
        .await;
    }
}

#[test]
fn import_for_a_suspended_owner_is_refused() {
    let database = Database::new().migrated();
    database.owner("acme", "unlimited");
    let file = database.directory().join("in.csv");
    std::fs::write(&file, "short_code,destination_url\nspring,https://example.com/\n").unwrap();
    let import = ["import", file.to_str().unwrap(), "--owner", "acme"];
    database.terse(&["owner", "suspend", "acme"]).done();
    for more in [&[][..], &["--dry-run"]] {
        let line = database.terse(&[&import[..], more].concat()).failed();
        assert!(line.contains("'acme' is suspended"), "{line}");
    }
    database.terse(&["owner", "resume", "acme"]).done();
    database.terse(&import).done();
}

#[tokio::test]
async fn keys_links_and_history_follow_a_renamed_owner() {
    let servers = start_instances();
    let database = servers[0].database();
    let key = database.owner("acme", "pro");
    let code = servers[0].with_key(&key).create(URL).await;
    database.owner("other", "pro");
    database.terse(&["owner", "rename", "acme", "other"]).failed();
    let same = database.terse(&["owner", "rename", "acme", "acme", "--json"]).json();
    assert_eq!((&same["event_id"], &same["changed"]), (&Value::Null, &json!(0)));
    let dry = database.terse(&["owner", "rename", "acme", "globex", "--dry-run", "--json"]).json();
    assert_eq!((&dry["event_id"], &dry["changed"]), (&Value::Null, &json!(1)));
    listed_owner(database, "acme");

    let renamed = database.terse(&["owner", "rename", "acme", "globex"]).done();
    assert!(renamed.stderr.contains("'globex' (event "), "{renamed:?}");
    assert_eq!(listed_owner(database, "globex")["links"], 1);
    database.terse(&["key", "list", "acme"]).failed();
    for server in &servers {
        assert_eq!(server.with_key(&key).links().await.expect(200).codes(), [code.as_str()]);
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
    assert_eq!(
        database.terse(&["key", "list", "globex", "--json"]).json()[0]["owner_name"],
        "globex"
    );
    let link = database.terse(&["link", "show", &code, "--json"]).json();
    assert_eq!(link["owner_name"], "globex");
    assert_eq!(count_events(database, "owner = 'acme'").await, 0);
    assert_eq!(count_events(database, "owner = 'globex'").await, 2);
    assert_eq!(count_events(database, "action = 'owner rename'").await, 1);
    // The name is free again.
    database.owner("acme", "free");
}

#[tokio::test]
async fn every_change_records_an_event_except_in_a_dry_run() {
    let database = Database::new().migrated();
    database.owner("acme", "free");
    database.owner("initech", "free");
    for owner in ["acme", "acme", "initech"] {
        database.terse(&["key", "add", owner, "--label", "spare"]).key();
    }
    let [first, spare, another] = [("acme", 0), ("acme", 1), ("initech", 0)].map(|(owner, row)| {
        database.terse(&["key", "list", owner, "--json"]).json()[row]["id"].to_string()
    });
    let (first, spare, another) = (first.as_str(), spare.as_str(), another.as_str());
    let both = format!("{first}, {another}");
    // A rollback does not return the number of its event.
    let (mut last, mut count) = (5, 5);
    for (arguments, subject, owner, changed) in [
        (&["owner", "add", "globex"][..], "globex", Some("globex"), 1),
        (&["owner", "plan", "acme", "pro"], "acme", Some("acme"), 1),
        (&["key", "add", "acme", "--scope", "read"], "", Some("acme"), 1),
        (&["key", "expire", spare, "--at", "2999-01-01"], spare, Some("acme"), 1),
        (&["key", "revoke", spare], spare, Some("acme"), 1),
        (&["key", "revoke", first, another], &both, None, 2),
        (&["plan", "add", "gold"], "gold", None, 1),
        (&["plan", "set", "gold", "--max-links", "5"], "gold", None, 1),
        (&["owner", "suspend", "acme", "--reason", "legal"], "acme", Some("acme"), 1),
        (&["owner", "resume", "acme"], "acme", Some("acme"), 1),
    ] {
        let before = printed_lists(&database);
        let dry = database.terse(&[arguments, &["--dry-run", "--json"]].concat()).json();
        assert_eq!(dry["event_id"], Value::Null, "{dry}");
        assert_eq!((&dry["changed"], &dry["dry_run"]), (&json!(changed), &json!(true)), "{dry}");
        assert_eq!(dry.get("key"), None, "a key that does not exist");
        let dry = database.terse(&[arguments, &["--dry-run"]].concat()).done();
        assert_eq!((dry.stdout.as_str(), dry.stderr.lines().count()), ("", 1), "{dry:?}");
        assert_eq!(printed_lists(&database), before, "{arguments:?}");
        assert_eq!(count_events(&database, "TRUE").await, count, "{arguments:?}");

        let more = ["--actor", "alice", "--note", "As asked", "--case", "C-1", "--json"];
        let done = database.terse(&[arguments, &more].concat()).done();
        let result: Value = serde_json::from_str(&done.stdout).unwrap();
        let event = result["event_id"].as_i64().unwrap();
        assert!(event > last, "{result}");
        (last, count) = (event, count + 1);
        assert_eq!(result["changed"], changed);
        assert!(done.stderr.ends_with(&format!(" (event {last})\n")), "{done:?}");
        let id = result["id"].to_string();
        let subject = if subject.is_empty() { &*id } else { subject };
        let action = arguments[..2].join(" ");
        let owner = owner.map_or("owner IS NULL".to_owned(), |name| format!("owner = '{name}'"));
        let reason = if action == "owner suspend" { "legal" } else { "other" };
        let condition = format!(
            "id = {last} AND action = '{action}' AND subject = '{subject}' AND {owner}
             AND changed = {changed} AND actor = 'alice' AND note = 'As asked'
             AND case_id = 'C-1' AND reason = '{reason}'"
        );
        assert_eq!(count_events(&database, &condition).await, 1, "{condition}");

        // The same command again changes nothing.
        if !["owner add", "key add", "plan add"].contains(&&*action) {
            let again = database.terse(&[arguments, &["--json"]].concat()).done();
            let result: Value = serde_json::from_str(&again.stdout).unwrap();
            assert_eq!((&result["event_id"], &result["changed"]), (&Value::Null, &json!(0)));
            assert!(again.stderr.starts_with("nothing to change: "), "{again:?}");
            assert_eq!(count_events(&database, "TRUE").await, count, "{arguments:?}");
        }
    }
    let failed = database.terse(&["owner", "plan", "missing", "pro"]);
    assert_eq!(failed.code, Some(1));
    assert_eq!(count_events(&database, "TRUE").await, count);
}

#[tokio::test]
async fn actor_is_the_user_unless_named() {
    let database = Database::new().migrated();
    let add = |name: &str, variables: &[(&str, &str)]| {
        let mut command = database.command();
        command.env_remove("SUDO_USER").args(["owner", "add", name]);
        assert!(command.envs(variables.iter().copied()).output().unwrap().status.success());
    };
    add("one", &[("SUDO_USER", "bob"), ("TERSE_ACTOR", "carol")]);
    add("two", &[("SUDO_USER", "bob")]);
    add("three", &[]);
    assert_eq!(count_events(&database, "owner = 'one' AND actor = 'carol'").await, 1);
    assert_eq!(count_events(&database, "owner = 'two' AND actor = 'bob'").await, 1);
    let others = "owner = 'three' AND actor NOT IN ('bob', 'carol') AND actor <> ''";
    assert_eq!(count_events(&database, others).await, 1);
}

#[tokio::test]
async fn first_start_and_migration_record_no_event() {
    let server = Server::on(&Arc::new(Database::new()));
    server.terse(&["migrate"]).done();
    assert_eq!(count_events(server.database(), "TRUE").await, 0);
}
