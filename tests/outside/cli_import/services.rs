//! Invented exports of other services, in their formats.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{counts, database, exported, fixture, import_json};
use crate::harness::{Server, find_object};

/// Imports a fixture, and returns its links and the messages on stderr.
///
/// A link is an array: code, destination, title, campaign, clicks, whether it is enabled, and times
/// of creation and expiry.
fn import_fixture(name: &str, expected: [u64; 3]) -> (Value, String) {
    let database = database();
    let outcome = import_json(&database, fixture(name));
    assert_eq!(counts(&outcome), expected, "{name}: {outcome:#?}");
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(name.starts_with(summary["format"].as_str().unwrap()), "{name}: {summary}");
    let links = exported(&database).into_iter().map(|link| {
        assert_eq!(link["has_qr"], 0);
        let fields = [
            "short_code",
            "destination_url",
            "title",
            "campaign",
            "clicks",
            "is_active",
            "created_at",
            "expires_at",
        ];
        Value::Array(fields.map(|field| link[field].clone()).to_vec())
    });
    (Value::Array(links.collect()), outcome.stderr)
}

#[test]
fn shlink_export_is_imported() {
    let (csv, _) = import_fixture("shlink.csv", [3, 0, 0]);
    assert_eq!(
        csv,
        json!([
            [
                "spring",
                "https://example.com/spring?a=1,2",
                "Spring, \"the\" sale",
                "letters",
                328,
                1,
                "2023-04-05T10:34:56.000Z",
                null
            ],
            ["12Kb3", "https://example.com/", null, null, 0, 1, "2016-05-01T20:34:16.000Z", null],
            [
                "plain",
                "https://example.com/plain",
                null,
                null,
                7,
                1,
                "2016-05-01T20:34:17.000Z",
                null
            ],
        ])
    );
    let (api, refused) = import_fixture("shlink.jsonl", [2, 0, 1]);
    assert_eq!(
        api,
        json!([
            [
                "12C18",
                "https://example.com/games",
                "Games",
                "games",
                328,
                1,
                "2016-08-21T18:34:16.000Z",
                null
            ],
            [
                "gone",
                "https://example.com/gone",
                null,
                null,
                2,
                1,
                "2016-08-21T18:34:16.000Z",
                "2017-01-01T00:00:00.000Z"
            ],
        ])
    );
    assert!(refused.starts_with("line 1, object 2: the link has a visit limit"), "{refused}");
}

#[test]
fn yourls_export_is_imported() {
    let (table, _) = import_fixture("yourls.csv", [3, 0, 0]);
    assert_eq!(
        table,
        json!([
            [
                "spring",
                "https://example.com/spring",
                "Spring; a sale",
                null,
                41,
                1,
                "2019-03-04T05:06:07.000Z",
                null
            ],
            ["ozh", "https://example.com/ozh", null, null, 0, 1, "2020-01-01T00:00:00.000Z", null],
            ["1", "https://example.com/one", "One", null, 3, 1, "2020-01-01T00:00:00.000Z", null],
        ])
    );
    let (api, _) = import_fixture("yourls.json", [2, 0, 0]);
    assert_eq!(
        api,
        json!([
            [
                "spring",
                "https://example.com/spring",
                "Spring",
                null,
                41,
                1,
                "2019-03-04T05:06:07.000Z",
                null
            ],
            ["ozh", "https://example.com/ozh", null, null, 0, 1, "2020-01-01T00:00:00.000Z", null],
        ])
    );
    let (plugin, _) = import_fixture("yourls-plugin.csv", [2, 0, 0]);
    assert_eq!(plugin[0][0], "spring");
    assert_eq!(plugin[0][1], "https://example.com/spring?a=1,2");
    assert_eq!(plugin[0][4], 41);
    assert_eq!(plugin[1][0], "ozh");
}

#[test]
fn kutt_export_is_imported() {
    let spring = json!([
        "spring",
        "https://example.com/spring",
        "Spring sale",
        null,
        12,
        1,
        "2021-02-03T04:05:06.789Z",
        null
    ]);
    let banned = json!([
        "banned",
        "https://example.com/banned",
        null,
        null,
        0,
        0,
        "2021-02-03T04:05:06.789Z",
        null
    ]);
    let later = json!([
        "later",
        "https://example.com/later",
        null,
        null,
        0,
        1,
        "2021-02-03T04:05:06.789Z",
        "2999-01-01T00:00:00.000Z"
    ]);
    let (api, refused) = import_fixture("kutt.json", [3, 0, 1]);
    assert_eq!(api, json!([spring, banned, later]));
    let refused: Vec<&str> = refused.lines().collect();
    assert_eq!(
        refused[0],
        "line 1, object 3: the link has a password, which Terse cannot enforce (--ignore-column 'password' \
         imports it without)"
    );
    let (table, _) = import_fixture("kutt.csv", [3, 0, 1]);
    let over = json!([
        "over",
        "https://example.com/over",
        null,
        null,
        5,
        1,
        "2021-02-03T04:05:06.789Z",
        "2022-01-01T00:00:00.000Z"
    ]);
    assert_eq!(table, json!([spring, banned, over]));
}

