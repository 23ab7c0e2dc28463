//! Clicks, titles, times and tags under names that other services use for them. A later import of the
//! same links could not add what the first one lacks.

use serde_json::json;

use super::{database, exported, file, import_json, summary};

/// Columns of codes and destinations that show a service or none, and what precedes a code.
const FILES: [(&str, &str, &str); 13] = [
    ("short_code", "long_url", ""),
    ("short_url", "long_url", ""),
    ("slug", "url", ""),
    ("alias", "long_url", ""),
    ("address", "target", ""),
    ("keyword", "url", ""),
    ("key", "url", ""),
    ("path", "originalURL", ""),
    ("slashtag", "destination", ""),
    ("tiny_url", "url", "https://tinyurl.com/"),
    ("Bitlink", "long_url", "https://bit.ly/"),
    ("shortlink", "longlink", ""),
    ("Code of mine", "Long URL", ""),
];
const CLICKS: [&str; 17] = [
    "clicks",
    "Total Clicks",
    "click_count",
    "clicksCount",
    "visits",
    "Total Visits",
    "visit_count",
    "visitsCount",
    "hits",
    "total_hits",
    "hit_count",
    "views",
    "View Count",
    "num_clicks",
    "count",
    "totalClick",
    "Engagements",
];
const TITLES: [&str; 4] = ["title", "Page Title", "link_title", "url_title"];
const TIMES: [&str; 6] =
    ["created_at", "Created", "createdOn", "creation_date", "Date Created", "created_time"];
const TAGS: [&str; 3] = ["tags", "Tag", "labels"];

#[test]
fn usual_names_count_in_files_of_every_service() {
    for (code, destination, prefix) in FILES {
        let (database, mut headers) = (database(), Vec::new());
        for (number, clicks) in CLICKS.into_iter().enumerate() {
            let [title, time] =
                [TITLES[number % TITLES.len()], TIMES[number % TIMES.len()]].map(str::to_owned);
            let tags = TAGS[number % TAGS.len()];
            let header = format!("{code},{destination},{clicks},{title},{time},{tags}");
            let row = format!(
                "{prefix}c{number},https://example.com/x,17,Hello,2024-01-02T03:04:05Z,sale"
            );
            file(&database, "in", format!("{header}\n{row}\n"));
            let import = ["import", "in", "--owner", "me", "--json"];
            let choice = ["--code-column", "Code of mine"];
            let choice = if code == choice[1] { &choice[..] } else { &[] };
            let outcome = database.terse(&[&import[..], choice].concat()).done();
            assert_eq!(summary(&outcome)["ignored_columns"], json!({}), "{header}");
            headers.push(header);
        }
        let links = exported(&database);
        for (number, header) in headers.iter().enumerate() {
            let link = links.iter().find(|link| link["short_code"] == format!("c{number}"));
            let link = link.unwrap_or_else(|| panic!("{header}: {links:?}"));
            let expected = json!([17, "Hello", "2024-01-02T03:04:05.000Z", "sale"]);
            let found =
                json!([link["clicks"], link["title"], link["created_at"], link["campaign"]]);
            assert_eq!(found, expected, "{header}");
        }
    }
}

#[test]
fn format_is_named_and_lost_clicks_are_warned_of() {
    let database = database();
    file(&database, "in", "short_code,long_url,clicks\nab,https://example.com/x,17\n");
    let outcome = database.terse(&["import", "in", "--owner", "me"]).done();
    assert!(outcome.stdout.ends_with("\nread as format shlink\n"), "{outcome:?}");
    assert_eq!(outcome.stderr, "");
    let nested = r#"{"shortCode":"cd","longUrl":"https://example.com/y","stats":{"hits":5}}"#;
    for rows in [nested, "destination_url,visits\nhttps://example.com/z,5\n"] {
        file(&database, "in", rows);
        let outcome = database.terse(&["import", "in", "--owner", "me"]).done();
        assert!(outcome.stderr.contains("warning: "), "{outcome:?}");
        assert!(outcome.stderr.contains("cannot add"), "{outcome:?}");
    }
    let ignoring = ["import", "in", "--owner", "me", "--ignore-column", "visits"];
    assert!(!database.terse(&ignoring).done().stderr.contains("warning"));
}

#[test]
fn all_unknown_columns_are_named_at_once() {
    let database = database();
    let rows = "slug,url,first,User.email,second\nab,https://example.com/,x1,me@example.com,x2\n";
    let line = import_json(&database, rows).failed();
    assert!(line.contains("the columns 'first', 'second' are unknown"), "{line}");
    for (header, values) in [
        ("path,originalURL,lcpath,User.email", "Ab,https://example.com/,ab,me@example.com"),
        ("slashtag,destination,linkType,creator.fullName", "cd,https://example.com/,link,Me Too"),
        ("slug,url,redirectWithQuery", "ef,https://example.com/,true"),
        ("key,url,linkPreview", "ij,https://example.com/,x"),
    ] {
        import_json(&database, format!("{header}\n{values}\n")).done();
    }
    let links = exported(&database);
    let of_sink = links.iter().find(|link| link["short_code"] == "ef").unwrap();
    assert_eq!(of_sink["forward_query"], 1);
}

#[test]
fn rules_in_objects_are_counted() {
    let database = database();
    let base = r#""url":"https://example.com/","shortLink":"https://d.example/"#;
    let mut rows = String::new();
    for (number, rule) in [
        r#""geo":{"DE":"https://example.de/"}"#,
        r#""testVariants":[{"url":"https://example.com/b","percentage":50}]"#,
        r#""ios":"https://apps.example/""#,
        r#""geo":null,"testVariants":null"#,
    ]
    .into_iter()
    .enumerate()
    {
        rows.push_str(&format!("{{{base}r{number}\",{rule}}}\n"));
    }
    let outcome = import_json(&database, rows).done();
    assert_eq!(summary(&outcome)["rules_dropped"], 3, "{outcome:?}");
    assert_eq!(summary(&outcome)["ignored_columns"], json!({}));
}

#[test]
fn domain_that_no_link_has_is_an_error() {
    let database = database();
    let rows = "shortLink,url\nhttps://a.example/x,https://example.com/\n\
        https://b.example/y,https://example.com/\nhttps://b.example/z,https://example.com/\n";
    for domain in ["c.example", "default"] {
        file(&database, "in", rows);
        let import = ["import", "in", "--owner", "me", "--domain", domain];
        for more in [&[][..], &["--dry-run"]] {
            let outcome = database.terse(&[&import[..], more].concat());
            assert_eq!(outcome.code, Some(1), "{outcome:?}");
            assert!(
                outcome.stderr.contains("there are a.example (1), b.example (2)"),
                "{outcome:?}"
            );
        }
    }
    assert!(exported(&database).is_empty());
}
