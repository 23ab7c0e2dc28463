//! `terse owner delete`: it deletes all data of an owner in slices, and retires the codes.

use std::fmt::Write as _;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Api, Database, Load, Outcome, Server, TIMEOUT, assert_within_a_second, eventually, find_object,
    until,
};
use crate::owner_commands::{count_events, start_instances};

const URL: &str = "https://example.com/";
const SECRET: &str = "https://secret.example/plan";

/// Returns a CSV file of links with the codes `acme0`, `acme1` and so on.
fn rows(count: usize) -> String {
    let head = "short_code,destination_url,clicks\n".to_owned();
    (0..count).fold(head, |mut rows, number| {
        writeln!(rows, "acme{number},{SECRET}/{number},{}", number % 3).unwrap();
        rows
    })
}

/// Creates the owner `acme` with this number of links, and returns its key.
fn create_acme(database: &Database, links: usize) -> String {
    let key = database.owner("acme", "unlimited");
    std::fs::write(database.directory().join("in.csv"), rows(links)).unwrap();
    database.terse(&["import", "in.csv", "--owner", "acme"]).done();
    key
}

fn has_owner(database: &Database, name: &str) -> bool {
    let owners = database.terse(&["owner", "list", "--json"]).json();
    find_object(&owners, "name", name).is_some()
}

async fn count(database: &Database, from: &str) -> i64 {
    database.number(&format!("SELECT COUNT(*) FROM {from}")).await
}

/// Checks that the database contains nothing of `acme` and its links except this number of codes.
async fn assert_acme_is_erased(database: &Database, codes: i64) {
    let retired = "links WHERE owner_id IS NULL AND destination_url = '' AND destination_host = ''
        AND title IS NULL AND campaign IS NULL AND disabled_reason IS NULL
        AND expires_at IS NULL AND has_qr = 0 AND qr_foreground IS NULL
        AND qr_background IS NULL AND qr_margin IS NULL AND qr_error_correction IS NULL
        AND deleted_event IN (SELECT id FROM events WHERE action = 'owner delete')";
    assert_eq!(count(database, retired).await, codes);
    assert_eq!(count(database, "links WHERE owner_id IS NULL").await, codes);
    for rest in [
        "owners WHERE name = 'acme'",
        "api_keys WHERE owner_id NOT IN (SELECT id FROM owners)",
        "idempotency_keys WHERE owner_id NOT IN (SELECT id FROM owners)",
        "links WHERE destination_url LIKE '%secret.example%'",
        "event_changes WHERE before LIKE '%secret.example%' OR after LIKE '%secret.example%'",
        "events WHERE subject LIKE '%secret.example%' OR note LIKE '%secret.example%'",
    ] {
        assert_eq!(count(database, rest).await, 0, "{rest}");
    }
}

async fn shorten_with_key(api: &Api, key: &str, code: &str) -> String {
    let ask = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", key);
    let body = json!({"url": SECRET, "custom_code": code, "title": "Secret"});
    ask.json(&body).send().await.expect(201).code()
}

