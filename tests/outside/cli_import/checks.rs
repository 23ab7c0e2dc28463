//! Rules for single rows.

use super::{counts, database, exported, file, import_json};
use crate::harness::short_codes;

fn reserved(first: &str) -> String {
    format!(
        "the short code is reserved, because the server itself uses paths that begin with /{first}; \
         import the link with another code, and redirect the old path in your proxy"
    )
}

#[test]
fn rows_are_checked_by_the_rules_of_the_api() {
    let database = database();
    database.terse(&["owner", "plan", "me", "free"]).done();
    let (long, wide) = ("x".repeat(8_200), "é".repeat(256));
    let (api, robots) = (reserved("API"), reserved("robots.txt"));
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
        (
            "a b",
            "https://example.com/",
            "",
            "",
            "",
            "the short code must not contain whitespace, control characters, ?, #, % or \\",
        ),
        (
            "a//b",
            "https://example.com/",
            "",
            "",
            "",
            "the short code must not begin or end with a slash, or have the segments . and .. or an empty one",
        ),
        ("API", "https://example.com/", "", "", "", &api),
        ("robots.txt", "https://example.com/", "", "", "", &robots),
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
fn reason_names_everything_wrong_with_a_row() {
    let database = database();
    let rows = format!(
        "short_code,destination_url,title,campaign,clicks,is_active,has_qr,created_at,expires_at\n\
         a b,example.com,{},{},many,yes,no,yesterday,tomorrow\n",
        "x".repeat(256),
        "x".repeat(101)
    );
    let outcome = import_json(&database, rows);
    let said = "line 2: the destination must start with http:// or https://; \
        the short code must not contain whitespace, control characters, ?, #, % or \\; \
        the title must not be longer than 255 characters; \
        the campaign must not be longer than 100 characters; \
        the clicks must be a whole number from 0 to 9007199254740991; \
        is_active must be 0 or 1; has_qr must be 0 or 1; \
        the time of creation must be like 2026-11-21T05:11:50Z, or seconds or \
         milliseconds of 9 digits or more; \
        the time of expiry must be like 2026-11-21T05:11:50Z, or seconds or \
         milliseconds of 9 digits or more\n\
        terse: the only row was rejected\n";
    assert_eq!(outcome.stderr, said);
}

#[test]
fn row_is_rejected_if_its_code_is_in_use() {
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
        "line 3: the short code is in use\nline 4: the short code is in use by line 2\n\
         terse: 2 of 5 rows were rejected\n"
    );
}
