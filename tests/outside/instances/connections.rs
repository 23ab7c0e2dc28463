//! PostgreSQL without free or working connections.

use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::{URL, get, run_clients, shorten};
use crate::harness::{
    Cluster, Database, Load, Server, TIMEOUT, assert_within_a_second, eventually, only_on,
};
use crate::outage::block_with;

/// Number of connections that PostgreSQL allows both servers together. They use fewer in this test,
/// and could use more (ten for requests and eight others each).
const MAX_CONNECTIONS: usize = 32;
/// Connections reserved for superusers, as by default.
const RESERVED_CONNECTIONS: usize = 3;

/// Idle sessions of another role.
struct IdleSessions<'c> {
    cluster: &'c Cluster,
    sessions: Vec<Child>,
}

impl IdleSessions<'_> {
    fn count(&self, name: &str) -> usize {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name =";
        self.cluster.sql(&format!("{count} '{name}'")).parse().unwrap()
    }

    /// Occupies the connections that the servers do not use.
    async fn occupy_free(&mut self) {
        eventually(TIMEOUT, "no connection is left", async || {
            self.sessions.retain_mut(|session| session.try_wait().unwrap().is_none());
            let free = MAX_CONNECTIONS.saturating_sub(self.count("terse"));
            while self.sessions.len() < free {
                self.sessions.push(self.cluster.idle_session("other"));
            }
            self.count("idle") >= free
        })
        .await;
    }

    /// Ends the servers' connections, and occupies all connections.
    async fn occupy_all(&mut self) {
        self.cluster.sql("ALTER ROLE terse CONNECTION LIMIT 0");
        self.cluster.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name = 'terse'",
        );
        self.occupy_free().await;
        self.cluster.sql("ALTER ROLE terse CONNECTION LIMIT -1");
        assert_eq!((self.count("idle"), self.count("terse")), (MAX_CONNECTIONS, 0));
    }
}

impl Drop for IdleSessions<'_> {
    fn drop(&mut self) {
        for mut session in self.sessions.drain(..) {
            drop(session.kill());
            drop(session.wait());
        }
    }
}

/// Sends requests of 32 clients, and checks the statuses. Returns the codes of the created links.
fn send_requests(servers: &[Server], known: &str, key: &str) -> Vec<String> {
    let created = run_clients(servers, 32, |_, connection| {
        let mut created = Vec::new();
        for _ in 0..5 {
            let response = shorten(connection, key, &json!({"url": URL}));
            match response.status {
                201 => created.push(response.code()),
                status => assert_eq!(status, 503),
            }
            let paths = [format!("/api/v1/stats/{known}"), "/api/v1/links?limit=20".to_owned()];
            for path in paths {
                assert!([200, 503].contains(&get(connection, &path, key).status), "{path}");
            }
            assert!([404, 503].contains(&get(connection, "/unknown", key).status));
        }
        created
    });
    created.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_without_a_connection_return_503() {
    only_on!(Postgres: "files have no connections");
    let cluster =
        Cluster::private(&[&format!("max_connections={}", MAX_CONNECTIONS + RESERVED_CONNECTIONS)]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    // The test needs no long waits for a connection.
    let serve = || Server::with(&database, &["--database-acquire-timeout", "300"]);
    let servers = [serve(), serve()];
    let key = database.default_key();
    let code = servers[0].api().create(URL).await;
    // Redirects of cached links must leave CPU time to PostgreSQL.
    let mut load = Load::paced(Duration::from_millis(5));
    for server in &servers {
        server.anyone().head(&format!("/{code}")).await.expect(302);
        load.visit(server, 4, std::slice::from_ref(&code));
    }
    cluster.sql("CREATE ROLE other LOGIN");
    let mut idle = IdleSessions { cluster: &cluster, sessions: Vec::new() };
    idle.occupy_free().await;
    let mut created = send_requests(&servers, &code, key);

    idle.occupy_all().await;
    for server in &servers {
        eventually(TIMEOUT, "the server is not ready", async || {
            server.anyone().get("/health/ready").await.status == 503
        })
        .await;
        server.api().shorten(&json!({"url": URL})).await.problem(503, "unavailable");
        server.anyone().get("/health/live").await.expect(200);
    }
    created.extend(send_requests(&servers, &code, key));

    drop(idle);
    for server in &servers {
        eventually(TIMEOUT, "the server is ready", async || {
            server.anyone().get("/health/ready").await.status == 200
        })
        .await;
    }
    created.extend(send_requests(&servers, &code, key));
    assert_eq!(load.stop(), 0, "no client lost its connection");
    let api = servers[0].api();
    let redirected = load.redirected();
    eventually(TIMEOUT, "every click is stored", async || api.clicks(&code).await >= redirected)
        .await;
    load.assert_counted(&api).await;
    let listed = api.listed().await;
    assert!(!created.is_empty() && created.iter().all(|code| listed.contains(code)));
}

/// A restart of PostgreSQL breaks all connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_succeed_after_all_connections_break() {
    only_on!(Postgres: "files have no connections");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let servers = [Server::with(&database, &["--database-max-connections", "60"])];
    let key = database.default_key();
    let code = servers[0].api().create(URL).await;
    let open = || cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE datname <> 'postgres'");
    eventually(TIMEOUT, "many are open", async || {
        // Each request is blocked, so that it uses a connection of its own.
        let held =
            block_with(&servers[0], "BEGIN; LOCK TABLE links IN ACCESS EXCLUSIVE MODE").await;
        let asked = async {
            let ask = || async { servers[0].api().stats(&code).await.expect(200) };
            futures_util::future::join_all((0..60).map(|_| ask())).await;
        };
        let freed = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            held.close().await;
        };
        tokio::join!(asked, freed);
        open().parse::<u32>().unwrap() > 40
    })
    .await;
    cluster.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'terse'",
    );
    let mut connection = servers[0].connect();
    for _ in 0..5 {
        get(&mut connection, &format!("/api/v1/stats/{code}"), key).expect(200);
    }
}

