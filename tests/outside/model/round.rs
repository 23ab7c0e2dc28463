//! Rounds of concurrent commands, creations, clicks and kills, each followed by a comparison.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;
use std::time::Duration;

use super::choice::{Choice, Names};
use super::clients::{self, Address, Clicks, Creation, Shared};
use super::commands::{Command, Options};
use super::compare::{
    compare_api, compare_histories, compare_links, compare_lists, compare_retired, visit_all,
};
use super::operator::{CommandRun, Operator, wait_for_orphans};
use super::replay::{Cases, add_created, added_owner, replay};
use super::world::World;
use crate::harness::Server;

const VISITORS: usize = 4;
const CREATORS: usize = 3;
/// Plans of the owners: their names and maximum numbers of links.
const PLANS: [(&str, u64); 2] = [("limited", 30), (LARGE, 300)];
const LARGE: &str = "large";
const OWNERS: usize = 5;
/// Number of links for which a round makes the comparisons that take a process or request each.
const SAMPLE: usize = 6;

/// Two servers on one database, and the model of it.
pub(super) struct Rounds {
    servers: [Mutex<Option<Server>>; 2],
    default_key: String,
    operator: Operator,
    choice: Choice,
    world: World,
    first_event: i64,
    round: usize,
    clients: Arc<Shared>,
    totals: Totals,
}

/// What the rounds did, to see that they tried everything.
#[derive(Debug, Default)]
struct Totals {
    commands: usize,
    killed_commands: usize,
    killed_servers: usize,
    lost_creations: usize,
    lost_clicks: usize,
}

/// What happened in a round.
struct RoundRecord {
    ran: Vec<CommandRun>,
    clicks: Vec<Clicks>,
    creations: Vec<Creation>,
    kills: bool,
}

pub(super) fn address(server: &Server) -> Address {
    (server.authority().to_owned(), server.base_url().to_owned())
}

impl Rounds {
    pub(super) fn new(seed: u64) -> Self {
        let first = Server::start();
        let default_key = first.key().to_owned();
        let servers = [Server::on(first.database()), first];
        let database = Arc::clone(servers[0].database());
        let step: Arc<AtomicU64> = Arc::default();
        let operator = Operator { database: Arc::clone(&database), step: Arc::clone(&step) };
        for (name, limit) in PLANS {
            database.plan(name, &limit.to_string(), true);
        }
        let mut world = World::default();
        for number in 0..OWNERS {
            let (name, plan) = (format!("owner{number}"), plan_of(number));
            let key = database.owner(&name, plan);
            world.owners.push(added_owner(&operator, &name, plan, key));
        }
        let first_event = operator.history(&["--limit", "1"])[0]["id"].as_i64().unwrap() + 1;
        let clients = Shared {
            addresses: RwLock::new([address(&servers[0]), address(&servers[1])]),
            step,
            has_ended: AtomicBool::new(false),
            codes: RwLock::new(vec![clients::NEVER.to_owned()]),
        };
        Self {
            servers: servers.map(|server| Mutex::new(Some(server))),
            default_key,
            operator,
            choice: Choice::new(seed),
            world,
            first_event,
            round: 0,
            clients: Arc::new(clients),
            totals: Totals::default(),
        }
    }

    /// Runs one round, and compares the program with the model.
    pub(super) fn run(&mut self) {
        self.round += 1;
        let known: BTreeSet<String> = self.retired();
        let record = self.run_concurrently();
        wait_for_orphans(&self.operator.database);
        self.replay(record);
        let retired: Vec<String> = self.retired().difference(&known).cloned().collect();
        self.compare(&retired);
    }

    /// Compares everything after the last round.
    pub(super) fn finish(mut self) {
        let retired: Vec<String> = self.retired().into_iter().collect();
        self.compare(&retired);
        let codes: Vec<String> = retired.iter().rev().take(40).cloned().collect();
        compare_histories(&self.world, &self.operator, &codes);
        let codes: Vec<String> = self.world.live().map(|(code, _)| code.clone()).take(40).collect();
        compare_histories(&self.world, &self.operator, &codes);
        let (events, links) = (self.world.events.len(), self.world.links.len());
        let totals = &self.totals;
        let _ = writeln!(
            std::io::stderr(),
            "model: {} rounds, {events} events, {links} links, {} of them deleted, {totals:?}",
            self.round,
            retired.len(),
        );
    }

