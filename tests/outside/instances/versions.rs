//! Two instances that are upgraded from an earlier program, and go back to it, under traffic.
//!
//! Here, the program under test is the earlier one. `scripts/upgrade` compiles it and runs this
//! test.

use std::env;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Database, Load, Server};
use crate::link_commands::lines;

/// Number of redirects that each pair of versions serves.
const REDIRECTS: u64 = 300;

/// Returns a command that runs the later program with this database.
fn later(database: &Database) -> Command {
    let program = env::var_os("TEST_LATER_PROGRAM").expect("scripts/upgrade sets the variable");
    let earlier = database.command();
    let mut command = Command::new(program);
    command.current_dir(database.directory());
    for (name, value) in earlier.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

fn serve_later(database: &Arc<Database>) -> Server {
    let mut command = later(database);
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    Server::run(database, command)
}

#[ignore = "needs an earlier program, which takes minutes to compile"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn upgrade_and_return_lose_nothing_under_traffic() {
    let first = Server::start();
    let (database, key) = (Arc::clone(first.database()), first.key().to_owned());
    let api = first.with_key(&key);
    let mut codes = Vec::new();
    for number in 0..3 {
        codes.push(api.create(&format!("https://example.org/{number}")).await);
    }

    let mut load = Load::paced(Duration::from_millis(2));
    let mut attend = async |server: &Server| {
        load.visit(server, 2, &codes);
        load.create(server, 1, &key, &[]);
        load.wait_for_redirects(REDIRECTS).await;
    };
    let second = Server::on(&database);
    attend(&first).await;
    attend(&second).await;

    let mut servers = Vec::from([first, second]);
    let programs = [serve_later, serve_later, Server::on, Server::on];
    for (number, serve) in programs.into_iter().enumerate() {
        let ended = servers.remove(0).terminate();
        assert_eq!(ended.code, Some(0), "{}", ended.log);
        assert!(!ended.log.contains(r#""level":"ERROR""#), "{}", ended.log);
        let server = serve(&database);
        attend(&server).await;
        servers.push(server);
        if number == 1 {
            assert!(later(&database).arg("check").status().unwrap().success());
        }
    }
    load.stop();

    load.assert_counted(&servers[0].with_key(&key)).await;
    let export = database.terse(&["export", "--format", "jsonl"]).done().stdout;
    let exported: Vec<_> = lines(&export).iter().map(|link| link["short_code"].clone()).collect();
    let created = load.created();
    assert!(!created.is_empty(), "the clients created no links");
    for code in created {
        assert!(exported.contains(&code.clone().into()), "{code} is missing");
    }
    database.terse(&["check"]).done();
}
