//! Options that say how to read a file, and files as other programs write them.

use std::io::{BufWriter, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use super::{counts, database, exported, file, import_json, summary};
use crate::harness::{Database, Outcome, max_private_memory, short_codes};

fn import_with(database: &Database, content: impl AsRef<[u8]>, more: &[&str]) -> Outcome {
    file(database, "in", content);
    database.terse(&[&["import", "in", "--owner", "me", "--json"][..], more].concat())
}

/// Every link would otherwise get a random code.
#[test]
fn file_with_a_code_column_that_is_unknown_is_refused() {
    for name in ["Slashtag", "Back-half", "Alias", "Short URL Path", "slug", "Kürzel", "Ending"] {
        for destination in ["Destination URL", "destination_url"] {
            let rows = format!("{destination},{name}\nhttps://example.com/,spring\n");
            let database = database();
            let outcome = import_json(&database, &rows);
            // Rebrandly's columns.
            if (destination, name) != ("Destination URL", "Slashtag") {
                let line = outcome.failed();
                assert!(line.contains("--code-column"), "{line}");
                assert!(exported(&database).is_empty());
                let outcome = import_with(&database, &rows, &["--code-column", name]).done();
                assert_eq!(counts(&outcome), [1, 0, 0], "{name}");
            }
            assert_eq!(short_codes(&exported(&database)), ["spring"]);
        }
    }
    let database = database();
    let rows = "destination_url,slug\nhttps://example.com/,spring\n";
    let outcome = import_with(&database, rows, &["--ignore-column", "slug"]).done();
    assert_eq!(counts(&outcome), [1, 0, 0]);
    assert_ne!(short_codes(&exported(&database)), ["spring"]);
    let line = import_with(&database, rows, &["--code-column", "x"]).error_as_text().failed();
    assert_eq!(line, "terse: in: line 1: there is no column 'x'");
}

#[test]
fn restriction_is_dropped_only_on_demand() {
    let rows = "destination_url,short_code,password\nhttps://example.com/,spring,secret\n";
    let database = database();
    let outcome = import_with(&database, rows, &[]);
    assert_eq!(counts(&outcome), [0, 0, 1]);
    assert!(
        outcome.stderr.contains("--ignore-column 'password' imports it without"),
        "{outcome:?}"
    );
    let outcome = import_with(&database, rows, &["--ignore-column", "password"]).done();
    assert_eq!(counts(&outcome), [1, 0, 0]);
}

#[test]
fn own_json_lines_with_a_field_link_are_terses_own() {
    let database = database();
    let row = json!({"short_code": "spring", "destination_url": "https://example.com/",
        "campaign": "c", "link": "https://go.example/other"});
    let outcome = import_json(&database, row.to_string()).done();
    assert_eq!(summary(&outcome)["format"], "jsonl");
    let links = exported(&database);
    assert_eq!((&links[0]["short_code"], &links[0]["campaign"]), (&json!("spring"), &json!("c")));
}

#[test]
fn encodings_are_read() {
    let text = "short_code,destination_url,title\r\none,https://example.com/,Größe\r\n";
    let utf16 = |bytes: fn(u16) -> [u8; 2], text: &str| -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    };
    // phpMyAdmin begins each row with a byte order mark.
    let marked = text.replace("short_code", "\u{feff}short_code").replace("one,", "\u{feff}one,");
    let latin: Vec<u8> =
        text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    for (content, more) in [
        (utf16(u16::to_le_bytes, &marked), &[][..]),
        (utf16(u16::to_be_bytes, &marked), &[]),
        (latin.clone(), &["--encoding", "windows-1252"]),
        (latin.clone(), &["--encoding", "latin1"]),
    ] {
        let database = database();
        import_with(&database, content, more).done();
        assert_eq!(exported(&database)[0]["title"], "Größe");
    }
    let database = database();
    let outcome = import_with(&database, latin, &[]);
    assert_eq!(counts(&outcome), [0, 0, 1]);
    assert!(outcome.stderr.contains("1 row not in UTF-8; --encoding names"), "{outcome:?}");
    let line = import_with(&database, text, &["--encoding", "x"]).error_as_text().failed();
    assert!(line.contains("the encoding 'x' is unknown"), "{line}");
}

