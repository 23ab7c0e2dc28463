//! Exports of real services: what the service followed is followed after the import.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization as _;
use url::Url;

use super::{database, exported, file, fixture, import_json, summary};
use crate::harness::{Database, Outcome};

/// Reasons for which a link that the service followed may be rejected.
const REASONS: [&str; 8] = [
    "the destination must start with http:// or https://",
    "the destination must ",
    "the short code is reserved",
    "the short code must ",
    "the link has a password",
    "the link has a visit limit",
    "the link has a time before which it is not valid",
    "the short code is in use",
];

/// Imports an export, and returns its outcome.
fn import_export(database: &Database, name: &str, more: &[&str]) -> Outcome {
    file(database, "in", fixture(&format!("exports/{name}")));
    let command = ["import", "in", "--owner", "me", "--json", "--rejects", "rejects"];
    database.terse(&[&command[..], more].concat())
}

/// Returns what the service answered for each code: the destination, if it redirected there.
fn followed(service: &str, prefix: &str) -> BTreeMap<String, String> {
    let all: Value =
        serde_json::from_slice(&fixture(&format!("exports/{service}/followed.json"))).unwrap();
    let of_code = |(code, answer): (&String, &Value)| {
        let code = code.strip_prefix(prefix)?;
        let status = answer["status"].as_u64().unwrap();
        let location = answer["loc"].as_str().filter(|location| location.contains(':'))?;
        (300..400).contains(&status).then(|| (code.to_owned(), as_utf8(location)))
    };
    all.as_object().unwrap().iter().filter_map(of_code).collect()
}

/// Some headers were recorded as Latin-1.
fn as_utf8(text: &str) -> String {
    let bytes: Option<Vec<u8>> =
        text.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}

/// Returns where a browser goes. Invisible characters around a destination are trimmed.
fn place(text: &str) -> String {
    let trimmed = text.trim().trim_end_matches('\u{200b}').trim_end_matches("%E2%80%8B");
    // Kutt encodes percent signs that encode nothing.
    let text = Url::parse(trimmed).map_or_else(|_| text.to_owned(), |url| url.to_string());
    ["%7B", "%7D", "%60", "%22", "%3C", "%3E", "%25zz"]
        .into_iter()
        .zip(["{", "}", "`", "\"", "<", ">", "%zz"])
        .fold(text, |text, (encoded, plain)| text.replace(encoded, plain))
        .replace('\\', "/")
}

/// Returns whether the rejects file says why the link with this code was rejected.
fn is_told(database: &Database, code: &str) -> bool {
    let rejects = std::fs::read_to_string(database.directory().join("rejects")).unwrap();
    let quoted = json!(code).to_string();
    rejects.lines().any(|line| {
        // JSON may write letters and slashes as escape sequences.
        let value = serde_json::from_str::<Value>(line);
        let line = value.map_or_else(|_| line.to_owned(), |value| value.to_string());
        (line.contains(code) || line.contains(&quoted))
            && REASONS.iter().any(|reason| line.contains(reason))
    })
}

/// Asserts that each code leads to its place, or was rejected with a reason.
#[track_caller]
fn assert_followed(database: &Database, outcome: &Outcome, truth: &BTreeMap<String, String>) {
    let links = exported(database);
    for (code, location) in truth {
        // Terse stores codes in normal form C.
        let normal: String = code.nfc().collect();
        let link = links.iter().find(|link| link["short_code"] == normal.as_str());
        let Some(link) = link else {
            assert!(is_told(database, code), "{code} is lost without a reason: {outcome:?}");
            continue;
        };
        let destination = link["destination_url"].as_str().unwrap();
        assert_eq!(place(destination), place(location), "{code}");
        assert_eq!(link["is_active"], 1, "{code}");
    }
    assert!(links.len() * 10 > truth.len() * 7, "{} of {}", links.len(), truth.len());
}

