//! Databases that accept no writes: locked by another process, or on a full disk.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::cli_import;
use crate::harness::{
    Api, Database, DirectConnection, Server, Store, TIMEOUT, eventually, only_on, short_codes,
};
use crate::stalls::{metric, wait_for_ready_status};

const URL: &str = "https://example.com/";

/// Opens a connection that blocks all writers until it is closed.
pub(crate) async fn block_writers(server: &Server) -> DirectConnection {
    block_with(
        server,
        match Store::chosen() {
            Store::Sqlite => "BEGIN IMMEDIATE",
            Store::Postgres => "BEGIN; LOCK TABLE links, pending_clicks IN EXCLUSIVE MODE",
        },
    )
    .await
}

/// Opens a connection, and runs this statement, whose locks block others until the connection
/// closes.
pub(crate) async fn block_with(server: &Server, begin: &str) -> DirectConnection {
    let connection = server.database().connect().await;
    connection.execute(begin).await.unwrap();
    connection
}

/// Waits until the server has logged that it buffers clicks. The reason may be that another process
/// has the lock or, if the machine is busy, that the disk does not seem to respond.
pub(crate) async fn wait_for_outage(server: &Server) {
    let message = "redirects continue and clicks are buffered";
    eventually(TIMEOUT, "the outage begins", async || server.log().contains(message)).await;
}

/// Visits a link this number of times; returns the number of redirects.
async fn visits(server: &Server, code: &str, wanted: u64) -> u64 {
    let mut redirected = 0;
    for _ in 0..wanted {
        let response = server.anyone().get(&format!("/{code}")).await;
        if response.status == 302 {
            redirected += 1;
        } else {
            response.expect(503);
        }
    }
    redirected
}

fn exported(server: &Server) -> BTreeSet<String> {
    short_codes(&cli_import::exported(server.database())).into_iter().collect()
}

async fn wait_for_creation(api: &Api) {
    eventually(Duration::from_secs(20), "links are created again", async || {
        api.shorten(&json!({"url": URL})).await.status == 201
    })
    .await;
}

