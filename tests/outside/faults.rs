//! PostgreSQL outages under load: a crash, a pause, and a failover to the standby.
//!
//! During an outage cached links redirect and other requests return 503. After it all confirmed
//! writes exist, each once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{
    Api, Cluster, Database, Load, Proxy, Server, Store, TIMEOUT, eventually, only_on,
};

const URL: &str = "https://example.com/";
/// Pause between two requests of a client, because cached redirects would use all CPU time.
const PACE: Duration = Duration::from_millis(5);
/// Minimum duration of an outage.
const OUTAGE: Duration = Duration::from_secs(3);

/// Two servers of one database with active clients.
struct Scene {
    database: Arc<Database>,
    servers: Vec<Server>,
    load: Load,
    codes: Vec<String>,
}

impl Scene {
    async fn on(database: Database) -> Self {
        let database = Arc::new(database);
        let servers = vec![Server::on(&database), Server::on(&database)];
        let mut codes = Vec::new();
        for _ in 0..3 {
            codes.push(servers[0].api().create(URL).await);
        }
        let mut scene = Self { database, servers, load: Load::paced(PACE), codes };
        for server in &scene.servers {
            // Fills the cache with the links.
            for code in &scene.codes {
                server.anyone().head(&format!("/{code}")).await.expect(302);
            }
            scene.load.visit(server, 8, &scene.codes);
            scene.load.create(server, 2, server.key(), &[503]);
        }
        scene.load.wait_for_redirects(500).await;
        scene
    }

    async fn wait_for_ready_status(&self, status: u16) {
        for server in &self.servers {
            eventually(TIMEOUT, &format!("readiness turns {status}"), async || {
                server.anyone().get("/health/ready").await.status == status
            })
            .await;
        }
    }

    /// Checks the responses during an outage.
    async fn assert_outage_responses(&self) {
        let beginning = Instant::now();
        self.wait_for_ready_status(503).await;
        while beginning.elapsed() < OUTAGE {
            for server in &self.servers {
                let (api, anyone) = (server.api(), server.anyone());
                api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
                api.stats(&self.codes[0]).await.problem(503, "unavailable");
                anyone.get("/not-cached").await.expect(503);
                anyone.get("/health/live").await.expect(200);
                anyone.get("/health/ready").await.expect(503);
            }
            self.load.wait_for_redirects(200).await;
        }
    }

    /// Checks that all requests succeed again.
    async fn assert_recovered(&mut self) {
        self.wait_for_ready_status(200).await;
        let mut tries = 0;
        for server in &self.servers {
            eventually(TIMEOUT, "links are created again", async || {
                tries += 1;
                server.api().shorten(&json!({"url": URL})).await.status == 201
            })
            .await;
        }
        self.load.wait_for_redirects(200).await;
        assert_eq!(self.load.stop(), 0, "no client lost its connection");
        assert_complete(&self.servers, &self.load, self.codes.len() + tries, 0).await;
    }
}

/// Waits until all clicks are stored, and then checks the contents of the database.
async fn assert_complete(servers: &[Server], load: &Load, own: usize, unanswered: usize) {
    for server in servers {
        eventually(TIMEOUT, "clicks that waited are stored", async || {
            let metrics = server.anyone().get("/metrics").await.text();
            metrics.lines().any(|line| line == "terse_clicks_pending 0")
        })
        .await;
    }
    assert_contents(&servers[0].api(), load, own, unanswered).await;
}

