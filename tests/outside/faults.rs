//! PostgreSQL goes away under load and comes back: it is crashed, halted, or replaced by its standby.
//!
//! While it is away cached links redirect and the rest is 503; when it is back nothing is missing of
//! what was answered, and nothing is there twice.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{
    Api, Cluster, Database, Load, Proxy, Server, Store, TIMEOUT, eventually, only_on,
};

const URL: &str = "https://example.com/";
/// Between two requests of a client: what is in the cache is answered faster than two processors
/// would like.
const PACE: Duration = Duration::from_millis(5);
/// How long an outage lasts at least.
const OUTAGE: Duration = Duration::from_secs(3);

/// Two servers of one database with clients at work.
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
            // What is in the cache stays there.
            for code in &scene.codes {
                server.anyone().head(&format!("/{code}")).await.expect(302);
            }
            scene.load.visit(server, 8, &scene.codes);
            scene.load.create(server, 2, server.key(), &[503]);
        }
        scene.load.answers(500).await;
        scene
    }

    async fn all_are_ready(&self, status: u16) {
        for server in &self.servers {
            eventually(TIMEOUT, &format!("readiness turns {status}"), async || {
                server.anyone().get("/health/ready").await.status == status
            })
            .await;
        }
    }

    /// What holds while the database is away.
    async fn go_on_without(&self) {
        let beginning = Instant::now();
        self.all_are_ready(503).await;
        while beginning.elapsed() < OUTAGE {
            for server in &self.servers {
                let (api, anyone) = (server.api(), server.anyone());
                api.shorten(&json!({"url": URL})).await.problem(503, "unavailable");
                api.stats(&self.codes[0]).await.problem(503, "unavailable");
                anyone.get("/not-cached").await.expect(503);
                anyone.get("/health/live").await.expect(200);
                anyone.get("/health/ready").await.expect(503);
            }
            self.load.answers(200).await;
        }
    }

    /// Everything is again as if nothing had been.
    async fn all_is_well(&mut self) {
        self.all_are_ready(200).await;
        let mut tries = 0;
        for server in &self.servers {
            eventually(TIMEOUT, "links are made again", async || {
                tries += 1;
                server.api().shorten(&json!({"url": URL})).await.status == 201
            })
            .await;
        }
        self.load.answers(200).await;
        assert_eq!(self.load.stop(), 0, "nobody was cut off");
        nothing_is_missing(&self.servers, &self.load, self.codes.len() + tries, 0).await;
    }
}

/// What was answered is there, beside these links of the test's own, and no more than was asked for.
async fn nothing_is_missing(servers: &[Server], load: &Load, own: usize, unanswered: usize) {
    for server in servers {
        eventually(TIMEOUT, "clicks that waited are stored", async || {
            let metrics = server.anyone().get("/metrics").await.text();
            metrics.lines().any(|line| line == "terse_clicks_pending 0")
        })
        .await;
    }
    is_all_there(&servers[0].api(), load, own, unanswered).await;
}

