//! What else can stand still: spool directory, log, network, locks and PostgreSQL's write-ahead log.
//! A table in `docs/contributing/standstills.md` has the results.

mod data_disk;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use crate::harness::{Cluster, Database, Load, Server, TIMEOUT, eventually, only_on};
use crate::outage::{block_with, block_writers, wait_for_outage};
use crate::stalled_disk::Disk;
use crate::stalls::wait_for_ready_status;

const URL: &str = "https://example.com/";

async fn visit(server: &Server, code: &str, visits: u64) {
    let started = Instant::now();
    for _ in 0..visits {
        server.anyone().get(&format!("/{code}")).await.expect(302);
    }
    assert!(started.elapsed() < Duration::from_secs(10), "the redirects wait");
}

async fn wait_for_clicks(server: &Server, code: &str, clicks: u64) {
    eventually(TIMEOUT, &format!("{clicks} clicks are counted"), async || {
        let stats = server.api().stats(code).await;
        stats.status == 200 && stats.data()["clicks"] == clicks
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frozen_spool_directory_delays_no_redirect() {
    let database = Arc::new(Database::new().with_default_owner());
    let spool = tempfile::tempdir().unwrap();
    let disk = Disk::mount(spool.path());
    let server = Server::with(&database, &["--spool-directory", spool.path().to_str().unwrap()]);
    let code = server.api().create(URL).await;
    let frozen = disk.freeze();
    visit(&server, &code, 10).await;
    wait_for_clicks(&server, &code, 10).await;
    server.api().create(URL).await;
    wait_for_ready_status(&server, 200).await;
    // In an outage, the server saves its clicks.
    let holder = block_writers(&server).await;
    visit(&server, &code, 1).await;
    wait_for_outage(&server).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    visit(&server, &code, 20).await;
    wait_for_ready_status(&server, 503).await;
    holder.close().await;
    visit(&server, &code, 5).await;
    server.anyone().get("/health/live").await.expect(200);
    drop(frozen);
    wait_for_clicks(&server, &code, 36).await;
    wait_for_ready_status(&server, 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frozen_log_delays_no_request() {
    let database = Arc::new(Database::new().with_default_owner());
    let directory = tempfile::tempdir().unwrap();
    let disk = Disk::mount(directory.path());
    let file = directory.path().join("log");
    let program = database.command();
    let mut command = Command::new("bash");
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let script = "touch \"$1\"; tail --pid=$$ -n +1 -F \"$1\" >&2 2>/dev/null & \
                  exec \"$0\" serve --listen 127.0.0.1:0 2>>\"$1\"";
    command.args(["-c", script]).arg(program.get_program()).arg(&file);
    command.current_dir(database.directory());
    let server = Server::run(&database, command);
    let code = server.api().create(URL).await;
    let frozen = disk.freeze();
    for _ in 0..20 {
        server.api().create(URL).await;
    }
    visit(&server, &code, 10).await;
    wait_for_clicks(&server, &code, 10).await;
    wait_for_ready_status(&server, 200).await;
    database.terse(&["link", "disable", &code]).done();
    drop(frozen);
    assert_eq!(server.terminate().code, Some(0));
}

/// A forwarder to PostgreSQL that can fall silent: it accepts connections and forwards nothing.
struct Forwarder {
    port: u16,
    is_silent: Arc<AtomicBool>,
}

impl Forwarder {
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let forwarder =
            Self { port: listener.local_addr().unwrap().port(), is_silent: Arc::default() };
        let is_silent = Arc::clone(&forwarder.is_silent);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                for (from, to) in [(from, to), (server, client)] {
                    let is_silent = Arc::clone(&is_silent);
                    thread::spawn(move || forward(from, to, &is_silent));
                }
            }
        });
        forwarder
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_silent: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        while is_silent.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// A pooler that accepts connections and stays silent, and a network that loses all packets of open
/// connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_pooler_is_an_outage() {
    only_on!(Postgres: "a file has no network");
    let cluster = Cluster::shared();
    let direct = Database::on(&cluster).with_default_owner();
    let forwarder = Forwarder::to(cluster.port());
    let database = Arc::new(direct.through(forwarder.port));
    let server = Server::on(&database);
    let (code, uncached) = (server.api().create(URL).await, server.api().create(URL).await);
    visit(&server, &code, 1).await;
    forwarder.is_silent.store(true, Ordering::Relaxed);
    visit(&server, &code, 5).await;
    wait_for_ready_status(&server, 503).await;
    visit(&server, &code, 20).await;
    server.api().shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    server.anyone().get(&format!("/{uncached}")).await.expect(503);
    let started = Instant::now();
    let outcome = database.terse(&["owner", "list"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("the database does not respond"), "{outcome:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    forwarder.is_silent.store(false, Ordering::Relaxed);
    wait_for_ready_status(&server, 200).await;
    wait_for_clicks(&server, &code, 26).await;
}

#[test]
fn unreachable_databases_end_commands_soon() {
    only_on!(Postgres: "a file has no network");
    let database = Database::new();
    // Its queue of connections is full, so it drops further packets that begin one.
    let full = TcpListener::bind("127.0.0.1:0").unwrap();
    rustix::net::listen(&full, 0).unwrap();
    let port = full.local_addr().unwrap().port();
    let mut waiting = Vec::new();
    let address = full.local_addr().unwrap();
    while let Ok(connection) = TcpStream::connect_timeout(&address, Duration::from_millis(200)) {
        waiting.push(connection);
    }
    for (host, message) in [
        (format!("127.0.0.1:{port}"), "the database does not respond"),
        ("no-such-host.invalid".to_owned(), "the database cannot be reached: "),
        ("127.0.0.1:1".to_owned(), "the database cannot be reached: "),
    ] {
        let url = format!("postgres://terse@{host}/terse");
        let started = Instant::now();
        let outcome = database.terse(&["owner", "list", "--database-url", &url]);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.stderr.contains(message), "{outcome:?}");
        let address = format!("; --database-url leads to postgres://{host}");
        assert!(outcome.stderr.contains(&address), "{outcome:?}");
        assert!(started.elapsed() < Duration::from_secs(20), "{host}: {:?}", started.elapsed());
    }
}

/// As `VACUUM FULL` does, and a transaction that somebody forgot.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locked_links_delay_no_cached_redirect() {
    only_on!(Postgres: "SQLite locks the whole file");
    let server = Server::start();
    let (code, uncached) = (server.api().create(URL).await, server.api().create(URL).await);
    visit(&server, &code, 1).await;
    let holder = block_with(&server, "BEGIN; LOCK TABLE links IN ACCESS EXCLUSIVE MODE").await;
    visit(&server, &code, 20).await;
    let (creation, redirect) = (json!({"url": URL}), format!("/{uncached}"));
    let (api, anyone) = (server.api(), server.anyone());
    let (created, redirected) = tokio::join!(api.shorten(&creation), anyone.get(&redirect));
    created.problem(503, "unavailable");
    redirected.expect(503);
    visit(&server, &code, 20).await;
    wait_for_ready_status(&server, 200).await;
    holder.close().await;
    wait_for_clicks(&server, &code, 41).await;
    server.api().create(URL).await;
}

/// Creations wait for a lock while clicks are committed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lock_is_no_stall_of_commits() {
    only_on!(Postgres: "SQLite locks the whole file");
    // The commits of other clusters do not wait for their disks.
    let database = Arc::new(Database::on(&Cluster::durable()).with_default_owner());
    for lock in ["LOCK TABLE links IN ACCESS EXCLUSIVE MODE", "SELECT FROM owners FOR UPDATE"] {
        let server = Server::on(&database);
        let api = server.api();
        let code = api.create(URL).await;
        let mut load = Load::paced(Duration::from_millis(5));
        load.visit(&server, 4, &[code]);
        load.wait_for_redirects(20).await;
        let holder = block_with(&server, &format!("BEGIN; {lock}")).await;
        let body = json!({"url": URL});
        let creations = join_all([(); 3].map(|()| api.shorten(&body)));
        let ready = async {
            loop {
                server.anyone().get("/health/ready").await.expect(200);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! {
            created = creations => for created in created {
                created.problem(503, "unavailable");
            },
            () = ready => {}
        }
        holder.close().await;
        assert_eq!(load.stop(), 0, "no client lost its connection");
        load.assert_counted(&api).await;
        assert!(!server.log().contains("can be committed"), "{}", server.log());
        assert_eq!(server.terminate().code, Some(0));
    }
}

/// After an outage, the pools are empty.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_that_accepts_no_connections_is_an_outage() {
    only_on!(Postgres: "a file has no connections");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let server = Server::on(&database);
    let (code, uncached) = (server.api().create(URL).await, server.api().create(URL).await);
    visit(&server, &code, 1).await;
    cluster.pause();
    wait_for_ready_status(&server, 503).await;
    cluster.resume();
    wait_for_ready_status(&server, 200).await;
    let mut load = Load::paced(Duration::from_millis(20));
    load.visit(&server, 2, std::slice::from_ref(&code));
    load.wait_for_redirects(20).await;
    cluster.pause_accepting();
    server.anyone().get(&format!("/{uncached}")).await.expect(503);
    wait_for_ready_status(&server, 503).await;
    let started = Instant::now();
    for _ in 0..10 {
        server.anyone().get(&format!("/{uncached}")).await.expect(503);
        server.api().qr_list().await.problem(503, "unavailable");
        server.api().shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    }
    assert!(started.elapsed() < Duration::from_secs(10), "each waits for a connection");
    load.wait_for_redirects(20).await;
    cluster.resume();
    wait_for_ready_status(&server, 200).await;
    assert_eq!(load.stop(), 0, "no client lost its connection");
    server.anyone().get(&format!("/{uncached}")).await.expect(302);
    wait_for_clicks(&server, &code, 1 + load.redirected()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn command_waits_a_minute_for_locked_links() {
    only_on!(Postgres: "SQLite locks the whole file");
    let server = Server::start();
    let code = server.api().create(URL).await;
    let holder = block_with(&server, "BEGIN; LOCK TABLE links IN ACCESS EXCLUSIVE MODE").await;
    let outcome = server.terse(&["link", "disable", &code]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("the database was busy for too long"), "{outcome:?}");
    holder.close().await;
    visit(&server, &code, 1).await;
}

/// A full disk under `pg_wal` ends all sessions of PostgreSQL, which does not start again before
/// there is space.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn full_write_ahead_log_is_an_outage() {
    only_on!(Postgres: "SQLite has its own log");
    let cluster = Cluster::private(&["min_wal_size=32MB", "max_wal_size=32MB"]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let server = Server::on(&database);
    let code = server.api().create(URL).await;
    visit(&server, &code, 1).await;
    let log = format!("{}/pg_wal", cluster_directory(&cluster));
    cluster.stop_immediately();
    let saved = format!("{log}.saved");
    run("cp", &["-a", &log, &saved]);
    run("mount", &["-t", "tmpfs", "-o", "size=96m", "tmpfs", &log]);
    run("bash", &["-c", &format!("cp -a {saved}/. {log}/ && chown -R --reference={saved} {log}")]);
    cluster.start();
    wait_for_ready_status(&server, 200).await;
    let filler = format!("{log}/filler");
    let _ = Command::new("dd").args(["if=/dev/zero", "bs=4k"]).arg(format!("of={filler}")).output();
    let grow = "CREATE TABLE IF NOT EXISTS grown AS SELECT repeat('x', 1000) FROM generate_series(1, 99000)";
    for _ in 0..3 {
        let url = database.url();
        let _ = Command::new("psql").args([&url, "-c", grow]).output();
    }
    visit(&server, &code, 1).await;
    wait_for_ready_status(&server, 503).await;
    visit(&server, &code, 20).await;
    server.api().shorten(&json!({"url": URL})).await.problem(503, "unavailable");
    std::fs::remove_file(&filler).unwrap();
    cluster.stop_immediately();
    cluster.start();
    wait_for_ready_status(&server, 200).await;
    wait_for_clicks(&server, &code, 22).await;
    cluster.stop_immediately();
    run("umount", &["--lazy", &log]);
}

fn cluster_directory(cluster: &Cluster) -> String {
    let arguments = std::fs::read(format!("/proc/{}/cmdline", cluster.id())).unwrap_or_default();
    let text = String::from_utf8_lossy(&arguments).into_owned();
    text.split('\0').skip_while(|argument| *argument != "-D").nth(1).unwrap().to_owned()
}

fn run(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
}
