//! Invalid and unreadable files.

use serde_json::{Value, json};

use super::concurrency::rows;
use super::{counts, database, exported, file, import, import_json, through_a_pipe};
use crate::harness::{Outcome, only_on, short_codes};

#[test]
fn byte_order_mark_crlf_and_blank_lines_are_ignored() {
    let database = database();
    let rows = "\u{feff}short_code,destination_url,title\r\n\r\none,https://example.com/1,\r\n\
        \"two\",\"https://example.com/2\",\"T\"\r\n\n";
    assert_eq!(counts(&import_json(&database, rows).done()), [2, 0, 0]);
    assert_eq!(exported(&database)[1]["title"], "T");
}

#[test]
fn file_with_cr_line_ends_is_rejected() {
    let database = database();
    let outcome = import_json(&database, "destination_url,title\rhttps://example.com/,\r");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("line 1: its lines end with CR alone"), "{outcome:?}");
}

#[test]
fn object_with_a_duplicate_name_is_rejected() {
    let database = database();
    let lines = concat!(
        r#"{"destination_url":"https://a.example/","destination_url":"https://b.example/"}"#,
        "\n",
        r#"{"destination_url":"https://c.example/"}"#,
    );
    let outcome = import_json(&database, lines);
    assert_eq!(counts(&outcome), [1, 0, 1]);
    assert!(outcome.stderr.contains("line 1: 'destination_url' appears more than once"));
}

#[test]
fn broken_row_is_rejected_alone() {
    let database = database();
    let mut rows = b"short_code,destination_url,title\n".to_vec();
    rows.extend(b"first,https://example.com/1,\n");
    rows.extend(b"bad1,https://example.com/1,\"not closed\n");
    rows.extend(b"next,https://example.com/2,\n");
    rows.extend(b"bad2,https://example.com/1,\"closed\" twice\n");
    rows.extend(b"bad3,https://example.com/1,a \"quote\"\n");
    rows.extend(b"bad4,https://example.com/1\n");
    rows.extend(b"bad5,https://example.com/1,,\n");
    rows.extend(b"bad6,https://example.com/1,\xff\xfe\n");
    rows.extend(b"bad7,https://example.com/1,nul \0\n");
    rows.extend(b"bad8,https://example.com/1,\"two\nlines\"\n");
    rows.extend(b"last,https://example.com/3,\n");
    rows.extend(b"bad9,https://example.com/1,\"to the end\n");
    let outcome = import_json(&database, rows);
    assert_eq!(counts(&outcome), [3, 0, 9]);
    let reasons = [
        "line 3: a quote is not closed",
        "line 5: there is text after a closing quote",
        "line 6: there is a quote inside a field that does not begin with one",
        "line 7: there are 2 fields, but 3 columns",
        "line 8: there are 4 fields, but 3 columns",
        "line 9: it is not UTF-8",
        "line 10: the title must not contain control characters",
        "line 11: the title must not contain control characters",
        "line 14: a quote is not closed",
        "1 row not in UTF-8; --encoding names another encoding, such as windows-1252",
        "terse: 9 of 12 rows were rejected",
    ];
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), reasons);
    assert_eq!(short_codes(&exported(&database)), ["first", "next", "last"]);
}

#[test]
fn broken_json_line_is_rejected_alone() {
    let database = database();
    let rows = "{\"short_code\":\"one\",\"destination_url\":\"https://example.com/1\"}\n\
        {\"short_code\":\"two\",\n\
        [1]\n\
        17\n\
        {\"short_code\":\"two\",\"destination_url\":17}\n\
        {\"short_code\":\"two\",\"destination_url\":\"https://example.com/2\",\"clicks\":1.5}\n\
        {\"short_code\":\"two\",\"destination_url\":\"https://example.com/2\"}\n";
    let outcome = import_json(&database, rows);
    assert_eq!(counts(&outcome), [2, 0, 5]);
    let reasons = [
        "line 2: it is not JSON: EOF while parsing a value at column 20; the line or file ends within \
         the link",
        "line 3: it is not a JSON object",
        "line 4: it is not a JSON object",
        "line 5: the destination must start with http:// or https://",
        "line 6: the clicks must be a whole number from 0 to 9007199254740991",
        "terse: 5 of 7 rows were rejected",
    ];
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), reasons);
}

