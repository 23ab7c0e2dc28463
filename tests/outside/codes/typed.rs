//! Paths with what people type, and what programs add when they paste.

use std::sync::Arc;

use serde_json::json;

use super::{URL, import, learn, location};
use crate::harness::{Cluster, Database, Server, assert_within_a_second, only_on};

/// What may follow a code in a path.
const ENDS: [&str; 38] = [
    ".",
    ",",
    ";",
    ":",
    "!",
    "?",
    ")",
    "]",
    "}",
    ">",
    "\"",
    "'",
    "*",
    "_",
    "%2E",
    "%22",
    "%29",
    "%3E",
    "%E2%80%9D",
    "%C2%BB",
    "%E2%80%99",
    "%E2%80%9C",
    "%E2%80%93",
    "%E2%80%94",
    "%E2%80%8B",
    "%EF%BB%BF",
    "%E2%81%A0",
    "%E2%80%8E",
    "%EF%B8%8F",
    "%C2%A0",
    "%20",
    "/",
    "//",
    "%2F",
    "%0A",
    ").",
    "!!!",
    "%252E",
];

#[tokio::test]
async fn decorated_paths_find_the_link_and_count_one_click() {
    let server = Server::start();
    let api = server.api();
    api.create_from(&json!({"url": URL, "custom_code": "my-code"})).await;
    // With and without wide codes.
    for round in 0..2 {
        let before = api.clicks("my-code").await;
        let mut visits = 0;
        for end in ENDS.into_iter().filter(|end| *end != "?") {
            for start in ["", "/", "%20", "%2F/"] {
                let path = format!("/{start}my-code{end}");
                assert_eq!(location(&server.anyone(), &path).await.as_deref(), Some(URL), "{path}");
                visits += 1;
            }
        }
        for path in
            ["/my%E2%80%93code", "/my%E2%80%94code.", "/my%E2%80%8B-code", "/%E2%80%8Emy-code"]
        {
            assert_eq!(location(&server.anyone(), path).await.as_deref(), Some(URL), "{path}");
            visits += 1;
        }
        assert_eq!(api.clicks("my-code").await, before + visits);
        for path in
            ["/my-code-", "/my-code~", "/my-codex.", "/(my-code)", "/my%2Dcode%FF", "/MY-CODE"]
        {
            server.anyone().get(path).await.expect(404);
        }
        if round == 0 {
            import(server.database(), &["some.wide/code"], &[]);
            learn(&server, "/some.wide/code").await;
            server.anyone().get("/some.wide/code/.").await.expect(302);
        }
    }
}

/// Characters that the second look removes from the end of a path.
const DECORATIONS: &str = ".,;:!?)]}>\"'*_–—\u{a0}\u{3000} …。、，！？؟،।）］】〉」‐‑‒―−﹣－";
/// Quotation marks of all scripts.
const QUOTES: &str = "«»‘’‚‛“”„‟‹›⹂「」『』〝〞〟﹁﹂﹃﹄＂＇｢｣";
/// Invisible characters: of messengers, of keyboards, and of text in two directions.
const INVISIBLE: &str = "\u{ad}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{202a}\u{202c}\u{202e}\
    \u{2060}\u{2064}\u{2066}\u{2069}\u{feff}\u{fe0e}\u{fe0f}\u{2800}\u{3164}\u{e0041}\u{e007f}";
/// Characters that may seem to be decorations, and are parts of codes.
const OTHERS: &str = "-~=&+$@(<[{`^|（【·†!";

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The path has the character itself, its percent-encoding, or that of its percent-encoding.
#[tokio::test]
async fn every_decoration_is_removed_in_every_encoding() {
    let server = Server::start();
    let (narrow, wide) = ("my-code", "größe/1.0");
    server.api().create_from(&json!({"url": format!("{URL}1"), "custom_code": narrow})).await;
    import(server.database(), &[wide], &[]);
    learn(&server, &format!("/{}", percent_encoded(wide))).await;
    let anyone = server.anyone();
    let mut visits = 0;
    for letter in [DECORATIONS, QUOTES, INVISIBLE].concat().chars() {
        let once = percent_encoded(&letter.to_string());
        let twice = percent_encoded(&once);
        for end in
            [&once, &once.to_lowercase(), &twice, &format!("{once}{once}."), &format!(".{once}")]
        {
            for (code, number) in [(narrow, 1), (wide, 0)] {
                let path = format!("/{}{end}", percent_encoded(code));
                let expected = Some(format!("{URL}{number}"));
                assert_eq!(location(&anyone, &path).await, expected, "{letter:?} {path}");
            }
            visits += 1;
        }
    }
    // The exclamation mark at the end shows that the character before it stays.
    for letter in OTHERS.chars().filter(|letter| *letter != '!') {
        for end in [letter.to_string(), format!("{letter}!")] {
            let path = format!("/{narrow}{}", percent_encoded(&end));
            assert_eq!(location(&anyone, &path).await, None, "{letter:?} {path}");
        }
    }
    assert_eq!(server.api().clicks(narrow).await, visits);
    let dashed = "‐‑‒–—―−﹣－\u{ad}".chars().map(|dash| ("my-code", format!("my{dash}code")));
    for (code, typed) in dashed.chain([(wide, "gro\u{308}ße/1.0".to_owned())]) {
        let path = format!("/{}", percent_encoded(&typed));
        assert!(location(&anyone, &path).await.is_some(), "{code} {typed}");
    }
}

