//! `terse import`: what becomes of a file, whoever wrote it.

mod broken;
mod foreign;
mod interrupts;
mod limits;
mod rejects;
mod together;
mod told;

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Database, Outcome, most_memory, short_codes};

/// A database with the owner `me`, who may have any number of links.
pub(crate) fn database() -> Database {
    let database = Database::new();
    database.terse(&["migrate"]).done();
    database.owner("me", "unlimited");
    database
}

/// Writes a file beside the database.
pub(crate) fn file(database: &Database, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(database.directory().join(name), content).unwrap();
}

/// Imports a file of this content for `me`.
pub(crate) fn import(database: &Database, content: impl AsRef<[u8]>) -> Outcome {
    file(database, "in", content);
    database.terse(&["import", "in", "--owner", "me"])
}

/// Imports what comes through a pipe, which stays open until it has been looked how much memory that
/// has taken at most.
pub(crate) fn through_a_pipe(database: &Database, more: &[&str], content: &[u8]) -> (u64, Outcome) {
    let arguments = [&["import", "-", "--owner", "me", "--json"], more].concat();
    let mut command = database.command();
    command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(content).unwrap();
    let most = most_memory(child.id());
    drop(pipe);
    (most, Outcome::new(&arguments, &child.wait_with_output().unwrap()))
}

/// The summary of an import that may have refused rows.
#[track_caller]
pub(crate) fn counts(outcome: &Outcome) -> [u64; 3] {
    let value: Value = serde_json::from_str(&outcome.stdout).expect("a summary");
    ["imported", "existing", "rejected"].map(|name| value[name].as_u64().expect("a number"))
}

pub(crate) fn import_json(database: &Database, content: impl AsRef<[u8]>) -> Outcome {
    file(database, "in", content);
    database.terse(&["import", "in", "--owner", "me", "--json"])
}