#[tokio::test]
async fn owner_deletion_erases_all_data_except_retired_codes() {
    let servers = start_instances();
    let (server, database) = (&servers[0], servers[0].database());
    let key = create_acme(database, 700);
    let api = server.with_key(&key);
    let code = shorten_with_key(&api, "one", "secret").await;
    api.qr(&json!({"short_code": code, "foreground": "#102030"})).await.expect(201);
    let theirs = server.api().create(URL).await;
    database.terse(&["key", "add", "acme", "--label", "for secret.example"]).key();
    for server in &servers {
        for code in [&code, &theirs, "acme0"] {
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
        server.with_key(&key).links().await.expect(200);
    }
    server.terse(&["link", "disable", "acme1"]).done();
    let dry = ["owner", "delete", "acme", "--confirm", "acme", "--dry-run", "--json"];
    let dry = server.terse(&dry).json();
    assert_eq!(dry["event_id"], Value::Null);
    assert_eq!(dry["changed"], 701 + 2 + 1);
    assert_eq!(dry["deleted"]["links"], 701);
    server.with_key(&key).links().await.expect(200);

    let delete = ["owner", "delete", "acme", "--confirm", "acme", "--export", "out.csv", "--json"];
    let delete = [&delete[..], &["--case", "C-9", "--reason", "owner-request"]].concat();
    let outcome = server.terse(&delete).done();
    let result: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(result["changed"], 701 + 2 + 1, "{result}");
    let deleted = &result["deleted"];
    assert_eq!(deleted["links"], 701);
    assert_eq!((&deleted["keys"], &deleted["responses"]), (&json!(2), &json!(1)));
    let event = result["event_id"].as_i64().unwrap();
    let last = outcome.stderr.lines().last().unwrap();
    assert!(last.starts_with("deleted owner 'acme': 701 links, "), "{last}");
    assert!(last.contains(" 2 keys, 1 stored response, 0 domains, 1 owner (event "), "{last}");

    let exported = std::fs::read_to_string(database.directory().join("out.csv")).unwrap();
    assert_eq!(exported.lines().count(), 702);
    let clicks = servers.len();
    assert!(exported.contains(&format!("secret,{SECRET},Secret,,{clicks},1,1,")), "{exported}");
    assert!(exported.contains(&format!("acme0,{SECRET}/0,,,{clicks},1,0,")), "{exported}");

    assert_within_a_second("the links are gone everywhere", async || {
        let mut all = true;
        for server in &servers {
            for path in ["/secret", "/acme0", "/acme1", "/acme699", "/secret/qr.svg"] {
                all &= server.anyone().get(path).await.status == 410;
            }
            all &= server.with_key(&key).links().await.status == 401;
        }
        all
    })
    .await;
    for server in &servers {
        server.with_key(&key).links().await.problem(401, "unauthorized");
        server.anyone().get(&format!("/{theirs}")).await.expect(302);
        let taken = json!({"url": URL, "custom_code": "secret"});
        let other = server.with_key(servers[0].key());
        other.shorten(&taken).await.problem(409, "code-in-use");
        other.stats("secret").await.expect(404);
    }
    assert!(!has_owner(database, "acme"));
    assert_acme_is_erased(database, 701).await;
    let of_it = format!("id = {event} AND owner = 'acme' AND case_id = 'C-9' AND changed = 704");
    assert_eq!(count_events(database, &of_it).await, 1);
    assert!(count_events(database, "owner = 'acme'").await >= 3, "the history keeps the name");
    let clicks = "click_counts WHERE link_id IN (SELECT id FROM links WHERE owner_id IS NULL)";
    assert_eq!(count(database, clicks).await, 0);
    let shown = server.terse(&["link", "show", "secret", "--json"]).json();
    assert_eq!((&shown["state"], &shown["owner_name"]), (&json!("deleted"), &Value::Null));
    for command in ["disable", "enable"] {
        server.terse(&["link", command, "secret"]).failed();
    }
    let export = server.terse(&["export"]).done().stdout;
    assert_eq!(export.lines().count(), 2, "{export}");
    server.terse(&["owner", "delete", "acme", "--confirm", "acme"]).failed();
    // A new owner of the same name has nothing of the old one.
    let key = database.owner("acme", "unlimited");
    assert!(server.with_key(&key).links().await.expect(200).codes().is_empty());
    let import = server.terse(&["import", "in.csv", "--owner", "acme", "--json"]);
    let summary: Value = serde_json::from_str(&import.stdout).unwrap();
    assert_eq!(summary["rejected"], 700, "{import:?}");
}

#[tokio::test]
async fn deletion_export_equals_terse_export() {
    for (name, format) in [("out.jsonl", "jsonl"), ("out.csv", "csv"), ("out", "csv")] {
        let database = Database::new().migrated();
        create_acme(&database, 30);
        let expected = ["export", "--owner", "acme", "--format", format];
        let expected = database.terse(&expected).done().stdout;
        let delete = ["owner", "delete", "acme", "--confirm", "acme", "--export", name];
        let outcome = database.terse(&delete).done();
        assert_eq!(outcome.stdout, "");
        let file = database.directory().join(name);
        assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
        assert!(outcome.stderr.starts_with("exported 30 links to out"), "{outcome:?}");
    }
}

#[tokio::test]
async fn owner_deletion_requires_the_repeated_name_and_a_new_file() {
    let database = Database::new().migrated();
    create_acme(&database, 3);
    let before = database.terse(&["owner", "list"]).done().stdout;
    std::fs::write(database.directory().join("there"), "mine").unwrap();
    let delete = ["owner", "delete", "acme", "--confirm"];
    for confirm in ["", "Acme", "acme ", "default"] {
        database.terse(&[&delete[..], &[confirm]].concat()).misused();
    }
    for file in ["there", "none/out.csv", "."] {
        let delete = [&delete[..], &["acme", "--export", file]].concat();
        let line = database.terse(&delete).failed();
        assert!(line.contains(&format!("cannot export to {file}")), "{line}");
    }
    let line = database.terse(&["owner", "delete", "x", "--confirm", "x", "--export", "new"]);
    line.failed();
    assert!(!database.directory().join("new").exists());
    let content = std::fs::read_to_string(database.directory().join("there")).unwrap();
    assert_eq!(content, "mine");
    assert_eq!(database.terse(&["owner", "list"]).done().stdout, before);
    assert_eq!(count_events(&database, "action = 'owner delete'").await, 0);
}

#[tokio::test]
async fn full_disk_stops_a_deletion_before_it_begins() {
    let database = Database::new().migrated();
    create_acme(&database, 300);
    let program = database.command();
    // The database's own files are larger than the limit, but the command writes the export first.
    let out = database.directory().join("out.csv");
    let mut command = std::process::Command::new("prlimit");
    command.arg("--fsize=4096").arg(program.get_program());
    command.args(["owner", "delete", "acme", "--confirm", "acme", "--export", "out.csv"]);
    command.current_dir(database.directory());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let outcome = Outcome::new(&["owner", "delete"], &command.output().unwrap());
    outcome.failed();
    assert!(!out.exists(), "an incomplete export is removed");
    assert_eq!(count(&database, "links WHERE owner_id IS NOT NULL").await, 300);
}

fn spawn_deletion(database: &Database) -> Child {
    let mut command = database.command();
    command.args(["owner", "delete", "acme", "--confirm", "acme"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

async fn wait_for_retired(database: &Database, retired: i64) {
    eventually(TIMEOUT, "links are deleted", async || {
        count(database, "links WHERE owner_id IS NULL").await >= retired
    })
    .await;
}

#[tokio::test]
async fn killed_deletion_is_finished_by_the_next_one() {
    const LINKS: i64 = 12_000;
    let server = Server::start();
    let database = server.database();
    let key = create_acme(database, LINKS as usize);
    let theirs = server.api().create(URL).await;
    for kills in 1..=3 {
        let mut child = spawn_deletion(database);
        wait_for_retired(database, kills * 2_000 - 1_500).await;
        child.kill().unwrap();
        child.wait().unwrap();
        eventually(TIMEOUT, "the statements in progress have ended", async || {
            database.is_idle() || count(database, "owners WHERE name = 'acme'").await == 1
        })
        .await;
        // Each committed slice has deleted whole links and reduced the owner's count by as many.
        let left = count(database, "links WHERE owner_id IS NOT NULL AND destination_url <> ''");
        let left = left.await - 1;
        let counted = "SELECT link_count FROM owners WHERE name = 'acme'";
        let retired = count(database, "links WHERE owner_id IS NULL").await;
        let counted = database.number(counted).await;
        assert!(counted <= left && counted > 0, "{counted} counted, {left} left");
        assert!(retired < LINKS, "it was killed in the middle");
        let suspended = "owners WHERE name = 'acme' AND suspended_reason IS NOT NULL";
        assert_eq!(count(database, suspended).await, 1);
        server.with_key(&key).links().await.problem(403, "owner-suspended");
        server.anyone().get("/acme11999").await.expect(410);
    }
    let delete = ["owner", "delete", "acme", "--confirm", "acme", "--json"];
    let result = database.terse(&delete).json();
    assert!(result["deleted"]["links"].as_i64().unwrap() < LINKS - 3_000, "{result}");
    assert_eq!(result["deleted"]["keys"], 1);
    assert_acme_is_erased(database, LINKS).await;
    let changed = "SELECT CAST(SUM(changed) AS bigint) FROM events WHERE action = 'owner delete'";
    // Each of the four runs counts the owner, which it has suspended at least.
    assert_eq!(database.number(changed).await, LINKS + 1 + 4);
    server.anyone().get(&format!("/{theirs}")).await.expect(302);
    server.anyone().get("/acme11999").await.expect(410);
    let totals = "SELECT CAST(SUM(link_count) AS bigint) FROM owners";
    assert_eq!(database.number(totals).await, 1);
}

#[tokio::test]
async fn deletion_stops_if_the_owner_is_resumed() {
    let database = Database::new().migrated();
    create_acme(&database, 12_000);
    let child = spawn_deletion(&database);
    wait_for_retired(&database, 500).await;
    database.terse(&["owner", "resume", "acme"]).done();
    let outcome = Outcome::new(&["owner", "delete"], &child.wait_with_output().unwrap());
    let line = outcome.failed();
    assert!(line.contains("'acme' was resumed"), "{line}");
    let left = count(&database, "links WHERE owner_id IS NOT NULL").await;
    assert!(left > 0);
    let listed = database.terse(&["export"]).done().stdout;
    assert_eq!(listed.lines().count() as i64, left + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_deletion_is_complete_during_visits_creations_and_imports() {
    let servers = start_instances();
    let database = Arc::clone(servers[0].database());
    let key = create_acme(&database, 3_000);
    let theirs = servers[0].api().create(URL).await;
    let mut load = Load::paced(Duration::from_millis(5));
    for server in &servers {
        load.create(server, 4, &key, &[401, 403]);
        load.visit(server, 4, std::slice::from_ref(&theirs));
    }
    eventually(TIMEOUT, "links are created", async || load.created().len() > 20).await;
    let visiting = servers[0].anyone();
    let visits = tokio::spawn(async move {
        for number in (0..3_000).cycle() {
            let response = visiting.get(&format!("/acme{number}")).await;
            if response.status == 410 {
                return number;
            }
            response.expect(302);
        }
        0
    });
    let mut import = database.command();
    import.args(["import", "-", "--owner", "acme", "--json"]).stdin(Stdio::piped());
    let mut import = import.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = import.stdin.take().unwrap();
    let writing = std::thread::spawn(move || {
        use std::io::Write as _;
        let mut number = 0_u64;
        // Writes until the import has ended.
        while writeln!(pipe, r#"{{"destination_url":"{SECRET}/{number}"}}"#).is_ok() {
            number += 1;
        }
    });
    eventually(TIMEOUT, "links are imported", async || {
        count(&database, "links WHERE owner_id IS NOT NULL").await > 4_000
    })
    .await;
    let deleting = Arc::clone(&database);
    let delete = ["owner", "delete", "acme", "--confirm", "acme", "--export", "out.csv", "--json"];
    let result = tokio::task::block_in_place(|| deleting.terse(&delete).json());
    let ended = until(TIMEOUT, || "the import ends", || import.try_wait().unwrap());
    assert_eq!(ended.code(), Some(1), "the owner is suspended");
    writing.join().unwrap();
    visits.await.unwrap();
    eventually(TIMEOUT, "creations are refused", async || load.refused() > 50).await;
    load.stop();

    let deleted = result["deleted"]["links"].as_i64().unwrap();
    let exported = std::fs::read_to_string(database.directory().join("out.csv")).unwrap();
    assert_eq!(exported.lines().count() as i64, deleted + 1, "every link was exported");
    assert_acme_is_erased(&database, deleted).await;
    assert_eq!(count(&database, "links WHERE owner_id IS NOT NULL").await, 1);
    load.assert_counted(&servers[0].api()).await;
    for code in load.created() {
        for server in &servers {
            server.anyone().get(&format!("/{code}")).await.expect(410);
        }
    }
    eventually(TIMEOUT, "no clicks of deleted links are left", async || {
        let deleted = "link_id IN (SELECT id FROM links WHERE owner_id IS NULL)";
        let mut left = 0;
        for table in ["pending_clicks", "recent_counts", "click_counts"] {
            left += count(&database, &format!("{table} WHERE {deleted}")).await;
        }
        left == 0
    })
    .await;
}