async fn wait_for_clicks(api: &Api, code: &str, clicks: u64) {
    eventually(TIMEOUT, &format!("{clicks} clicks are counted"), async || {
        let response = api.stats(code).await;
        // Statistics return 503 while the server cannot store some clicks.
        if response.status == 503 {
            return false;
        }
        let counted = response.expect(200).data()["clicks"].as_u64().unwrap();
        assert!(counted <= clicks, "{clicks} redirects were sent, {counted} clicks are counted");
        counted == clicks
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn busy_database_returns_503_and_loses_no_clicks() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    let before = visits(&server, &code, 1).await;

    let holder = block_writers(&server).await;
    let body = json!({"url": URL});
    let (creation, during) = tokio::join!(api.shorten(&body), visits(&server, &code, 3));
    // Statistics never lack confirmed clicks.
    api.stats(&code).await.problem(503, "unavailable");
    api.links().await.problem(503, "unavailable");
    api.qr_list().await.expect(200);
    let made_up = format!("/api/v1/links?cursor={}", "0".repeat(32));
    api.get(&made_up).await.problem(404, "cursor-not-found");
    let problem = creation.problem(503, "unavailable").json();
    assert!(metric(&server, "terse_database_up 0").await);
    assert!(metric(&server, "terse_database_state{state=\"cannot_commit\"} 1").await);
    let request_id = problem["request_id"].as_str().unwrap();
    let [failure] = &server.log_of(request_id)[..] else { panic!("{}", server.log()) };
    assert_eq!(failure["error"], "the database was busy for too long");
    server.anyone().get("/health/live").await.expect(200);
    holder.execute("ROLLBACK").await.unwrap();
    holder.close().await;

    assert_eq!((before, during), (1, 3), "a cached link redirects on");
    wait_for_creation(&api).await;
    wait_for_clicks(&api, &code, 4).await;
}

/// Writes to a deleted file would be lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_database_file_is_not_written_to() {
    only_on!(Sqlite: "PostgreSQL keeps its files to itself");
    let server = Server::start();
    let (api, file) = (server.api(), server.database().file());
    let code = api.create(URL).await;
    assert_eq!(visits(&server, &code, 1).await, 1);
    let elsewhere = file.with_extension("moved");
    // The WAL file may contain all recent writes.
    for (round, file) in [(1, file.clone()), (2, file.with_extension("db-wal"))] {
        std::fs::rename(&file, &elsewhere).unwrap();
        wait_for_ready_status(&server, 503).await;
        api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
        assert_eq!(visits(&server, &code, 3).await, 3, "a cached link redirects on");
        api.stats(&code).await.problem(503, "unavailable");
        std::fs::rename(&elsewhere, &file).unwrap();
        wait_for_creation(&api).await;
        wait_for_clicks(&api, &code, 1 + 3 * round).await;
        assert_eq!(exported(&server).len() as u64, 1 + round);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_only_file_is_not_changed() {
    only_on!(Sqlite: "PostgreSQL has roles for that");
    let server = Server::start();
    let (key, code) = (server.key().to_owned(), server.api().create(URL).await);
    let database = server.terminate().database;
    let url = format!("sqlite://{}?mode=ro", database.file().display());
    let settings = ["--database-url", &url];

    let server = Server::with(&database, &settings);
    let api = server.with_key(&key);
    api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    api.qr(&json!({"short_code": code})).await.problem(503, "unavailable");
    assert_eq!(visits(&server, &code, 3).await, 3, "a link that is there redirects");
    api.stats(&code).await.problem(503, "unavailable");
    server.anyone().get("/health/ready").await.expect(503);
    let rows = database.directory().join("rows.csv");
    std::fs::write(&rows, "destination_url\nhttps://example.org/\n").unwrap();
    let import = ["import", rows.to_str().unwrap(), "--owner", "default"];
    let import = database.terse(&[&import, &settings[..]].concat());
    assert_eq!(import.code, Some(1), "{import:?}");
    assert_eq!(exported(&server).len(), 1);
    assert_eq!(server.terminate().code, Some(0));

    // The clicks are in a spool file for a server that can write.
    assert_eq!(Server::with(&database, &settings).terminate().code, Some(0));
    let server = Server::on(&database);
    wait_for_clicks(&server.with_key(&key), &code, 3).await;
}

/// Another process may hold the write lock for long. A server whose schema is current starts
/// without it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_starts_while_another_process_writes() {
    let database = {
        let server = Server::start();
        server.api().create(URL).await;
        server.terminate().database
    };
    let first = Server::on(&database);
    let holder = block_writers(&first).await;
    let second = Server::on(&database);
    second.anyone().get("/health/live").await.expect(200);
    holder.close().await;
    wait_for_creation(&second.with_key(database.default_key())).await;
}

/// Each waiting client has a deadline of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creations_wait_at_most_five_seconds_for_a_busy_database() {
    only_on!(Sqlite: "PostgreSQL takes back each statement");
    let server = Server::start();
    let (api, code) = (server.api(), server.api().create(URL).await);
    let holder = block_writers(&server).await;
    let (body, qr) = (json!({"url": URL}), json!({"short_code": code}));
    let late = |after| async move { tokio::time::sleep(Duration::from_secs(after)).await };
    let timed = async |after, what: &str| {
        late(after).await;
        let started = Instant::now();
        if what == "link" {
            api.shorten(&body).await.problem(503, "unavailable");
        } else {
            api.qr(&qr).await.problem(503, "unavailable");
        }
        started.elapsed()
    };
    // A client that retries uses one key.
    let repeated: Vec<_> = (0..40)
        .map(|_| {
            let ask = api.ask(Method::POST, "/api/v1/shorten").header("Idempotency-Key", "one");
            let ask = ask.json(&body);
            tokio::spawn(async move {
                let started = Instant::now();
                ask.send().await.problem(503, "unavailable");
                started.elapsed()
            })
        })
        .collect();
    let (one, two, three, four) =
        tokio::join!(timed(0, "link"), timed(1, "QR code"), timed(3, "link"), timed(4, "QR code"));
    let mut all = vec![one, two, three, four];
    for repeated in repeated {
        all.push(repeated.await.unwrap());
    }
    for took in all {
        assert!(took < Duration::from_secs(8), "{took:?}");
    }
    holder.execute("ROLLBACK").await.unwrap();
    holder.close().await;
    wait_for_creation(&api).await;
    api.qr(&qr).await.expect(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_returns_503_and_loses_no_confirmed_writes() {
    only_on!(Sqlite: "the files are the server's own");
    let server = Server::with_files_up_to(600_000);
    let (api, key) = (server.api(), server.key().to_owned());
    let code = api.create(URL).await;
    let mut clicks = visits(&server, &code, 1).await;
    let body = json!({"url": format!("{URL}{}", "x".repeat(3_000))});
    let mut created = BTreeSet::new();
    let mut refused = 0;
    for _ in 0..400 {
        let response = api.shorten(&body).await;
        if response.status == 201 {
            created.insert(response.code());
        } else {
            response.problem(503, "unavailable");
            refused += 1;
        }
        if refused > 0 {
            clicks += visits(&server, &code, 1).await;
        }
        if refused == 20 {
            break;
        }
    }
    assert!(refused > 0, "the disk is full");
    // The export works while clicks wait for the database; the API's list returns 503.
    let known = exported(&server);
    assert!(created.is_subset(&known), "{} confirmed, {} stored", created.len(), known.len());
    assert!(known.len() <= created.len() + 1, "a 503 changed nothing");

    server.lift_limit();
    wait_for_creation(&api).await;
    wait_for_clicks(&api, &code, clicks).await;
    let server = Server::on(&server.kill9());
    let known = server.with_key(&key).listed().await;
    assert!(created.is_subset(&known), "{} confirmed, {} stored", created.len(), known.len());
    wait_for_clicks(&server.with_key(&key), &code, clicks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_server_stores_the_clicks_of_a_spool_file() {
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::on(&database);
    let code = server.api().create(URL).await;
    let holder = block_writers(&server).await;
    let clicks = visits(&server, &code, 3).await;
    assert_eq!(server.terminate().code, Some(0));
    holder.execute("ROLLBACK").await.unwrap();
    holder.close().await;
    let spooled = || {
        let entries = std::fs::read_dir(database.directory()).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("terse-clicks-"))
    };
    let file = spooled().expect("a spool file");
    let elsewhere = tempfile::tempdir_in("/tmp").unwrap();
    let moved = elsewhere.path().join("file");
    std::fs::rename(&file, &moved).unwrap();
    let server = Server::on(&database);
    assert_eq!(server.api().clicks(&code).await, 0);
    std::fs::rename(&moved, &file).unwrap();
    wait_for_clicks(&server.api(), &code, clicks).await;
    eventually(TIMEOUT, "the file is deleted", async || spooled().is_none()).await;
}