/// The hint to the encoding is for the file, and not for each row.
#[test]
fn other_encoding_is_said_once() {
    let row = |number: u8, title: u8| {
        let mut row =
            format!("{{\"short_code\":\"c{number}\",\"tags\":[{{\"id\":1}}],").into_bytes();
        row.extend(b"\"destination_url\":\"https://example.com/\",\"title\":\"");
        row.extend([title, b'"', b'}']);
        row
    };
    let rows = [row(1, b'u'), row(2, b'\xfc'), row(3, b'\xfc'), row(4, b'u')];
    let page = |list: Vec<u8>| [&b"{\"rows\":["[..], &list, b"],\"total\":4}"].concat();
    let mut csv = b"short_code,destination_url,title\n".to_vec();
    for (number, title) in (1..).zip([b'u', b'\xfc', b'\xfc', b'u']) {
        csv.extend(format!("c{number},https://example.com/,").into_bytes());
        csv.extend([title, b'\n']);
    }
    for content in [rows.join(&b'\n'), page(rows.join(&b',')), csv] {
        let database = database();
        let outcome = import_json(&database, content);
        assert_eq!(counts(&outcome), [2, 0, 2], "{outcome:?}");
        assert_eq!(short_codes(&exported(&database)), ["c1", "c4"]);
        assert_eq!(outcome.stderr.matches("it is not UTF-8").count(), 1, "{outcome:?}");
        let hint =
            "\n2 rows not in UTF-8; --encoding names another encoding, such as windows-1252\n";
        assert_eq!(outcome.stderr.matches(hint).count(), 1, "{outcome:?}");
    }
    let hint = "line 1: it is not UTF-8; --encoding names its encoding, such as windows-1252";
    let none = [row(1, b'\xfc'), row(2, b'\xfc')];
    for content in [none.join(&b'\n'), page(none.join(&b','))] {
        let database = database();
        let line = import(&database, content).failed();
        assert_eq!(line, format!("terse: in: {hint}"));
    }
}

#[test]
fn stray_punctuation_in_json_is_rejected() {
    let record = |number: u8| {
        format!("{{\"short_code\":\"c{number}\",\"destination_url\":\"https://example.com/\"}}")
    };
    for stray in [",", "]", "}", ":"] {
        let database = database();
        let lines = format!("{}{stray}\n{}\n", record(1), record(2));
        let outcome = import_json(&database, lines);
        assert_eq!(counts(&outcome), [2, 0, 1], "{outcome:?}");
        let reason =
            "line 1, object 2: it is not JSON: a comma, colon or bracket is between two values";
        assert!(outcome.stderr.starts_with(reason), "{outcome:?}");
    }
}

#[test]
fn unreadable_file_is_reported_in_one_line() {
    let database = database();
    for (content, said) in [
        (&b""[..], "it is empty"),
        (b"\n\n", "it is empty"),
        (b"a,b,c\n1,2,3\n", "line 1: the columns are not those of any known"),
        (b"https://example.com/\n", "line 1: the columns are not those of any known"),
        (b"destination_url,\"title\n", "line 1: a quote is not closed"),
        (b"destination_url,title, Title\n", "line 1: there are two columns 'Title'"),
        (b"destination_url,\xff\n", "line 1: it is not UTF-8"),
        (b"\x1f\x8b\x08\0", "it is compressed by gzip"),
        (b"{\"a\":1}\n", "line 1: the fields are not those of any known"),
        (b"{\"a\":1}\n{\"b\":1}\n", "line 1: the fields are not those of any known"),
        (b"{\n  \"destination\": 1\n}\n", "line 1: the fields are not those of any known"),
        (b"{\n  \"destination_url\": 1,\n", "line 1: it is not JSON"),
        (b"PK\x03\x04\0", "it is a ZIP archive or a spreadsheet; save the table as CSV"),
        (b"-- MySQL dump 10.13\n\nCREATE TABLE", "line 1: it is SQL; export the table"),
        (b"<!DOCTYPE html>\n<html>", "line 1: it is HTML; export CSV or JSON instead"),
        (b"<?xml version=\"1.0\"?>\n", "line 1: it is XML; export CSV or JSON instead"),
    ] {
        let line = import(&database, content).failed();
        assert!(line.starts_with("terse: in: ") && line.contains(said), "{line}");
    }
    assert_eq!(counts(&import_json(&database, "destination_url\n").done()), [0, 0, 0]);
}

