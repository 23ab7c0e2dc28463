//! Continuous replication of an SQLite database by Litestream, with the sample configuration.
#![expect(clippy::disallowed_methods, reason = "an operator restores to a time of this clock")]

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::harness::{Database, Load, Process, ROOT, Server, Store, TIMEOUT, eventually, only_on};
use crate::upgrades::content::{rows, tables};

const URL: &str = "https://example.com/";
const VISITED: usize = 8;
/// Number of replicas of which one must be sound.
const ATTEMPTS: usize = 3;

/// The configuration of Litestream for one database, with its replica in a directory of its own.
struct Litestream {
    database: Arc<Database>,
    directory: tempfile::TempDir,
}

impl Litestream {
    fn new(database: &Arc<Database>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut sample =
            fs::read_to_string(format!("{ROOT}/deploy/litestream/litestream.yml")).unwrap();
        let replica = directory.path().join("replica");
        for (from, to) in [
            ("/var/lib/terse/terse.db", database.file()),
            ("/var/backups/terse/litestream", replica),
        ] {
            assert!(sample.contains(from), "{from} in:\n{sample}");
            sample = sample.replace(from, to.to_str().unwrap());
        }
        let litestream = Self { database: Arc::clone(database), directory };
        fs::write(litestream.configuration(), sample).unwrap();
        litestream
    }

    fn configuration(&self) -> PathBuf {
        self.directory.path().join("litestream.yml")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let installed = Path::new(ROOT).join("target/tools/python/bin/litestream");
        assert!(installed.exists(), "{} is missing: run scripts/tools", installed.display());
        let mut command = Command::new("sh");
        // SQLite files of Terse are private.
        let script = "umask 077; exec \"$@\"";
        command.args(["-c", script, "sh"]).arg(installed).args(arguments);
        command.arg("-config").arg(self.configuration());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// Replicates the database until the result is dropped, which replicates the rest.
    fn replicate(&self) -> Process {
        Process::spawn(self.command(&["replicate"]).stderr(Stdio::null()), "TERM")
    }

    /// Restores the replica to the file `to`.
    #[track_caller]
    fn restore(&self, to: &Database, options: &[&str]) {
        let to = to.file();
        let mut command =
            self.command(&[&["restore", "-o", to.to_str().unwrap()], options].concat());
        let output = command.arg(self.database.file()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// Waits until the replica has this link, and thus all earlier changes.
    async fn wait_for_link(&self, code: &str) {
        let query = format!("SELECT COUNT(*) FROM links WHERE short_code = '{code}'");
        eventually(TIMEOUT, "the replica has the link", async || {
            let restored = Database::of(Store::Sqlite);
            self.restore(&restored, &[]);
            restored.number(&query).await == 1
        })
        .await;
    }

    /// Returns whether the replica is sound, and panics unless it then has all rows of the database.
    #[track_caller]
    fn is_complete(&self) -> bool {
        self.database.terse(&["check"]).done();
        let restored = Database::of(Store::Sqlite);
        self.restore(&restored, &[]);
        if !is_sound(&restored) {
            return false;
        }
        for (table, columns) in tables(&self.database) {
            // Litestream has tables of its own in the database.
            if !table.starts_with("_litestream_") {
                let [found, expected] =
                    [&restored, &*self.database].map(|database| rows(database, &table, &columns));
                assert_eq!(found, expected, "rows of {table}");
            }
        }
        true
    }
}

/// Returns whether a restored database is sound. A fault of Litestream can make it corrupt, which the
/// documentation says, with what to do. Panics if it has another fault.
#[track_caller]
fn is_sound(restored: &Database) -> bool {
    let check = restored.terse(&["check", "--json"]);
    if check.code == Some(1) && check.stdout.contains(r#""check":"integrity""#) {
        let _ = writeln!(io::stderr(), "Litestream's replica is corrupt: {check:?}");
        return false;
    }
    assert_eq!(check.json(), json!([]));
    true
}

/// Terse moves the log into the file, too, but not while Litestream needs the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_has_everything_and_restores_to_a_point_in_time() {
    only_on!(Sqlite: "PostgreSQL archives its own log");
    for _ in 0..ATTEMPTS {
        if replicates_and_restores().await {
            return;
        }
    }
    panic!("{ATTEMPTS} replicas were corrupt");
}

/// Returns whether the replicas are sound, and panics if they lack anything.
async fn replicates_and_restores() -> bool {
    let server = Server::start();
    let (database, key) = (Arc::clone(server.database()), server.key().to_owned());
    let litestream = Litestream::new(&database);
    let replication = litestream.replicate();
    let mut codes = Vec::new();
    for _ in 0..VISITED {
        codes.push(server.api().create(URL).await);
    }
    let mut load = Load::paced(Duration::from_millis(1));
    load.visit(&server, 2, &codes);
    load.create(&server, 1, &key, &[]);
    load.wait_for_redirects(2_000).await;
    // While Litestream is down, the log may start again.
    drop(replication);
    load.wait_for_redirects(2_000).await;
    let replication = litestream.replicate();
    load.wait_for_redirects(2_000).await;
    load.stop();
    codes.push(server.api().create(URL).await);
    let (created, clicks) = (load.created(), load.redirected());
    litestream.wait_for_link(&codes[VISITED]).await;
    let moment = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    let later = server.api().create(URL).await;
    server.terse(&["link", "delete", &codes[0]]).done();
    let database = server.kill9();
    drop(replication);

    if !litestream.is_complete() {
        return false;
    }

    // The operator goes back in time.
    fs::remove_file(database.file()).unwrap();
    for ending in ["db-wal", "db-shm"] {
        // The last connection may have deleted them.
        let _ = fs::remove_file(database.file().with_extension(ending));
    }
    fs::remove_dir_all(database.file().with_file_name(".t.db-litestream")).unwrap();
    litestream.restore(&database, &["-timestamp", &moment]);
    if !is_sound(&database) {
        return false;
    }
    let server = Server::on(&database);
    let api = server.with_key(&key);
    let listed = api.listed().await;
    assert!(created.iter().chain(&codes).all(|code| listed.contains(code)));
    assert!(!listed.contains(&later));
    let mut counted = 0;
    for code in &codes {
        counted += api.clicks(code).await;
    }
    assert_eq!(counted, clicks);

    // From then on, Litestream replicates the restored database.
    let replication = litestream.replicate();
    let newest = api.create(URL).await;
    litestream.wait_for_link(&newest).await;
    server.terminate();
    drop(replication);
    litestream.is_complete()
}
