//! Sources of the database URL, and creation of the database.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::harness::{Database, Outcome, Server, Store, only_on, run};

/// Writes the URL into a file, with a line break as editors do.
fn url_file(database: &Database) -> PathBuf {
    let file = std::env::temp_dir()
        .join(format!("terse-url-{}", database.directory().file_name().unwrap().display()));
    fs::write(&file, format!("{}\n", database.url())).unwrap();
    file
}

/// Runs a command with these environment variables; the others name a new SQLite database.
fn run_with(arguments: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let database = Database::of(Store::Sqlite);
    let mut command = database.command();
    command.args(arguments).envs(variables.iter().copied());
    Outcome::new(arguments, &command.output().expect("terse starts"))
}

#[test]
fn url_is_read_from_a_file() {
    let database = Database::new();
    let file = url_file(&database);
    let path = file.to_str().unwrap();
    database.terse(&["migrate"]).done();
    database.owner("mine", "free");
    let list = ["owner", "list"];
    let by_option = run(&["owner", "list", "--database-url-file", path]).done().stdout;
    assert!(by_option.contains("mine"), "{by_option}");
    // `run_with` sets TERSE_DATABASE_URL, too.
    let by_variable = run_with(&list, &[("TERSE_DATABASE_URL_FILE", path)]).done().stdout;
    assert_eq!(by_variable, by_option);
    let url = database.url();
    let other = [("TERSE_DATABASE_URL_FILE", "/missing")];
    let by_url = run_with(&["owner", "list", "--database-url", &url], &other).done().stdout;
    assert_eq!(by_url, by_option, "an option takes precedence over a variable");
    let other = [("TERSE_DATABASE_URL", "sqlite:///missing"), ("TERSE_DATABASE_URL_FILE", path)];
    assert_eq!(run_with(&list, &other).done().stdout, by_option, "the file takes precedence");
    for both in [
        &["owner", "list", "--database-url", &url, "--database-url-file", path][..],
        &["--database-url-file", path, "owner", "list", "--database-url", &url],
        &["serve", "--primary-url", "postgres://h/db", "--primary-url-file", path],
    ] {
        let outcome = run(both);
        assert!(outcome.stderr.contains("-url-file cannot be used together"), "{outcome:?}");
        outcome.misused();
    }
    let error = run(&["owner", "list", "--database-url-file", "/missing"]).failed();
    assert!(error.contains("/missing"), "{error}");
    fs::remove_file(file).unwrap();
}

#[test]
fn every_command_reads_the_url_from_the_file() {
    only_on!(Sqlite: "the database plays no part");
    for command in [
        "backup /tmp",
        "block list",
        "check",
        "domain list",
        "export",
        "history",
        "import links.csv --owner acme",
        "key list acme",
        "link show code",
        "migrate",
        "operator list",
        "owner list",
        "plan list",
        "report --month 2026-01",
        "serve",
        "status",
        "undo 1",
        "usage --month 2026-01",
        "webhook list",
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let error = run_with(&arguments, &[("TERSE_DATABASE_URL_FILE", "/missing")]).failed();
        assert!(error.contains("the database URL from /missing"), "{command}: {error}");
    }
}

#[test]
fn variables_that_choose_among_several_hosts_are_rejected() {
    for (url, variable, value) in [
        ("postgres:///terse", "PGHOST", "127.0.0.1,127.0.0.2"),
        ("postgres://127.0.0.1:1/terse", "PGTARGETSESSIONATTRS", "read-write"),
    ] {
        let variables = [("TERSE_DATABASE_URL", url), (variable, value)];
        let outcome = run_with(&["owner", "list"], &variables);
        let error = &outcome.stderr;
        assert!(error.contains(variable) && error.contains("HAProxy"), "{error}");
        outcome.misused();
    }
}

#[test]
fn migrations_are_counted() {
    let database = Database::new();
    let migrate = || database.terse(&["migrate", "--json"]).json()["applied"].as_u64().unwrap();
    let all = migrate();
    assert!(all > 8, "{all}");
    assert_eq!(migrate(), 0);
    let text = format!("{:?}", Database::new().terse(&["migrate"]).done());
    assert!(text.contains(&format!("applied {all} migrations")), "{text}");
}

#[test]
fn usage_lists_no_setting_whose_variable_is_set() {
    let error = run_with(&["owner", "add"], &[("TERSE_BASE_URL", "https://go.example.org")]);
    assert!(error.stderr.contains("Usage: terse owner add"), "{error:?}");
    assert!(!error.stderr.contains("-url"), "{error:?}");
}

