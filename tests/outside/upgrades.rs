//! Upgrades of stored databases, one of every earlier schema.
//!
//! The directory `upgrades/NUMBER` has the databases whose newest migration has this number, as SQL
//! statements, and commands and requests with the results of the program that made them.
//! CONTRIBUTING.md says how to add one.

pub(crate) mod content;
mod scene;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use self::content::{all_rows, assert_same_rows, dump, rows, schema, tables};
use self::steps::assert_contains;
use crate::backups::{Backups, restore};
use crate::harness::{Database, ROOT, Server, Store, find_object, run};
use crate::key_commands::with_input;
use crate::link_commands::lines;
use crate::permissions::operations;
use crate::permissions::owners::{attempt, scopes_of};

/// Variable that makes a test store its database for the tests of later schemas.
const VARIABLE: &str = "TEST_STORE_SCHEMA";

/// A stored database.
struct Stored {
    directory: PathBuf,
    store: Store,
}

/// The first schema that was stored by a program with the present names of scopes and members.
const FIRST_OF_PRESENT_NAMES: &str = "0012";

impl Stored {
    /// Returns the stored databases of this store, in the order of their schemas.
    fn all(store: Store) -> Vec<Self> {
        let entries = fs::read_dir(directory("")).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.is_dir());
        paths.sort();
        paths.into_iter().map(|directory| Self { directory, store }).collect()
    }

    fn name(&self) -> &str {
        self.directory.file_name().unwrap().to_str().unwrap()
    }

    fn file(&self, ending: &str) -> PathBuf {
        let store = match self.store {
            Store::Sqlite => "sqlite",
            Store::Postgres => "postgresql",
        };
        self.directory.join(format!("{store}.{ending}"))
    }

    fn read(&self, ending: &str) -> String {
        fs::read_to_string(self.file(ending)).unwrap()
    }

    /// Creates a database from the stored statements.
    async fn load(&self) -> Arc<Database> {
        let database = Arc::new(Database::of(self.store));
        database.execute(&self.read("sql")).await;
        if self.store == Store::Sqlite {
            fs::set_permissions(database.file(), Permissions::from_mode(0o600)).unwrap();
        }
        database
    }

    /// Repeats the stored commands and requests on the database, and compares their results.
    async fn assert_served(&self, database: &Arc<Database>) {
        let mut expected = lines(&self.read("steps.jsonl"));
        if self.name() < FIRST_OF_PRESENT_NAMES {
            expected = expected.iter().map(steps::translated).collect();
        }
        expected.iter_mut().for_each(steps::translate_changes);
        for (step, expected) in steps::run(database, &expected).await.iter().zip(&expected) {
            let step_text = format!("{}: {}", self.directory.display(), without_result(step));
            assert_contains(&step["result"], &expected["result"], &step_text);
        }
    }

    fn assert_schema(&self, upgraded: &Database, new: &Database) {
        assert_eq!(schema(upgraded), schema(new), "{}", self.directory.display());
        // The first migration adds plans, which the stored databases have not changed.
        let columns = &tables(new)["plans"];
        let plans = rows(upgraded, "plans", columns);
        for plan in rows(new, "plans", columns) {
            assert!(plans.contains(&plan), "{plan} in {plans:?}");
        }
    }

    /// Earlier schemas have the time of a suspension in its event only.
    async fn assert_times_of_suspensions(&self, upgraded: &Database) {
        let suspended = "SELECT COUNT(*) FROM owners WHERE suspended_reason IS NOT NULL";
        let known = "SELECT COUNT(*) FROM owners JOIN events ON events.owner_id = owners.id
            WHERE suspended_at = at AND action = 'owner suspend'";
        assert_eq!(upgraded.number(suspended).await, 1);
        assert_eq!(upgraded.number(known).await, 1, "{}", self.directory.display());
    }

    /// The days of earlier schemas become months.
    fn assert_usage(&self, upgraded: &Database) {
        let steps = lines(&self.read("steps.jsonl"));
        let is_report = |step: &&Value| step["command"][0] == "report";
        let months: Vec<&Value> =
            steps.iter().filter(is_report).map(|step| &step["command"][2]).collect();
        assert!(!months.is_empty());
        let mut created: BTreeMap<String, i64> = BTreeMap::new();
        for month in months {
            let month = ["--json", "--month", month.as_str().unwrap()];
            let report = upgraded.terse(&[&["report"], &month[..]].concat()).json();
            let usage = upgraded.terse(&[&["usage"], &month[..]].concat()).json();
            for row in usage.as_array().unwrap() {
                let owner = row["owner_name"].as_str().unwrap();
                let clicks = find_object(&report, "owner_name", owner)
                    .map_or(0, |row| row["clicks"].as_i64().unwrap());
                assert_eq!(row["clicks"], clicks, "{row}, {month:?}");
                *created.entry(owner.to_owned()).or_default() +=
                    row["links_created"].as_i64().unwrap();
            }
        }
        for owner in upgraded.terse(&["owner", "list", "--json"]).json().as_array().unwrap() {
            let name = owner["name"].as_str().unwrap();
            let created = created.get(name).copied().unwrap_or(0);
            let links = owner["links"].as_i64().unwrap();
            // Earlier schemas know nothing of the links that are deleted.
            let is_exact = self.name() < "0008";
            assert!(created == links || created > links && !is_exact, "{created} {owner}");
        }
    }

    fn write(&self, ending: &str, content: &str) {
        fs::write(self.file(ending), content).unwrap();
    }
}

