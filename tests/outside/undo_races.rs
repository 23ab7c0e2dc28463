//! `terse undo` and other changes of the same thing at the same moment, and the order of events.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::cli_import::import;
use crate::harness::{Api, Cluster, Database, Server, assert_within_a_second, only_on};
use crate::link_commands::{lines, start_two_servers};

mod kinds;

use self::kinds::{KINDS, Kind};

/// Runs two pieces of work that begin at the same moment, and returns their results.
fn at_once<T: Send, U: Send>(
    first: impl FnOnce() -> T + Send,
    second: impl FnOnce() -> U + Send,
) -> (T, U) {
    let (barrier, runtime) = (Barrier::new(2), Handle::current());
    thread::scope(|scope| {
        let first = scope.spawn(|| {
            let _runtime = runtime.enter();
            barrier.wait();
            first()
        });
        barrier.wait();
        let second = second();
        (first.join().expect("the first succeeds"), second)
    })
}

/// Undoes an event by the command (`None`) or at one of the servers, and returns how many things that
/// changed.
fn undo(database: &Database, server: Option<&Api>, event: &str) -> u64 {
    let undone = match server {
        None => database.terse(&["undo", event, "--yes", "--json"]).json(),
        Some(api) => {
            let path = format!("/api/operator/v1/events/{event}/undo");
            let sent = api.ask(reqwest::Method::POST, &path).json(&json!({})).send();
            Handle::current().block_on(sent).expect(200).json()
        }
    };
    undone["changed"].as_u64().unwrap()
}

/// Returns a member of the link, pattern, owner or domain that a command shows.
fn shown(database: &Database, command: &[&str], member: &str) -> Value {
    let shown = database.terse(&[command, &["--json"]].concat()).json();
    let is_it = |row: &&Value| row["name"] == "acme" || row["host"] == "go.example";
    shown.as_array().map_or(&shown, |rows| rows.iter().find(is_it).unwrap())[member].clone()
}

