//! SIGKILL during work: the database contains all confirmed writes.

use std::collections::BTreeSet;

use crate::harness::{Api, Load, Server, only_on};

const URL: &str = "https://example.com/";
const LINKS: usize = 6;
const VISITORS: usize = 64;
const CREATORS: usize = 6;

async fn create_links(api: &Api, wanted: usize) -> Vec<String> {
    let mut codes = Vec::new();
    for _ in 0..wanted {
        codes.push(api.create(URL).await);
    }
    codes
}

/// Checks that all earlier and created links exist, and no others except those of unanswered
/// requests.
async fn assert_listed(api: &Api, load: &Load, before: &BTreeSet<String>, unanswered: usize) {
    let (now, created) = (api.listed().await, load.created());
    let missing: Vec<&String> = created.iter().filter(|code| !now.contains(*code)).collect();
    assert!(missing.is_empty(), "{missing:?} had a 201 response");
    assert!(before.is_subset(&now), "links of before are there");
    assert!(now.len() <= before.len() + created.len() + unanswered, "no other links exist");
}

/// Returns the number of redirects before the kill of a round, so that each kill is at another
/// moment.
fn redirects_before_kill(round: u64) -> u64 {
    700 + 431 * round
}

async fn kill_during_work(rounds: u64) {
    let mut server = Server::start();
    let key = server.key().to_owned();
    let codes = create_links(&server.api(), LINKS).await;
    let before = server.api().listed().await;
    let (mut load, mut cut) = (Load::default(), 0);
    for round in 0..rounds {
        load.visit(&server, VISITORS, &codes);
        load.create(&server, CREATORS, &key, &[]);
        load.wait_for_redirects(redirects_before_kill(round)).await;
        let database = server.kill9();
        cut += load.stop();

        server = Server::on(&database);
        let api = server.with_key(&key);
        load.assert_counted(&api).await;
        assert_listed(&api, &load, &before, cut).await;
    }
}

/// Kills two instances on one database alternately. Besides the many visitors of one link, some
/// visitors have a link of their own; a kill leaves at most one click of each in doubt.
async fn kill_one_of_two(kills: u64) {
    let first = Server::start();
    let key = first.key().to_owned();
    let hot = create_links(&first.api(), 1).await;
    let before = first.api().listed().await;
    let mut servers = vec![Server::on(first.database()), first];
    let (mut load, mut own) = (Load::default(), Vec::new());
    for round in 0..=kills {
        // All clients start at the beginning, later only those of the restarted server.
        for server in servers.iter().skip(usize::from(round > 0)) {
            load.visit(server, VISITORS, &hot);
            load.create(server, CREATORS / 2, &key, &[]);
            for code in create_links(&server.with_key(&key), 4).await {
                load.visit(server, 1, std::slice::from_ref(&code));
                own.push(code);
            }
        }
        load.wait_for_redirects(redirects_before_kill(round)).await;
        if round < kills {
            let database = servers.remove(0).kill9();
            servers.push(Server::on(&database));
        }
    }
    let cut = load.stop();
    assert!(cut > 0, "clients were cut off");
    let api = servers[0].with_key(&key);
    load.assert_counted(&api).await;
    let known = before.into_iter().chain(own).collect();
    assert_listed(&api, &load, &known, cut).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmed_writes_survive_a_kill() {
    kill_during_work(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn confirmed_writes_survive_ten_kills() {
    kill_during_work(10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmed_writes_of_two_instances_survive_two_kills() {
    only_on!(Postgres: "a file is one server's");
    kill_one_of_two(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn confirmed_writes_of_two_instances_survive_ten_kills() {
    only_on!(Postgres: "a file is one server's");
    kill_one_of_two(10).await;
}
