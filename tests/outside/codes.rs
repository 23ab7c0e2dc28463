//! Codes of links that come from elsewhere, and paths that people type and paste.

mod letter_case;
mod model;
mod typed;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use url::Url;

use crate::harness::{Api, Database, Server, assert_within_a_second, only_on};

const URL: &str = "https://example.com/";

/// Codes that only an import creates, each with its path in a short URL.
const WIDE: [(&str, &str); 14] = [
    ("1", "1"),
    ("Zz", "Zz"),
    ("v1.0", "v1.0"),
    ("~me", "~me"),
    ("@team", "@team"),
    ("a/b/c", "a/b/c"),
    ("größe", "gr%C3%B6%C3%9Fe"),
    ("日本", "%E6%97%A5%E6%9C%AC"),
    ("👩\u{200d}🚀", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"),
    ("a,b", "a,b"),
    ("a'b\"c", "a'b%22c"),
    ("a|b[c]{d}^", "a%7Cb%5Bc%5D%7Bd%7D%5E"),
    ("x&y=z+1;", "x&y=z+1;"),
    ("...", "..."),
];

/// Returns the code as one path segment, with slashes as `%2F`.
fn segment(path: &str) -> String {
    path.replace('/', "%2F")
}

fn quoted(code: &str) -> String {
    format!("\"{}\"", code.replace('"', "\"\""))
}

/// Imports links with these codes for the default owner. The destination of each ends in its number.
pub(crate) fn import(database: &Database, codes: &[&str], options: &[&str]) {
    let mut file = "short_code,destination_url,has_qr\n".to_owned();
    for (number, code) in codes.iter().enumerate() {
        file.push_str(&format!("{},{URL}{number},1\n", quoted(code)));
    }
    std::fs::write(database.directory().join("codes.csv"), file).unwrap();
    database.terse(&[&["import", "codes.csv", "--owner", "default"], options].concat()).done();
}

/// Returns a database with an owner, to which no server has been started.
fn owned() -> Arc<Database> {
    let database = Database::new().migrated();
    database.owner("default", "unlimited");
    Arc::new(database)
}

/// Waits until this server knows that wide codes exist.
pub(super) async fn learn(server: &Server, path: &str) {
    let anyone = server.anyone();
    assert_within_a_second("the instance knows the code", async || {
        anyone.get(path).await.status != 404
    })
    .await;
}

pub(super) async fn location(api: &Api, path: &str) -> Option<String> {
    let response = api.get(path).await;
    assert!([302, 404].contains(&response.status), "{path}: {response:#?}");
    response.header("location").map(str::to_owned)
}

#[tokio::test]
async fn wide_codes_work_wherever_codes_do() {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [Server::on(&database), Server::on(&database)];
    for server in &servers {
        server.anyone().get("/1").await.expect(404);
    }
    let codes = WIDE.map(|(code, _)| code);
    import(&database, &codes, &[]);
    for server in &servers {
        learn(server, "/1").await;
        for (number, (_, path)) in WIDE.iter().enumerate() {
            for path in [format!("/{path}"), format!("/{}", segment(path))] {
                let found = location(&server.anyone(), &path).await;
                assert_eq!(found, Some(format!("{URL}{number}")), "{path}");
            }
        }
    }
    let api = servers[0].api();
    let listed: Vec<String> = api.links().await.expect(200).codes();
    let mut newest_first = codes.map(str::to_owned).to_vec();
    newest_first.reverse();
    assert_eq!(listed, newest_first);
    assert_eq!(api.qr_list().await.expect(200).codes(), newest_first);
    let mut paged = Vec::new();
    let mut next = Some("/api/v1/links?limit=5".to_owned());
    while let Some(page) = next {
        let page = api.get(&page).await.expect(200);
        paged.extend(page.codes());
        next = page.next_page();
    }
    assert_eq!(paged, newest_first);
    for (code, path) in WIDE {
        let stats = api.stats(&segment(path)).await.expect(200).data();
        // The instances have learnt of the first code by a visit to each.
        let clicks = if code == "1" { 6 } else { 4 };
        assert_eq!((&stats["short_code"], &stats["clicks"]), (&json!(code), &json!(clicks)));
        let response = api.qr(&json!({"short_code": code})).await.expect(201);
        let image = response.header("location").unwrap().to_owned();
        assert_eq!(image, format!("{}/{path}/qr.svg", servers[0].base_url()));
        for end in ["qr.svg", "qr.png"] {
            servers[1].anyone().get(&format!("/{path}/{end}")).await.expect(200);
        }
    }
}

#[tokio::test]
async fn commands_change_wide_links_on_all_instances() {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [Server::on(&database), Server::on(&database)];
    let codes = WIDE.map(|(code, _)| code);
    import(&database, &codes, &[]);
    for server in &servers {
        learn(server, "/1").await;
    }
    let all_answer = async |expected: u16| {
        for server in &servers {
            let anyone = server.anyone();
            for (_, path) in WIDE {
                assert_within_a_second(path, async || {
                    anyone.get(&format!("/{path}")).await.status == expected
                })
                .await;
            }
        }
    };
    all_answer(302).await;
    std::fs::write(database.directory().join("list"), codes.join("\n")).unwrap();
    let listed = ["--codes-from", "list", "--yes", "--json"];
    let disabled = database.terse(&[&["link", "disable"], &listed[..]].concat()).json();
    assert_eq!(disabled["changed"], codes.len());
    all_answer(410).await;
    database.terse(&["undo", &disabled["event_id"].to_string(), "--yes"]).done();
    all_answer(302).await;
    for (code, path) in WIDE {
        let edit = ["link", "edit", "--destination", "https://example.org/edited", "--", code];
        database.terse(&edit).done();
        let history = database.terse(&["history", "--json", "--link", code]).done().stdout;
        assert!(history.contains("link-edit") || history.contains("edit"), "{history}");
        let shown = database.terse(&["link", "show", "--json", "--", code]).json();
        assert_eq!(shown["short_code"], code);
        let anyone = servers[1].anyone();
        assert_within_a_second(path, async || {
            location(&anyone, &format!("/{path}")).await.as_deref()
                == Some("https://example.org/edited")
        })
        .await;
    }
    // A decomposed spelling is the same code.
    database.terse(&["link", "show", "gro\u{308}ße"]).done();
    servers[0].anyone().get("/gro%CC%88%C3%9Fe").await.expect(302);
    servers[0].api().stats("gro%CC%88%C3%9Fe").await.expect(200);
    database.terse(&[&["link", "delete"], &listed[..]].concat()).done();
    all_answer(410).await;
    database.terse(&["check"]).done();
}

#[tokio::test]
async fn wide_codes_survive_export_import_and_copy() {
    let database = owned();
    let codes = WIDE.map(|(code, _)| code);
    import(&database, &codes, &["--ignore-case"]);
    let exported = database.terse(&["export"]).done().stdout;
    let other = owned();
    std::fs::write(other.directory().join("all.csv"), &exported).unwrap();
    other.terse(&["import", "all.csv", "--owner", "default"]).done();
    assert_eq!(other.terse(&["export"]).done().stdout, exported);
    let again = other.terse(&["import", "all.csv", "--owner", "default", "--json"]).json();
    assert_eq!((&again["imported"], &again["existing"]), (&json!(0), &json!(codes.len())));
    let copy = Arc::new(Database::new());
    crate::harness::run(&["copy", "--from", &database.url(), "--to", &copy.url()]).done();
    assert_eq!(copy.terse(&["export"]).done().stdout, exported);
    for (database, in_any_case) in [(&other, 404), (&copy, 302)] {
        let server = Server::on(database);
        for (number, (_, path)) in WIDE.iter().enumerate() {
            let found = location(&server.anyone(), &format!("/{path}")).await;
            assert_eq!(found, Some(format!("{URL}{number}")), "{path}");
        }
        server.anyone().get("/ZZ").await.expect(in_any_case);
        database.terse(&["check"]).done();
    }
}

/// A path that the database cannot store fails no lookup that shares its query.
#[tokio::test]
async fn characters_that_the_database_lacks_are_in_no_code() {
    only_on!(Postgres: "SQLite stores every character");
    let database = Database::in_latin1().migrated();
    database.owner("default", "unlimited");
    let server = Server::on(&Arc::new(database));
    import(server.database(), &["é", "Über"], &["--ignore-case"]);
    learn(&server, "/é").await;
    let anyone = server.anyone();
    let all = (0..40).map(|number| {
        let anyone = anyone.clone();
        async move {
            let path = ["/é.", "/%E6%97%A5", "/%C3%BCber%E2%80%9D", "/unknown"][number % 4];
            (number % 4, anyone.get(path).await.status)
        }
    });
    for (kind, status) in futures_util::future::join_all(all).await {
        assert_eq!(status, [302, 404, 302, 404][kind]);
    }
    let api = server.with_key(&server.database().owner("other", "unlimited"));
    api.stats("%E6%97%A5").await.problem(404, "link-not-found");
    api.qr(&json!({"short_code": "日"})).await.problem(404, "link-not-found");
}

#[tokio::test]
async fn codes_that_cannot_be_imported_are_rejected_with_advice() {
    let database = Database::new().migrated();
    database.owner("default", "unlimited");
    for (code, reason) in [
        ("api", "is reserved"),
        ("Docs/setup", "/Docs; import the link with another code"),
        ("a b", "must not contain whitespace"),
        ("a?b", "must not contain"),
        ("a#b", "must not contain"),
        ("a%20b", "must not contain"),
        ("a\\b", "must not contain"),
        ("a//b", "empty one"),
        ("a/", "slash"),
        ("../a", "segments . and .."),
        ("a/qr.svg", "must not end in /qr.svg"),
        (&"x".repeat(256), "1 to 255 characters"),
    ] {
        let file = format!("short_code,destination_url\n{},{URL}\n", quoted(code));
        std::fs::write(database.directory().join("one.csv"), file).unwrap();
        let import = database.terse(&["import", "one.csv", "--owner", "default"]);
        assert_eq!(import.code, Some(1), "{code}: {import:?}");
        assert!(import.stderr.contains(reason), "{code}: {import:?}");
    }
}

#[tokio::test]
async fn custom_codes_stay_narrow() {
    let server = Server::start();
    for code in ["1", "ab", "a.b", "~me", "a/b", "größe", &"x".repeat(65)] {
        let body = json!({"url": URL, "custom_code": code});
        server.api().shorten(&body).await.invalid(&["/custom_code"]);
    }
    for code in ["a.b", "größe", "a/b", "a b", ""] {
        let unknown = server.api().qr(&json!({"short_code": code})).await;
        unknown.problem(404, "link-not-found");
    }
}

#[tokio::test]
async fn short_url_too_long_for_a_qr_code_returns_409() {
    let server = Server::start();
    let long = "語".repeat(255);
    import(server.database(), &[&long], &[]);
    learn(&server, &format!("/{long}")).await;
    let api = server.api();
    let qr =
        async |level: &str| api.qr(&json!({"short_code": long, "error_correction": level})).await;
    qr("H").await.problem(409, "qr-code-too-long");
    for level in ["L", "M", "Q"] {
        qr(level).await.expect(201);
        server.anyone().get(&format!("/{long}/qr.svg")).await.expect(200);
    }
    let encoded: String = long.bytes().map(|byte| format!("%{byte:02X}")).collect();
    server.api().stats(&encoded).await.expect(200);
    server.anyone().get(&format!("/{encoded}")).await.expect(302);
}

/// The links of a YOURLS installation, and where it led: the file's destinations are the Location
/// that YOURLS 1.10.5-dev itself returned for each code.
const YOURLS: &str = include_str!("codes/yourls.csv");

#[tokio::test]
async fn all_codes_of_a_yourls_installation_lead_where_they_led() {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [Server::on(&database), Server::on(&database)];
    std::fs::write(database.directory().join("yourls.csv"), YOURLS).unwrap();
    let import = database.terse(&["import", "yourls.csv", "--owner", "default", "--json"]);
    let summary: Value = serde_json::from_str(&import.stdout).unwrap();
    assert_eq!((&summary["rows"], &summary["rejected"]), (&json!(91), &json!(8)), "{import:?}");
    let exported = database.terse(&["export", "--format", "jsonl"]).done().stdout;
    let links = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let links: HashMap<String, String> = links
        .map(|link| {
            let text = |name: &str| link[name].as_str().unwrap().to_owned();
            (text("short_code"), text("destination_url"))
        })
        .collect();
    assert_eq!(links.len(), 83);
    for absent in ["api", "docs/setup", "health", "uftp", "umail", "utel", "unosch", "uproto"] {
        assert!(!links.contains_key(absent), "{absent}");
    }
    for server in &servers {
        learn(server, "/1").await;
        for (code, destination) in &links {
            let mut url = Url::parse(server.base_url()).unwrap();
            url.set_path(code);
            let found = location(&server.anyone(), url.path()).await;
            let found = found.unwrap_or_else(|| panic!("{code}"));
            // Browsers request the same of both.
            let requested = |url: &str| {
                let url = Url::parse(url).unwrap();
                let path = url.path().replace('[', "%5B").replace(']', "%5D").replace('|', "%7C");
                (url.origin(), path.replace("%zz", "%25zz"), url.query().map(str::to_owned))
            };
            assert_eq!(requested(&found), requested(destination), "{code}");
        }
    }
}
