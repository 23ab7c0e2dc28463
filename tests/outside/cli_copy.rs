//! `terse copy`: a whole database into an empty one, between all stores.

use std::sync::Arc;

use serde_json::json;

use crate::cli_import::csv;
use crate::harness::{Api, Database, Outcome, Server, Store, run};
use crate::qr::{BLUE, WHITE, read_png};

const URL: &str = "https://example.com/";

fn copy(from: &Database, to: &Database) -> Outcome {
    run(&["copy", "--from", &from.url(), "--to", &to.url()])
}

/// Returns pairs of source and target stores. The test runs on both stores together cover all
/// pairs.
fn store_pairs() -> &'static [(Store, Store)] {
    match Store::chosen() {
        Store::Sqlite => &[(Store::Sqlite, Store::Sqlite)],
        Store::Postgres => &[
            (Store::Sqlite, Store::Postgres),
            (Store::Postgres, Store::Sqlite),
            (Store::Postgres, Store::Postgres),
        ],
    }
}

/// An imported link may have up to 2^53 - 1 clicks.
#[test]
fn click_sums_beyond_64_bits_are_copied() {
    const MAX_CLICKS: u128 = (1 << 53) - 1;
    const ROWS: u128 = 2_100;
    for &(from, to) in store_pairs() {
        let (from, to) = (Database::of(from), Database::of(to));
        from.terse(&["migrate"]).done();
        from.owner("me", "unlimited");
        let rows: String =
            (0..ROWS).map(|row| format!("https://example.com/{row},{MAX_CLICKS}\n")).collect();
        let file = from.directory().join("in.csv");
        std::fs::write(&file, format!("destination_url,clicks\n{rows}")).unwrap();
        from.terse(&["import", file.to_str().unwrap(), "--owner", "me"]).done();
        let copied =
            run(&["copy", "--from", &from.url(), "--to", &to.url(), "--json"]).done().stdout;
        assert!(copied.contains(&format!("\"clicks\":{}}}", ROWS * MAX_CLICKS)), "{copied}");
        assert_eq!(csv(&to), csv(&from));
    }
}

fn serve_new(store: Store) -> Server {
    Server::on(&Arc::new(Database::of(store).with_default_owner()))
}

async fn links_and_qr_codes(api: &Api) -> [serde_json::Value; 2] {
    [api.links().await.data(), api.qr_list().await.data()]
}

#[tokio::test]
async fn copy_has_the_same_contents() {
    for &(from, to) in store_pairs() {
        assert_copied(serve_new(from), Database::of(to)).await;
    }
}

async fn assert_copied(server: Server, to: Database) {
    let api = server.api();
    server.database().plan("own", "2", true);
    let other_key = server.database().owner("other", "own");
    let other = server.with_key(&other_key);
    let plain = api.create(URL).await;
    let full = json!({"url": "https://münchen.example/ä b", "title": "Tïtle", "campaign": "C"});
    let full = api.create_from(&full).await;
    let theirs = json!({"url": URL, "custom_code": "Theirs-1"});
    let theirs = other.create_from(&theirs).await;
    for (code, clicks) in [(&plain, 3), (&full, 5), (&theirs, 1)] {
        for _ in 0..clicks {
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
    }
    api.qr(
        &json!({"short_code": full, "margin": 6, "error_correction": "H", "foreground": "#000080"}),
    )
    .await
    .expect(201);
    server.terse(&["link", "disable", &plain]).done();
    let revoked = server.terse(&["key", "add", "default", "--label", "bad"]).key();
    let id = server.database().key_id("default", "bad");
    server.terse(&["key", "revoke", &id]).done();
    let mine = links_and_qr_codes(&api).await;
    let contents = links_and_qr_codes(&other).await;
    let key = server.key().to_owned();
    let from = server.terminate().database;

    copy(&from, &to).done();
    let server = Server::on(&Arc::new(to));
    assert!(!server.stdout().contains("terse_"), "it has owners already");
    let (api, other) = (server.with_key(&key), server.with_key(&other_key));
    assert_eq!(links_and_qr_codes(&api).await, mine);
    assert_eq!(links_and_qr_codes(&other).await, contents);
    assert_eq!(api.stats(&plain).await.data()["is_active"], 0);
    assert_eq!(api.clicks(&full).await, 5);
    server.anyone().get(&format!("/{plain}")).await.expect(410);
    server.anyone().get(&format!("/{full}")).await.expect(302);
    assert_eq!(api.clicks(&full).await, 6);
    server.with_key(&revoked).links().await.expect(401);
    let reading = read_png(&server, &full, 6, [BLUE, WHITE]).await;
    assert_eq!(reading.level, 'H');

    other.create(URL).await;
    other.shorten(&json!({"url": URL})).await.problem(409, "plan-limit-reached");
    let taken = json!({"url": URL, "custom_code": "Theirs-1"});
    api.shorten(&taken).await.problem(409, "code-in-use");
}

#[tokio::test]
async fn pending_clicks_of_a_killed_server_are_copied() {
    for &(from, to) in store_pairs() {
        let server = serve_new(from);
        let key = server.key().to_owned();
        let code = server.api().create(URL).await;
        for _ in 0..9 {
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
        let from = server.kill9();
        let to = Arc::new(Database::of(to));
        copy(&from, &to).done();
        let server = Server::on(&to);
        assert_eq!(server.with_key(&key).clicks(&code).await, 9);
    }
}

#[tokio::test]
async fn target_with_contents_is_rejected_unchanged() {
    for &(from, to) in store_pairs() {
        let (from, target) = (serve_new(from), serve_new(to));
        from.api().create(URL).await;
        let code = target.api().create("https://example.com/stored").await;
        let key = target.key().to_owned();
        let (from, to) = (from.terminate().database, target.terminate().database);
        copy(&from, &to).failed();
        copy(&to, &to).failed();
        let target = Server::on(&to);
        assert_eq!(target.with_key(&key).links().await.expect(200).codes(), [code]);
    }
}

#[test]
fn migrated_target_without_rows_is_accepted() {
    for &(from, to) in store_pairs() {
        let (from, to) = (serve_new(from).terminate().database, Database::of(to));
        to.terse(&["migrate"]).done();
        copy(&from, &to).done();
        copy(&from, &to).failed();
    }
}

/// A copy would lose what the later version has added.
#[tokio::test]
async fn database_of_a_newer_version_is_not_copied() {
    for &(from, to) in store_pairs() {
        let (newer, other) = (Database::of(from), Database::of(to));
        for database in [&newer, &other] {
            database.terse(&["migrate"]).done();
        }
        newer
            .execute(
                "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_9999_later', 0)",
            )
            .await;
        // Other commands accept such a database.
        newer.terse(&["owner", "list"]).done();
        for (from, to) in [(&newer, &other), (&other, &newer)] {
            let said = copy(from, to).failed();
            assert_eq!(
                said,
                "terse: the database was migrated by a newer terse; use that version to copy it"
            );
        }
    }
}

#[test]
fn missing_source_is_not_created() {
    for &(from, to) in store_pairs() {
        let (from, to) = (Database::of(from), Database::of(to));
        copy(&from, &to).failed();
        assert!(from.is_untouched());
    }
}

#[test]
fn invalid_urls_are_rejected() {
    let database = Database::new();
    for url in ["nonsense", "mysql://localhost/x", "http://example.com/", ""] {
        database.terse(&["copy", "--from", url, "--to", &database.url()]).misused();
    }
    assert!(database.is_untouched());
}
