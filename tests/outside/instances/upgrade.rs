//! A database that a later program has changed.

use std::sync::Arc;
use std::thread;

use crate::harness::{Database, Load, Server, holds_within_a_second, only_on, run};

/// Notes a step of the schema as it is noted when it is done.
async fn pretend(database: &Database, step: &str) {
    let note = "INSERT INTO seaql_migrations (version, applied_at) VALUES";
    database.execute(&format!("{note} ('{step}', 0)")).await;
}

async fn works(server: &Server, key: &str) {
    let api = server.with_key(key);
    let code = api.create("https://example.com/").await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(api.clicks(&code).await, 1);
    server.anyone().get("/health/ready").await.expect(200);
}

#[tokio::test]
async fn a_later_step_of_the_same_version_is_fine() {
    let server = Server::start();
    let (database, key) = (server.database().clone(), server.key().to_owned());
    pretend(&database, "m1_9999_later").await;
    works(&server, &key).await;
    works(&Server::on(&database), &key).await;
    server.terminate();
    works(&Server::on(&database), &key).await;
    database.terse(&["migrate"]).done();
    database.terse(&["owner", "list"]).done();
}

#[tokio::test]
async fn a_database_of_a_later_version_is_refused_with_one_line() {
    let server = Server::start();
    let database = server.terminate().database;
    pretend(&database, "m2_0001_other").await;
    let tells = |line: &str| {
        assert!(line.contains("version 2") && line.contains("version 1"), "{line}");
    };
    for arguments in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["migrate"],
        &["owner", "list"],
        &["owner", "add", "somebody"],
        &["link", "show", "something"],
    ] {
        tells(&database.terse(arguments).failed());
    }
    let (new, url) = (Database::new(), database.url());
    for (from, to) in [(&url, &new.url()), (&new.url(), &url)] {
        let outcome = run(&["copy", "--from", from, "--to", to]);
        if *from == url {
            tells(&outcome.failed());
        } else {
            outcome.failed();
        }
    }
}

/// As the schema was before owners stayed without a foreign key.
const BEFORE_OWNERS_STAY: &str = "
    DROP TRIGGER owners_with_links_stay ON owners;
    DROP FUNCTION refuse_owner_of_links();
    ALTER TABLE links ADD FOREIGN KEY (owner_id) REFERENCES owners (id);
    ALTER TABLE idempotency_keys ADD FOREIGN KEY (owner_id) REFERENCES owners (id);
    DELETE FROM seaql_migrations WHERE version = 'm1_0006_owners_stay'";
const KEYS_TO_OWNERS: &str = "SELECT count(*) FROM pg_constraint
    WHERE contype = 'f' AND conrelid IN ('links'::regclass, 'idempotency_keys'::regclass)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_needs_whole_tables_is_done_beside_creations_and_a_backup() {
    only_on!(Postgres: "a file is upgraded when nobody else is there");
    let server = Server::start();
    let database = Arc::clone(server.database());
    let key = database.owner("busy", "unlimited");
    database.sql(BEFORE_OWNERS_STAY);
    assert_eq!(database.sql(KEYS_TO_OWNERS), "2");
    let mut load = Load::default();
    load.create(&server, 4, &key, &[]);
    let backup = thread::spawn({
        let database = Arc::clone(&database);
        move || database.sql("SELECT FROM links LIMIT 1; SELECT pg_sleep(3)")
    });
    let is_sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    holds_within_a_second("the backup reads", async || database.sql(is_sleeping) == "1").await;
    database.terse(&["migrate"]).done();
    backup.join().unwrap();
    let created = load.created().len();
    assert_eq!(database.sql(KEYS_TO_OWNERS), "0");
    holds_within_a_second("links are made", async || load.created().len() > created).await;
    assert_eq!(load.stop(), 0);
    let links = "SELECT link_count - (SELECT count(*) FROM links WHERE owner_id = owners.id)
        FROM owners WHERE name = 'busy'";
    assert_eq!(database.sql(links), "0");
}