#[test]
fn everything_that_yourls_followed_is_followed() {
    let truth = followed("yourls", "");
    for name in ["phpmyadmin-csv.csv", "plugin-export.csv", "api-stats.json", "mysql-batch.tsv"] {
        let database = database();
        let outcome = import_export(&database, &format!("yourls/{name}"), &[]);
        assert_eq!(summary(&outcome)["rows"], 91, "{name}: {outcome:?}");
        assert_eq!(summary(&outcome)["is_partial"], false, "{name}");
        assert_followed(&database, &outcome, &truth);
        if name != "plugin-export.csv" {
            // A quote in one row and another one two rows later swallow nothing.
            let links = exported(&database);
            let title = |code: &str| {
                let link = links.iter().find(|link| link["short_code"] == code);
                link.unwrap()["title"].as_str().unwrap().to_owned()
            };
            assert_eq!(title("zq1"), "\"Der Spiegel", "{name}");
            assert_eq!(title("zq4"), "Monitor 27\"", "{name}");
            assert_eq!(title("tbackn"), "C:\\new\\table", "{name}");
            assert_eq!(title("tquot"), "He said \"hi\", she said 'no'; back\\slash", "{name}");
        }
    }
    let database = database();
    let outcome = import_export(&database, "yourls/api-stats-top25.json", &[]);
    assert_eq!(summary(&outcome)["is_partial"], true);
    assert!(outcome.stderr.contains("the file is not all: it has 25 of 91 links"), "{outcome:?}");
}