    fn retired(&self) -> BTreeSet<String> {
        let links = self.world.links.iter();
        links.filter(|(_, link)| link.is_deleted).map(|(code, _)| code.clone()).collect()
    }

    /// Lets commands, clients and kills run concurrently until all commands have ended.
    fn run_concurrently(&mut self) -> RoundRecord {
        let round = self.round;
        let deletes = self.choice.percent(60);
        let kills = self.choice.percent(40);
        self.totals.killed_servers += usize::from(kills);
        let names = Names::new(&self.world, LARGE);
        let clients = Arc::clone(&self.clients);
        let shared = &*clients;
        shared.has_ended.store(false, Ordering::SeqCst);
        if !names.codes.is_empty() {
            *shared.codes.write().unwrap() = names.codes.clone();
        }
        let owners = self.world.owners.iter().enumerate().filter(|(_, owner)| !owner.is_deleted);
        let keys = owners.filter(|(_, owner)| !owner.keys[&owner.client_key.0]);
        let keys: Vec<(usize, String)> =
            keys.map(|(at, owner)| (at, owner.client_key.1.clone())).collect();
        // Without a key, nothing can be created.
        let creators = if keys.is_empty() { 0 } else { CREATORS };
        let (mut killer, mut of_clients) = (self.choice.fork(), self.choice.fork());
        thread::scope(|scope| {
            let visitors: Vec<_> = (0..VISITORS)
                .map(|_| of_clients.fork())
                .map(|choice| scope.spawn(move || clients::visit(shared, choice)))
                .collect();
            let creators: Vec<_> = (0..creators)
                .map(|number| (format!("{round}-{number}"), of_clients.fork()))
                .map(|(name, choice)| {
                    let keys = &keys;
                    scope.spawn(move || clients::create(shared, choice, &name, keys, deletes))
                })
                .collect();
            let servers = &self.servers;
            let killing = scope.spawn(move || {
                if kills {
                    kill_one(servers, shared, &mut killer);
                }
            });
            let ran = run_commands(
                &self.operator,
                &mut self.choice,
                &self.world,
                names,
                shared,
                (round, deletes),
            );
            killing.join().expect("the server starts again");
            shared.has_ended.store(true, Ordering::SeqCst);
            let clicks = visitors.into_iter().map(|client| client.join().expect("all is right"));
            let clicks = clicks.collect();
            let creations =
                creators.into_iter().flat_map(|client| client.join().expect("all is right"));
            RoundRecord { ran, clicks, creations: creations.collect(), kills }
        })
    }

    fn replay(&mut self, record: RoundRecord) {
        let RoundRecord { ran, clicks, creations, kills } = record;
        let unknown =
            |creation: &&Creation| matches!(creation.result, clients::CreationResult::Unknown);
        self.totals.lost_creations += creations.iter().filter(unknown).count();
        add_created(&mut self.world, &self.operator, creations);
        let mut cases = Cases::new();
        let newest = self.world.events.keys().next_back().map_or(self.first_event - 1, |id| *id);
        for event in self.operator.history(&["--since", "1h"]) {
            if event["id"].as_i64().expect("a number") > newest {
                let case = event["audit"]["case_id"].as_str().unwrap_or_default().to_owned();
                cases.entry(case).or_default().push(event);
            }
        }
        for ran in &ran {
            self.totals.commands += 1;
            self.totals.killed_commands +=
                usize::from(ran.outcome.is_none() || ran.cases.len() > 1);
            replay(&mut self.world, &self.operator, ran, &cases);
        }
        // For the commands of the next round, all of these links exist from the beginning.
        let step = self.clients.step.load(Ordering::SeqCst);
        for link in self.world.links.values_mut() {
            link.span.responded = link.span.responded.min(step);
        }
        for Clicks { of, lost } in clicks {
            assert!(kills || lost == 0, "{lost} requests had no response");
            self.totals.lost_clicks += lost;
            for (code, (fewest, most)) in of {
                let link = self.world.links.get_mut(&code).expect("a known link");
                link.clicks = (link.clicks.0 + fewest, link.clicks.1 + most);
            }
        }
    }