#[test]
fn backup_directory_is_ignored_on_postgresql() {
    only_on!(Postgres: "on SQLite, the server makes backups");
    let server = Server::with(&Arc::new(Database::new()), &["--backup-directory", "/tmp"]);
    let log = server.terminate().log;
    assert_eq!(log.matches("TERSE_BACKUP_DIRECTORY").count(), 1, "{log}");
}

#[test]
fn primary_is_ignored_on_sqlite() {
    only_on!(Sqlite: "on PostgreSQL, a standby delivers its clicks to the primary");
    let primary = ["--primary-url", "postgres://terse@127.0.0.1:1/terse"];
    let log = Server::with(&Arc::new(Database::new()), &primary).terminate().log;
    assert_eq!(log.matches("TERSE_PRIMARY_URL").count(), 1, "{log}");
}

#[test]
fn backup_of_postgresql_names_the_setting() {
    only_on!(Postgres: "on SQLite, the command makes a backup");
    let error = Database::new().migrated().terse(&["backup", "/tmp"]).failed();
    assert!(error.contains("--database-url") && error.contains("pg_dump"), "{error}");
}

#[test]
fn urls_of_a_copy_are_read_from_files() {
    let (from, to) = (Database::new(), Database::new());
    from.terse(&["migrate"]).done();
    from.owner("mine", "free");
    let files = [url_file(&from), url_file(&to)];
    let [source, target] = files.each_ref().map(|file| file.to_str().unwrap());
    run(&["copy", "--from-file", source, "--to-file", target]).done();
    assert!(to.terse(&["owner", "list"]).done().stdout.contains("mine"));
    run(&["copy", "--from-file", source, "--from", &from.url(), "--to", &to.url()]).misused();
    run(&["copy", "--from-file", source]).misused();
    for file in files {
        fs::remove_file(file).unwrap();
    }
}

/// After `migrate --create`, `serve` can use `mode=rw`, which creates nothing on an unmounted volume.
#[tokio::test]
async fn migrate_creates_the_database_and_the_first_owner() {
    let database = Arc::new(Database::new());
    let url = database.url().replace("mode=rwc", "mode=rw");
    let create = ["migrate", "--create", "--database-url", &url];
    let key = database.terse(&create).key();
    let again = database.terse(&create).done();
    assert_eq!(again.stdout, "", "the database has an owner already");
    let server = Server::with(&database, &["--database-url", &url]);
    assert_eq!(server.stdout(), "");
    server.with_key(&key).create("https://example.com/").await;
}

#[test]
fn first_owner_is_not_created_again_after_its_deletion() {
    let database = Arc::new(Database::new());
    let create = ["migrate", "--create"];
    database.terse(&create).key();
    database.terse(&["owner", "delete", "default", "--confirm", "default"]).done();
    let again = database.terse(&create).done();
    assert_eq!(again.stdout, "");
    assert_eq!(Server::with(&database, &[]).stdout(), "");
}

#[test]
fn first_line_of_the_log_names_the_database() {
    only_on!(Sqlite: "PostgreSQL has no path");
    let database = Arc::new(Database::new());
    fs::write(database.directory().join("blocks"), "evil.example\n").unwrap();
    let server = Server::with(&database, &["--block-file", "blocks"]);
    let log = server.log();
    let first = log.lines().next().unwrap();
    assert!(first.contains(database.file().to_str().unwrap()), "{first}");
}

#[test]
fn empty_file_and_missing_directory_are_named() {
    only_on!(Sqlite: "the database is a file");
    let database = Database::new();
    let url = |path: &str| format!("sqlite://{}/{path}", database.directory().display());
    let empty = database.directory().join("empty.db");
    fs::write(&empty, "").unwrap();
    let existing = format!("{}?mode=rw", url("empty.db"));
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    for command in [&serve[..], &["owner", "list"], &["migrate"], &["check"]] {
        let error = run(&[command, &["--database-url", &existing]].concat()).failed();
        let expected = format!(
            "terse: the file {} is empty: `terse migrate --create` makes a database in it",
            empty.display()
        );
        assert_eq!(error, expected);
    }
    let missing = url("missing/terse.db");
    for command in [&serve[..], &["owner", "list"], &["migrate"], &["migrate", "--create"]] {
        let error = run(&[command, &["--database-url", &missing]].concat()).failed();
        let expected = format!(
            "terse: the directory {}/missing of the database does not exist",
            database.directory().display()
        );
        assert_eq!(error, expected);
    }
    run(&["migrate", "--create", "--database-url", &existing]).done();
    run(&["owner", "list", "--database-url", &existing]).done();
}