fn without_result(step: &Value) -> Value {
    let mut step = step.clone();
    step.as_object_mut().unwrap().remove("result");
    step
}

fn directory(number: &str) -> PathBuf {
    [ROOT, "tests/outside/upgrades", number].iter().collect()
}

/// Returns the number of the newest migration of a database.
pub(crate) async fn newest_migration(database: &Database) -> i64 {
    // All names begin with the major version.
    let query = "SELECT CAST(SUBSTR(MAX(version), 4, 4) AS bigint) FROM seaql_migrations";
    database.number(query).await
}

fn directory_name(migration: i64) -> String {
    format!("{migration:04}")
}

fn new_database() -> Database {
    let database = Database::new();
    database.terse(&["migrate"]).done();
    database
}

#[tokio::test]
async fn every_schema_is_stored() {
    let newest = newest_migration(&new_database()).await;
    let numbers: Vec<String> = (1..=newest).map(directory_name).collect();
    let stored = Stored::all(Store::chosen());
    let names: Vec<&str> = stored.iter().map(Stored::name).collect();
    assert_eq!(names, numbers, "store a database of the newest schema");
}

/// An edited migration fails this test, because a new database then has another schema.
#[tokio::test]
async fn upgraded_database_is_as_a_new_one_and_has_every_stored_row() {
    let new = new_database();
    for stored in Stored::all(Store::chosen()) {
        let (upgraded, before) = (stored.load().await, stored.load().await);
        upgraded.terse(&["migrate"]).done();
        assert_same_rows(&upgraded, &before);
        assert_eq!(upgraded.terse(&["check", "--json"]).json(), json!([]));
        stored.assert_schema(&upgraded, &new);
        stored.assert_times_of_suspensions(&upgraded).await;
        stored.assert_usage(&upgraded);
    }
}

#[tokio::test]
async fn upgrading_server_shows_all_stored_content() {
    for stored in Stored::all(Store::chosen()) {
        stored.assert_served(&stored.load().await).await;
    }
}

/// Returns the table of docs/upgrading.md that says which scope a key has after an upgrade.
fn scopes_after_upgrade() -> Vec<(String, String)> {
    let text = fs::read_to_string(format!("{ROOT}/docs/upgrading.md")).unwrap();
    let table = text.split("| scope before | scope now | ").nth(1).expect("the table of scopes");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rows = rows.map(|row| {
        let mut names = row.split('`').skip(1).step_by(2).map(str::to_owned);
        (names.next().unwrap(), names.next().unwrap())
    });
    rows.collect()
}

