//! Exports of other services, invented in the form that they have.

use serde_json::{Value, json};

use super::{counts, database, exported, fixture, import_json};

/// Code, destination, title, campaign, clicks, whether it redirects, and when it was made.
fn links(name: &str, expected: [u64; 3]) -> (Value, String) {
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
        ];
        Value::Array(fields.map(|field| link[field].clone()).to_vec())
    });
    (Value::Array(links.collect()), outcome.stderr)
}

#[test]
fn shlink() {
    let (csv, _) = links("shlink.csv", [3, 0, 0]);
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
                "2023-04-05T10:34:56.000Z"
            ],
            ["12Kb3", "https://example.com/", null, null, 0, 1, "2016-05-01T20:34:16.000Z"],
            ["plain", "https://example.com/plain", null, null, 7, 1, "2016-05-01T20:34:17.000Z"],
        ])
    );
    let (api, refused) = links("shlink.jsonl", [2, 0, 1]);
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
                "2016-08-21T18:34:16.000Z"
            ],
            ["gone", "https://example.com/gone", null, null, 2, 0, "2016-08-21T18:34:16.000Z"],
        ])
    );
    assert!(refused.starts_with("line 1: the link has a limit of visits"), "{refused}");
}

#[test]
fn yourls() {
    let (table, refused) = links("yourls.csv", [2, 0, 1]);
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
                "2019-03-04T05:06:07.000Z"
            ],
            ["ozh", "https://example.com/ozh", null, null, 0, 1, "2020-01-01T00:00:00.000Z"],
        ])
    );
    assert!(refused.starts_with("line 4: the short code must have 3 to 64"), "{refused}");
    let (api, _) = links("yourls.json", [2, 0, 0]);
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
                "2019-03-04T05:06:07.000Z"
            ],
            ["ozh", "https://example.com/ozh", null, null, 0, 1, "2020-01-01T00:00:00.000Z"],
        ])
    );
    let (plugin, _) = links("yourls-plugin.csv", [2, 0, 0]);
    assert_eq!(plugin[0][0], "spring");
    assert_eq!(plugin[0][1], "https://example.com/spring?a=1,2");
    assert_eq!(plugin[0][4], 41);
    assert_eq!(plugin[1][0], "ozh");
}

#[test]
fn kutt() {
    let spring = json!([
        "spring",
        "https://example.com/spring",
        "Spring sale",
        null,
        12,
        1,
        "2021-02-03T04:05:06.789Z"
    ]);
    let banned = json!([
        "banned",
        "https://example.com/banned",
        null,
        null,
        0,
        0,
        "2021-02-03T04:05:06.789Z"
    ]);
    let (api, refused) = links("kutt.json", [2, 0, 2]);
    assert_eq!(api, json!([spring, banned]));
    let refused: Vec<&str> = refused.lines().collect();
    assert_eq!(
        refused[..2],
        [
            "line 1: the link has a password, which Terse cannot keep",
            "line 1: the link is to expire, which Terse cannot keep",
        ]
    );
    let (table, _) = links("kutt.csv", [3, 0, 1]);
    let over =
        json!(["over", "https://example.com/over", null, null, 5, 0, "2021-02-03T04:05:06.789Z"]);
    assert_eq!(table, json!([spring, banned, over]));
}

#[test]
fn bitly() {
    let (api, _) = links("bitly.json", [2, 0, 0]);
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
                "2020-09-19T10:55:26.000Z"
            ],
            [
                "good_links",
                "https://example.com/good",
                null,
                null,
                0,
                1,
                "2020-09-19T10:55:27.000Z"
            ],
        ])
    );
    let (csv, _) = links("bitly.csv", [2, 0, 0]);
    assert_eq!(csv[0][0], "3U8IRVO");
    assert_eq!(csv[1][0], "good_links");
    assert_eq!(csv[1][1], "https://example.com/good");
}

#[test]
fn several_tags_are_told_of() {
    let database = database();
    super::file(&database, "in", fixture("shlink.csv"));
    let outcome = database.terse(&["import", "in", "--owner", "me"]).done();
    assert!(outcome.stdout.contains("\n1 links have no campaign"), "{outcome:?}");
    assert_eq!(import_json(&database, fixture("shlink.csv")).json()["several_tags"], 0);
}
