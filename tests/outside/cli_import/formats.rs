//! Detection of formats, `--format`, and mismatches.

use serde_json::{Value, json};

use super::{counts, database, exported, file, fixture, import_json, summary};
use crate::harness::short_codes;

const CSV: &[u8] = b"destination_url\nhttps://example.com/\n";
const JSON: &[u8] = b"{\"destination_url\":\"https://example.com/\"}\n";

#[test]
fn detected_format_is_accepted_by_the_format_option() {
    let database = database();
    for (content, format) in [
        (CSV, "csv"),
        (JSON, "jsonl"),
        (&fixture("shlink.jsonl"), "shlink"),
        (&fixture("shlink.csv"), "shlink"),
        (&fixture("yourls.csv"), "yourls"),
        (&fixture("yourls-plugin.csv"), "yourls"),
        (&fixture("yourls.json"), "yourls"),
        (&fixture("kutt.json"), "kutt"),
        (&fixture("bitly.csv"), "bitly"),
    ] {
        let outcome = import_json(&database, content);
        let found: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(found["format"], format);
        let command = ["import", "in", "--owner", "me", "--json", "--dry-run", "--format", format];
        let given = database.terse(&command);
        let given: Value = serde_json::from_str(&given.stdout).unwrap();
        assert_eq!(given["format"], format);
        assert_eq!(given["rows"], found["rows"]);
    }
}

#[test]
fn file_is_rejected_if_it_does_not_match_its_format() {
    let database = database();
    for (content, format, said) in [
        (CSV, "jsonl", "line 1: it is not JSON, which"),
        (b"\n\nhttps://example.com/\n", "jsonl", "line 3: it is not JSON, which"),
        (JSON, "csv", "line 1: it is JSON, which"),
        (b"[]\n", "csv", "line 1: it is JSON, which"),
        (CSV, "yourls", "line 1: the columns are not those of that format, which needs url and"),
        (&fixture("yourls.csv"), "csv", "line 1: the columns are not those of that format, which"),
        (JSON, "yourls", "line 1: the fields are not those of that format, which needs url and"),
        (&fixture("kutt.json"), "yourls", "line 1: the fields are not those of that format"),
        (&fixture("yourls.json"), "kutt", "line 1: the fields are not those of that format"),
        (&fixture("bitly.json"), "jsonl", "line 1: the fields are not those of that format"),
        (b"{\"target\":\"https://example.com/\"}", "yourls", "line 1: the fields are not those"),
    ] {
        file(&database, "in", content);
        let outcome = database.terse(&["import", "in", "--owner", "me", "--format", format]);
        let line = outcome.failed();
        assert!(line.starts_with(&format!("terse: in: {said}")), "{format}: {line}");
    }
    assert!(exported(&database).is_empty());
}

#[test]
fn mismatch_names_what_is_found_and_missing_on_one_line() {
    let database = database();
    let many: Vec<String> = (0..25).map(|number| format!("\x1b{number}")).collect();
    let long = "x".repeat(100_000);
    for (content, format, parts) in [
        (
            b"Long URL,Short\n1,2\n".to_vec(),
            None,
            &[
                "found: 'Long URL', 'Short'; nearest is ",
                ", without ",
                "--code-column NAME names the one with the codes",
            ][..],
        ),
        (b"Original,Short\n1,2\n".to_vec(), None, &["found: 'Original', 'Short'; Terse's own"]),
        (
            b"Original,Short\n1,2\n".to_vec(),
            Some("kutt"),
            &["which needs address and target; found: 'Original', 'Short'"],
        ),
        (
            b"[{\"original\":\"a\"},{\"other\":1}]\n".to_vec(),
            None,
            &["found: 'original'; Terse's own format needs destination_url"],
        ),
        (many.join(",").into(), None, &["found: '\\u{1b}0', ", "'\\u{1b}19', and 5 more; "]),
        (long.into(), None, &["xxx…'; "]),
    ] {
        file(&database, "in", content);
        let format = format.map_or(vec![], |format| vec!["--format", format]);
        let outcome = database.terse(&[&["import", "in", "--owner", "me"][..], &format].concat());
        let line = outcome.failed();
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
        assert!(line.len() < 800, "{line}");
    }
}