#[test]
fn everything_that_kutt_followed_is_followed() {
    let truth = followed("kutt", "|");
    let database = database();
    for name in ["sqlite-csv.csv", "api-links-skip0.json"] {
        let outcome = import_export(&database, &format!("kutt/{name}"), &[]);
        let line = outcome.error_as_text().failed();
        assert!(line.contains("it has links of several domains"), "{line}");
        assert!(line.contains("default (") && line.contains("(3)"), "{line}");
        assert!(exported(&database).is_empty());
    }
    let outcome = import_export(&database, "kutt/sqlite-csv.csv", &["--domain", "default"]);
    assert_eq!(summary(&outcome)["other_domains"], 3);
    assert_followed(&database, &outcome, &truth);
    let closed: Vec<String> = exported(&database)
        .iter()
        .filter(|link| link["is_active"] == 0)
        .map(|link| link["short_code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(closed, ["banned1", "banned3"]);
    // A code of the second domain that the first one has, too.
    let outcome = import_export(&database, "kutt/sqlite-csv.csv", &["--domain", "1"]);
    let reason = "the short code is in use (here of 1; line ";
    assert!(outcome.stderr.contains(reason), "{outcome:?}");
    assert!(outcome.stderr.contains(" has it of default)"), "{outcome:?}");
    let link = exported(&database).into_iter().find(|link| link["short_code"] == "onlydom");
    assert_eq!(link.unwrap()["destination_url"], "https://example.com/only-domain");

    let database = super::database();
    let pages: Vec<u8> = [
        fixture("exports/kutt/api-links-skip0.json"),
        fixture("exports/kutt/api-links-skip50.json"),
    ]
    .join(&b'\n');
    file(&database, "in", pages);
    let command =
        ["import", "in", "--owner", "me", "--json", "--rejects", "rejects", "--domain", "default"];
    let outcome = database.terse(&command);
    assert_eq!(summary(&outcome)["is_partial"], false, "{outcome:?}");
    assert_followed(&database, &outcome, &truth);
    let outcome = import_export(&database, "kutt/api-links-skip0.json", &["--domain", "default"]);
    assert_eq!(summary(&outcome)["is_partial"], true);
}

#[test]
fn everything_that_chhoto_followed_is_followed() {
    let truth = followed("chhoto", "");
    for name in ["sqlite-csv.csv", "api-all.json"] {
        let database = database();
        let outcome = import_export(&database, &format!("chhoto/{name}"), &[]);
        assert_eq!(summary(&outcome)["format"], "chhoto", "{outcome:?}");
        assert_followed(&database, &outcome, &truth);
    }
}

#[test]
fn everything_on_pages_of_shlink_is_followed() {
    let pages = ["api-page1-pretty.json", "api-page2.json"];
    let database = database();
    let contents = pages.map(|name| fixture(&format!("exports/shlink/{name}")));
    let truth: BTreeMap<String, String> = contents
        .iter()
        .flat_map(|page| {
            let page: Value = serde_json::from_slice(page).unwrap();
            page["shortUrls"]["data"].as_array().unwrap().clone()
        })
        .filter(|link| link["domain"].is_null())
        .map(|link| {
            let text = |name: &str| link[name].as_str().unwrap().to_owned();
            (text("shortCode"), text("longUrl"))
        })
        .collect();
    file(&database, "in", contents.join(&b'\n'));
    let command =
        ["import", "in", "--owner", "me", "--json", "--rejects", "rejects", "--domain", "default"];
    let outcome = database.terse(&command);
    let counts = summary(&outcome);
    assert_eq!(counts["is_partial"], false, "{outcome:?}");
    assert_eq!((&counts["rules_dropped"], &counts["other_domains"]), (&json!(1), &json!(3)));
    let links = exported(&database);
    let has = |code: &str| links.iter().any(|link| link["short_code"] == code);
    assert!(has("since-past") && has("until-past") && !has("since-future") && !has("mvdone"));
    assert_followed(&database, &outcome, &truth);
}

/// Files in the shapes of services that cannot be run, from their public documentation and code.
#[test]
fn every_service_is_recognised_by_its_shape() {
    let long = "https://example.com/there";
    let cases = [
        (
            "dub",
            json!([{"id": "link_1", "domain": "go.example", "key": "spring", "url": long,
            "shortLink": "https://go.example/spring", "archived": true, "expiresAt": null,
            "password": null, "title": null, "tags": [{"id": "t", "name": "sale", "color": "red"}],
            "clicks": 7, "createdAt": "2024-01-02T03:04:05.000Z", "proxy": false}])
            .to_string(),
        ),
        (
            "dub",
            format!(
                "Short link,Destination URL,Clicks,Created at\nhttps://go.example/spring,{long},7,2024-01-02T03:04:05.000Z\n"
            ),
        ),
        (
            "shortio",
            json!({"links": [{"originalURL": long, "path": "spring", "idString": "lnk_1",
            "id": 5, "shortURL": "https://go.example/spring", "secureShortURL":
            "https://go.example/spring", "cloaking": false, "title": null, "tags": [],
            "createdAt": "2024-01-02T03:04:05.000Z", "DomainId": 1, "OwnerId": 2,
            "archived": true, "expiresAt": null, "hasPassword": false, "source": "website"}],
            "count": 1, "nextPageToken": null})
            .to_string(),
        ),
        (
            "bitly",
            json!({"links": [{"link": "https://go.example/spring", "id": "go.example/spring",
            "long_url": long, "archived": true, "created_at": "2024-01-02T03:04:05+0000",
            "custom_bitlinks": [], "tags": [], "deeplinks": []}],
            "pagination": {"next": "", "total": 1}})
            .to_string(),
        ),
        (
            "rebrandly",
            json!([{"id": "1", "title": "T", "slashtag": "spring", "destination": long,
            "shortUrl": "go.example/spring", "domain": {"id": "d", "fullName": "go.example",
            "active": true}, "domainName": "go.example", "status": "active", "clicks": 7,
            "createdAt": "2024-01-02T03:04:05.000Z", "favourite": false, "https": true,
            "forwardParameters": false, "integrated": false, "isPublic": false}])
            .to_string(),
        ),
        ("rebrandly", format!("Destination URL,Slashtag,Title\n{long},spring,A title\n")),
        (
            "tinyurl",
            json!({"data": [{"domain": "go.example", "alias": "spring", "deleted": false,
            "archived": false, "analytics": {"enabled": true, "public": false}, "tags": [],
            "created_at": "2024-01-02T03:04:05+00:00", "expires_at": null, "hits": 7,
            "tiny_url": "https://go.example/spring", "url": long}], "code": 0, "errors": []})
            .to_string(),
        ),
        (
            "polr",
            format!(
                "id,short_url,long_url,ip,creator,clicks,secret_key,is_disabled,is_custom,created_at,updated_at,long_url_hash\n1,spring,{long},192.0.2.1,me,7,,0,1,2024-01-02 03:04:05,2024-01-02 03:04:05,abc\n"
            ),
        ),
        (
            "sink",
            json!({"links": [{"id": "x1", "slug": "spring", "url": long, "comment": "a note",
            "createdAt": 1_704_164_645, "updatedAt": 1_704_164_645}], "list_complete": true,
            "cursor": null})
            .to_string(),
        ),
        (
            "spoo",
            json!({"items": [{"id": "65", "alias": "spring", "long_url": long,
            "status": "ACTIVE", "created_at": "2024-01-02T03:04:05Z", "expire_after": null,
            "max_clicks": null, "private_stats": true, "block_bots": false, "password_set": false,
            "total_clicks": 7, "last_click": null}], "page": 1, "pageSize": 20, "total": 1,
            "hasNext": false, "sortBy": "created_at", "sortOrder": "descending"})
            .to_string(),
        ),
    ];
    for (format, content) in cases {
        let database = database();
        let outcome = import_json(&database, &content).done();
        let found = summary(&outcome);
        assert_eq!(found["format"], format, "{content}");
        assert_eq!(found["is_partial"], false, "{content}");
        let links = exported(&database);
        let [link] = &links[..] else { panic!("{links:?}") };
        assert_eq!(
            (&link["short_code"], &link["destination_url"]),
            (&json!("spring"), &json!(long))
        );
        assert_eq!(link["is_active"], 1, "{content}");
    }
}

/// Each restriction is kept, or the row is rejected.
#[test]
fn restrictions_of_services_are_kept_or_rejected() {
    let long = "https://example.com/there";
    for (content, said) in [
        (json!({"alias": "spring", "long_url": long, "password_set": true}), "a password"),
        (json!({"alias": "spring", "long_url": long, "max_clicks": 5}), "a visit limit"),
        (json!({"key": "spring", "url": long, "password": "x"}), "a password"),
        (json!({"originalURL": long, "path": "spring", "clicksLimit": 5}), "a visit limit"),
        (
            json!({"slug": "spring", "url": long, "schedule": {"startsAt": "2999-01-01"}}),
            "a time before",
        ),
        (json!({"keyword": "spring", "url": long, "IsArchived": true}), "been archived"),
        (
            json!({"shortCode": "spring", "longUrl": long, "rules": [{"maxUses": 3}]}),
            "a visit limit",
        ),
        (json!({"alias": "spring", "url": long, "domain": "x", "archived": true}), "been archived"),
        (json!({"shortCode": "spring", "longUrl": long, "type": "password"}), "a password"),
        (
            json!({"key": "spring", "url": long, "rules": [{"type": "password", "value": "x"}]}),
            "a password",
        ),
        (json!({"slug": "spring", "url": long, "lock": {"code": "1234"}}), "a password"),
        (json!({"slug": "spring", "url": long, "password": {"hash": "x1"}}), "a password"),
        (json!({"slug": "spring", "url": long, "flags": ["noindex", "private"]}), "some visitors"),
        (json!({"slug": "spring", "url": long, "status": {"id": 7}}), "whether 'status.id' with"),
        (
            json!({"shortCode": "spring", "longUrl": long, "shortUrl": "https://go.example/summer"}),
            "another code",
        ),
    ] {
        let database = database();
        let outcome = import_json(&database, content.to_string());
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.stderr.contains(said), "{outcome:?}");
        assert!(exported(&database).is_empty());
    }
    for (content, active, expires) in [
        (json!({"slug": "spring", "url": long, "flags": ["disabled"]}), 0, Value::Null),
        (json!({"slug": "spring", "url": long, "status": {"name": "disabled"}}), 0, Value::Null),
        (json!({"slug": "spring", "url": long, "type": "redirect"}), 1, Value::Null),
        (json!({"slug": "spring", "url": long, "access": {"type": "Public"}}), 1, Value::Null),
        (json!({"slug": "spring", "url": long, "owner": {"type": "internal"}}), 1, Value::Null),
        (json!({"alias": "spring", "long_url": long, "status": "INACTIVE"}), 0, Value::Null),
        (
            json!({"alias": "spring", "long_url": long, "expire_after": 1_704_164_645}),
            1,
            json!("2024-01-02T03:04:05.000Z"),
        ),
        (
            json!({"Short URL": "https://go.example/spring", "Long URL": long, "Expires at": "2024-01-02"}),
            1,
            json!("2024-01-02T00:00:00.000Z"),
        ),
        (json!({"shortlink": "spring", "longlink": long, "expiry_time": 0}), 1, Value::Null),
        (
            json!({"alias": "spring", "url": long, "domain": "go.example", "deleted": true}),
            0,
            Value::Null,
        ),
    ] {
        let database = database();
        import_json(&database, content.to_string()).done();
        let link = &exported(&database)[0];
        assert_eq!((&link["is_active"], &link["expires_at"]), (&json!(active), &expires));
    }
}
