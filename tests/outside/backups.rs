//! `terse backup` and `terse restore`.

mod damage;
mod kills;
mod schedule;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{Database, Load, Outcome, Server, Store, only_on, run};
use crate::upgrades::newest_migration;

const URL: &str = "https://example.com/";

/// A directory of backups, which is removed when this value is dropped.
pub(crate) struct Backups(tempfile::TempDir);

impl Backups {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn argument(&self) -> &str {
        self.path().to_str().unwrap()
    }

    /// Returns the names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names_in(self.path())
    }

    /// Returns the paths of the backups, oldest first.
    pub(crate) fn backups(&self) -> Vec<PathBuf> {
        let names = self.names().into_iter().filter(|name| name.ends_with(".db"));
        names.map(|name| self.path().join(name)).collect()
    }

    /// Backs up a database, and returns the path of the backup.
    #[track_caller]
    pub(crate) fn add(&self, database: &Database) -> PathBuf {
        let outcome = database.terse(&["backup", self.argument()]).done();
        PathBuf::from(outcome.stdout.trim_end())
    }
}

pub(crate) fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn restore(backup: &Path, to: &Database) -> Outcome {
    run(&["restore", backup.to_str().unwrap(), "--to", &to.url()])
}

fn manifest_path(backup: &Path) -> PathBuf {
    backup.with_extension("json")
}

fn read_manifest(backup: &Path) -> Value {
    serde_json::from_slice(&fs::read(manifest_path(backup)).unwrap()).unwrap()
}

pub(crate) fn sha256(file: &Path) -> String {
    let output = Command::new("sha256sum").arg(file).output().expect("sha256sum is installed");
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

/// Returns a migrated database with one owner and this number of links with a click each.
pub(crate) fn database_with_links(links: usize) -> Database {
    let database = Database::of(Store::Sqlite);
    database.terse(&["migrate"]).done();
    database.owner("me", "unlimited");
    let rows: String = (0..links).map(|link| format!("{URL}{link},1\n")).collect();
    let file = database.directory().join("in.csv");
    fs::write(&file, format!("destination_url,clicks\n{rows}")).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "me"]).done();
    fs::remove_file(file).unwrap();
    database
}

#[tokio::test]
async fn restored_backup_has_all_links_and_clicks_before_it() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let server = Server::start();
    let (api, key) = (server.api(), server.key().to_owned());
    let codes = [api.create(URL).await, api.create(URL).await];
    let retired = api.create(URL).await;
    server.terse(&["link", "delete", &retired]).done();
    let backups = Backups::new();
    let mut load = Load::default();
    load.visit(&server, 8, &codes);
    load.create(&server, 2, &key, &[]);
    load.wait_for_redirects(500).await;
    let (redirected, created) = (load.redirected(), load.created());
    let backup = backups.add(server.database());
    load.wait_for_redirects(100).await;
    assert_eq!(load.stop(), 0, "no client lost its connection");
    load.assert_counted(&api).await;

    let restored = Arc::new(Database::of(Store::Sqlite));
    let outcome = restore(&backup, &restored).done();
    assert!(outcome.stderr.contains("deleted"), "{outcome:?}");
    let manifest = read_manifest(&backup);
    assert_eq!(mode(&restored.file()), 0o600);
    let restored = Server::on(&restored);
    let api = restored.with_key(&key);
    let listed = api.listed().await;
    assert!(created.iter().all(|code| listed.contains(code)), "each created link is restored");
    assert_eq!(manifest["links"], listed.len());
    let clicks = api.clicks(&codes[0]).await + api.clicks(&codes[1]).await;
    assert!(clicks >= redirected, "{clicks} clicks after {redirected} redirects");
    assert_eq!(manifest["clicks"], clicks);
    restored.anyone().get(&format!("/{retired}")).await.expect(410);
}

#[tokio::test]
async fn backup_has_a_manifest_and_is_private() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (database, backups) = (database_with_links(3), Backups::new());
    let json = database.terse(&["backup", backups.argument(), "--json"]).json();
    let [backup] = backups.backups().try_into().unwrap();
    let name = backup.file_name().unwrap().to_str().unwrap();
    let digits = name.replace(|letter: char| letter.is_ascii_digit(), "0");
    assert_eq!(digits, "terse-00000000T000000.000Z.db");
    assert_eq!(backups.names(), [name.to_owned(), name.replace(".db", ".json")]);
    for file in [&backup, &manifest_path(&backup)] {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    let manifest = read_manifest(&backup);
    let newest = newest_migration(&database).await;
    let schema = manifest["schema"].as_str().unwrap();
    assert!(schema.starts_with(&format!("m1_{newest:04}_")), "{schema}");
    assert_eq!((&manifest["links"], &manifest["clicks"]), (&json!(3), &json!(3)));
    assert_eq!(manifest["sha256"], sha256(&backup));
    assert_eq!(json["backup"], backup.to_str().unwrap());
    assert_eq!(json["sha256"], manifest["sha256"]);
}

