//! Files with links of several domains.

use serde_json::{Map, Value, json};

use super::{counts, database, exported, file, import_json, summary};
use crate::harness::{Database, Outcome, short_codes};

fn import_of_domain(database: &Database, content: &str, domain: &str, more: &[&str]) -> Outcome {
    file(database, "in", content);
    let import = ["import", "in", "--owner", "me", "--json", "--domain", domain];
    database.terse(&[&import[..], more].concat())
}

/// Returns files of these rows: CSV, JSON Lines, and a page of JSON.
fn files(header: &[&str], rows: &[Vec<String>]) -> [String; 3] {
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    let object = |row: &Vec<String>| {
        let members =
            header.iter().zip(row).map(|(name, value)| ((*name).to_owned(), json!(value)));
        Value::Object(members.collect::<Map<_, _>>())
    };
    let objects: Vec<Value> = rows.iter().map(object).collect();
    let json_lines: Vec<String> = objects.iter().map(Value::to_string).collect();
    [
        format!("{}\n{}\n", header.join(","), lines.join("\n")),
        json_lines.join("\n"),
        json!({"links": objects}).to_string(),
    ]
}

/// A code may lead to two places, of which one link can have one.
#[test]
fn file_of_two_domains_is_refused_in_every_format() {
    let cases: [(&[&str], &[&str]); 19] = [
        (&["destination_url", "short"], &["--code-column", "short"]),
        (&["destination_url", "slug", "domain"], &["--code-column", "slug"]),
        (&["original_url", "Kurzlink"], &["--code-column", "Kurzlink"]),
        (&["original_url", "slug", "domain"], &["--code-column", "slug"]),
        (&["original_url", "slug", "domain_id"], &["--code-column", "slug"]),
        (&["originalURL", "path", "shortURL"], &[]),
        (&["originalURL", "path", "DomainId"], &[]),
        (&["destination", "slashtag", "shortUrl"], &[]),
        (&["destination", "slashtag", "domainId"], &[]),
        (&["longUrl", "shortCode", "shortUrl"], &[]),
        (&["url", "key", "shortLink"], &[]),
        (&["url", "alias", "tiny_url"], &[]),
        (&["target", "address", "link"], &[]),
        (&["target", "address", "domain_id"], &[]),
        (&["url", "keyword", "shorturl"], &[]),
        (&["long_url", "alias", "short_url"], &[]),
        (&["url", "slug", "domain"], &[]),
        (&["long_url", "short_url", "secret_key", "domain"], &[]),
        (&["long_url", "Bitlink"], &[]),
    ];
    for (header, options) in cases {
        let is_number = header[header.len() - 1].to_ascii_lowercase().ends_with("id");
        let domains = if is_number { ["17", "18"] } else { ["x.example", "y.example"] };
        let row = |domain: &str| -> Vec<String> {
            let value = |name: &&str| match name.to_ascii_lowercase().as_str() {
                "destination_url" | "original_url" | "originalurl" | "destination" | "longurl"
                | "url" | "target" | "long_url" => format!("https://example.com/{domain}"),
                "secret_key" => String::new(),
                "domain" | "domain_id" | "domainid" => domain.to_owned(),
                "path" | "slug" | "slashtag" | "shortcode" | "key" | "alias" | "address"
                | "keyword" => "same".to_owned(),
                "short_url" if header.contains(&"secret_key") => "same".to_owned(),
                _ => format!("https://{domain}/same"),
            };
            header.iter().map(value).collect()
        };
        for content in files(header, &domains.map(row)) {
            let database = database();
            file(&database, "in", &content);
            let import = ["import", "in", "--owner", "me"];
            let line = database.terse(&[&import[..], options].concat()).failed();
            let [first, second] = domains;
            assert!(line.contains(&format!(": {first} (1), {second} (1); ")), "{content}: {line}");
            assert!(exported(&database).is_empty(), "{content}");
            let outcome = import_of_domain(&database, &content, second, options).done();
            assert_eq!(counts(&outcome), [1, 0, 0], "{content}");
            assert_eq!(summary(&outcome)["other_domains"], 1, "{content}");
            let links = exported(&database);
            assert_eq!(short_codes(&links), ["same"], "{content}");
            let destination = format!("https://example.com/{second}");
            assert_eq!(links[0]["destination_url"], destination.as_str(), "{content}");
            let line = import_of_domain(&database, &content, "z.example", options);
            let there = format!("there are {first} (1), {second} (1)");
            assert!(line.stderr.contains(&there), "{content}: {line:?}");
        }
    }
}