/// Runs each race this many times, with the undo through each door in turn.
async fn run_races(rounds: usize) {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = [(); 2].map(|()| Server::with_operator_on(&database));
    for owner in ["acme", "globex"] {
        database.owner(owner, "unlimited");
    }
    let api = servers[0].api();
    api.create_from(&json!({"url": "https://example.org/", "custom_code": "code"})).await;
    let key = database.operator_key("admin", "admin");
    let [one, other] = servers.each_ref().map(|server| server.with_operator_key(&key));
    let doors = [None, Some(&one), Some(&other)];
    let terse = |arguments: &[&str]| database.terse(&[arguments, &["--yes", "--json"]].concat());
    let races = |number: usize| {
        let (first, second) = (doors[number % 3], doors[(number + 1) % 3]);
        // A command takes some time to start. A request waits about as long, a little more each round.
        let undo = |door: Option<&Api>, is_against_command: bool, event: &str| {
            if door.is_some() && is_against_command {
                thread::sleep(Duration::from_micros(number as u64 * 2_331 % 20_000));
            }
            undo(&database, door, event)
        };
        for Kind { prepare, change, newer, newest: (show, member, value) } in KINDS {
            let begin = || {
                for command in prepare {
                    terse(command);
                }
                let done = terse(change).json();
                (done["event_id"].to_string(), done["changed"].as_u64().unwrap())
            };
            let (event, _) = begin();
            let (undone, newer) = at_once(|| undo(first, true, &event), || terse(newer));
            if newer.code == Some(0) || undone == 0 {
                let newest = shown(&database, show, member);
                assert_eq!(newest, value, "{change:?}: {undone} undone, {newer:?}");
            }

            let (event, changed) = begin();
            let undone = at_once(
                || undo(first, second.is_none(), &event),
                || undo(second, first.is_none(), &event),
            );
            assert!([(changed, 0), (0, changed)].contains(&undone), "{change:?}: {undone:?}");
        }
    };
    tokio::task::block_in_place(|| (0..rounds).for_each(races));
    terse(&["link", "enable", "code"]);
    terse(&["link", "unpause", "code"]);
    for server in &servers {
        assert_within_a_second("the link redirects", async || {
            server.anyone().get("/code").await.status == 302
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undo_and_a_newer_change_at_once_leave_the_newer_change() {
    run_races(3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn undo_and_a_newer_change_at_once_leave_the_newer_change_280_times() {
    run_races(10).await;
}

/// The undo of a removal finds no domain, because another client is adding the host for another owner.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undo_of_a_removal_leaves_a_domain_that_is_being_added() {
    only_on!(Postgres: "transactions that write do not overlap on SQLite");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let terse = |arguments: &[&str]| database.terse(&[arguments, &["--json"]].concat()).json();
    for owner in ["acme", "globex"] {
        database.owner(owner, "unlimited");
    }
    terse(&["domain", "add", "go.example", "--owner", "acme"]);
    let removed = terse(&["domain", "remove", "go.example"])["event_id"].to_string();
    let other = database.connect().await;
    let insert = "BEGIN;
                  INSERT INTO domains (host, owner_id, created_at)
                  SELECT 'go.example', id, 1 FROM owners WHERE name = 'globex'";
    other.execute(insert).await.unwrap();
    let undo = {
        let database = Arc::clone(&database);
        thread::spawn(move || undo(&database, None, &removed))
    };
    wait_for_a_lock(&database, "the undo").await;
    other.execute("COMMIT").await.unwrap();
    assert_eq!(undo.join().unwrap(), 0, "the undo skips the domain");
    assert_eq!(shown(&database, &["domain", "list"], "owner_name"), "globex");
}

/// Waits until a client of the database waits for a lock.
async fn wait_for_a_lock(database: &Database, who: &str) {
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity
                   WHERE wait_event_type = 'Lock' AND datname = current_database()";
    let begun = Instant::now();
    while database.number(waiting).await == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{who} waits for a lock");
    }
}

/// A change by hand of the last link, while a bulk change is at an earlier one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_during_a_bulk_change_stays_before_it_in_history_and_undo() {
    const LINKS: usize = 10_000;

    let (database, _servers) = start_two_servers();
    database.owner("me", "unlimited");
    let mut rows = "short_code,destination_url,campaign\n".to_owned();
    for number in 0..LINKS {
        writeln!(rows, "code-{number},https://example.org/,bulk").unwrap();
    }
    import(&database, rows).done();
    let last = format!("code-{}", LINKS - 1);
    let bulk = {
        let database = Arc::clone(&database);
        let arguments =
            ["link", "disable", "--campaign", "bulk", "--reason", "phishing", "--yes", "--json"];
        thread::spawn(move || database.terse(&arguments).json())
    };
    let disabled = "SELECT COUNT(*) FROM links WHERE disabled_reason IS NOT NULL";
    let begun = Instant::now();
    while database.number(disabled).await == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the bulk change begins");
    }
    let by_hand = database.terse(&["link", "disable", &last, "--reason", "spam", "--json"]).json();
    let bulk = bulk.join().unwrap();
    let event = |result: &Value| result["event_id"].as_i64().unwrap();
    assert!(event(&bulk) < event(&by_hand), "{bulk} {by_hand}");
    assert_eq!(bulk["changed"], LINKS, "the bulk change has changed the last link again");

    let history = database.terse(&["history", "--link", &last, "--json"]).done();
    let listed = lines(&history.stdout);
    let listed: Vec<i64> = listed.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(listed, [event(&bulk), event(&by_hand)], "the newest change comes first");
    let first = database.terse(&["history", "--link", &last, "--limit", "1", "--json"]).done();
    assert_eq!(lines(&first.stdout)[0]["id"], bulk["event_id"]);

    let undone = database.terse(&["undo", &event(&bulk).to_string(), "--yes", "--json"]).json();
    assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(LINKS), &json!([])));
    let shown = database.terse(&["link", "show", &last, "--json"]).json();
    assert_eq!(shown["disabled_reason"], "spam");
}

/// Runs a command, and runs it again if the machine is so busy that the command waits too long for others.
fn until_done(database: &Database, arguments: &[&str]) {
    let outcome = |_| {
        let outcome = database.terse(arguments);
        let is_late = outcome.stderr.contains("the database was busy for too long");
        (!is_late).then_some(outcome)
    };
    (0..30).find_map(outcome).expect("the database is free in between").done();
}