/// A disabled link with a password would be public if an operator enabled it.
#[test]
fn banned_link_with_password_is_rejected() {
    let database = database();
    let rows = "id,address,banned,password,expire_in,target\n\
        1,one,t,$2a$12$invented,,https://example.com/1\n\
        2,two,t,,2999-01-01,https://example.com/2\n\
        3,three,f,$2a$12$invented,2022-01-01,https://example.com/3\n\
        4,four,t,$2a$12$invented,2999-01-01,ftp://example.com/4\n\
        5,five,1,NULL,NULL,https://example.com/5\n\
        6,six,0,\\N,\\N,https://example.com/6\n";
    let outcome = import_json(&database, rows);
    assert_eq!(counts(&outcome), [3, 0, 3]);
    let reasons = [
        "line 2: the link has a password, which Terse cannot enforce (--ignore-column 'password' imports it \
         without)",
        "line 4: the link has a password, which Terse cannot enforce (--ignore-column 'password' imports it \
         without)",
        "line 5: the destination must start with http:// or https://; \
         the link has a password, which Terse cannot enforce (--ignore-column 'password' imports it \
         without)",
        "ignored columns: 'id' (6 values)",
        "terse: 3 of 6 rows were rejected",
    ];
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), reasons);
    let active: Vec<Value> =
        exported(&database).iter().map(|link| link["is_active"].clone()).collect();
    assert_eq!(active, [0, 0, 1]);
}

/// `SELECT … INTO OUTFILE`, `mysql --batch` and phpMyAdmin write `NULL` or `\N` for a missing
/// value.
#[test]
fn mysql_null_is_read_as_missing() {
    let database = database();
    let rows = "\"keyword\"\t\"url\"\t\"title\"\t\"timestamp\"\t\"ip\"\t\"clicks\"\n\
        one\thttps://example.com/1\tNULL\tNULL\tNULL\tNULL\n\
        two\thttps://example.com/2\t\\N\t\\N\t\\N\t\\N\n\
        three\thttps://example.com/3\t\"NULL\"\t2020-01-01 00:00:00\t192.0.2.1\t3\n\
        four\thttps://example.com/4\tnull and void\t0000-00-00 00:00:00\t192.0.2.1\t4\n";
    assert_eq!(counts(&import_json(&database, rows).done()), [4, 0, 0]);
    let links = exported(&database);
    let titles: Vec<&Value> = links.iter().map(|link| &link["title"]).collect();
    assert_eq!(titles, [&Value::Null, &Value::Null, &json!("NULL"), &json!("null and void")]);
    assert_eq!(links[0]["clicks"], 0);
    let own = "short_code,destination_url,title\nown,https://example.com/,NULL\n";
    assert_eq!(counts(&import_json(&database, own).done()), [1, 0, 0]);
    assert_eq!(exported(&database)[4]["title"], "NULL", "Terse writes nothing for no value");
}

#[test]
fn bitly_export_is_imported() {
    let (api, _) = import_fixture("bitly.json", [3, 0, 0]);
    assert_eq!(
        api,
        json!([
            [
                "3U8IRVO",
                "https://example.com/test",
                "A test",
                "letters",
                0,
                1,
                "2020-09-19T10:55:26.000Z",
                null
            ],
            [
                "good_links",
                "https://example.com/good",
                null,
                null,
                0,
                1,
                "2020-09-19T10:55:27.000Z",
                null
            ],
            [
                "3U8IRVP",
                "https://example.com/good",
                null,
                null,
                0,
                1,
                "2020-09-19T10:55:27.000Z",
                null
            ],
        ])
    );
    let (csv, _) = import_fixture("bitly.csv", [3, 0, 0]);
    assert_eq!(csv[0][0], "3U8IRVO");
    assert_eq!(csv[1][0], "good_links");
    assert_eq!(csv[1][1], "https://example.com/good");
    assert_eq!(csv[2][0], "3U8IRVP", "the generated code is followed, too");
    assert_eq!(csv[2][1], "https://example.com/good");
}

