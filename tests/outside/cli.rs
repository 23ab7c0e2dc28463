//! The command line: what it prints, and how it ends.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{Database, Outcome, Server, find_object, is_key, only_on, run};

const URL: &str = "https://example.com/?private=yes";

/// A database that exists and has no owner.
fn migrated() -> Database {
    let database = Database::new();
    database.terse(&["migrate"]).done();
    database
}

#[test]
fn help_shows_every_setting_and_command() {
    for arguments in [["help"], ["--help"], ["-h"]] {
        let help = run(&arguments).done();
        for word in ["--database-url", "--listen", "--base-url", "serve", "owner", "key", "plan"] {
            assert!(help.stdout.contains(word), "{arguments:?}: {word}: {}", help.stdout);
        }
    }
    let help = run(&["help"]).done().stdout;
    for word in [
        "TERSE_DATABASE_URL",
        "TERSE_LISTEN",
        "TERSE_BASE_URL",
        "sqlite://terse.db?mode=rwc",
        "127.0.0.1:8080",
        "link",
        "import",
        "export",
        "copy",
        "migrate",
        "openapi",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
    let version = run(&["--version"]).done().stdout;
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
}

#[test]
fn the_wrong_usage_ends_with_2() {
    let database = migrated();
    for arguments in [
        &["nonsense"][..],
        &["owner"],
        &["owner", "add"],
        &["owner", "add", "x", "--nonsense"],
        &["owner", "add", "x", "y"],
        &["owner", "plan", "x"],
        &["owner", "rename", "x"],
        &["owner", "suspend", "x", "--reason", "nonsense"],
        &["owner", "delete", "x"],
        &["owner", "delete", "x", "--confirm", "y"],
        &["key", "add"],
        &["key", "add", "x", "--scope", "write"],
        &["key", "revoke"],
        &["key", "revoke", "x"],
        &["key", "revoke", "1", "--owner", "x"],
        &["key", "expire", "1"],
        &["key", "expire", "1", "--at", "nonsense"],
        &["key", "find", "x"],
        &["plan", "add"],
        &["plan", "add", "x", "--max-links", "many"],
        &["plan", "set"],
        &["plan", "set", "x", "--max-links", "many"],
        &["plan", "set", "x", "--max-links", "-1"],
        &["plan", "set", "x", "--custom-codes", "perhaps"],
        &["link", "show"],
        &["link", "remove", "x"],
        &["copy"],
        &["copy", "--from", "sqlite://x.db"],
        &["serve", "--listen", "nonsense"],
        &["serve", "--listen", "127.0.0.1:99999"],
        &["owner", "list", "--database-url", "sqlite://terse.db?immutable=1"],
        &["serve", "--listen", "127.0.0.1:0", "--log", ""],
        &["serve", "--listen", "127.0.0.1:0", "--log", " ,"],
        &["serve", "--listen", "127.0.0.1:0", "--log", "inof"],
        &["serve", "--listen", "127.0.0.1:0", "--log", "warn,inof"],
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--database-url",
            "postgres://x@127.0.0.1/x?sslmod=require",
        ],
        &["--nonsense"],
    ] {
        database.terse(arguments).misused();
    }
}

#[test]
fn a_base_url_is_an_origin() {
    let database = migrated();
    for base_url in [
        "https://example.com/path",
        "https://example.com/path/",
        "https://example.com/?query",
        "https://example.com/#fragment",
        "https://user:pass@example.com",
        "ftp://example.com",
        "example.com",
        "https://",
        "",
    ] {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--base-url", base_url];
        database.terse(&arguments).misused();
        let command =
            database.command().env("TERSE_BASE_URL", base_url).args(&arguments[..3]).output();
        if !base_url.is_empty() {
            Outcome::new(&arguments[..3], &command.unwrap()).misused();
        }
    }
}