#[test]
fn failures_are_reported_in_one_line() {
    let database = database();
    file(&database, "in", "destination_url\nhttps://example.com/\n");
    for (arguments, named) in [
        (&["import", "missing.csv", "--owner", "me"][..], "missing.csv"),
        (&["import", ".", "--owner", "me"], "directory"),
        (&["import", "in", "--owner", "missing"], "missing"),
        (&["import", "in", "--owner", "me", "--rejects", "no/where"], "no/where"),
        (&["import", "in", "--owner", "me", "--format", "shlink"], "longUrl"),
        (&["export", "--owner", "missing"], "missing"),
    ] {
        let line = database.terse(arguments).failed();
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
    for arguments in [
        &["import"][..],
        &["import", "in"],
        &["import", "--owner", "me"],
        &["import", "in", "--owner", "me", "--format", "unknown"],
        &["export", "--format", "xml"],
        &["export", "--format", "csv", "--json"],
        &["export", "more"],
    ] {
        database.terse(arguments).misused();
    }
    assert!(exported(&database).is_empty());
}

#[test]
fn full_disk_is_reported_in_one_line() {
    let database = database();
    file(&database, "in", "destination_url\nhttps://example.com/\nnonsense\n");
    let line = |arguments: &[&str], to: &str| {
        let to = std::fs::File::options().write(true).open(to).unwrap();
        let output = database.command().args(arguments).stdout(to).output().unwrap();
        let outcome = Outcome::new(arguments, &output);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        outcome.stderr.lines().last().unwrap().to_owned()
    };
    let import = ["import", "in", "--owner", "me"];
    let rejecting = [&import[..], &["--rejects", "/dev/full"]].concat();
    let full = "No space left on device (os error 28)";
    let said = line(&rejecting, "/dev/null");
    assert_eq!(said, format!("terse: /dev/full cannot be written: {full}"));
    for arguments in [&import[..], &["export"]] {
        let said = line(arguments, "/dev/full");
        assert_eq!(said, format!("terse: cannot write the result: {full}"), "{arguments:?}");
    }
}

#[test]
fn summary_is_printed_if_the_rejects_file_fails() {
    let database = database();
    let good = "https://example.com/,\n".repeat(4_500);
    let bad = format!("nonsense,{}\n", "x".repeat(100)).repeat(1_000);
    file(&database, "in", format!("destination_url,title\n{good}{bad}"));
    let arguments = ["import", "in", "--owner", "me", "--json", "--rejects", "/dev/full"];
    let outcome = database.terse(&arguments).error_as_text();
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&summary["imported"], &summary["interrupted"]), (&json!(4_500), &json!(true)));
    let said = outcome.stderr.lines().last().unwrap();
    assert_eq!(
        said,
        "terse: /dev/full cannot be written: No space left on device (os error 28); in: interrupted \
         after 5500 rows; what was imported stays, and is recognised in the next run"
    );
    assert_eq!(exported(&database).len(), 4_500);
}

#[test]
fn summary_is_printed_if_the_database_fails() {
    only_on!(Postgres: "a file has no other rules than Terse's");
    let database = database();
    // The database rejects a row that is not in the first transaction of the import.
    database.sql("ALTER TABLE links ADD CHECK (destination_url <> 'https://example.com/1500')");
    file(&database, "in", rows(3_000));
    let outcome = database.terse(&["import", "in", "--owner", "me", "--json"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let there = exported(&database).len() as u64;
    assert!(there > 0, "{outcome:?}");
    assert_eq!(counts(&outcome), [there, 0, 0]);
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&summary["rows"], &summary["interrupted"]), (&json!(there), &json!(true)));
}

#[test]
fn rejects_can_be_written_to_a_pipe() {
    let database = database();
    let arguments = ["import", "in", "--owner", "me", "--json", "--rejects", "/dev/stdout"];
    file(&database, "in", "destination_url\nhttps://example.com/\n");
    let outcome = database.terse(&arguments).done();
    assert!(outcome.stdout.starts_with("line,reason,destination_url,record\n{"), "{outcome:?}");
}

#[test]
fn endless_line_is_rejected_alone_in_bounded_memory() {
    let database = database();
    let long = "x".repeat(100 << 20);
    let rows = format!("destination_url\n{long}\nhttps://example.com/\n");
    let (max, outcome) = through_a_pipe(&database, &[], rows.as_bytes());
    assert_eq!(counts(&outcome), [1, 0, 1]);
    assert!(outcome.stderr.starts_with("line 2: it is longer than 16 MiB\n"), "{outcome:?}");
    assert!(max < 64 << 20, "{max} bytes");
    let (_, outcome) = through_a_pipe(&database, &[], long.as_bytes());
    assert_eq!(outcome.error_as_text().failed(), "terse: -: line 1: it is longer than 16 MiB");
}

/// The input is never overwritten, under any of its names. An earlier rejects file is replaced only
/// if the import runs.
#[test]
fn rejects_file_is_kept_if_the_import_fails_early() {
    let database = database();
    let path = |name: &str| database.directory().join(name);
    let rows = "destination_url\nhttps://example.com/\nnonsense\n";
    file(&database, "in", rows);
    std::os::unix::fs::symlink(path("in"), path("link")).unwrap();
    for name in ["in", "./in", "link"] {
        let command = ["import", "in", "--owner", "me", "--dry-run", "--rejects", name];
        database.terse(&command).misused();
        assert_eq!(std::fs::read_to_string(path("in")).unwrap(), rows, "{name}");
    }
    std::fs::write(
        path("earlier"),
        "an earlier list, which is longer than what comes now\n".repeat(9),
    )
    .unwrap();
    let command = |owner| ["import", "in", "--owner", owner, "--rejects", "earlier"];
    database.terse(&command("missing")).failed();
    assert!(std::fs::read_to_string(path("earlier")).unwrap().starts_with("an earlier"));
    assert_eq!(counts(&database.terse(&[&command("me")[..], &["--json"]].concat())), [1, 0, 1]);
    let list = std::fs::read_to_string(path("earlier")).unwrap();
    assert!(list.starts_with("line,reason") && !list.contains("an earlier"), "{list}");
}