/// Checks that all confirmed clicks and links exist.
///
/// Further links are only the test's own, and those of requests that failed or had no response.
async fn assert_contents(api: &Api, load: &Load, own: usize, unanswered: usize) {
    load.assert_counted(api).await;
    let (listed, created) = (api.listed().await, load.created());
    let missing: Vec<_> = created.iter().filter(|code| !listed.contains(*code)).collect();
    assert!(missing.is_empty(), "{missing:?} had a 201 response");
    // A creation with a 503 response may have created a link.
    let max = own + created.len() + load.refused() + unanswered;
    assert!(listed.len() <= max, "{} of at max {max}", listed.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_crash_loses_no_clicks() {
    only_on!(Postgres: "SQLite has no outages");
    let cluster = Cluster::private(&[]);
    let mut scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    cluster.stop_immediately();
    scene.assert_outage_responses().await;
    cluster.start();
    scene.assert_recovered().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_pause_loses_no_clicks() {
    only_on!(Postgres: "SQLite has no outages");
    let cluster = Cluster::private(&[]);
    let mut scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    cluster.pause();
    scene.assert_outage_responses().await;
    cluster.resume();
    scene.assert_recovered().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_are_stored_after_a_stop_during_an_outage() {
    only_on!(Postgres: "SQLite has no outages");
    let cluster = Cluster::private(&[]);
    let scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    cluster.stop_immediately();
    scene.assert_outage_responses().await;
    let Scene { database, servers, mut load, codes } = scene;
    let spooled = || {
        let files = std::fs::read_dir(database.directory()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".json")).count()
    };
    let count = servers.len();
    for server in servers {
        let ended = server.terminate();
        assert_eq!(ended.code, Some(0), "{}", ended.log);
    }
    assert_eq!(spooled(), count, "each leaves a file");
    let cut = load.stop();
    cluster.start();
    // Both servers find both files.
    let servers: Vec<Server> = std::thread::scope(|scope| {
        let starts = [(); 2].map(|()| scope.spawn(|| Server::on(&database)));
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert_eq!(spooled(), 0, "the files are taken in");
    assert_complete(&servers, &load, codes.len(), cut).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_of_an_outage_are_counted_once_after_a_copy() {
    only_on!(Postgres: "SQLite has no outages");
    let cluster = Cluster::private(&[]);
    let scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    // PostgreSQL completes its statements after the pause, when their client is gone.
    cluster.pause();
    scene.assert_outage_responses().await;
    let Scene { database, servers, mut load, codes } = scene;
    let key = servers[0].key().to_owned();
    assert_eq!(load.stop(), 0, "no client lost its connection");
    for server in servers {
        assert_eq!(server.terminate().code, Some(0));
    }
    cluster.resume();
    for to in [Store::Postgres, Store::Sqlite] {
        let copy = Arc::new(Database::of(to));
        eventually(TIMEOUT, "statements in progress are complete", async || {
            database.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'terse'")
                == "0"
        })
        .await;
        database.terse(&["copy", "--from", &database.url(), "--to", &copy.url()]).done();
        let files = tempfile::tempdir().unwrap();
        for file in std::fs::read_dir(database.directory()).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), files.path().join(file.file_name())).unwrap();
        }
        let directory = files.path().to_str().unwrap();
        let server = Server::with(&copy, &["--spool-directory", directory]);
        assert_eq!(std::fs::read_dir(directory).unwrap().count(), 0, "the files are taken in");
        assert_contents(&server.with_key(&key), &load, codes.len(), 0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failover_to_a_synchronous_standby_loses_nothing() {
    only_on!(Postgres: "a file has no standby");
    let primary = Cluster::private(&[]);
    let standby = primary.synchronous_standby();
    let proxy = Proxy::to_first_available(&[&primary, &standby]);
    let database = Database::on(&primary).with_default_owner();
    let mut scene = Scene::on(database.through(proxy.port())).await;
    primary.stop_immediately();
    scene.assert_outage_responses().await;
    standby.promote();
    scene.assert_recovered().await;
}

/// Later rows may have the same identifiers and codes as the lost ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caches_drop_changes_that_a_promoted_standby_lacks() {
    only_on!(Postgres: "a file has no standby");
    let primary = Cluster::private(&[]);
    let standby = primary.synchronous_standby();
    let proxy = Proxy::to_first_available(&[&primary, &standby]);
    let database = Arc::new(Database::on(&primary).with_default_owner().through(proxy.port()));
    let server = Server::on(&database);
    let api = server.api();
    let replicated = api.create(URL).await;
    primary.disconnect_standby(&standby);
    let lost = api.create(URL).await;
    let key = database.owner("lost", "free");
    server.with_key(&key).links().await.expect(200);
    for code in [&replicated, &lost] {
        server.anyone().head(&format!("/{code}")).await.expect(302);
    }

    primary.stop_immediately();
    eventually(TIMEOUT, "it is noticed", async || {
        server.anyone().get("/health/ready").await.status == 503
    })
    .await;
    server.anyone().head(&format!("/{lost}")).await.expect(302);
    standby.promote();
    eventually(TIMEOUT, "all is well", async || {
        server.anyone().get("/health/ready").await.status == 200
    })
    .await;
    let soon = Duration::from_secs(5);
    eventually(soon, "the link is forgotten", async || {
        server.anyone().head(&format!("/{lost}")).await.status == 404
    })
    .await;
    server.with_key(&key).links().await.problem(401, "unauthorized");
    server.anyone().head(&format!("/{replicated}")).await.expect(302);
}

/// Terse flushes its commits even if the database by default confirms them before the flush.
#[tokio::test]
async fn commits_are_flushed_if_synchronous_commit_is_off() {
    only_on!(Postgres: "a file has no such default");
    // No background flush happens during the test.
    let cluster = Cluster::private(&["synchronous_commit=off", "wal_writer_delay=10s"]);
    let direct = Arc::new(Database::on(&cluster).with_default_owner());
    let pool = Proxy::pooling(&cluster, 8);
    for database in [Arc::clone(&direct), Arc::new(direct.through(pool.port()))] {
        // The change also applies to a running server.
        cluster.sql("ALTER SYSTEM SET synchronous_commit = on");
        cluster.sql("SELECT pg_reload_conf()");
        let server = Server::on(&database);
        let api = server.with_key(direct.default_key());
        let mut codes = vec![api.create("https://example.com/").await];
        server.anyone().head(&format!("/{}", codes[0])).await.expect(302);
        cluster.sql("ALTER SYSTEM SET synchronous_commit = off");
        cluster.sql("SELECT pg_reload_conf()");
        eventually(TIMEOUT, "it is the default", async || {
            direct.sql("SHOW synchronous_commit") == "off"
        })
        .await;
        for _ in 0..3 {
            codes.push(api.create("https://example.com/").await);
        }
        for code in &codes {
            server.anyone().get(&format!("/{code}")).await.expect(302);
        }
        cluster.stop_immediately();
        cluster.start();
        eventually(TIMEOUT, "all are there", async || {
            let mut all = true;
            for code in &codes {
                let response = api.stats(code).await;
                all &= response.status == 200 && response.data()["clicks"] == 1;
            }
            all
        })
        .await;
    }
}

/// An outage may leave more clicks than a slow disk can roll up within a statement's timeout.
#[tokio::test]
async fn slow_rollup_continues_in_smaller_parts() {
    only_on!(Postgres: "a file has no such time");
    let database = Arc::new(Database::new().with_default_owner());
    database.sql(
        "INSERT INTO pending_click_batches (link_ids, counts)
         SELECT array_agg(100000 + (batch * 7919 + link * 104729) % 1000000 ORDER BY link),
             array_agg(1 ORDER BY link)
         FROM generate_series(1, 3000) AS batch, generate_series(1, 40) AS link GROUP BY batch",
    );
    // On a busy machine, the start itself may take longer than that.
    let start = |_| match Server::try_with(&database, &["--database-statement-timeout", "100"]) {
        Ok(server) => Some(server),
        Err(ended) => {
            assert!(ended.log.contains("the database was busy for too long"), "{ended:?}");
            None
        }
    };
    let server = (0..20).find_map(start).expect("the server starts");
    // Even its shortest statements may take longer than that, and are repeated.
    eventually(10 * TIMEOUT, "all clicks are rolled up", async || {
        database.sql("SELECT count(*) FROM pending_click_batches") == "0"
    })
    .await;
    assert_eq!(database.sql("SELECT sum(count) FROM click_counts"), "120000");
    eventually(TIMEOUT, "all rows are counted", async || {
        let metrics = server.anyone().get("/metrics").await.expect(200).text();
        metrics.contains("terse_click_rollup_rows_total 3000\n")
    })
    .await;
}
