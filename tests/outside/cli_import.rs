//! `terse import`: valid files, and helpers for all tests of imports.

mod broken;
mod checks;
mod concurrency;
mod domains;
mod edges;
mod formats;
mod interrupts;
mod limits;
mod options;
mod real_files;
mod rejects;
mod services;
mod unknown_services;
mod usual_names;

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Database, Outcome, max_private_memory, short_codes};

/// Returns a database with the owner `me` without limits.
pub(crate) fn database() -> Database {
    let database = Database::new().migrated();
    database.owner("me", "unlimited");
    database
}

/// Writes a file next to the database.
pub(crate) fn file(database: &Database, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(database.directory().join(name), content).unwrap();
}

/// Imports a file of this content for `me`.
pub(crate) fn import(database: &Database, content: impl AsRef<[u8]>) -> Outcome {
    file(database, "in", content);
    database.terse(&["import", "in", "--owner", "me"])
}

/// Imports through a pipe, which stays open until the peak memory has been read. Returns both.
pub(crate) fn through_a_pipe(database: &Database, more: &[&str], content: &[u8]) -> (u64, Outcome) {
    let arguments = [&["import", "-", "--owner", "me", "--json"], more].concat();
    let mut command = database.command();
    command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(content).unwrap();
    let max = max_private_memory(child.id());
    drop(pipe);
    (max, Outcome::new(&arguments, &child.wait_with_output().unwrap()))
}

/// Returns an import's JSON summary.
#[track_caller]
pub(crate) fn summary(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).expect("a summary")
}

/// Returns the numbers of imported, existing and rejected rows in an import's JSON summary.
#[track_caller]
pub(crate) fn counts(outcome: &Outcome) -> [u64; 3] {
    let value = summary(outcome);
    ["imported", "existing", "rejected"].map(|name| value[name].as_u64().expect("a number"))
}

pub(crate) fn import_json(database: &Database, content: impl AsRef<[u8]>) -> Outcome {
    file(database, "in", content);
    database.terse(&["import", "in", "--owner", "me", "--json"]).error_as_text()
}

/// Returns all links, as `terse export` prints them.
#[track_caller]
pub(crate) fn exported(database: &Database) -> Vec<Value> {
    let exported = database.terse(&["export", "--format", "jsonl"]).done().stdout;
    exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn csv(database: &Database) -> String {
    database.terse(&["export"]).done().stdout
}

fn fixture(name: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("import");
    std::fs::read(directory.join(name)).unwrap()
}

const ALL: &str = "short_code,destination_url,title,campaign,clicks,is_active,has_qr,created_at,expires_at,is_paused,forward_query,fallback_url,external_id\n\
    spring,https://example.com/spring,\"Spring, \"\"the\"\" sale\",letters,41,1,1,2026-01-02T03:04:05.678Z,,0,1,,\n\
    off,https://example.com/off,\"\",,0,0,0,2020-01-01T00:00:00.000Z,2999-12-31T23:59:59.999Z,1,0,https://example.com/ended,a/7\n";

#[test]
fn link_has_all_values_of_its_row() {
    let database = database();
    let outcome = import(&database, ALL).done();
    assert_eq!(outcome.stdout, "2 rows: 2 links imported, 0 existing, 0 rejected\n");
    assert_eq!(outcome.stderr, "");
    let expected = json!([
        {
            "short_code": "spring", "destination_url": "https://example.com/spring",
            "title": "Spring, \"the\" sale", "campaign": "letters", "clicks": 41, "is_active": 1,
            "has_qr": 1, "created_at": "2026-01-02T03:04:05.678Z", "expires_at": null,
            "is_paused": 0, "forward_query": 1, "fallback_url": null,
            "external_id": null,
        },
        {
            "short_code": "off", "destination_url": "https://example.com/off", "title": "",
            "campaign": null, "clicks": 0, "is_active": 0, "has_qr": 0,
            "created_at": "2020-01-01T00:00:00.000Z",
            "expires_at": "2999-12-31T23:59:59.999Z", "is_paused": 1, "forward_query": 0,
            "fallback_url": "https://example.com/ended", "external_id": "a/7",
        },
    ]);
    assert_eq!(Value::Array(exported(&database)), expected);
    assert_eq!(csv(&database), ALL);
    let owners = database.terse(&["owner", "list", "--json"]).json();
    assert_eq!(owners[0]["links"], 2);
}

#[test]
fn second_import_changes_nothing() {
    let database = database();
    import(&database, ALL).done();
    let before = csv(&database);
    let again = import_json(&database, ALL.replace(",41,", ",42,").replace("Spring", "Summer"));
    assert_eq!(counts(&again.done()), [0, 2, 0]);
    assert_eq!(csv(&database), before);
    assert_eq!(database.terse(&["owner", "list", "--json"]).json()[0]["links"], 2);
}

#[test]
fn row_with_only_a_destination_is_imported() {
    let database = database();
    let rows =
        "destination_url\nhttps://example.com/1\nhttps://example.com/2\nhttps://example.com/1\n";
    assert_eq!(counts(&import_json(&database, rows).done()), [3, 0, 0]);
    let links = exported(&database);
    let destinations: Vec<&str> =
        links.iter().map(|link| link["destination_url"].as_str().unwrap()).collect();
    assert_eq!(
        destinations,
        ["https://example.com/1", "https://example.com/2", "https://example.com/1"]
    );
    let mut codes = short_codes(&links);
    assert!(codes.iter().all(|code| code.len() == 7), "{codes:?}");
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), 3, "rows that say the same are links of their own");
    for link in &links {
        assert_eq!(link["is_active"], 1);
        assert!(link["created_at"].as_str().unwrap() > "2026", "{link}");
    }
    assert_eq!(counts(&import_json(&database, rows).done()), [0, 3, 0], "it is known again");
    let longer = format!("{rows}https://example.com/3\n");
    assert_eq!(counts(&import_json(&database, longer).done()), [1, 3, 0]);
}

