//! SIGKILL during backups and restorations.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use super::{Backups, manifest_path, names_in, restore};
use crate::harness::{CommandKills, Database, Load, Server, Store, only_on, run};

const LINKS: usize = 3;
const IMPORTED: usize = 20_000;

/// Kills backups and restorations while clients use the server.
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
    let half = kills / 2;
    let mut killed_backups = CommandKills::new(half, || database.terse(&backup));
    let first = backups.backups().remove(0);
    let mut killed_restorations =
        CommandKills::new(half, || restore(&first, &Database::of(Store::Sqlite)));
    for _ in 0..half {
        let complete = backups.backups().len();
        killed_backups.kill(&database, &backup);
        for backup in backups.backups() {
            assert!(manifest_path(&backup).exists(), "{:?}", backups.names());
        }
        assert!(backups.backups().len() >= complete.min(3), "earlier backups are whole");
    }
    let (answered, created) = (load.redirected(), load.created());
    database.terse(&backup).done();
    assert!(backups.names().len() <= 6, "leftovers are removed: {:?}", backups.names());
    let last = backups.backups().pop().unwrap();
    let target = Arc::new(Database::of(Store::Sqlite));
    let arguments = ["restore", last.to_str().unwrap(), "--to", &target.url()].map(str::to_owned);
    let arguments = arguments.each_ref().map(String::as_str);
    for _ in 0..half {
        killed_restorations.kill(&database, &arguments);
        if target.file().exists() {
            run(&["check", "--database-url", &target.url()]).done();
            fs::remove_file(target.file()).unwrap();
        }
    }
    let killed = killed_backups.interrupted() + killed_restorations.interrupted();
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