#[test]
fn keep_option_deletes_only_the_oldest_backups() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (database, backups) = (database_with_links(1), Backups::new());
    fs::write(backups.path().join("notes.db"), "mine").unwrap();
    fs::write(backups.path().join("terse-20200101T000000.000Z.db"), "without manifest").unwrap();
    let first = backups.add(&database);
    let second = backups.add(&database);
    database.terse(&["backup", backups.argument(), "--keep", "2"]).done();
    assert!(!first.exists() && !manifest_path(&first).exists());
    assert!(second.exists() && manifest_path(&second).exists());
    assert_eq!(backups.names().len(), 6, "{:?}", backups.names());
    database.terse(&["backup", backups.argument(), "--keep", "0"]).misused();
}

#[test]
fn leftovers_of_interrupted_backups_are_removed() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (database, backups) = (database_with_links(1), Backups::new());
    for name in ["db.partial", "json.partial", "db.partial-wal", "json"] {
        let name = format!("terse-20260101T000000.000Z.{name}");
        fs::write(backups.path().join(name), "incomplete").unwrap();
    }
    backups.add(&database);
    assert_eq!(backups.names().len(), 2, "{:?}", backups.names());
}

#[test]
fn unusable_directory_is_an_error() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let database = database_with_links(1);
    let before = names_in(database.directory());
    let file = database.file();
    for directory in ["missing", file.to_str().unwrap()] {
        let error = database.terse(&["backup", directory]).failed();
        assert!(error.contains(directory), "{error}");
    }
    assert_eq!(names_in(database.directory()), before);
}

#[test]
fn full_disk_leaves_no_partial_files() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (database, backups) = (database_with_links(3_000), Backups::new());
    let complete = backups.add(&database);
    let expected = backups.names();
    let limit = |arguments: &[&str]| {
        let terse = database.command();
        let mut command = Command::new("prlimit");
        command.arg("--fsize=300000").arg(terse.get_program()).args(arguments);
        command.env("TERSE_DATABASE_URL", database.url());
        Outcome::new(arguments, &command.output().expect("prlimit is installed"))
    };
    limit(&["backup", backups.argument()]).failed();
    assert_eq!(backups.names(), expected);
    let target = Database::of(Store::Sqlite);
    limit(&["restore", complete.to_str().unwrap(), "--to", &target.url()]).failed();
    assert_eq!(names_in(target.directory()), Vec::<String>::new());
}

#[tokio::test]
async fn spooled_clicks_are_in_the_backup() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (server, backups) = (Server::start(), Backups::new());
    let code = server.api().create(URL).await;
    let key = server.key().to_owned();
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let ended = server.terminate();
    let read_only = ended.database.url().replace("mode=rwc", "mode=ro");
    let reader = Server::with(&ended.database, &["--database-url", &read_only]);
    reader.anyone().get(&format!("/{code}")).await.expect(302);
    assert_eq!(reader.terminate().code, Some(0));
    let has_spool =
        || names_in(ended.database.directory()).iter().any(|name| name.ends_with(".json"));
    assert!(has_spool());

    let backup = backups.add(&ended.database);
    assert!(!has_spool(), "the clicks are stored");
    let restored = Arc::new(Database::of(Store::Sqlite));
    restore(&backup, &restored).done();
    assert_eq!(Server::on(&restored).with_key(&key).clicks(&code).await, 2);
}

#[tokio::test]
async fn backup_is_restored_into_postgresql() {
    only_on!(Postgres: "the test needs both databases");
    let source = Arc::new(Database::of(Store::Sqlite));
    let server = Server::on(&source);
    let (code, key) = (server.api().create(URL).await, server.key().to_owned());
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let backups = Backups::new();
    let backup = backups.add(&source);
    let target = Arc::new(Database::of(Store::Postgres));
    restore(&backup, &target).done();
    restore(&backup, &target).failed();
    assert_eq!(Server::on(&target).with_key(&key).clicks(&code).await, 1);
    assert_eq!(backups.names().len(), 2, "the backup is only read");
}

#[test]
fn backup_of_postgresql_is_rejected_with_a_hint_at_pg_dump() {
    only_on!(Postgres: "SQLite has its own backups");
    let (database, backups) = (Database::new(), Backups::new());
    let error = database.terse(&["backup", backups.argument()]).failed();
    assert!(error.contains("pg_dump"), "{error}");
    assert!(database.is_untouched());
}