    fn compare(&mut self, retired: &[String]) {
        let Self { world, operator, clients, choice, .. } = self;
        compare_lists(world, operator, self.first_event);
        compare_links(world, operator);
        let mut codes: Vec<String> = world.live().map(|(code, _)| code.clone()).collect();
        let sample: Vec<String> = match codes.as_slice() {
            [] => Vec::new(),
            codes => (0..SAMPLE).map(|_| choice.one(codes).clone()).collect(),
        };
        compare_histories(world, operator, &sample);
        codes.extend(retired.iter().cloned());
        visit_all(world, clients, &codes);
        compare_api(world, clients, &sample);
        compare_links(world, operator);
        compare_retired(clients, &self.default_key, retired);
    }
}

/// Returns the plan of an owner. Only the first owner can have many links.
fn plan_of(number: usize) -> &'static str {
    if number == 0 { LARGE } else { PLANS[0].0 }
}

/// Runs the commands of a round one after another.
fn run_commands(
    operator: &Operator,
    choice: &mut Choice,
    world: &World,
    mut names: Names,
    shared: &Shared,
    (round, deletes): (usize, bool),
) -> Vec<CommandRun> {
    let mut ran = Vec::new();
    let mut repairs: Vec<Command> = repairs(world, round);
    let count = repairs.len() + 4 + choice.below(5);
    for number in 0..count {
        let number = format!("{round}-{number}");
        let case = format!("C{number}");
        let (command, options) = match repairs.pop() {
            Some(command) => (command, undisturbed(case)),
            None => {
                names.codes.clone_from(&shared.codes.read().unwrap());
                (choice.command(&names, &number, deletes), choice.options(case))
            }
        };
        let done = operator.run(command, options);
        if let Command::Rename { new, .. } = &done.command {
            names.owners.push(new.clone());
        }
        let result = done.outcome.as_ref().map(|outcome| outcome.stdout.as_str());
        let result = result.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
        names.events.extend(result.and_then(|result| result["event_id"].as_i64()));
        shared.codes.write().unwrap().extend(done.imported.iter().cloned());
        ran.push(done);
        thread::sleep(choice.millis(0, 30));
    }
    ran
}

/// Returns the commands that replace deleted owners and revoked keys, so that clients can go on.
fn repairs(world: &World, round: usize) -> Vec<Command> {
    let alive = || world.owners.iter().filter(|owner| !owner.is_deleted);
    let revoked = alive().filter(|owner| owner.keys[&owner.client_key.0]);
    let mut repairs: Vec<Command> =
        revoked.map(|owner| Command::KeyAdd { owner: owner.name.clone() }).collect();
    if alive().count() < OWNERS {
        let has_large = alive().any(|owner| owner.plan == LARGE);
        let plan = if has_large { PLANS[0].0 } else { LARGE };
        repairs.push(Command::OwnerAdd { name: format!("added{round}"), plan });
    }
    repairs
}

fn undisturbed(case: String) -> Options {
    Options { case, reason: None, note: None, is_dry_run: false, kill_after: None }
}

/// Kills one of the servers, and starts it again.
pub(super) fn kill_one(servers: &[Mutex<Option<Server>>; 2], shared: &Shared, choice: &mut Choice) {
    thread::sleep(choice.millis(20, 500));
    let number = choice.below(2);
    let mut server = servers[number].lock().unwrap();
    let database = server.take().expect("a running server").kill9();
    thread::sleep(choice.millis(0, 300));
    let started = Server::on(&database);
    shared.addresses.write().unwrap()[number] = address(&started);
    *server = Some(started);
    // The new server serves in this round as well.
    thread::sleep(Duration::from_millis(100));
}