/// A domain of the service next to the short URLs of its default domain.
#[test]
fn default_domain_has_no_name() {
    let rows = "shortCode,shortUrl,longUrl,domain\n\
        one,https://x.example/one,https://example.com/1,\n\
        two,https://y.example/two,https://example.com/2,y.example\n";
    let database = database();
    let line = import_json(&database, rows).failed();
    assert!(line.contains(": default (1), y.example (1); "), "{line}");
    import_of_domain(&database, rows, "default", &[]).done();
    assert_eq!(short_codes(&exported(&database)), ["one"]);
    // Shlink's name for it.
    let shlink = "shortCode,longUrl,domain\nthree,https://a.example/,DEFAULT\ntwo,https://b.example/,b.test\n";
    assert_eq!(counts(&import_of_domain(&database, shlink, "default", &[]).done()), [1, 0, 0]);
    // Another column of this name says what it is.
    let ignoring = ["import", "in", "--owner", "me", "--ignore-column", "domain"];
    file(
        &database,
        "in",
        "slug,url,domain\na,https://a.example/,a.example\nb,https://b.example/,b.example\n",
    );
    database.terse(&ignoring[..4]).failed();
    database.terse(&ignoring).done();
    assert_eq!(short_codes(&exported(&database)), ["one", "three", "a", "b"]);
}

#[test]
fn domain_has_many_spellings() {
    let database = database();
    let spellings = ["x.example", "X.Example.", "x.example:443", "x.example:80"];
    let rows = (0..).zip(spellings);
    let rows = rows
        .map(|(number, host)| format!("https://{host}/c{number},https://example.com/{number}\n"));
    let one = format!("Link,Long URL\n{}", rows.collect::<String>());
    assert_eq!(counts(&import_json(&database, &one).done()), [4, 0, 0]);
    let two = format!("{one}https://xn--exmple-cua.org/d,https://example.com/d\n");
    for domain in ["Exämple.ORG.", "EXÄMPLE.org:443", "xn--EXMPLE-cua.org"] {
        let outcome = import_of_domain(&database, &two, domain, &["--dry-run"]).done();
        assert_eq!(counts(&outcome), [1, 0, 0], "{domain}");
    }
    for domain in ["X.EXAMPLE.", "x.example:80"] {
        let outcome = import_of_domain(&database, &two, domain, &[]).done();
        assert_eq!(counts(&outcome), [0, 4, 0], "{domain}");
    }
}

/// An import reads a file in parts, of which the first ones have no link of the domain.
#[test]
fn links_after_many_of_another_domain_are_imported() {
    let database = database();
    let mut rows = "Link,Long URL\n".to_owned();
    let long = "x".repeat(1_000);
    for number in 0..2_000 {
        rows.push_str(&format!("https://x.example/{number},https://example.com/{long}\n"));
    }
    rows.push_str("https://y.example/last,https://example.com/last\n");
    let outcome = import_of_domain(&database, &rows, "y.example", &[]).done();
    assert_eq!(counts(&outcome), [1, 0, 0]);
    let summary = summary(&outcome);
    assert_eq!(
        (&summary["other_domains"], &summary["interrupted"]),
        (&json!(2_000), &json!(false))
    );
    assert_eq!(short_codes(&exported(&database)), ["last"]);
}