#[test]
fn byte_order_mark_contradicts_another_encoding() {
    let text = "\u{feff}short_code,destination_url,title\none,https://example.com/,Größe\n";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let database = database();
    for (content, label, said) in [
        (text.into(), "windows-1252", "it is UTF-8, not windows-1252; leave --encoding out"),
        (utf16.clone(), "utf-16", "it is UTF-16BE, not UTF-16LE; leave --encoding out"),
    ] {
        let line = import_with(&database, content, &["--encoding", label]).failed();
        assert!(line.contains(said), "{line}");
    }
    assert!(exported(&database).is_empty());
    for (content, label) in [(text.into(), "utf-8"), (utf16, "utf-16be")] {
        import_with(&database, content, &["--encoding", label]).done();
        assert_eq!(exported(&database)[0]["title"], "Größe");
    }
}

/// Only the start of a file, and each row of phpMyAdmin's UTF-16, has a byte order mark.
#[test]
fn code_may_begin_with_a_byte_order_mark() {
    let codes = ["\u{feff}one", "\u{feff}two", "three"];
    let database = database();
    let rows = codes.map(|code| format!("{code},https://example.com/{}\n", code.len()));
    import_json(&database, format!("short_code,destination_url\n{}", rows.concat())).done();
    assert_eq!(short_codes(&exported(&database)), ["one", "two", "three"]);
    for format in ["csv", "jsonl"] {
        let export = database.terse(&["export", "--format", format]).done().stdout;
        let other = super::database();
        import_json(&other, export).done();
        assert_eq!(exported(&other), exported(&database), "{format}");
    }
}

#[test]
fn times_without_a_zone_are_in_the_given_one() {
    let rows = "address,target,created_at\none,https://example.com/,2026-07-01 12:00:00\n\
        two,https://example.com/,2026-07-01T12:00:00Z\n";
    let database = database();
    import_with(&database, rows, &["--timezone", "Europe/Berlin"]).done();
    let links = exported(&database);
    assert_eq!(links[0]["created_at"], "2026-07-01T10:00:00.000Z");
    assert_eq!(links[1]["created_at"], "2026-07-01T12:00:00.000Z");
    database.terse(&["import", "in", "--owner", "me", "--timezone", "Berlin"]).misused();
}

#[test]
fn files_of_spreadsheets_are_read() {
    let database = database();
    let rows = "sep=;\nkeyword;url;title;clicks\none;https://example.com/;\"two\nlines\";1,103\n;;;\n \
        ; ; ; \ntwo; https://example.com/ ;x;5\n";
    let outcome = import_json(&database, rows).done();
    assert_eq!(counts(&outcome), [2, 0, 0]);
    assert_eq!(summary(&outcome)["titles_shortened"], 1);
    let links = exported(&database);
    assert_eq!((&links[0]["title"], &links[0]["clicks"]), (&json!("two lines"), &json!(1_103)));
    assert_eq!(links[1]["destination_url"], "https://example.com/");
}

#[test]
fn backslashes_of_mysql_are_read() {
    let database = database();
    let rows = "keyword,url,title\n\"one\",\"https://example.com/1\",\"27\\\" by \\\\\"\n\
        \"two\",\"https://example.com/2\",\\N\n\"three\",\"https://example.com/3\",\"x\"\n";
    assert_eq!(counts(&import_json(&database, rows).done()), [3, 0, 0]);
    let links = exported(&database);
    let titles: Vec<&Value> = links.iter().map(|link| &link["title"]).collect();
    assert_eq!(titles, [&json!("27\" by \\"), &Value::Null, &json!("x")]);
}