#[test]
fn a_database_that_is_missing_is_not_made() {
    let database = Database::new();
    for arguments in [
        &["owner", "list"][..],
        &["owner", "add", "x"],
        &["owner", "plan", "x", "pro"],
        &["key", "add", "x"],
        &["key", "list", "x"],
        &["key", "revoke", "1"],
        &["plan", "list"],
        &["plan", "add", "x"],
        &["plan", "set", "x"],
        &["link", "show", "unknown"],
        &["link", "disable", "unknown"],
        &["link", "enable", "unknown"],
        &["import", "/dev/null", "--owner", "x"],
        &["export"],
    ] {
        database.terse(arguments).failed();
        assert!(database.is_untouched(), "{arguments:?} made something");
    }
}

/// As SQLite has it: whoever says so does not want an empty database where a disk is not mounted.
#[test]
fn a_database_that_is_to_be_there_is_not_made() {
    only_on!(Sqlite: "a file may be missing");
    let database = Database::new();
    for mode in ["rw", "ro"] {
        let url = format!("sqlite://{}?mode={mode}", database.file().display());
        for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
            let arguments = [command, &["--database-url", &url]].concat();
            let told = database.terse(&arguments).failed();
            assert!(told.contains("there is no database at"), "{told}");
            assert!(database.is_untouched(), "{command:?} {mode}");
        }
    }
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    only_on!(Sqlite: "a file can be anything");
    let database = Database::new();
    std::fs::write(database.file(), "This is no database. ".repeat(100)).unwrap();
    database.terse(&["owner", "list"]).failed();
    database.terse(&["migrate"]).failed();
    database.terse(&["serve", "--listen", "127.0.0.1:0"]).failed();
    let directory = database.directory().to_str().unwrap().to_owned();
    let url = format!("sqlite://{directory}/none/t.db?mode=rwc");
    run(&["migrate", "--database-url", &url]).failed();
}

#[test]
fn migrate_makes_a_database_without_an_owner() {
    let database = migrated();
    assert!(!database.is_untouched());
    database.terse(&["migrate"]).done();
    let owners = database.terse(&["owner", "list", "--json"]).json();
    assert_eq!(find_object(&owners, "name", "default"), None);
}

#[test]
fn adding_an_owner_prints_the_key_and_nothing_else() {
    let database = migrated();
    let first = database.terse(&["owner", "add", "first"]).key();
    let second = database.terse(&["owner", "add", "second", "--plan", "pro"]).key();
    let another = database.terse(&["key", "add", "first"]).key();
    let labelled = database.terse(&["key", "add", "first", "--label", "CI & more"]).key();
    let mut keys = vec![first, second, another, labelled];
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 4);
    let owners = database.terse(&["owner", "list", "--json"]).json();
    for (name, plan) in [("first", "free"), ("second", "pro")] {
        let owner = find_object(&owners, "name", name).expect("the owner is listed");
        assert_eq!(owner["plan"], plan);
    }
    let listed = ["owner", "list"].as_slice();
    for arguments in [listed, &["key", "list", "first"], &["key", "list", "first", "--json"]] {
        let shown = database.terse(arguments).done();
        for key in &keys {
            assert!(!shown.stdout.contains(key), "{arguments:?} shows a key");
        }
    }
    let shown = database.terse(&["key", "list", "first"]).done().stdout;
    assert!(shown.contains("CI & more"), "{shown}");
}

#[tokio::test]
async fn an_owner_of_links_is_not_deleted_by_hand() {
    let server = Server::start();
    let (database, code) = (server.database(), server.api().create(URL).await);
    database.owner("idle", "free");
    database.execute("DELETE FROM api_keys").await;
    for name in ["default", "idle"] {
        let delete = format!("DELETE FROM owners WHERE name = '{name}'");
        let deleted = database.try_execute(&delete).await;
        assert_eq!(deleted.is_ok(), name == "idle", "{name}: {deleted:?}");
    }
    server.terse(&["link", "show", &code]).done();
}

#[test]
fn the_settings_may_also_be_flags() {
    let database = migrated();
    let url = database.url();
    run(&["owner", "add", "x", "--database-url", &url]).key();
    run(&["--database-url", &url, "owner", "add", "y"]).key();
    let other = Database::new().url();
    let output =
        database.command().args(["owner", "add", "z"]).args(["--database-url", &other]).output();
    Outcome::new(&["the flag comes before the variable"], &output.unwrap()).failed();
}