async fn is_all_there(api: &Api, load: &Load, own: usize, unanswered: usize) {
    load.is_counted(api).await;
    let (listed, created) = (api.listed().await, load.created());
    let missing: Vec<_> = created.iter().filter(|code| !listed.contains(*code)).collect();
    assert!(missing.is_empty(), "{missing:?} were answered with 201");
    // Of a creation that was answered with 503 nobody knows.
    let most = own + created.len() + load.refused() + unanswered;
    assert!(listed.len() <= most, "{} of at most {most}", listed.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_postgresql_is_survived() {
    only_on!(Postgres: "a file does not go away");
    let cluster = Cluster::private(&[]);
    let mut scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    cluster.stop_immediately();
    scene.go_on_without().await;
    cluster.start();
    scene.all_is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_halt_of_postgresql_is_survived() {
    only_on!(Postgres: "a file does not go away");
    let cluster = Cluster::private(&[]);
    let mut scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    cluster.pause();
    scene.go_on_without().await;
    cluster.resume();
    scene.all_is_well().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_outlive_servers_that_stop_in_an_outage() {
    only_on!(Postgres: "a file does not go away");
    let cluster = Cluster::private(&[]);
    let scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    cluster.stop_immediately();
    scene.go_on_without().await;
    let Scene { database, servers, mut load, codes } = scene;
    let spooled = || std::fs::read_dir(database.directory()).unwrap().count();
    assert_eq!(spooled(), 0);
    let count = servers.len();
    for server in servers {
        let ended = server.terminate();
        assert_eq!(ended.code, Some(0), "{}", ended.log);
    }
    assert_eq!(spooled(), count, "each leaves a file");
    let cut = load.stop();
    cluster.start();
    // Both find both files.
    let servers: Vec<Server> = std::thread::scope(|scope| {
        let starts = [(); 2].map(|()| scope.spawn(|| Server::on(&database)));
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert_eq!(spooled(), 0, "the files are taken in");
    nothing_is_missing(&servers, &load, codes.len(), cut).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_of_an_outage_are_counted_once_in_a_copy_too() {
    only_on!(Postgres: "a file does not go away");
    let cluster = Cluster::private(&[]);
    let scene = Scene::on(Database::on(&cluster).with_default_owner()).await;
    // What is under way now is done when it goes on, and nobody hears of it.
    cluster.pause();
    scene.go_on_without().await;
    let Scene { database, servers, mut load, codes } = scene;
    let key = servers[0].key().to_owned();
    assert_eq!(load.stop(), 0, "nobody was cut off");
    for server in servers {
        assert_eq!(server.terminate().code, Some(0));
    }
    cluster.resume();
    for to in [Store::Postgres, Store::Sqlite] {
        let copy = Arc::new(Database::of(to));
        eventually(TIMEOUT, "what was under way is done", async || {
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
        is_all_there(&server.with_key(&key), &load, codes.len(), 0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_takes_over_and_nothing_is_lost() {
    only_on!(Postgres: "a file has no standby");
    let primary = Cluster::private(&[]);
    let standby = primary.synchronous_standby();
    let proxy = Proxy::to_first_available(&[&primary, &standby]);
    let database = Database::on(&primary).with_default_owner();
    let mut scene = Scene::on(database.through(proxy.port())).await;
    primary.stop_immediately();
    scene.go_on_without().await;
    standby.promote();
    scene.all_is_well().await;
}

/// The same numbers and codes may soon be others'.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_standby_that_takes_over_has_not_seen_is_forgotten() {
    only_on!(Postgres: "a file has no standby");
    let primary = Cluster::private(&[]);
    let standby = primary.synchronous_standby();
    let proxy = Proxy::to_first_available(&[&primary, &standby]);
    let database = Arc::new(Database::on(&primary).with_default_owner().through(proxy.port()));
    let server = Server::on(&database);
    let api = server.api();
    let kept = api.create(URL).await;
    primary.disconnect_standby(&standby);
    let lost = api.create(URL).await;
    let key = database.owner("lost", "free");
    server.with_key(&key).links().await.expect(200);
    for code in [&kept, &lost] {
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
    server.anyone().head(&format!("/{kept}")).await.expect(302);
}

/// The database's own default may be to answer before: what Terse answers is there all the same.
#[tokio::test]
async fn what_is_answered_is_on_the_disk_whatever_the_default_is() {
    only_on!(Postgres: "a file has no such default");
    // So long that nothing is written by the way.
    let cluster = Cluster::private(&["synchronous_commit=off", "wal_writer_delay=10s"]);
    let direct = Arc::new(Database::on(&cluster).with_default_owner());
    let pool = Proxy::pooling(&cluster, 8);
    for database in [Arc::clone(&direct), Arc::new(direct.through(pool.port()))] {
        // Changed under a server that runs, too.
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
                let answer = api.stats(code).await;
                all &= answer.status == 200 && answer.data()["clicks"] == 1;
            }
            all
        })
        .await;
    }
}

/// What an outage has left may be more than a slow disk adds up within the time of a statement.
#[tokio::test]
async fn what_takes_too_long_at_once_is_added_up_bit_by_bit() {
    only_on!(Postgres: "a file has no such time");
    let database = Arc::new(Database::new().with_default_owner());
    database.sql(
        "INSERT INTO pending_click_batches (link_ids, counts)
         SELECT array_agg(100000 + (batch * 7919 + link * 104729) % 1000000 ORDER BY link),
             array_agg(1 ORDER BY link)
         FROM generate_series(1, 3000) AS batch, generate_series(1, 40) AS link GROUP BY batch",
    );
    let server = Server::with(&database, &["--database-statement-timeout", "100"]);
    eventually(TIMEOUT, "all is added up", async || {
        database.sql("SELECT count(*) FROM pending_click_batches") == "0"
    })
    .await;
    assert_eq!(database.sql("SELECT sum(count) FROM click_counts"), "120000");
    eventually(TIMEOUT, "all are told of", async || {
        let metrics = server.anyone().get("/metrics").await.expect(200).text();
        metrics.contains("terse_click_rollup_rows_total 3000\n")
    })
    .await;
}