#[test]
fn documents_are_read_like_lines() {
    let record = |number: usize| json!({"keyword": format!("code{number}"), "url": format!("https://example.com/{number}")});
    let records: Vec<Value> = (0..3).map(record).collect();
    let by_name = json!({"link_1": records[0], "link_2": records[1], "link_3": records[2]});
    let table = json!({"type": "table", "name": "yourls_url", "data": records});
    for content in [
        json!(records),
        json!({"links": records, "total": 3}),
        json!({"message": "success", "links": by_name}),
        json!({"shortUrls": {"data": records, "pagination": {"currentPage": 1, "pagesCount": 1}}}),
        json!([{"type": "header", "version": "5.2.1"}, {"type": "database", "name": "yourls"}, table]),
    ] {
        for text in [content.to_string(), serde_json::to_string_pretty(&content).unwrap()] {
            let database = database();
            let outcome = import_json(&database, &text).done();
            assert_eq!(counts(&outcome), [3, 0, 0], "{text}");
            assert_eq!(short_codes(&exported(&database)), ["code0", "code1", "code2"]);
        }
    }
    let database = database();
    let lists = json!({"links": records, "deleted": [record(9)]});
    let outcome = import_json(&database, lists.to_string()).done();
    assert_eq!(counts(&outcome), [3, 0, 0]);
    assert!(outcome.stderr.contains("only the first list of links is read, and not: deleted"));
    // A list of something else is none of links, whatever comes first.
    let others = json!([{"id": 1, "address": "go.example"}, {"id": 2, "address": "a.example"}]);
    for text in [
        format!(r#"{{"domains": {others}, "links": {}}}"#, json!(records)),
        format!(r#"{{"meta": {{"domains": {others}}}, "rows": {}}}"#, json!(records)),
        format!(r#"{{"owners": {{"a": {{"id": 1}}, "b": {{"id": 2}}}}, "rows": {by_name}}}"#),
    ] {
        let outcome = import_json(&database, &text).done();
        assert_eq!(counts(&outcome), [0, 3, 0], "{text}");
        let is_named = ["domains", "meta", "owners"].iter().any(|name| {
            outcome
                .stderr
                .contains(&format!("only the first list of links is read, and not: {name}"))
        });
        assert!(is_named, "{outcome:?}");
    }
    for text in [
        format!(r#"{{"domains": {others}}}"#),
        format!(r#"{{"domains": {others}, "owners": [{{"name": "me"}}]}}"#),
    ] {
        let outcome = import_json(&database, &text);
        assert!(outcome.failed().contains("found: 'id', 'address'"), "{text}");
    }
    let page = |records: &Value| format!("{{\"rows\": {records}}}\n");
    let outcome = import_json(&database, page(&json!(records)) + &page(&others));
    assert_eq!((outcome.code, counts(&outcome)), (Some(1), [0, 3, 1]), "{outcome:?}");
    // The end of a document that is cut off is missed.
    let text = serde_json::to_string_pretty(&records).unwrap();
    let outcome = import_json(&database, &text[..text.len() - 2]);
    assert_eq!((outcome.code, counts(&outcome)), (Some(1), [0, 3, 1]), "{outcome:?}");
    assert!(outcome.stderr.contains("the file ends within a JSON document"), "{outcome:?}");
}

/// phpMyAdmin exports all tables of a database into one list.
#[test]
fn first_table_with_links_counts() {
    let link = |code: &str| json!({"keyword": code, "url": "https://example.com/"});
    let table = |name: &str, rows: &Value| json!({"type": "table", "name": name, "database": "yourls", "data": rows});
    let head = [json!({"type": "header", "version": "5.2.1"}), json!({"type": "database"})];
    let log = table("log", &json!([{"click_id": 1, "shorturl": "one"}]));
    let options = table("options", &json!([{"option_id": 1, "option_name": "x"}]));
    let kutt = table("links", &json!([{"address": "k", "target": "https://example.com/k"}]));
    let first = table("url", &json!([link("one"), link("two")]));
    let second = table("url_2020", &json!([link("old")]));
    let none = table("empty", &json!([]));
    for (tables, format, codes, ignored) in [
        (
            vec![&log, &none, &first, &options, &second],
            None,
            vec!["one", "two"],
            "log, empty, options, url_2020",
        ),
        (vec![&kutt, &first], None, vec!["k"], "url"),
        (vec![&kutt, &first], Some("yourls"), vec!["one", "two"], "links"),
        (vec![&first], Some("yourls"), vec!["one", "two"], ""),
        (vec![&none], None, vec![], "empty"),
    ] {
        let content: Vec<&Value> = head.iter().chain(tables).collect();
        for text in [json!(content).to_string(), serde_json::to_string_pretty(&content).unwrap()] {
            let database = database();
            let format = format.map_or(vec![], |format| vec!["--format", format]);
            let outcome = import_with(&database, &text, &format).done();
            assert_eq!(short_codes(&exported(&database)), codes, "{text}");
            let said = outcome.stderr.lines().find_map(|line| line.split_once("read, and not: "));
            assert_eq!(said.map_or("", |(_, names)| names), ignored, "{text}");
        }
    }
    let content: Vec<&Value> = head.iter().chain([&log, &options]).collect();
    let line = import_json(&database(), json!(content).to_string()).failed();
    assert!(line.contains("found: 'click_id', 'shorturl'"), "{line}");
}

/// The whole document is on one line.
#[test]
#[ignore = "long"]
fn document_of_a_gigabyte_is_read_in_constant_memory() {
    const RECORDS: u64 = 110_000;
    let database = database();
    let arguments = ["import", "-", "--owner", "me", "--json"];
    let mut command = database.command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = BufWriter::new(child.stdin.take().unwrap());
    let notes = "a few words ".repeat(800);
    pipe.write_all(b"{\"links\":[").unwrap();
    for number in 0..RECORDS {
        let comma = if number == 0 { "" } else { "," };
        let url = format!("https://example.com/{number}");
        write!(pipe, "{comma}{}", json!({"destination_url": url, "notes": notes})).unwrap();
    }
    write!(pipe, "],\"total\":{RECORDS}}}").unwrap();
    pipe.flush().unwrap();
    let max = max_private_memory(child.id());
    drop(pipe);
    let outcome = Outcome::new(&arguments, &child.wait_with_output().unwrap()).done();
    assert_eq!(counts(&outcome), [RECORDS, 0, 0]);
    assert!(max < 128 << 20, "{max} bytes");
}

#[test]
fn partial_page_is_named() {
    let record = json!({"slug": "spring", "url": "https://example.com/"});
    for (page, said) in [
        (json!({"links": [record], "total": 7, "limit": 1, "skip": 0}), "it has 1 of 7 links;"),
        (json!({"links": [record], "cursor": "x", "list_complete": false}), "it has 1 link;"),
        (json!({"data": [record], "next": "https://api.example/2"}), "it has 1 link;"),
    ] {
        let database = database();
        let outcome = import_json(&database, page.to_string()).done();
        assert_eq!(summary(&outcome)["is_partial"], true, "{page}");
        assert!(outcome.stderr.contains(&format!("the file is not all: {said}")), "{outcome:?}");
    }
}

#[test]
fn percent_encoding_is_a_matter_of_the_column() {
    let database = database();
    let rows = "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n\
        ,,spring%2Dsale,https://go.example/spring%2Dsale,https://example.com/1,,,0\n";
    import_json(&database, rows).done();
    let row =
        json!({"shortLink": "https://go.example/summer%2Dsale", "url": "https://example.com/2"});
    import_json(&database, row.to_string()).done();
    assert_eq!(short_codes(&exported(&database)), ["spring-sale", "summer-sale"]);
    let row = json!({"shortCode": "a%2Db", "longUrl": "https://example.com/3"});
    let outcome = import_json(&database, row.to_string());
    assert_eq!(counts(&outcome), [0, 0, 1], "a code with a percent sign: {outcome:?}");
}

#[test]
fn links_of_a_second_domain_are_imported_on_demand() {
    let row =
        |host: &str, code: &str| format!("https://{host}/{code},https://example.com/{host}\n");
    let rows = [
        "Link,Long URL\n".to_owned(),
        row("a.example", "one"),
        row("b.example", "two"),
        row("a.example", "three"),
    ]
    .concat();
    let database = database();
    let line = import_json(&database, &rows).error_as_text().failed();
    assert!(line.contains("a.example (2), b.example (1)"), "{line}");
    assert!(exported(&database).is_empty());
    let (_, outcome) = super::through_a_pipe(&database, &[], rows.as_bytes());
    assert!(outcome.error_as_text().failed().contains("a.example (2), b.example (1)"));
    let outcome = import_with(&database, &rows, &["--domain", "B.example"]).done();
    assert_eq!(summary(&outcome)["other_domains"], 2);
    assert_eq!(short_codes(&exported(&database)), ["two"]);
}

#[test]
fn domain_of_another_owner_is_warned_of() {
    let rows = "Link,Long URL\nhttps://go.example/one,https://example.com/one\n";
    let database = database();
    database.owner("globex", "pro");
    let warnings = || {
        let options = ["--domain", "GO.example", "--dry-run"];
        let stderr = import_with(&database, rows, &options).done().stderr;
        stderr
            .lines()
            .filter(|line| line.contains("warning"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(warnings(), [""; 0]);
    database.terse(&["domain", "add", "go.example", "--owner", "globex"]).done();
    let warning =
        "warning: go.example is a domain of owner 'globex', where links of 'me' do not answer";
    assert_eq!(warnings(), [warning]);
    database.terse(&["domain", "remove", "go.example"]).done();
    database.terse(&["domain", "add", "go.example", "--owner", "me"]).done();
    assert_eq!(warnings(), [""; 0]);
}