/// JSON objects may have different names, so the import checks each one for the required names.
#[test]
fn row_of_another_service_is_rejected_without_code_or_destination() {
    let database = database();
    let link = |code| json!({"keyword": code, "url": "https://example.com/"}).to_string();
    let rows = [
        "{\"keyword\": 1".to_owned(),
        link("one"),
        json!({"target": "https://example.com/"}).to_string(),
        json!({"url": "https://example.com/"}).to_string(),
        json!({"keyword": "two"}).to_string(),
        link(""),
        "[]".to_owned(),
        link("two"),
    ];
    let outcome = import_json(&database, rows.join("\n"));
    assert_eq!(counts(&outcome), [2, 0, 5]);
    let reasons = [
        "line 1: it is not JSON: EOF while parsing an object at column 13; the line or file ends within \
         the link",
        "line 3: there is no short code",
        "line 4: there is no short code",
        "line 5: there is no destination",
        "line 6: there is no short code",
        "terse: 5 of 7 rows were rejected",
    ];
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), reasons);
    let rows = "address,target\n,https://example.com/\nabc,\n";
    assert_eq!(counts(&import_json(&database, rows)), [0, 0, 2]);
}

#[test]
fn ignored_columns_are_named_once_with_a_count() {
    let database = database();
    let rows = "destination_url, Tilte,is active\nhttps://example.com/,Hello there,0\n";
    file(&database, "in", rows);
    let outcome = database.terse(&["import", "in", "--owner", "me"]).done();
    assert_eq!(outcome.stderr, "ignored columns: 'Tilte' (1 value)\n");
    assert_eq!(exported(&database)[0]["is_active"], 0);
    // Terminals interpret control characters, and only the first 20 columns are listed.
    let many: Vec<String> = (10..60).map(|number| format!("bad\x1b[31m{number}")).collect();
    let values = ["a few words"; 50].join(",");
    let rows = format!("destination_url,{}\nhttps://example.com/,{values}\n", many.join(","));
    file(&database, "in", rows);
    let warned = database.terse(&["import", "in", "--owner", "me"]).done().stderr;
    assert!(warned.starts_with("ignored columns: 'bad\\u{1b}[31m10' (1 value), "), "{warned}");
    assert_eq!(warned.lines().count(), 1, "{warned}");
    assert!(warned.ends_with("'bad\\u{1b}[31m29' (1 value), and 30 more\n"), "{warned}");
    let outcome = import_json(&database, fixture("yourls.csv"));
    assert_eq!(summary(&outcome)["ignored_columns"], json!({"ip": 3}));
    for (columns, warned) in [
        ("Clicks,QR Visits,Notes", "'Notes' (1 value), 'QR Visits' (1 value)"),
        ("QR Visits", "'QR Visits' (1 value)"),
    ] {
        let values = columns.split(',').map(|_| "5").collect::<Vec<_>>().join(",");
        let row = format!("https://bit.ly/code{},https://example.com/,{values}", columns.len());
        file(&database, "in", format!("Link,Long URL,{columns}\n{row}\n"));
        let outcome = database.terse(&["import", "in", "--owner", "me"]).done();
        assert_eq!(outcome.stderr, format!("ignored columns: {warned}\n"));
    }
}

#[test]
fn control_characters_are_escaped_in_messages() {
    let database = database();
    let name = "\\u001b]0;title\\u0007";
    let row =
        format!("{{\"destination_url\":\"https://example.com/\",\"{name}\":1,\"{name}\":2}}\n");
    for rows in [row.clone(), format!("{{\"destination_url\":\"https://example.com/\"}}\n{row}")] {
        let outcome = import_json(&database, rows);
        assert!(
            outcome.stderr.contains("'\\u{1b}]0;title\\u{7}' appears more than once"),
            "{outcome:?}"
        );
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
    }
}

/// An object with the fields of a link is not a page of links, whatever other members it has.
#[test]
fn link_with_pagination_fields_is_read_as_a_link() {
    let database = database();
    let rows = ["\"links\":[]", "\"links\":{}", "\"data\":[{\"a\":1}]", "\"data\":1"]
        .map(|more| format!("{{\"destination_url\":\"https://example.com/\",{more}}}\n"));
    assert_eq!(counts(&import_json(&database, rows.concat()).done()), [4, 0, 0]);
}

/// The import would lose one of the two values.
#[test]
fn row_is_rejected_if_two_fields_have_the_same_name() {
    let database = database();
    let row = "{\"destination_url\":\"https://example.com/1\"}\n\
        {\"destination_url\":null,\"destinationUrl\":\"https://example.com/2\"}\n";
    let outcome = import_json(&database, row);
    assert_eq!(counts(&outcome), [1, 0, 1]);
    assert!(outcome.stderr.starts_with("line 2: there are two fields 'destinationurl'\n"));
    // Unknown fields may repeat.
    let row = "{\"destination_url\":\"https://example.com/3\",\"x\":{\"a_b\":\"a word\",\"ab\":\"a word\"}}\n";
    assert_eq!(counts(&import_json(&database, row).done()), [1, 0, 0]);
}