#[test]
fn what_cannot_be_done_fails_with_one_line() {
    let database = migrated();
    database.owner("somebody", "free");
    database.owner("somebody else", "free");
    for (arguments, named) in [
        (&["owner", "add", "somebody"][..], "somebody"),
        (&["owner", "add", "new", "--plan", "golden"], "golden"),
        (&["owner", "plan", "nobody", "free"], "nobody"),
        (&["owner", "plan", "somebody", "golden"], "golden"),
        (&["key", "add", "nobody"], "nobody"),
        (&["key", "list", "nobody"], "nobody"),
        (&["owner", "rename", "nobody", "new"], "nobody"),
        (&["owner", "rename", "somebody", "somebody else"], "somebody else"),
        (&["owner", "suspend", "nobody"], "nobody"),
        (&["owner", "resume", "nobody"], "nobody"),
        (&["owner", "delete", "nobody", "--confirm", "nobody"], "nobody"),
        (&["key", "expire", "987654", "--at", "never"], "987654"),
        (&["key", "revoke", "987654"], "987654"),
        (&["key", "revoke", "1", "987654"], "987654"),
        (&["key", "revoke", "--owner", "nobody", "--yes"], "nobody"),
        (&["link", "show", "nothing"], "link"),
        (&["link", "disable", "nothing"], "link"),
        (&["link", "enable", "nothing"], "link"),
    ] {
        let line = database.terse(arguments).failed();
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
    let owners = database.terse(&["owner", "list", "--json"]).json();
    assert_eq!(find_object(&owners, "name", "new"), None, "nothing was done by halves");
}

#[test]
fn revoking_a_key_says_whose_it_was() {
    let database = migrated();
    database.owner("somebody else", "free");
    for label in ["one", "other"] {
        database.terse(&["key", "add", "somebody else", "--label", label]).done();
    }
    let (one, other) =
        (database.key_id("somebody else", "one"), database.key_id("somebody else", "other"));
    let told = database.terse(&["key", "revoke", &one]).done();
    assert_eq!(told.stdout, "");
    assert_eq!(told.stderr.lines().count(), 1, "{told:#?}");
    assert!(told.stderr.contains("somebody else") && told.stderr.contains(&one), "{told:#?}");
    let told = database.terse(&["key", "revoke", &other, "--json"]).json();
    assert_eq!(told["owner"], "somebody else");
    assert_eq!(told["id"].to_string(), other);
}

#[test]
fn a_server_that_nobody_has_a_key_for_says_how_to_make_one() {
    only_on!(Postgres: "on SQLite the first start makes an owner");
    let database = Arc::new(Database::new());
    let server = Server::on(&database);
    assert!(server.log().contains("terse owner add"), "{}", server.log());
    drop(server);
    database.owner("somebody", "free");
    let server = Server::on(&database);
    assert!(!server.log().contains("terse owner add"), "{}", server.log());
}

#[test]
fn a_nonsensical_expiry_is_refused() {
    let database = migrated();
    database.owner("somebody", "free");
    for expires in ["", "nonsense", "-5", "2020-13-45"] {
        // As one word, lest what begins with a dash be refused for that.
        let expires = format!("--expires={expires}");
        database.terse(&["key", "add", "somebody", &expires]).misused();
    }
    let keys = database.terse(&["key", "list", "somebody", "--json"]).json();
    assert_eq!(keys.as_array().unwrap().len(), 1, "none was made: {keys}");
}

#[test]
fn the_shipped_plans_are_listed() {
    let database = migrated();
    let listed = database.terse(&["plan", "list"]).done().stdout;
    for word in ["free", "100", "pro", "10000", "unlimited"] {
        let plain = listed.replace([',', '_', '\u{202f}'], "");
        assert!(plain.contains(word), "{listed}");
    }
    let plans = database.terse(&["plan", "list", "--json"]).json();
    for (name, most, custom_codes) in [("free", json!(100), false), ("pro", json!(10_000), true)] {
        let plan = find_object(&plans, "name", name).expect("the plan is listed");
        assert_eq!(plan["max_links"], most);
        assert_eq!(plan["custom_codes"], custom_codes);
    }
    let unlimited = find_object(&plans, "name", "unlimited").expect("the plan is listed");
    assert_eq!(unlimited["max_links"], Value::Null);
}

#[test]
fn a_plan_is_made_and_changed_a_setting_at_a_time() {
    let database = migrated();
    let plan = || {
        let plans = database.terse(&["plan", "list", "--json"]).json();
        let plan = find_object(&plans, "name", "own").expect("the plan is listed");
        (plan["max_links"].clone(), plan["custom_codes"].clone())
    };
    database.terse(&["plan", "add", "own"]).done();
    assert_eq!(plan(), (Value::Null, json!(false)));
    database.terse(&["plan", "set", "own", "--max-links", "7"]).done();
    assert_eq!(plan(), (json!(7), json!(false)));
    database.terse(&["plan", "set", "own", "--custom-codes", "true"]).done();
    assert_eq!(plan(), (json!(7), json!(true)));
    database.terse(&["plan", "set", "own", "--max-links", "unlimited"]).done();
    assert_eq!(plan(), (Value::Null, json!(true)));
    database.terse(&["plan", "set", "own"]).done();
    assert_eq!(plan(), (Value::Null, json!(true)), "what is not told stays");
}

#[tokio::test]
async fn a_link_can_be_looked_at_while_the_server_runs() {
    let server = Server::start();
    let api = server.api();
    let code = api.create_from(&json!({"url": URL, "title": "T", "campaign": "C"})).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let shown = server.terse(&["link", "show", &code]).done();
    assert!(shown.stdout.contains(URL), "{shown:?}");
    let link = server.terse(&["link", "show", &code, "--json"]).json();
    let link = find_object(&link, "short_code", &code).expect("the link is shown");
    assert_eq!(link["destination_url"], URL);
    assert_eq!(link["clicks"], 1);
    server.terse(&["link", "disable", &code]).done();
    server.terse(&["link", "disable", &code]).done();
    assert_eq!(api.stats(&code).await.data()["is_active"], 0);
    server.terse(&["link", "enable", &code]).done();
    server.terse(&["link", "enable", &code]).done();
    assert_eq!(api.stats(&code).await.data()["is_active"], 1);
    let other_case = code.to_uppercase();
    if other_case != code {
        server.terse(&["link", "show", &other_case]).failed();
    }
}

#[test]
fn every_list_is_json_when_asked() {
    let server = Server::start();
    for arguments in [&["owner", "list"][..], &["plan", "list"], &["key", "list", "default"]] {
        let json = server.terse(&[arguments, &["--json"]].concat()).json();
        assert!(json.is_array(), "{json}");
        let before = server.terse(&[&["--json"], arguments].concat()).json();
        assert_eq!(before, json, "wherever it is asked for");
    }
}

#[test]
fn names_are_listed_in_the_order_of_their_bytes() {
    let database = migrated();
    for name in ["b", "a-b", "A", "ab", "B", "a_b", "1", "Ä"] {
        database.owner(name, "free");
        database.plan(name, "5", true);
    }
    for list in ["owner", "plan"] {
        let listed = database.terse(&[list, "list", "--json"]).json();
        let names = listed.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap());
        let shipped = ["free", "pro", "unlimited"];
        let names: Vec<&str> = names.filter(|name| !shipped.contains(name)).collect();
        assert_eq!(names, ["1", "A", "B", "a-b", "a_b", "ab", "b", "Ä"], "{list}");
    }
}

#[test]
fn a_new_owners_key_can_be_json_too() {
    let database = migrated();
    let added = database.terse(&["owner", "add", "robot", "--json"]).json();
    assert_eq!((&added["name"], &added["plan"]), (&json!("robot"), &json!("free")));
    assert!(added["key"].as_str().is_some_and(is_key), "{added}");
}
