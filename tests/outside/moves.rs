//! Moves of a service from one database to another, during which visits go on.

mod kills;

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::harness::{Database, Server, SetOnDrop, Store, TIMEOUT, eventually, run, until};
use crate::listeners::{ActivatedServer, visit};

const URL: &str = "https://example.com/";
/// Number of links, each with two clients.
const LINKS: usize = 4;
/// Number of redirects after which the next step of a move begins.
const REDIRECTS_PER_STEP: u64 = 200;

/// Returns source and target of the moves; the runs for both stores cover both directions.
fn directions() -> &'static [(Store, Store)] {
    match Store::chosen() {
        Store::Sqlite => &[(Store::Sqlite, Store::Sqlite)],
        Store::Postgres => &[(Store::Sqlite, Store::Postgres), (Store::Postgres, Store::Sqlite)],
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn move_to_another_database_misses_no_visit() {
    for &(from, to) in directions() {
        let from = Arc::new(Database::of(from).with_default_owner());
        let codes = {
            let server = Server::on(&from);
            let mut codes = Vec::new();
            for _ in 0..LINKS {
                codes.push(server.api().create(URL).await);
            }
            assert_eq!(server.terminate().code, Some(0));
            codes
        };
        let to = Arc::new(Database::of(to));
        let redirects = move_under_visits(&from, &to, &codes);
        let server = Server::with(&to, &["--spool-directory", spool(&from)]);
        let api = server.with_key(from.default_key());
        let expected: u64 = redirects.iter().sum();
        eventually(TIMEOUT, "all clicks count", async || {
            let mut clicks = 0;
            for code in &codes {
                clicks += api.clicks(code).await;
            }
            assert!(clicks <= expected, "{clicks} clicks, {expected} redirects");
            clicks == expected
        })
        .await;
        for (code, redirects) in codes.iter().zip(&redirects) {
            assert_eq!(api.clicks(code).await, *redirects);
        }
        api.create(URL).await;
        to.terse(&["check", "--spool-directory", spool(&from)]).done();
    }
}

fn spool(database: &Database) -> &str {
    database.directory().to_str().unwrap()
}

/// Moves a service by the steps that docs/moving.md describes, while clients visit the links.
/// Returns the number of redirects of each link.
fn move_under_visits(from: &Database, to: &Database, codes: &[String]) -> Vec<u64> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let start = |database: &Database, options: &[&str]| {
        let socket = listener.try_clone().unwrap().into();
        let options = [&["--spool-directory", spool(from)], options].concat();
        let server = ActivatedServer::start(database, vec![socket], "", &options);
        server.listening();
        server
    };
    let stop = |mut server: ActivatedServer| {
        server.process.send("TERM");
        assert_eq!(server.end(), Some(0), "{}", server.log.text());
    };
    let is_over = AtomicBool::new(false);
    let redirects: Vec<_> = codes.iter().map(|_| AtomicU64::new(0)).collect();
    thread::scope(|scope| {
        let is_over = &is_over;
        let end = SetOnDrop(is_over);
        let clients: Vec<_> = codes
            .iter()
            .zip(&redirects)
            .flat_map(|(code, redirects)| [(code, redirects, true), (code, redirects, false)])
            .map(|(code, redirects, keeps)| {
                scope.spawn(move || visit(address, code, keeps, is_over, redirects))
            })
            .collect();
        let visits_go_on = || {
            let sum = || redirects.iter().map(|count| count.load(Ordering::SeqCst)).sum::<u64>();
            let before = sum();
            let goes_on = || {
                let is_failed = clients.iter().any(|client| client.is_finished());
                (is_failed || sum() > before + REDIRECTS_PER_STEP).then_some(())
            };
            until(TIMEOUT, || "clients visit the links", goes_on);
        };

        let mut old = start(from, &[]);
        visits_go_on();
        if from.store() == Store::Sqlite {
            stop(old);
            let url = from.url().replace("mode=rwc", "mode=ro");
            old = start(from, &["--database-url", &url]);
        } else {
            make_read_only(from, &old);
        }
        visits_go_on();
        run(&["copy", "--from", &from.url(), "--to", &to.url()]).done();
        visits_go_on();
        let new = start(to, &[]);
        visits_go_on();
        stop(old);
        visits_go_on();
        drop(end);
        clients.into_iter().for_each(|client| client.join().expect("no visit fails"));
        stop(new);
    });
    redirects.into_iter().map(AtomicU64::into_inner).collect()
}

/// Makes a PostgreSQL database read-only, and waits until the server notices it.
fn make_read_only(database: &Database, server: &ActivatedServer) {
    database.admin_sql(
        "DO $$ BEGIN
             EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',
                 current_database());
         END $$",
    );
    database.admin_sql(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'terse'",
    );
    let is_noticed = |log: &str| log.contains("it is read-only").then_some(());
    let noticed = server.log.wait_for(Duration::from_secs(30), is_noticed);
    noticed.unwrap_or_else(|| panic!("{}", server.log.text()));
}
