//! `terse undo` and other changes of the same thing at the same moment, and the order of events.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli_import::import;
use crate::harness::{Cluster, Database, Server, assert_within_a_second, only_on};
use crate::link_commands::{lines, start_two_servers};

/// A change that an undo can revert, and a newer change of the same thing.
struct Kind {
    /// The change that the undo reverts.
    change: &'static [&'static str],
    /// The newer change. After it, the thing must be as `newest` says.
    newer: &'static [&'static str],
    /// Command that makes a later round begin as the first one did.
    reset: &'static [&'static str],
    /// Command that shows the thing, a member of the shown object, and its value after `newer`.
    newest: (&'static [&'static str], &'static str, &'static str),
}

const KINDS: [Kind; 4] = [
    Kind {
        change: &["block", "add", "a.example", "--reason", "spam"],
        newer: &["block", "add", "a.example", "--reason", "phishing"],
        reset: &["block", "remove", "a.example"],
        newest: (&["block", "check", "a.example"], "reason", "phishing"),
    },
    Kind {
        change: &["link", "disable", "code", "--reason", "spam"],
        newer: &["link", "disable", "code", "--reason", "phishing"],
        reset: &["link", "enable", "code"],
        newest: (&["link", "show", "code"], "disabled", "phishing"),
    },
    Kind {
        change: &["link", "edit", "code", "--title", "first"],
        newer: &["link", "edit", "code", "--title", "second"],
        reset: &["link", "edit", "code", "--title", ""],
        newest: (&["link", "show", "code"], "title", "second"),
    },
    Kind {
        change: &["owner", "suspend", "acme", "--reason", "spam"],
        newer: &["owner", "suspend", "acme", "--reason", "phishing"],
        reset: &["owner", "resume", "acme"],
        newest: (&["owner", "list"], "suspended", "phishing"),
    },
];

/// Runs two commands that begin at the same moment, and returns their results.
fn at_once(database: &Database, commands: [&[&str]; 2]) -> [Value; 2] {
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        let run = |arguments: &[&str]| {
            barrier.wait();
            database.terse(&[arguments, &["--yes", "--json"]].concat()).json()
        };
        let [first, second] = commands.map(|arguments| scope.spawn(move || run(arguments)));
        [first, second].map(|command| command.join().expect("the command succeeds"))
    })
}

async fn run_races(rounds: usize) {
    let (database, servers) = start_two_servers();
    database.owner("acme", "unlimited");
    let api = servers[0].api();
    api.create_from(&json!({"url": "https://example.org/", "custom_code": "code"})).await;
    let terse =
        |arguments: &[&str]| database.terse(&[arguments, &["--yes", "--json"]].concat()).json();
    for Kind { change, newer, reset, newest: (show, member, value) } in KINDS {
        for _ in 0..rounds {
            let event = terse(change)["event"].to_string();
            let undo = ["undo", event.as_str()];
            let [undone, newer] = at_once(&database, [&undo, newer]);
            assert_eq!(newer["changed"], 1, "{newer}");
            let shown = database.terse(&[show, &["--json"]].concat()).json();
            let shown = match shown.as_array() {
                Some(owners) => owners.iter().find(|owner| owner["name"] == "acme").unwrap(),
                None => &shown,
            };
            assert_eq!(shown[member], value, "{change:?}: the undo changed {undone}");
            terse(reset);

            let event = terse(change)["event"].to_string();
            let undo = ["undo", event.as_str()];
            let [first, second] = at_once(&database, [&undo, &undo]);
            let changed = [&first, &second].map(|undone| undone["changed"].as_u64().unwrap());
            assert_eq!(changed.iter().sum::<u64>(), 1, "{change:?}: {first} {second}");
            terse(reset);
        }
    }
    for server in &servers {
        assert_within_a_second("the link redirects", async || {
            server.anyone().get("/code").await.status == 302
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undo_and_a_newer_change_at_once_leave_the_newer_change() {
    run_races(4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn undo_and_a_newer_change_at_once_leave_the_newer_change_400_times() {
    run_races(50).await;
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
    let event = |result: &Value| result["event"].as_i64().unwrap();
    assert!(event(&bulk) < event(&by_hand), "{bulk} {by_hand}");
    assert_eq!(bulk["changed"], LINKS, "the bulk change has changed the last link again");

    let history = database.terse(&["history", "--link", &last, "--json"]).done();
    let listed = lines(&history.stdout);
    let listed: Vec<i64> = listed.iter().map(|row| row["event"].as_i64().unwrap()).collect();
    assert_eq!(listed, [event(&bulk), event(&by_hand)], "the newest change comes first");
    let first = database.terse(&["history", "--link", &last, "--limit", "1", "--json"]).done();
    assert_eq!(lines(&first.stdout)[0]["event"], bulk["event"]);

    let undone = database.terse(&["undo", &event(&bulk).to_string(), "--yes", "--json"]).json();
    assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(LINKS), &json!([])));
    let shown = database.terse(&["link", "show", &last, "--json"]).json();
    assert_eq!(shown["disabled"], "spam");
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
    let has_ended = Arc::new(AtomicBool::new(false));
    let commands = {
        let (database, has_ended) = (Arc::clone(&database), Arc::clone(&has_ended));
        thread::spawn(move || {
            thread::scope(|scope| {
                let database = &database;
                for part in 0..5 {
                    let campaign = format!("part-{part}");
                    scope.spawn(move || {
                        let arguments = ["link", "delete", "--campaign", &campaign, "--yes"];
                        database.terse(&arguments).done();
                    });
                    scope.spawn(move || {
                        for round in 0..5 {
                            let title = format!("{part}-{round}");
                            database.terse(&["plan", "add", &title]).done();
                        }
                    });
                }
            });
            has_ended.store(true, Ordering::SeqCst);
        })
    };
    let (mut newest, mut seen) = (0, BTreeSet::new());
    let connection = database.connect().await;
    loop {
        let is_last = has_ended.load(Ordering::SeqCst);
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
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity
                   WHERE wait_event_type = 'Lock' AND datname = current_database()";
    let mut aborted = 0;
    for Locks { command, first, second } in LOCKS {
        let other = database.connect().await;
        other.execute(&format!("BEGIN; {second}")).await.unwrap();
        let arguments = [command, &["--json"]].concat();
        let run = {
            let database = Arc::clone(&database);
            thread::spawn(move || database.terse(&arguments).json())
        };
        let begun = Instant::now();
        while database.number(waiting).await == 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{command:?} waits for a lock");
        }
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