/// Keyboards add and leave out joiners and the presentation of emoji, and a reader sees none of them.
#[tokio::test]
async fn codes_are_found_by_what_a_reader_sees() {
    let server = Server::start();
    let invisible = ['\u{fe0f}', '\u{200c}', '\u{200d}'];
    let codes = [
        "می\u{200c}خواهم",
        "क्\u{200d}ष",
        "র\u{200d}্যাব",
        "❤\u{fe0f}",
        "❤\u{fe0f}-❤",
        "👩\u{200d}🚀/my-1\u{fe0f}\u{20e3}",
        "🏳\u{fe0f}\u{200d}🌈",
        "👩🏽👩🏽\u{200d}🚀",
        "☝🏽",
        "b",
        "win\u{2011}ter",
        "fa–ll/—x",
    ];
    let mut written = codes.map(str::to_owned);
    // The file has characters without a meaning, as the paths in printed short URLs.
    written[8] = "☝\u{fe0f}🏽\u{200d}".to_owned();
    written[9] = "\u{200e}b\u{200d}".to_owned();
    import(server.database(), &written.each_ref().map(String::as_str), &[]);
    let seen = |text: &str| text.replace(invisible, "");
    learn(&server, &format!("/{}", percent_encoded(&seen(codes[0])))).await;
    let anyone = server.anyone();
    for (number, (code, written)) in codes.iter().zip(&written).enumerate() {
        for path in [
            written.clone(),
            (*code).to_owned(),
            seen(code),
            format!("\u{200e}{}。\u{200b}", seen(code)),
            seen(code).replace('-', "–"),
            seen(code).replace(['\u{2011}', '–', '—'], "-"),
            seen(code).replace(['\u{2011}', '–', '—'], "\u{2010}"),
            code.replace('\u{fe0f}', ""),
            code.replace('\u{fe0f}', "").replace('-', "\u{2011}"),
        ] {
            let found = location(&anyone, &format!("/{}", percent_encoded(&path))).await;
            assert_eq!(found, Some(format!("{URL}{number}")), "{path:?} of {code:?}");
        }
    }
}

#[tokio::test]
async fn exact_code_goes_first() {
    let server = Server::start();
    let codes = ["abc", "abc.", "abc_", "abc–", "a-b", "a–b", "abc..", "x."];
    import(server.database(), &codes, &[]);
    learn(&server, "/x.").await;
    let anyone = server.anyone();
    for (path, expected) in [
        ("/abc", Some(0)),
        ("/abc.", Some(1)),
        ("/abc_", Some(2)),
        ("/abc%E2%80%93", Some(3)),
        ("/a-b", Some(4)),
        ("/a%E2%80%93b", Some(5)),
        ("/a%E2%80%94b", Some(4)),
        ("/abc..", Some(6)),
        ("/abc...", Some(6)),
        ("/abc.)", Some(1)),
        ("/abc_!", Some(2)),
        ("/abc__", Some(2)),
        ("/abc!", Some(0)),
        ("/x", None),
        ("/x.!", Some(7)),
    ] {
        let expected = expected.map(|number: usize| format!("{URL}{number}"));
        assert_eq!(location(&anyone, path).await, expected, "{path}");
    }
}

