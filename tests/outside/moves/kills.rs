//! SIGKILL during copies, the step of a move that changes a database.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{URL, directions};
use crate::harness::{
    CommandKills, Database, Load, Outcome, Server, Store, TIMEOUT, eventually, run, run_on_threads,
};
use crate::link_commands::lines;

/// Enough for a copy that takes much longer than the start of the command.
const LINKS: u64 = 4_000;

fn copy_arguments(from: &Database, to: &Database) -> [String; 5] {
    ["copy", "--from", &from.url(), "--to", &to.url()].map(str::to_owned)
}

fn copy(from: &Database, to: &Database) -> Outcome {
    run(&copy_arguments(from, to).each_ref().map(String::as_str))
}

/// Returns the links that the database exports; none if it has no schema yet.
fn exported_links(database: &Database) -> Vec<Value> {
    lines(&database.terse(&["export", "--json"]).stdout)
}

/// Kills copies of a database while clients use it. A killed copy leaves a target without rows, or
/// is complete.
async fn kill_copies((from, to): (Store, Store), kills: u32) {
    let source = Arc::new(Database::of(from).with_default_owner());
    let server = Server::on(&source);
    let (api, key) = (server.api(), server.key().to_owned());
    let mut rows = "destination_url,clicks\n".to_owned();
    for row in 0..LINKS {
        writeln!(rows, "{URL}{row},{row}").unwrap();
    }
    let file = source.directory().join("in.csv");
    std::fs::write(&file, rows).unwrap();
    server.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    let codes = [api.create(URL).await, api.create(URL).await];
    let mut load = Load::paced(Duration::from_millis(2));
    load.visit(&server, 2, &codes);
    load.create(&server, 1, &key, &[503]);

    let new_target = || Arc::new(Database::of(to));
    let mut killed = CommandKills::new(kills, || copy(&source, &new_target()));
    let mut target = new_target();
    for _ in 0..kills {
        let arguments = copy_arguments(&source, &target);
        killed.kill(&source, &arguments.each_ref().map(String::as_str));
        eventually(TIMEOUT, "its statements end", async || target.is_idle()).await;
        let links = exported_links(&target);
        if !links.is_empty() {
            assert!(links.len() as u64 > LINKS, "{} links", links.len());
            let clicks: u64 = links.iter().map(|link| link["clicks"].as_u64().unwrap()).sum();
            assert!(clicks >= (0..LINKS).sum(), "{clicks} clicks");
            target.terse(&["check"]).done();
            target = new_target();
        }
    }
    let interrupted = killed.interrupted();
    assert!(interrupted > kills / 2, "{interrupted} of {kills} kills came before the end");
    load.stop();
    load.assert_counted(&api).await;
    load.assert_refused_by_disk(&server.terminate().log);
    source.terse(&["check"]).done();

    copy(&source, &target).done();
    target.terse(&["check"]).done();
    assert_eq!(exported_links(&target), exported_links(&source));
    let server = Server::on(&target);
    load.visit(&server, 2, &codes);
    load.wait_for_redirects(100).await;
    server.kill9();
    load.stop();
    let server = Server::on(&target);
    let api = server.with_key(&key);
    load.assert_counted(&api).await;
    let listed = api.listed().await;
    assert!(load.created().iter().all(|code| listed.contains(code)));
    target.terse(&["check"]).done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_copies_lose_nothing() {
    for &stores in directions() {
        kill_copies(stores, 8).await;
    }
}

#[test]
#[ignore = "long"]
fn killed_200_copies_lose_nothing() {
    let stores = directions().iter().cycle().take(2);
    run_on_threads(stores, async |&stores| kill_copies(stores, 100).await);
}
