//! Files at the edges of what services write: invisible characters, objects in fields, words for missing
//! values, and deep documents.

use serde_json::{Value, json};

use super::{counts, database, exported, fixture, import, import_json, summary};
use crate::harness::short_codes;

/// Invisible and blank characters that programs leave in codes.
const INVISIBLE: [char; 12] = [
    '\u{200b}',
    '\u{feff}',
    '\u{200e}',
    '\u{2060}',
    '\u{ad}',
    '\u{fe0f}',
    '\u{e0041}',
    '\u{2800}',
    '\u{3164}',
    '\u{200c}',
    '\u{200d}',
    '\u{34f}',
];

#[test]
fn invisible_characters_of_codes_are_removed_and_counted() {
    let database = database();
    let mut rows = "short_code,destination_url\n".to_owned();
    let mut codes = Vec::new();
    for (number, letter) in INVISIBLE.into_iter().enumerate() {
        for (name, code) in [
            ("end", format!("x{number}{letter}")),
            ("start", format!("{letter}x{number}")),
            ("inside", format!("x{letter}{letter}{number}")),
        ] {
            rows.push_str(&format!("{name}{code},https://example.com/{number}\n"));
            codes.push(format!("{name}x{number}"));
        }
    }
    let kept = ["❤\u{fe0f}", "👩\u{200d}🚀", "می\u{200c}خواهم"];
    for code in kept {
        rows.push_str(&format!("{code},https://example.com/\n"));
        codes.push(code.to_owned());
    }
    let outcome = import_json(&database, &rows).done();
    assert_eq!(summary(&outcome)["codes_cleaned"], INVISIBLE.len() * 3);
    assert_eq!(short_codes(&exported(&database)), codes);
    let text = import(&self::database(), &rows).done().stdout;
    assert!(text.contains("36 links imported without blanks or invisible characters of the code"));
    assert_eq!(counts(&import_json(&database, &rows).done()), [0, codes.len() as u64, 0]);
}

/// What a reader sees of a code leads to the first link that has it.
#[test]
fn codes_that_look_alike_are_named() {
    let rows = "short_code,destination_url\na❤❤\u{fe0f},https://example.com/1\n\
                a❤\u{fe0f}❤,https://example.com/2\na❤\u{fe0f}❤\u{fe0f},https://example.com/3\n";
    let database = database();
    std::fs::write(database.directory().join("alike.csv"), rows).unwrap();
    for dry_run in [&["--dry-run"][..], &[], &[]] {
        let import = ["import", "alike.csv", "--owner", "me", "--json"];
        let outcome = database.terse(&[&import[..], dry_run].concat()).done();
        assert_eq!(summary(&outcome)["without_case"], 2, "{outcome:?}");
        for code in ["'a❤\u{fe0f}❤'", "'a❤\u{fe0f}❤\u{fe0f}'"] {
            assert!(outcome.stderr.contains(code), "{outcome:?}");
        }
    }
    assert_eq!(exported(&database).len(), 3);
}

#[test]
fn code_that_is_in_use_without_its_invisible_characters_is_rejected() {
    let database = database();
    let rows = "short_code,destination_url\nspring,https://example.com/1\n\
                spr\u{200b}ing,https://example.com/2\n";
    let outcome = import_json(&database, rows);
    assert_eq!(counts(&outcome), [1, 0, 1]);
    let reason = "the short code without its invisible characters is in use by line 2";
    assert!(outcome.stderr.contains(reason), "{outcome:?}");
    assert_eq!(exported(&database)[0]["destination_url"], "https://example.com/1");
}

/// Returns the response to an administrator of Kutt that has the links of a response to their owner.
fn for_administrators(page: &[u8]) -> String {
    let mut page: Value = serde_json::from_slice(page).unwrap();
    for link in page["data"].as_array_mut().unwrap() {
        let url = link["link"].as_str().unwrap().to_owned();
        let rest = url.split_once("://").unwrap().1;
        link["link"] = json!({"address": link["address"], "link": rest, "url": url});
        link["domain_id"] = if link["domain"].is_null() { Value::Null } else { json!(1) };
        link["domain"] = json!(rest.split('/').next());
        link["email"] = json!("me@example.com");
        link["relative_created_at"] = json!("2 days ago");
        link["relative_expire_in"] =
            link["expire_in"].as_str().map_or(Value::Null, |_| json!("2 days"));
    }
    page.to_string()
}

