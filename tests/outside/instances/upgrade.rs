//! Databases that a later version has migrated.

use crate::harness::{Database, Server, run};

/// Records a migration as applied.
async fn record_migration(database: &Database, step: &str) {
    let note = "INSERT INTO seaql_migrations (version, applied_at) VALUES";
    database.execute(&format!("{note} ('{step}', 0)")).await;
}

async fn assert_works(server: &Server, key: &str) {
    let api = server.with_key(key);
    let code = api.create("https://example.com/").await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(api.clicks(&code).await, 1);
    server.anyone().get("/health/ready").await.expect(200);
}

#[tokio::test]
async fn later_migration_of_the_same_version_is_accepted() {
    let server = Server::start();
    let (database, key) = (server.database().clone(), server.key().to_owned());
    record_migration(&database, "m1_9999_later").await;
    assert_works(&server, &key).await;
    assert_works(&Server::on(&database), &key).await;
    server.terminate();
    assert_works(&Server::on(&database), &key).await;
    database.terse(&["migrate"]).done();
    database.terse(&["owner", "list"]).done();
}

#[tokio::test]
async fn database_of_a_later_major_version_is_rejected() {
    let server = Server::start();
    let database = server.terminate().database;
    record_migration(&database, "m2_0001_other").await;
    let assert_names_version = |line: &str| {
        assert!(line.contains("version 2") && line.contains("version 1"), "{line}");
    };
    for arguments in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["migrate"],
        &["owner", "list"],
        &["owner", "add", "another"],
        &["link", "show", "something"],
    ] {
        assert_names_version(&database.terse(arguments).failed());
    }
    let (new, url) = (Database::new(), database.url());
    for (from, to) in [(&url, &new.url()), (&new.url(), &url)] {
        let outcome = run(&["copy", "--from", from, "--to", to]);
        if *from == url {
            assert_names_version(&outcome.failed());
        } else {
            outcome.failed();
        }
    }
}