/// All links, as `terse export` shows them.
#[track_caller]
pub(crate) fn exported(database: &Database) -> Vec<Value> {
    let exported = database.terse(&["export", "--format", "jsonl"]).done().stdout;
    exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn csv(database: &Database) -> String {
    database.terse(&["export"]).done().stdout
}

fn fixture(name: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside/import");
    std::fs::read(directory.join(name)).unwrap()
}

const ALL: &str = "short_code,destination_url,title,campaign,clicks,is_active,has_qr,created_at\n\
    spring,https://example.com/spring,\"Spring, \"\"the\"\" sale\",letters,41,1,1,2026-01-02T03:04:05.678Z\n\
    off,https://example.com/off,\"\",,0,0,0,2020-01-01T00:00:00.000Z\n";

#[test]
fn what_a_row_says_is_what_the_link_has() {
    let database = database();
    let outcome = import(&database, ALL).done();
    assert_eq!(outcome.stdout, "2 rows: 2 links imported, 0 existing, 0 rejected\n");
    assert_eq!(outcome.stderr, "");
    let expected = json!([
        {
            "short_code": "spring", "destination_url": "https://example.com/spring",
            "title": "Spring, \"the\" sale", "campaign": "letters", "clicks": 41, "is_active": 1,
            "has_qr": 1, "created_at": "2026-01-02T03:04:05.678Z",
        },
        {
            "short_code": "off", "destination_url": "https://example.com/off", "title": "",
            "campaign": null, "clicks": 0, "is_active": 0, "has_qr": 0,
            "created_at": "2020-01-01T00:00:00.000Z",
        },
    ]);
    assert_eq!(Value::Array(exported(&database)), expected);
    assert_eq!(csv(&database), ALL);
    let owners = database.terse(&["owner", "list", "--json"]).json();
    assert_eq!(owners[0]["links"], 2);
}

#[test]
fn an_export_can_be_imported_twice_and_the_second_time_changes_nothing() {
    let database = database();
    import(&database, ALL).done();
    let before = csv(&database);
    let again = import_json(&database, ALL.replace(",41,", ",42,").replace("Spring", "Summer"));
    assert_eq!(counts(&again.done()), [0, 2, 0]);
    assert_eq!(csv(&database), before);
    assert_eq!(database.terse(&["owner", "list", "--json"]).json()[0]["links"], 2);
}

#[test]
fn only_the_destination_must_be_there() {
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
fn rows_that_differ_are_different_links_though_they_are_on_one_line() {
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
fn generated_codes_cannot_be_worked_out_from_the_file() {
    let rows = "destination_url\nhttps://example.com/1\n";
    let codes = [database(), database()].map(|database| {
        import(&database, rows).done();
        short_codes(&exported(&database)).remove(0)
    });
    assert_ne!(codes[0], codes[1]);
}

#[test]
fn json_lines_have_the_same_names() {
    let database = database();
    let rows = [
        json!({"short_code": "spring", "destination_url": "https://example.com/", "title": "",
            "campaign": "c", "clicks": 3, "is_active": 0, "has_qr": true, "created_at": 1_600_512_926}),
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
            "campaign": "c", "clicks": 3, "is_active": 0, "has_qr": 1, "created_at": null})
    );
    assert_eq!(links[1]["title"], Value::Null);
    assert_eq!(links[1]["is_active"], 1);
}

#[test]
fn a_file_may_come_through_a_pipe() {
    let database = database();
    through_a_pipe(&database, &[], ALL.as_bytes()).1.done();
    assert_eq!(csv(&database), ALL);
}

#[test]
fn rows_are_checked_by_the_rules_of_the_api() {
    let database = database();
    database.terse(&["owner", "plan", "me", "free"]).done();
    let (long, wide) = ("x".repeat(8_200), "é".repeat(256));
    let bad = [
        ("abc", "example.com", "", "", "", "the destination must start with http:// or https://"),
        ("abc", "", "", "", "", "there is no destination"),
        (
            "abc",
            "https://short.example.com/x",
            "",
            "",
            "",
            "the destination must not lead to this service itself",
        ),
        (
            "abc",
            &format!("https://example.com/{long}"),
            "",
            "",
            "",
            "the destination must not be longer than 8192 bytes",
        ),
        ("ab", "https://example.com/", "", "", "", "the short code must have 3 to 64 characters"),
        (
            "a.b",
            "https://example.com/",
            "",
            "",
            "",
            "the short code must consist of letters a-z and A-Z, digits, _ and -",
        ),
        ("API", "https://example.com/", "", "", "", "the short code is reserved"),
        ("robots.txt", "https://example.com/", "", "", "", "the short code is reserved"),
        (
            "abc",
            "https://example.com/",
            &wide,
            "",
            "",
            "the title must not be longer than 255 characters",
        ),
        (
            "abc",
            "https://example.com/",
            "",
            &wide,
            "",
            "the campaign must not be longer than 100 characters",
        ),
        (
            "abc",
            "https://example.com/",
            "a\u{85}b",
            "",
            "",
            "the title must not contain control characters",
        ),
        (
            "abc",
            "https://example.com/",
            "",
            "",
            "-1",
            "the clicks must be a whole number from 0 to 9007199254740991",
        ),
        (
            "abc",
            "https://example.com/",
            "",
            "",
            "9007199254740992",
            "the clicks must be a whole number from 0 to 9007199254740991",
        ),
    ];
    let mut rows =
        String::from("short_code,destination_url,title,campaign,clicks,is_active,created_at\n");
    for (code, destination, title, campaign, clicks, _) in bad {
        rows.push_str(&format!("{code},{destination},{title},{campaign},{clicks},,\n"));
    }
    rows.push_str("abc,https://example.com/,,,,yes,\n");
    rows.push_str("abc,https://example.com/,,,,,yesterday\n");
    rows.push_str("custom,https://example.com/custom,,,,,\n");
    file(&database, "in", rows);
    let base = ["--base-url", "https://short.example.com"];
    let outcome = database.terse(&[&["import", "in", "--owner", "me"][..], &base].concat());
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    let mut reasons: Vec<String> =
        bad.iter().zip(2..).map(|(row, line)| format!("line {line}: {}", row.5)).collect();
    reasons.push("line 15: is_active must be 0 or 1".to_owned());
    reasons.push(
        "line 16: the time of creation must be like 2026-11-21T05:11:50Z, or seconds or \
         milliseconds of 9 digits or more"
            .to_owned(),
    );
    reasons.push("terse: 15 of 16 rows were rejected".to_owned());
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), reasons);
    assert_eq!(outcome.stdout, "16 rows: 1 link imported, 0 existing, 15 rejected\n");
    assert_eq!(short_codes(&exported(&database)), ["custom"], "codes of one's own on any plan");
}