/// Keys of an earlier program, each with its stored scope.
#[tokio::test]
async fn keys_of_earlier_programs_may_do_what_the_table_says() {
    let table = scopes_after_upgrade();
    let expected = [("read", "read"), ("create", "create"), ("full", "edit"), ("manage", "full")];
    assert_eq!(table, expected.map(|(before, now)| (before.to_owned(), now.to_owned())));
    let stored = Stored::all(Store::chosen()).into_iter().find(|stored| stored.name() == "0010");
    let (stored, database) = (stored.as_ref().unwrap(), stored.as_ref().unwrap().load().await);
    let count = "SELECT COUNT(*) FROM api_keys WHERE scope = 'full' AND revoked_at IS NULL";
    let widened = database.number(count).await;
    assert!(widened > 0);
    let migrated = database.terse(&["migrate", "--json"]).done();
    assert!(migrated.stderr.contains("may also change links"), "{}", migrated.stderr);
    assert_eq!(migrated.json()["edit_keys"], widened);
    let again = database.terse(&["migrate", "--json"]).done();
    assert!(!again.stderr.contains("may also change links"), "{}", again.stderr);
    assert_eq!(again.json()["edit_keys"], 0);

    let steps = lines(&stored.read("steps.jsonl"));
    let lists = steps.iter().filter(|step| step["command"][0] == "key");
    let listed = lists.flat_map(|step| step["result"].as_array().unwrap());
    let before: BTreeMap<i64, &str> =
        listed.map(|key| (key["id"].as_i64().unwrap(), key["scope"].as_str().unwrap())).collect();
    let server = Server::on(&database);
    let mut tried = BTreeSet::new();
    for step in steps.iter().filter(|step| step["target"] == "/api/v1/links") {
        let secret = step["key"].as_str().unwrap();
        let found = with_input(&database, &["key", "find", "--json"], secret);
        if found.code == Some(1) {
            // Its owner is deleted.
            continue;
        }
        let found = found.json();
        let before = before[&found["id"].as_i64().unwrap()];
        let (_, now) = table.iter().find(|(name, _)| name == before).unwrap();
        assert_eq!(found["scope"], *now);
        let owner = server.with_key(secret).get("/api/manage/v1/owner").await;
        if owner.status != 200 || !tried.insert(before) {
            continue;
        }
        for operation in operations(false) {
            let (attempt, _) = attempt(&operation, "spring", "999 msg_1_1");
            let response = attempt.send(&server.with_key(secret)).await;
            let is_allowed = scopes_of(&operation).contains(&now.as_str());
            let text = format!("{before}: {response:#?}");
            assert_eq!(response.status == 403, !is_allowed, "{text}");
            assert!(is_allowed || response.json()["code"] == "key-scope", "{text}");
        }
    }
    assert_eq!(tried.len(), table.len());
}

/// A restoration to PostgreSQL is a copy, which needs the newest schema.
#[tokio::test]
async fn backups_of_every_schema_are_restored() {
    let newest = directory_name(newest_migration(&new_database()).await);
    for stored in Stored::all(Store::Sqlite) {
        let (source, backups) = (stored.load().await, Backups::new());
        let backup = backups.path().join("terse-20261125T030000.000Z.db");
        fs::copy(source.file(), &backup).unwrap();
        let mut manifest: Value = serde_json::from_str(&stored.read("backup.json")).unwrap();
        // Other versions of SQLite write the same content in other bytes.
        manifest["bytes"] = fs::metadata(&backup).unwrap().len().into();
        manifest["sha256"] = crate::backups::sha256(&backup).into();
        fs::write(backup.with_extension("json"), manifest.to_string()).unwrap();
        let (file, restored) = (Database::of(Store::Sqlite), Arc::new(Database::new()));
        if restored.store() == Store::Sqlite {
            restore(&backup, &restored).done();
            // What a server shows of these rows is the subject of another test.
            assert_same_rows(&restored, &source);
            continue;
        }
        if stored.name() == newest {
            restore(&backup, &restored).done();
        } else {
            let error = restore(&backup, &restored).failed();
            assert!(error.contains("earlier schema"), "{error}");
            restore(&backup, &file).done();
            file.terse(&["migrate"]).done();
            run(&["copy", "--from", &file.url(), "--to", &restored.url()]).done();
        }
        // A copy has the newest schema, whichever its source had before.
        if ["0001", &newest].contains(&stored.name()) {
            stored.assert_served(&restored).await;
        }
    }
}

/// Creates a database as the next tests of upgrades need it, and stores it if [`VARIABLE`] is set.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_to_store_has_rows_in_every_table() {
    let (database, steps) = scene::create().await;
    for (table, rows) in all_rows(&database, &tables(&database)) {
        assert!(!rows.is_empty(), "rows of {table}");
    }
    let content = dump(&database);
    let backups = (database.store() == Store::Sqlite).then(Backups::new);
    let manifest = backups.map(|backups| {
        let backup = backups.add(&database);
        fs::read_to_string(backup.with_extension("json")).unwrap()
    });
    let steps = steps::run(&database, &steps).await;
    if std::env::var_os(VARIABLE).is_some() {
        let stored = Stored {
            directory: directory(&directory_name(newest_migration(&database).await)),
            store: database.store(),
        };
        fs::create_dir_all(&stored.directory).unwrap();
        stored.write("sql", &content);
        let lines: String = steps.iter().map(|step| format!("{step}\n")).collect();
        stored.write("steps.jsonl", &lines);
        if let Some(manifest) = manifest {
            stored.write("backup.json", &manifest);
        }
    }
}