/// JSON has many spellings of a number, and a code one.
#[test]
fn number_is_a_code_only_if_its_digits_are_kept() {
    let kept = ["0", "17", "-5", "18446744073709551615"];
    let changed =
        ["1e5", "1E5", "1.0", "1.50", "-0", "18446744073709551616", "123456789012345678901234"];
    for (code, destination, options) in [
        ("short_code", "destination_url", &[][..]),
        ("shortCode", "longUrl", &[]),
        ("keyword", "url", &[]),
        ("nummer", "long_url", &["--code-column", "nummer"]),
    ] {
        let row = |number: &&str| {
            format!("{{\"{code}\":{number},\"{destination}\":\"https://example.com/\"}}\n")
        };
        let database = database();
        let rows: Vec<String> = kept.iter().chain(&changed).map(row).collect();
        file(&database, "in", rows.concat());
        let import = ["import", "in", "--owner", "me", "--json", "--rejects", "rejects"];
        let outcome = database.terse(&[&import[..], options].concat());
        assert_eq!(counts(&outcome), [4, 0, 7], "{code}: {outcome:?}");
        let reason = format!("line 5: the code in '{code}' is a number with a point, an exponent");
        assert!(outcome.stderr.starts_with(&reason), "{outcome:?}");
        assert_eq!(short_codes(&exported(&database)), kept, "{code}");
        let rejects = std::fs::read_to_string(database.directory().join("rejects")).unwrap();
        let mut corrected = rejects.clone();
        for number in changed {
            let (found, quoted) = (format!(":{number},"), format!(":\"{number}\","));
            assert!(rejects.contains(&found), "{rejects}");
            corrected = corrected.replace(&found, &quoted);
        }
        file(&database, "in", corrected);
        database.terse(&[&import[..5], options].concat()).done();
        assert_eq!(short_codes(&exported(&database)), [&kept[..], &changed].concat(), "{code}");
    }
    let database = database();
    let row = "{\"link\":\"https://bit.ly/x\",\"custom_bitlinks\":[1e5],\"long_url\":\"https://example.com/\"}";
    let outcome = import_json(&database, row);
    assert!(outcome.stderr.contains("the code in 'custom_bitlinks' is a number"), "{outcome:?}");
    assert!(exported(&database).is_empty());
}

#[test]
fn single_element_list_is_read_as_its_text() {
    let database = database();
    let row = json!({"destination_url": "https://example.com/", "title": ["T"], "campaign": ["C"]});
    import_json(&database, row.to_string()).done();
    let link = &exported(&database)[0];
    assert_eq!((&link["title"], &link["campaign"]), (&json!("T"), &json!("C")));
}

/// The import would lose values such as a limit or a password.
#[test]
fn row_is_rejected_if_a_known_field_holds_an_object() {
    let database = database();
    let own = |field: &str| format!(r#"{{"destination_url":"https://example.com/",{field}}}"#);
    let shlink = |meta: &str| {
        format!(r#"{{"shortCode":"abc","longUrl":"https://example.com/","meta":{meta}}}"#)
    };
    for (row, name) in [
        (own(r#""title":{"en":"T"}"#), "title"),
        (own(r#""clicks":{"total":5}"#), "clicks"),
        (own(r#""is_active":[[0]]"#), "is_active"),
        (shlink(r#"[{"maxVisits":5}]"#), "meta"),
        (shlink(r#"{"validUntil":{"date":"2999-01-01"}}"#), "meta.validUntil"),
    ] {
        let outcome = import_json(&database, &row);
        assert_eq!(counts(&outcome), [0, 0, 1], "{row}");
        let reason = format!("line 1: the field '{name}' holds an object or a list in a list");
        assert_eq!(outcome.stderr.lines().next(), Some(&*reason), "{row}");
    }
    for row in [own(r#""title":{},"clicks":[]"#), shlink(r#"{"maxVisits":null}"#), shlink("[]")] {
        assert_eq!(counts(&import_json(&database, &row).done())[2], 0, "{row}");
    }
}

#[test]
fn empty_page_is_imported() {
    let database = database();
    file(&database, "in", "{\"data\":[]}\n");
    let command = ["import", "in", "--owner", "me", "--json", "--format", "kutt"];
    assert_eq!(counts(&database.terse(&command).done()), [0, 0, 0]);
    for page in ["[]", "{\"links\":{}}", "{\n  \"shortUrls\": {\n    \"data\": []\n  }\n}"] {
        let outcome = import_json(&database, page).done();
        assert_eq!(counts(&outcome), [0, 0, 0], "{page}");
        assert_eq!(summary(&outcome)["format"], Value::Null);
    }
}