#[test]
fn everything_that_is_wrong_with_a_row_is_said() {
    let database = database();
    let rows = format!(
        "short_code,destination_url,title,campaign,clicks,is_active,has_qr,created_at\n\
         a.b,example.com,{},{},many,yes,no,yesterday\n",
        "x".repeat(256),
        "x".repeat(101)
    );
    let outcome = import_json(&database, rows);
    let said = "line 2: the destination must start with http:// or https://; \
        the short code must consist of letters a-z and A-Z, digits, _ and -; \
        the title must not be longer than 255 characters; \
        the campaign must not be longer than 100 characters; \
        the clicks must be a whole number from 0 to 9007199254740991; \
        is_active must be 0 or 1; has_qr must be 0 or 1; \
        the time of creation must be like 2026-11-21T05:11:50Z, or seconds or \
         milliseconds of 9 digits or more\n\
        terse: 1 of 1 rows was rejected\n";
    assert_eq!(outcome.stderr, said);
}

#[test]
fn a_code_that_somebody_has_is_refused() {
    let database = database();
    database.owner("other", "unlimited");
    file(&database, "theirs", "short_code,destination_url\ntheirs,https://example.com/1\n");
    database.terse(&["import", "theirs", "--owner", "other"]).done();
    let rows = "short_code,destination_url\n\
        mine,https://example.com/1\n\
        theirs,https://example.com/1\n\
        mine,https://example.com/2\n\
        mine,https://example.com/1\n\
        Mine,https://example.com/2\n";
    let outcome = import_json(&database, rows);
    assert_eq!(counts(&outcome), [2, 1, 2]);
    assert_eq!(
        outcome.stderr,
        "line 3: the short code is in use\nline 4: the short code is in use\n\
         terse: 2 of 5 rows were rejected\n"
    );
}

#[test]
fn a_rehearsal_says_the_same_and_changes_nothing() {
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

#[test]
fn refused_rows_go_into_a_file_that_can_be_mended_and_imported() {
    let database = database();
    let mut rows = String::from("short_code,title,destination_url\n");
    for number in 0..25 {
        rows.push_str(&format!("code{number},\"a, b\",ftp://example.com/{number}\n"));
    }
    rows.push_str("broken,row\ngood,,https://example.com/\n");
    file(&database, "in", rows);
    let outcome = database.terse(&["import", "in", "--owner", "me", "--rejects", "out"]);
    assert_eq!(outcome.code, Some(1));
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines.len(), 22, "{outcome:#?}");
    assert_eq!(lines[20..], ["and 6 more", "terse: 26 of 27 rows were rejected"]);
    let rejects = std::fs::read_to_string(database.directory().join("out")).unwrap();
    let lines: Vec<&str> = rejects.lines().collect();
    assert_eq!(lines[0], "line,reason,short_code,title,destination_url,record");
    assert_eq!(
        lines[1],
        "2,the destination must start with http:// or https://,code0,\"a, b\",ftp://example.com/0,"
    );
    assert_eq!(lines[26], "27,\"there are 2 fields, but 3 columns\",,,,\"broken,row\"");
    assert_eq!(lines.len(), 27);
    let mended: Vec<&str> = lines[..26].to_vec();
    let mended = mended.join("\n").replace("ftp:", "https:");
    assert_eq!(counts(&import_json(&database, mended).done()), [25, 0, 0]);
}