#[test]
fn response_to_an_administrator_of_kutt_is_read() {
    let page = fixture("exports/kutt/api-links-skip0.json");
    let read = |content: &[u8]| {
        let database = database();
        super::file(&database, "in", content);
        let command = ["import", "in", "--owner", "me", "--json", "--domain", "default"];
        let outcome = database.terse(&command);
        (counts(&outcome), exported(&database))
    };
    let (expected, links) = read(&page);
    assert!(expected[0] > 20, "{expected:?}");
    assert_eq!(read(for_administrators(&page).as_bytes()), (expected, links));
}

#[test]
fn object_or_list_under_an_unknown_name_is_counted() {
    let database = database();
    let rows = [
        r#"{"id":"x","address":"ab","target":"https://example.com/","extra":{"level":5,"more":[1]}}"#,
        r#"{"id":"x","address":"cd","target":"https://example.com/","extra":[[1],{"level":6}]}"#,
        r#"{"id":"x","address":"ef","target":{"url":"https://example.com/"}}"#,
        r#"{"id":"x","address":"gh","target":"https://example.com/","extra":{"max_visits":6}}"#,
    ];
    let outcome = import_json(&database, rows.join("\n"));
    assert_eq!(counts(&outcome), [2, 0, 2], "{outcome:?}");
    assert_eq!(short_codes(&exported(&database)), ["ab", "cd"]);
    assert_eq!(summary(&outcome)["ignored_columns"]["extra.level"], 2, "{outcome:?}");
}

#[test]
fn word_for_a_missing_value_means_that_the_column_shows_it() {
    for word in ["null", "NULL", "None", "undefined", "NaN", "\\N"] {
        let header = "key,url,title,clicks,createdAt,expiresAt,expiredUrl,password,whatever\n";
        let empty = [word; 7].join(",");
        // No code has a backslash.
        let code = if word == "\\N" { "a" } else { word };
        let database = database();
        let rows = format!(
            "{header}{code},https://example.com/1,{empty}\nb,https://example.com/2,{empty}\n\
             c,https://example.com/3,Title,5,2024-01-01,{word},https://example.com/4,{word},{word}\n"
        );
        let outcome = import_json(&database, &rows);
        assert_eq!(counts(&outcome), [3, 0, 0], "{word}: {outcome:?}");
        assert!(outcome.stderr.contains("column 'title': 2 words such as null"), "{outcome:?}");
        let links = exported(&database);
        assert_eq!(short_codes(&links), [code, "b", "c"]);
        for link in &links[..2] {
            let found =
                json!([link["title"], link["clicks"], link["expires_at"], link["fallback_url"]]);
            assert_eq!(found, json!([null, 0, null, null]), "{word}");
        }
        assert_eq!(links[2]["title"], "Title");
        // A column with empty values, or with one such word, has titles.
        for titles in [["", word, word], ["One", word, "Two"]] {
            let database = self::database();
            let row =
                |(title, code): (&str, char)| format!("{code},https://example.com/,{title}\n");
            let rows: String = titles.into_iter().zip('a'..).map(row).collect();
            import_json(&database, format!("key,url,title\n{rows}")).done();
            assert_eq!(exported(&database)[1]["title"], word);
        }
    }
}

#[test]
fn queries_of_dub_are_forwarded_and_the_difference_is_named() {
    let database = database();
    let row = "shortLink,url\nhttps://d.example/ab,https://example.com/?a=1\n";
    let outcome = import_json(&database, row).done();
    assert_eq!(summary(&outcome)["queries_forwarded"], 1);
    assert_eq!(exported(&database)[0]["forward_query"], 1);
    let text = import(&self::database(), row).done().stdout;
    assert!(text.contains("never replace a value of the destination"), "{text}");
    let shlink = r#"{"shortCode":"ab","longUrl":"https://example.com/","forwardQuery":false}"#;
    let outcome = import_json(&self::database(), shlink).done();
    assert_eq!(summary(&outcome)["queries_forwarded"], 0);
}

#[test]
fn deep_value_costs_its_row_only() {
    let link = |code: &str| format!(r#"{{"shortCode":"{code}","longUrl":"https://example.com/""#);
    for (open, close) in [("{\"a\":", "}"), ("[", "]"), ("{\"a\":{},\"links\":[", "]}")] {
        let deep = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        let rows =
            format!("{}}}\n{deep}\n{},\"x\":{deep}}}\n{}}}\n", link("ab"), link("cd"), link("ef"));
        let database = database();
        let outcome = import_json(&database, &rows);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert_eq!(counts(&outcome), [2, 0, 2], "{open}");
        assert_eq!(short_codes(&exported(&database)), ["ab", "ef"], "{open}");
    }
}