#[tokio::test]
async fn typed_path_gets_the_answer_of_the_exact_code() {
    let server = Server::start();
    let api = server.api();
    for code in ["gone", "stopped"] {
        api.create_from(&json!({"url": URL, "custom_code": code})).await;
    }
    server.terse(&["link", "delete", "gone", "--yes"]).done();
    server.terse(&["link", "disable", "stopped"]).done();
    let anyone = server.anyone();
    for path in ["/gone.", "/stopped)", "/gone/", "/stopped%E2%80%9D"] {
        assert_within_a_second(path, async || anyone.get(path).await.status == 410).await;
        anyone.head(path).await.expect(410);
    }
    api.qr(&json!({"short_code": "stopped"})).await.expect(201);
    anyone.get("/stopped./qr.svg").await.expect(410);
}

#[tokio::test]
async fn limit_of_unknown_codes_counts_only_failed_looks() {
    let database = Arc::new(Database::new().with_default_owner());
    let limits = ["--unknown-codes", "2/min", "--trusted-proxies", "127.0.0.1"];
    let server = Server::with(&database, &limits);
    server.api().create_from(&json!({"url": URL, "custom_code": "known"})).await;
    let client = server.anyone().with("X-Forwarded-For", "203.0.113.7");
    for _ in 0..5 {
        client.get("/known.").await.expect(302);
    }
    client.get("/unknown.").await.expect(404);
    client.get("/unknown/").await.expect(404);
    client.get("/unknown)").await.expect(429);
    client.get("/known.").await.expect(302);
}

#[tokio::test]
async fn links_answer_in_any_letter_case_if_the_import_says_so() {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [Server::on(&database), Server::on(&database)];
    servers[0].api().create_from(&json!({"url": URL, "custom_code": "Exact"})).await;
    import(&database, &["Promo", "Straße", "a/Bc"], &["--ignore-case"]);
    for server in &servers {
        learn(server, "/PROMO").await;
        let anyone = server.anyone();
        for (path, number) in [
            ("/Promo", 0),
            ("/promo", 0),
            ("/PROMO.", 0),
            ("/STRASSE", 1),
            ("/stra%C3%9Fe", 1),
            ("/A/BC", 2),
        ] {
            assert_eq!(location(&anyone, path).await, Some(format!("{URL}{number}")), "{path}");
        }
        anyone.get("/exact").await.expect(404);
        anyone.get("/promo/qr.svg").await.expect(200);
    }
    // An exact code goes first, and of two that fold alike the first one answers.
    servers[0]
        .api()
        .create_from(&json!({"url": "https://example.org/", "custom_code": "PROMO"}))
        .await;
    let file = format!("short_code,destination_url\npromo,{URL}small\nPRomo,{URL}other\n");
    std::fs::write(database.directory().join("twins.csv"), file).unwrap();
    let arguments = ["import", "twins.csv", "--owner", "default", "--ignore-case", "--json"];
    for dry_run in [&["--dry-run"][..], &[]] {
        let import = database.terse(&[&arguments[..], dry_run].concat());
        assert!(
            import.stderr.contains("'promo'") && import.stderr.contains("'PRomo'"),
            "{import:?}"
        );
        let summary: serde_json::Value = serde_json::from_str(&import.stdout).unwrap();
        assert_eq!((&summary["imported"], &summary["without_case"]), (&json!(2), &json!(2)));
    }
    for server in &servers {
        let anyone = server.anyone();
        for (path, expected) in [
            ("/PROMO", "https://example.org/".to_owned()),
            ("/promo", format!("{URL}small")),
            ("/PRomo", format!("{URL}other")),
            ("/pROMO", format!("{URL}0")),
        ] {
            assert_eq!(location(&anyone, path).await, Some(expected), "{path}");
        }
    }
    database.terse(&["link", "delete", "Promo", "--yes"]).done();
    let anyone = servers[1].anyone();
    assert_within_a_second("it is gone", async || anyone.get("/pROMO").await.status == 410).await;
}

#[tokio::test]
async fn paths_of_no_possible_code_cost_no_query() {
    only_on!(Postgres: "only a server can be down");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let server = Server::on(&database);
    server.api().create_from(&json!({"url": URL, "custom_code": "known"})).await;
    server.anyone().get("/known").await.expect(302);
    cluster.stop_immediately();
    let anyone = server.anyone();
    for path in ["/wp-login.php", "/.env", "/a", "/cgi-bin/a.b", "/%F0%9F%98%80", "/.well-known/x"]
    {
        anyone.get(path).await.expect(404);
    }
    anyone.get("/unknown").await.expect(503);
    anyone.get("/known..").await.expect(302);
}