#[test]
fn different_rows_on_one_line_are_different_links() {
    let database = database();
    let columns = "destination_url,title,campaign\n";
    let rows = ["t,spring", "t,summer", "u,summer", ",summer", "t,"];
    for expected in [[1, 0, 0], [0, 1, 0]] {
        for row in rows {
            let file = format!("{columns}https://example.com/,{row}\n");
            assert_eq!(counts(&import_json(&database, file).done()), expected, "{row}");
        }
    }
    assert_eq!(exported(&database).len(), rows.len());
}

#[test]
fn generated_codes_differ_between_databases() {
    let rows = "destination_url\nhttps://example.com/1\n";
    let other = Database::new();
    // Not a copy of the same template.
    other.terse(&["migrate"]).done();
    other.owner("me", "unlimited");
    let codes = [database(), other].map(|database| {
        import(&database, rows).done();
        short_codes(&exported(&database)).remove(0)
    });
    assert_ne!(codes[0], codes[1]);
}

#[test]
fn json_lines_have_the_same_names_as_csv() {
    let database = database();
    let rows = [
        json!({"short_code": "spring", "destination_url": "https://example.com/", "title": "",
            "campaign": "c", "clicks": 3, "is_active": 0, "has_qr": true, "created_at": 1_600_512_926,
            "expires_at": 1_600_512_927, "forward_query": true, "fallback_url": "https://example.com/ended"}),
        json!({"destination_url": "https://example.com/2", "title": null, "clicks": null,
            "is_active": null, "other": {"x": [1]}}),
    ];
    let rows = rows.map(|row| row.to_string()).join("\n");
    assert_eq!(counts(&import_json(&database, rows).done()), [2, 0, 0]);
    let links = exported(&database);
    let mut first = links[0].clone();
    assert_eq!(first["created_at"].take(), "2020-09-19T10:55:26.000Z");
    assert_eq!(
        first,
        json!({"short_code": "spring", "destination_url": "https://example.com/", "title": "",
            "campaign": "c", "clicks": 3, "is_active": 0, "has_qr": 1, "created_at": null,
            "expires_at": "2020-09-19T10:55:27.000Z", "is_paused": 0, "forward_query": 1,
            "fallback_url": "https://example.com/ended", "external_id": null})
    );
    assert_eq!(links[1]["title"], Value::Null);
    assert_eq!(links[1]["is_active"], 1);
}

#[test]
fn file_is_imported_through_a_pipe() {
    let database = database();
    through_a_pipe(&database, &[], ALL.as_bytes()).1.done();
    assert_eq!(csv(&database), ALL);
}

#[test]
fn dry_run_reports_the_same_and_changes_nothing() {
    let database = database();
    database.plan("small", "4", false);
    database.terse(&["owner", "plan", "me", "small"]).done();
    import(&database, "short_code,destination_url\nthere,https://example.com/\n").done();
    let rows = "short_code,destination_url\n\
        there,https://example.com/\n\
        there,https://example.com/other\n\
        one,https://example.com/1\n\
        one,https://example.com/1\n\
        one,https://example.com/2\n\
        ,https://example.com/3\n\
        bad code,https://example.com/4\n\
        two,https://example.com/5\n\
        three,https://example.com/6\n\
        one,https://example.com/1\n";
    let before = csv(&database);
    file(&database, "in", rows);
    let run = |more: &[&str]| {
        let rejects = ["import", "in", "--owner", "me", "--json", "--rejects", "rejects"];
        let outcome = database.terse(&[&rejects[..], more].concat());
        let rejects = std::fs::read_to_string(database.directory().join("rejects")).unwrap();
        (counts(&outcome), outcome.stderr, rejects)
    };
    let rehearsed = run(&["--dry-run"]);
    assert_eq!(csv(&database), before);
    let done = run(&[]);
    assert_eq!(rehearsed, done);
    assert_eq!(done.0, [3, 3, 4]);
    assert!(done.1.contains("line 10: the plan's link limit is reached"), "{done:?}");
}