/// A firewall that forgets connections has this effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hanging_connections_are_replaced() {
    only_on!(Postgres: "files have no connections");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    // The test needs no long waits.
    let short =
        ["--database-acquire-timeout", "300", "--database-statement-timeout", "300"].as_slice();
    let server = Server::with(&database, short);
    let api = server.api();
    let code = api.create(URL).await;
    let lists = async || {
        let responses = (0..20).map(|_| async { api.links().await.status });
        futures_util::future::join_all(responses).await
    };
    server.anyone().get(&format!("/{code}")).await.expect(302);
    lists().await;
    let halted = cluster
        .pause_sessions("application_name = 'terse' AND query NOT LIKE '%transaction_read_only%'");
    assert!(halted.len() > 4, "{halted:?}");
    eventually(TIMEOUT, "lists succeed", async || {
        lists().await.iter().all(|status| *status == 200)
    })
    .await;
    api.create(URL).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(api.clicks(&code).await, 2);
    cluster.resume_sessions(&halted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_take_effect_without_the_timeline_privilege() {
    only_on!(Postgres: "files have no rights");
    let server = Server::start();
    let code = server.api().create(URL).await;
    let path = format!("/{code}");
    server.anyone().head(&path).await.expect(302);
    let statement = "REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC";
    server.database().admin_sql(statement);
    for (command, status) in [("disable", 410), ("enable", 302)] {
        server.terse(&["link", command, &code]).done();
        assert_within_a_second(command, async || {
            server.anyone().head(&path).await.status == status
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn role_that_becomes_read_only_is_detected() {
    only_on!(Postgres: "files have no roles");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    // On an overloaded machine a health check must not fail for another reason.
    let server = Server::with(&database, &["--database-health-check-timeout", "60000"]);
    server.api().create(URL).await;

    // The session of the health checks is older than the change, and therefore stays writable.
    let is_health_check = "query LIKE '%transaction_read_only%'";
    let sessions = "FROM pg_stat_activity WHERE application_name = 'terse' AND";
    eventually(TIMEOUT, "the health checks have a session", async || {
        cluster.sql(&format!("SELECT count(*) {sessions} {is_health_check}")) == "1"
    })
    .await;
    cluster.sql("ALTER ROLE terse SET default_transaction_read_only = on");
    // Waits until the sessions end, because a session that still runs can still write.
    cluster.sql(&format!(
        "SELECT pg_terminate_backend(pid, 60000) {sessions} NOT ({is_health_check})"
    ));
    eventually(TIMEOUT, "the server is not ready", async || {
        let response = server.api().shorten(&json!({"url": URL})).await;
        response.problem(503, "unavailable");
        server.anyone().get("/health/ready").await.status == 503
    })
    .await;
    // The server may log the reason after it has returned 503.
    eventually(TIMEOUT, "the reason is logged", async || server.log().contains("it is read-only"))
        .await;

    cluster.sql("ALTER ROLE terse RESET default_transaction_read_only");
    eventually(TIMEOUT, "the server is ready again", async || {
        server.anyone().get("/health/ready").await.status == 200
    })
    .await;
    server.api().create(URL).await;
}

#[test]
fn command_opens_one_connection() {
    only_on!(Postgres: "a file needs no connections");
    let cluster = Cluster::private(&["log_connections=on"]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let opened = || cluster.log().matches("connection authorized: user=terse").count();
    for command in [&["owner", "list"][..], &["key", "add", "default"], &["history"]] {
        let before = opened();
        database.terse(command).done();
        assert_eq!(opened() - before, 1, "{command:?}");
    }
}