/// A program that follows the events reads those with identifiers above the last one it has read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_become_visible_in_the_order_of_their_numbers() {
    const LINKS: usize = 1_000;

    let (database, _servers) = start_two_servers();
    database.owner("me", "unlimited");
    let mut rows = "short_code,destination_url,campaign\n".to_owned();
    for number in 0..LINKS {
        writeln!(rows, "code-{number},https://example.org/,part-{}", number / 200).unwrap();
    }
    import(&database, rows).done();
    let commands = {
        let database = Arc::clone(&database);
        thread::spawn(move || {
            thread::scope(|scope| {
                let database = &database;
                for part in 0..5 {
                    let campaign = format!("part-{part}");
                    scope.spawn(move || {
                        let arguments = ["link", "delete", "--campaign", &campaign, "--yes"];
                        until_done(database, &arguments);
                    });
                    scope.spawn(move || {
                        for round in 0..5 {
                            let title = format!("{part}-{round}");
                            until_done(database, &["plan", "add", &title]);
                        }
                    });
                }
            });
        })
    };
    let (mut newest, mut seen) = (0, BTreeSet::new());
    let connection = database.connect().await;
    loop {
        let is_last = commands.is_finished();
        let next = format!("SELECT id FROM events WHERE id > {newest} ORDER BY id LIMIT 1");
        let Some(id) = connection.find_number(&next).await.unwrap() else {
            if is_last {
                break;
            }
            continue;
        };
        newest = id;
        seen.insert(id);
    }
    commands.join().unwrap();
    let count = database.number("SELECT COUNT(*) FROM events").await;
    assert_eq!(seen.len(), usize::try_from(count).unwrap(), "no event appeared below another");
}

/// A command, and the two rows that its transaction locks, in this order.
struct Locks {
    command: &'static [&'static str],
    first: &'static str,
    second: &'static str,
}

const LOG: &str = "UPDATE change_counter SET number = number";
const LOCKS: [Locks; 7] = [
    Locks {
        command: &["owner", "suspend", "acme"],
        first: "UPDATE owners SET plan = plan WHERE name = 'acme'",
        second: LOG,
    },
    Locks {
        command: &["owner", "rename", "acme", "globex"],
        first: "UPDATE owners SET plan = plan WHERE name = 'acme'",
        second: LOG,
    },
    Locks {
        command: &["owner", "plan", "globex", "pro"],
        first: "UPDATE owners SET plan = plan WHERE name = 'globex'",
        second: LOG,
    },
    Locks {
        command: &["key", "revoke", "2"],
        first: "UPDATE api_keys SET label = label WHERE id = 2",
        second: LOG,
    },
    Locks {
        command: &["plan", "set", "pro", "--requests", "5/s"],
        first: "UPDATE plans SET burst = burst WHERE name = 'pro'",
        second: LOG,
    },
    Locks {
        command: &["block", "add", "a.example", "--reason", "legal"],
        first: LOG,
        second: "UPDATE block_patterns SET until = until WHERE pattern = 'a.example'",
    },
    Locks {
        command: &["link", "edit", "code", "--title", "new"],
        first: "UPDATE links SET title = title WHERE short_code = 'code'",
        second: LOG,
    },
];

/// A client that locks the same rows in the opposite order makes PostgreSQL abort the command.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_in_a_deadlock_is_repeated() {
    only_on!(Postgres: "transactions that write do not overlap on SQLite");
    // Other tests assert that the shared cluster has detected no deadlock.
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    database.owner("acme", "free");
    database.terse(&["block", "add", "a.example"]).done();
    let link = json!({"url": "https://example.org/", "custom_code": "code"});
    Server::on(&database).api().create_from(&link).await;
    let mut aborted = 0;
    for Locks { command, first, second } in LOCKS {
        let other = database.connect().await;
        other.execute(&format!("BEGIN; {second}")).await.unwrap();
        let arguments = [command, &["--json"]].concat();
        let run = {
            let database = Arc::clone(&database);
            thread::spawn(move || database.terse(&arguments).json())
        };
        wait_for_a_lock(&database, &command.join(" ")).await;
        // The command has waited for longer, so it looks for a deadlock first, unless the machine is
        // busy. Then PostgreSQL aborts this client.
        let is_command_aborted = other.execute(first).await.is_ok();
        aborted += u32::from(is_command_aborted);
        other.execute(if is_command_aborted { "COMMIT" } else { "ROLLBACK" }).await.unwrap();
        let changed = run.join().unwrap();
        assert_eq!(changed["changed"], 1, "{command:?}: {changed}");
    }
    assert!(aborted > 2, "PostgreSQL aborted {aborted} commands");
}
