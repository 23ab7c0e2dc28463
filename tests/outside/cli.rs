//! Output and exit codes of the command line.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{Database, Outcome, Server, find_object, only_on, run};

const URL: &str = "https://example.com/?private=yes";

#[test]
fn help_lists_all_settings_and_commands() {
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
    let manifest = include_str!("../../Cargo.toml");
    let line = manifest.lines().find(|line| line.starts_with("version = ")).expect("a version");
    let version = run(&["--version"]).done().stdout;
    assert_eq!(version.trim(), line.replace("version = ", "terse ").replace('"', ""));
}

#[test]
fn invalid_usage_exits_with_2() {
    let database = Database::new().migrated();
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
        &["backup"],
        &["restore", "x.db"],
        &["restore", "--to", "sqlite://x.db"],
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
fn base_url_must_be_an_origin() {
    let database = Database::new().migrated();
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
fn missing_database_is_not_created_by_other_commands() {
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
        assert!(database.is_untouched(), "{arguments:?} created something");
    }
}

/// In the modes `rw` and `ro`, a command creates no file, for example while a disk is not mounted.
#[test]
fn missing_database_is_not_created_in_mode_rw() {
    only_on!(Sqlite: "a file may be missing");
    let database = Database::new();
    for mode in ["rw", "ro"] {
        let url = format!("sqlite://{}?mode={mode}", database.file().display());
        for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
            let arguments = [command, &["--database-url", &url]].concat();
            let output = database.terse(&arguments).failed();
            assert!(output.contains("there is no database at"), "{output}");
            assert!(database.is_untouched(), "{command:?} {mode}");
        }
    }
}

#[test]
fn non_database_file_is_rejected() {
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
fn migrate_creates_a_database_without_owners() {
    let database = Database::new();
    database.terse(&["migrate"]).done();
    assert!(!database.is_untouched());
    database.terse(&["migrate"]).done();
    let owners = database.terse(&["owner", "list", "--json"]).json();
    assert_eq!(find_object(&owners, "name", "default"), None);
}

#[test]
fn owner_add_prints_only_the_key() {
    let database = Database::new().migrated();
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
        assert_eq!(owner["plan_name"], plan);
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
async fn database_rejects_deletion_of_an_owner_with_links() {
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
fn settings_are_accepted_as_flags() {
    let database = Database::new().migrated();
    let url = database.url();
    run(&["owner", "add", "x", "--database-url", &url]).key();
    run(&["--database-url", &url, "owner", "add", "y"]).key();
    let other = Database::new().url();
    let output =
        database.command().args(["owner", "add", "z"]).args(["--database-url", &other]).output();
    Outcome::new(&["the flag comes before the variable"], &output.unwrap()).failed();
}

#[test]
fn failed_command_prints_one_line() {
    let database = Database::new().migrated();
    database.owner("another", "free");
    database.owner("another one", "free");
    for (arguments, named) in [
        (&["owner", "add", "another"][..], "another"),
        (&["owner", "add", "new", "--plan", "golden"], "golden"),
        (&["owner", "plan", "missing", "free"], "missing"),
        (&["owner", "plan", "another", "golden"], "golden"),
        (&["key", "add", "missing"], "missing"),
        (&["key", "list", "missing"], "missing"),
        (&["owner", "rename", "missing", "new"], "missing"),
        (&["owner", "rename", "another", "another one"], "another one"),
        (&["owner", "suspend", "missing"], "missing"),
        (&["owner", "resume", "missing"], "missing"),
        (&["owner", "delete", "missing", "--confirm", "missing"], "missing"),
        (&["key", "expire", "987654", "--at", "never"], "987654"),
        (&["key", "revoke", "1", "987654"], "987654"),
        (&["key", "revoke", "--owner", "missing", "--yes"], "missing"),
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
fn start_without_owners_logs_how_to_add_a_key() {
    only_on!(Postgres: "on SQLite the first start adds an owner");
    let database = Arc::new(Database::new());
    let server = Server::on(&database);
    server.wait_for_log("terse owner add");
    drop(server);
    database.owner("another", "free");
    let server = Server::on(&database);
    assert!(!server.log().contains("terse owner add"), "{}", server.log());
}

#[test]
fn invalid_expiry_is_rejected() {
    let database = Database::new().migrated();
    database.owner("another", "free");
    for expires in ["", "nonsense", "-5", "2020-13-45"] {
        // One argument, because clap rejects a separate value that begins with a dash.
        let expires = format!("--expires={expires}");
        database.terse(&["key", "add", "another", &expires]).misused();
    }
    let keys = database.terse(&["key", "list", "another", "--json"]).json();
    assert_eq!(keys.as_array().unwrap().len(), 1, "no key was added: {keys}");
}

#[test]
fn built_in_plans_are_listed() {
    let database = Database::new().migrated();
    let listed = database.terse(&["plan", "list"]).done().stdout;
    for word in ["free", "100", "pro", "10000", "unlimited"] {
        let plain = listed.replace([',', '_', '\u{202f}'], "");
        assert!(plain.contains(word), "{listed}");
    }
    let plans = database.terse(&["plan", "list", "--json"]).json();
    for (name, max_links, custom_codes) in
        [("free", json!(100), false), ("pro", json!(10_000), true)]
    {
        let plan = find_object(&plans, "name", name).expect("the plan is listed");
        assert_eq!(plan["max_links"], max_links);
        assert_eq!(plan["custom_codes"], custom_codes);
    }
    let unlimited = find_object(&plans, "name", "unlimited").expect("the plan is listed");
    assert_eq!(unlimited["max_links"], Value::Null);
}

#[test]
fn plan_settings_change_independently() {
    let database = Database::new().migrated();
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
    assert_eq!(plan(), (Value::Null, json!(true)), "omitted settings do not change");
}

#[tokio::test]
async fn link_show_works_while_the_server_runs() {
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
fn all_lists_support_json() {
    let server = Server::start();
    for arguments in [&["owner", "list"][..], &["plan", "list"], &["key", "list", "default"]] {
        let json = server.terse(&[arguments, &["--json"]].concat()).json();
        assert!(json.is_array(), "{json}");
        let before = server.terse(&[&["--json"], arguments].concat()).json();
        assert_eq!(before, json, "wherever it is asked for");
    }
}

#[test]
fn names_are_listed_in_byte_order() {
    let database = Database::new().migrated();
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
