//! SIGKILL during backups and restorations.

use std::fs;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Backups, manifest_path, names_in, restore};
use crate::harness::{Database, Load, Outcome, Server, Store, only_on, run};

const LINKS: usize = 3;
const IMPORTED: usize = 20_000;

/// Runs a command on the database, and kills it after `delay`. Returns whether it had ended before.
fn kill_after(database: &Database, arguments: &[&str], delay: Duration) -> bool {
    let mut command = database.command();
    let command = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = command.spawn().expect("terse starts");
    std::thread::sleep(delay);
    let has_ended = process.try_wait().unwrap().is_some();
    process.kill().unwrap();
    process.wait().unwrap();
    has_ended
}

/// Returns the time that a command takes.
fn time_of(work: impl FnOnce() -> Outcome) -> Duration {
    let begun = Instant::now();
    work().done();
    begun.elapsed()
}

/// Kills backups and restorations while clients use the server. Each kill comes a little later than
/// the one before, until the command would have ended. If a command has ended before its kill, the
/// next kills come sooner.
async fn kill_backups_and_restorations(kills: u32) {
    let server = Server::start();
    let (api, key) = (server.api(), server.key().to_owned());
    let rows: String = (0..IMPORTED).map(|row| format!("https://example.com/{row}\n")).collect();
    let file = server.database().directory().join("in.csv");
    fs::write(&file, format!("destination_url\n{rows}")).unwrap();
    server.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    let mut codes = Vec::new();
    for _ in 0..LINKS {
        codes.push(api.create("https://example.com/").await);
    }
    let mut load = Load::paced(Duration::from_millis(1));
    load.visit(&server, 4, &codes);
    load.create(&server, 1, &key, &[]);
    let (backups, database) = (Backups::new(), Arc::clone(server.database()));
    let backup = ["backup", backups.argument(), "--keep", "3"];
    let mut backup_time = time_of(|| database.terse(&backup));
    let first = backups.backups().remove(0);
    let mut restore_time = time_of(|| restore(&first, &Database::of(Store::Sqlite)));
    let half = kills / 2;
    let (mut killed, mut answered) = (0, load.redirected());
    for number in 0..half {
        let complete = backups.backups().len();
        let delay = backup_time * number / half;
        if kill_after(&database, &backup, delay) {
            backup_time = delay;
        } else {
            killed += 1;
        }
        for backup in backups.backups() {
            assert!(manifest_path(&backup).exists(), "{:?}", backups.names());
        }
        assert!(backups.backups().len() >= complete.min(3), "earlier backups are whole");
    }
    answered = answered.max(load.redirected());
    let created = load.created();
    database.terse(&backup).done();
    assert!(backups.names().len() <= 6, "leftovers are removed: {:?}", backups.names());
    let last = backups.backups().pop().unwrap();
    let target = Arc::new(Database::of(Store::Sqlite));
    let arguments = ["restore", last.to_str().unwrap(), "--to", &target.url()].map(str::to_owned);
    let arguments = arguments.each_ref().map(String::as_str);
    for number in 0..half {
        let delay = restore_time * number / half;
        if kill_after(&database, &arguments, delay) {
            restore_time = delay;
        } else {
            killed += 1;
        }
        if target.file().exists() {
            run(&["check", "--database-url", &target.url()]).done();
            fs::remove_file(target.file()).unwrap();
        }
    }
    assert!(killed > half, "{killed} of {kills} kills came before the end");
    run(&arguments).done();
    assert_eq!(names_in(target.directory()), ["t.db"]);
    load.stop();
    load.assert_counted(&api).await;
    for database in [&database, &target] {
        database.terse(&["check"]).done();
    }
    let target = Server::on(&target);
    let api = target.with_key(&key);
    let listed = api.listed().await;
    assert!(created.iter().all(|code| listed.contains(code)));
    let mut clicks = 0;
    for code in &codes {
        clicks += api.clicks(code).await;
    }
    assert!(clicks >= answered, "{clicks} clicks of {answered} redirects before the backup");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_backups_and_restorations_lose_nothing() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    kill_backups_and_restorations(16).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn killed_200_backups_and_restorations_lose_nothing() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    kill_backups_and_restorations(200).await;
}