/// Bitly documents no column names, and has changed them.
#[test]
fn bitly_columns_are_recognised_by_several_names() {
    for (link, clicks) in
        [("Bitlink", "Total Clicks"), ("short_link", "Total Engagements"), ("Short URL", "Clicks")]
    {
        let database = database();
        let file = format!(
            "{link},Destination URL,{clicks},Creation Date\n\
             bit.ly/3U8IRVO,https://example.com/,7,2020-09-19\n"
        );
        assert_eq!(counts(&import_json(&database, file).done()), [1, 0, 0], "{link}");
        let link = &exported(&database)[0];
        assert_eq!((&link["short_code"], &link["clicks"]), (&json!("3U8IRVO"), &json!(7)));
        assert_eq!(link["created_at"], "2020-09-19T00:00:00.000Z");
    }
}

/// A file with columns of Terse may also have columns with Bitly's names.
#[test]
fn file_with_columns_of_terse_is_not_read_as_bitlys() {
    let rows = [
        "Short URL,Short Code,Destination URL,Campaign,is_active\n\
         https://go.example.org/off,off,https://example.com/,spring,0\n",
        r#"{"shortUrl":"/off","shortCode":"off","destinationUrl":"https://example.com/","campaign":"spring","isActive":0}"#,
    ];
    for rows in rows {
        let database = database();
        assert_eq!(counts(&import_json(&database, rows).done()), [1, 0, 0]);
        let link = &exported(&database)[0];
        assert_eq!((&link["campaign"], &link["is_active"]), (&json!("spring"), &json!(0)));
    }
    let database = database();
    let row = "Destination URL,Short Link,Campaign\nhttps://example.com/,bit.ly/3U8IRVO,spring\n";
    assert_eq!(counts(&import_json(&database, row).done()), [1, 0, 0]);
}

/// Separators divide only a text of tags; the elements of a list are separate tags already.
#[test]
fn single_tag_may_contain_a_separator() {
    let database = database();
    let link = |code: &str, tags: Value| {
        let url = "https://example.com/";
        json!({"shortCode": code, "longUrl": url, "shortUrl": url, "tags": tags}).to_string()
    };
    let rows = [
        link("one", json!(["a, b"])),
        link("two", json!(["x|y"])),
        link("three", json!(["x", "y"])),
        link("four", json!([])),
        link("five", json!("text,more")),
    ];
    let outcome = import_json(&database, rows.join("\n")).done();
    assert_eq!(outcome.json()["campaigns_dropped"], 2);
    let links = exported(&database);
    let campaigns: Vec<&Value> = links.iter().map(|link| &link["campaign"]).collect();
    assert_eq!(
        campaigns,
        [&json!("a, b"), &json!("x|y"), &Value::Null, &Value::Null, &Value::Null]
    );
}

#[test]
fn summary_counts_dropped_campaigns() {
    let database = database();
    super::file(&database, "in", fixture("shlink.csv"));
    let outcome = database.terse(&["import", "in", "--owner", "me"]).done();
    assert!(
        outcome.stdout.contains("1 link imported without a campaign (more than one tag)\n"),
        "{outcome:?}"
    );
    assert_eq!(import_json(&database, fixture("shlink.csv")).json()["campaigns_dropped"], 0);
}

/// Expired links are imported as expired ones, and disabled ones stay disabled after their expiry.
#[tokio::test]
async fn expiring_links_keep_their_expiry() {
    for name in ["shlink-expiring.jsonl", "kutt-expiring.csv", "kutt-expiring.json"] {
        let database = database();
        let outcome = import_json(&database, fixture(name)).done();
        let [imported, ..] = counts(&outcome);
        assert_eq!(counts(&outcome), [exported(&database).len() as u64, 0, 0], "{name}");
        assert!(imported >= 3, "{name}");
        let server = Server::on(&Arc::new(database));
        let expiry = |code: &str| {
            let links = Value::from(exported(server.database()));
            let link = find_object(&links, "short_code", code).unwrap();
            (link["expires_at"].clone(), link["is_active"].clone())
        };
        assert_eq!(expiry("advent"), (json!("2999-12-24T17:00:00.000Z"), json!(1)), "{name}");
        assert_eq!(expiry("fair23"), (json!("2023-03-31T23:59:59.000Z"), json!(1)), "{name}");
        assert_eq!(expiry("stays"), (Value::Null, json!(1)), "{name}");
        for (code, status) in [("advent", 302), ("fair23", 410), ("stays", 302)] {
            server.anyone().get(&format!("/{code}")).await.expect(status);
        }
        if name == "kutt-expiring.csv" {
            assert_eq!(expiry("offline"), (json!("2999-01-01T00:00:00.000Z"), json!(0)));
            server.anyone().get("/offline").await.expect(410);
        }
    }
}
