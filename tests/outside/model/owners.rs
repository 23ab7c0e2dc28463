//! Rounds in which an owner's programs change links over HTTP while the operator changes the same
//! ones, on two servers, one of which is killed.
//!
//! The order in which concurrent changes took effect is known only to the program. The history tells
//! it: applied one after another, its events must lead from each state to the next, and at last to
//! what both servers show. Every response must fit the event of its request, which a case identifies.

mod programs;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write as _;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

use serde_json::{Value, json};

use self::programs::{Answer, Request, Versions, run_program, values_of};
use super::choice::Choice;
use super::clients::{Client, Sent, Shared};
use super::operator::wait_for_orphans;
use super::round::{address, kill_one};
use crate::harness::{Database, Response, Server, assert_within_a_second, field};
use crate::link_commands::lines;

/// Number of the owner's programs.
const PROGRAMS: usize = 3;
/// Number of links that each round adds.
const LINKS: usize = 8;
/// Number of commands of the operator per round.
const COMMANDS: usize = 8;
const CAMPAIGN: &str = "shared";
const URL: &str = "https://example.org/";

/// Members of a link that events show, by name.
type Members = BTreeMap<String, Value>;

/// A link as the history has left it.
#[derive(Debug)]
struct Known {
    members: Members,
    is_deleted: bool,
    /// The fewest and the most clicks.
    clicks: (u64, u64),
}

/// Two servers on one database, and what the history says of the links.
pub(super) struct OwnerRounds {
    servers: [Mutex<Option<Server>>; 2],
    database: Arc<Database>,
    key: String,
    shared: Shared,
    choice: Choice,
    links: BTreeMap<String, Known>,
    last_event: i64,
    versions: Versions,
    round: usize,
    requests: usize,
}

impl OwnerRounds {
    pub(super) fn new(seed: u64) -> Self {
        let first = Server::start();
        let key = first.key().to_owned();
        let servers = [Server::on(first.database()), first];
        let shared = Shared {
            addresses: RwLock::new([address(&servers[0]), address(&servers[1])]),
            step: Arc::default(),
            has_ended: AtomicBool::new(false),
            codes: RwLock::default(),
        };
        Self {
            database: Arc::clone(servers[0].database()),
            servers: servers.map(|server| Mutex::new(Some(server))),
            key,
            shared,
            choice: Choice::new(seed),
            links: BTreeMap::new(),
            last_event: 0,
            versions: Versions::default(),
            round: 0,
            requests: 0,
        }
    }

    /// Runs one round, and compares the links with the history.
    pub(super) fn run(&mut self) {
        self.round += 1;
        self.add_links();
        let requests = self.run_concurrently();
        wait_for_orphans(&self.database);
        self.requests += requests.len();
        self.replay(requests);
        self.compare();
    }

    pub(super) fn finish(self) {
        self.database.terse(&["check"]).done();
        let deleted = self.links.values().filter(|link| link.is_deleted).count();
        let _ = writeln!(
            std::io::stderr(),
            "owners: {} rounds, {} requests, {} links, {deleted} of them deleted, {} versions",
            self.round,
            self.requests,
            self.links.len(),
            self.versions.len(),
        );
    }

    fn send(&self, server: usize, method: &str, target: &str, body: &str) -> Response {
        let fields = [field("X-API-Key", &self.key), field("Content-Type", "application/json")];
        match Client::new(&self.shared).send(server, method, target, &fields, body) {
            Sent::Response(response) => *response,
            Sent::Refused | Sent::Lost => panic!("server {server} does not respond"),
        }
    }

    fn add_links(&mut self) {
        for number in 0..LINKS {
            let code = format!("r{}-{number}", self.round);
            let mut body =
                json!({"destination_url": URL, "custom_code": code, "external_id": code});
            body["campaign"] = CAMPAIGN.into();
            let path = "/api/manage/v1/links";
            self.send(number % 2, "POST", path, &body.to_string()).expect(201);
            let members = [
                ("destination_url", json!(URL)),
                ("campaign", json!(CAMPAIGN)),
                ("external_id", json!(code)),
                ("has_qr", json!(false)),
                ("is_paused", json!(false)),
                ("forward_query", json!(false)),
                ("state", json!("active")),
                ("is_active", json!(true)),
            ];
            let members = members.map(|(name, value)| (name.to_owned(), value));
            let known = Known { members: members.into(), is_deleted: false, clicks: (0, 0) };
            self.links.insert(code, known);
        }
        let live = self.links.iter().filter(|(_, link)| !link.is_deleted);
        *self.shared.codes.write().unwrap() = live.map(|(code, _)| code.clone()).collect();
    }

    fn run_concurrently(&mut self) -> Vec<Request> {
        let (round, kills) = (self.round, self.choice.percent(70));
        let (mut killer, mut operator) = (self.choice.fork(), self.choice.fork());
        let choices: Vec<Choice> = (0..PROGRAMS).map(|_| self.choice.fork()).collect();
        let Self { servers, shared, key, database, .. } = &*self;
        thread::scope(|scope| {
            let programs: Vec<_> = choices
                .into_iter()
                .enumerate()
                .map(|(number, choice)| {
                    let name = format!("P{round}-{number}");
                    scope.spawn(move || run_program(shared, choice, &name, key))
                })
                .collect();
            let operator = scope.spawn(move || {
                for _ in 0..COMMANDS {
                    command(database, shared, &mut operator);
                }
            });
            if kills {
                kill_one(servers, shared, &mut killer);
            }
            operator.join().expect("the commands end");
            let requests =
                programs.into_iter().flat_map(|program| program.join().expect("it ends"));
            requests.collect()
        })
    }

    /// Applies the new events in their order, and checks the requests.
    fn replay(&mut self, requests: Vec<Request>) {
        let mut requests: BTreeMap<String, Request> =
            requests.into_iter().map(|request| (request.case.clone(), request)).collect();
        for request in requests.values() {
            let Some(code) = request.codes.first() else { continue };
            if let Answer::Shown { values, tag } = &request.answer {
                self.versions.add(values, tag);
            }
            let link = self.links.get_mut(code).expect("a known link");
            let (fewest, most) = request.clicks;
            link.clicks = (link.clicks.0 + fewest, link.clicks.1 + most);
        }
        let mut events = lines(&self.database.terse(&["history", "--json"]).done().stdout);
        let earlier = self.last_event;
        events.retain(|event| event["id"].as_i64().unwrap() > earlier);
        let mut changes_of = BTreeMap::new();
        for event in events.into_iter().rev() {
            self.last_event = event["id"].as_i64().unwrap();
            let id = self.last_event.to_string();
            let changes = self.database.terse(&["history", "--json", "--event", &id]).done();
            let changes = VecDeque::from(lines(&changes.stdout));
            let request = take_request(&mut requests, &event, &changes);
            assert_eq!(request.is_some(), event["actor"]["type"] == "owner_key", "{event}");
            let is_possible =
                request.as_ref().is_none_or(|request| request.answer.may_have_changed());
            assert!(is_possible, "a refused request has an event: {event}");
            changes_of.insert(self.last_event, (event, request, changes));
        }
        // A change of more than 250 links is one event in several transactions, between which others
        // change links.
        for id in self.events_of_changes(earlier) {
            let (event, request, changes) = changes_of.get_mut(&id).expect("a listed event");
            let change = changes.iter().position(|change| self.is_of_link(change));
            let change = change.and_then(|index| changes.remove(index)).expect("a listed change");
            self.apply(event, &change, request.as_ref());
        }
        let mut missing = Vec::new();
        // Deletions are the last changes of their links, and no rows of this table.
        for (event, request, changes) in changes_of.into_values() {
            for change in changes
                .iter()
                .filter(|change| self.is_of_link(change))
                .cloned()
                .collect::<Vec<_>>()
                .iter()
            {
                assert_eq!(event["action"], "link delete", "{event}: {change}");
                self.apply(&event, change, request.as_ref());
            }
            missing.extend(
                request
                    .filter(|request| matches!(request.answer, Answer::Missing))
                    .map(|request| Request { event: None, ..request }),
            );
        }
        // Requests with an event, and those without one.
        let requests = missing.into_iter().chain(requests.into_values());
        for Request { codes, case, answer, event, .. } in requests {
            if matches!(answer, Answer::Missing) {
                assert!(self.links[&codes[0]].is_deleted, "{codes:?} is not missing, {case} said");
            }
            assert!(!matches!(answer, Answer::Deleted), "{codes:?} was deleted without an event");
            assert_eq!(event, None, "the event that {case} names does not exist");
        }
    }

    fn is_of_link(&self, change: &Value) -> bool {
        self.links.contains_key(change["subject"].as_str().unwrap())
    }

    /// Returns the event of each change of a link that a later event than `earlier` records, in the
    /// order of the changes.
    fn events_of_changes(&self, earlier: i64) -> Vec<i64> {
        let changes =
            format!("FROM event_changes WHERE event_id > {earlier} AND kind = 'link' AND id");
        let find = async {
            let connection = self.database.connect().await;
            let number = async |query: String| connection.find_number(&query).await.unwrap();
            let (mut events, mut last) = (Vec::new(), 0);
            while let Some(id) =
                number(format!("SELECT id {changes} > {last} ORDER BY id LIMIT 1")).await
            {
                events.extend(number(format!("SELECT event_id {changes} = {id}")).await);
                last = id;
            }
            connection.close().await;
            events
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(find)
    }

    fn apply(&mut self, event: &Value, change: &Value, request: Option<&Request>) {
        let code = change["subject"].as_str().expect("a code");
        let link = self.links.get_mut(code).expect("a known link");
        if event["action"] == "link delete" {
            assert!(!link.is_deleted, "{code} was deleted twice: {event}");
            link.is_deleted = true;
            return;
        }
        // The deletion of a link erases what earlier events changed.
        let (Some(before), Some(after)) =
            (change["before"].as_object(), change["after"].as_object())
        else {
            return;
        };
        if request.is_some() {
            assert_ne!(
                link.members["state"], "disabled",
                "an owner changed the disabled link {code}: {event}"
            );
        }
        if let Some(request) = request
            && let Some(tag) = &request.if_match
        {
            self.versions.add(&values_of(&link.members), tag);
        }
        for (name, value) in before {
            let current = link.members.entry(name.clone()).or_insert(Value::Null);
            // Of the state, events tell only whether the link is disabled.
            let is_known =
                !["state", "is_active"].contains(&name.as_str()) && !name.starts_with("qr_");
            assert!(!is_known || current == value, "{code}, {name}: {current}, {event} {change}");
        }
        link.members.extend(after.iter().map(|(name, value)| (name.clone(), value.clone())));
        if let Some(request) = request
            && let Some(patch) = &request.patch
        {
            for (name, value) in patch {
                let member = link.members.get(name).unwrap_or(&Value::Null);
                assert_eq!(member, value, "{code}, {name}: {event}");
            }
        }
    }

    /// Compares the links on both servers with what the history says.
    fn compare(&mut self) {
        let live: BTreeSet<&String> =
            self.links.iter().filter(|(_, link)| !link.is_deleted).map(|(code, _)| code).collect();
        for server in 0..2 {
            let owner = self.send(server, "GET", "/api/manage/v1/owner", "").expect(200).json();
            assert_eq!(owner["usage"]["links"], live.len(), "the count of the plan");
            let mut found = BTreeSet::new();
            let mut next = Some("/api/manage/v1/links?limit=7".to_owned());
            while let Some(target) = next {
                let page = self.send(server, "GET", &target, "").expect(200);
                found.extend(page.codes());
                next = page.next_page();
            }
            assert!(found.iter().eq(live.iter().copied()), "{found:?} is not {live:?}");
        }
        let mut shown = Vec::new();
        for (code, known) in &self.links {
            for server in 0..2 {
                let target = format!("/api/manage/v1/links/{code}");
                let response = self.send(server, "GET", &target, "");
                if known.is_deleted {
                    response.problem(404, "link-not-found");
                } else {
                    shown.push((code.clone(), response.expect(200)));
                }
            }
            self.compare_redirects(code, known);
        }
        for (code, response) in shown {
            let (link, known) = (response.json(), self.links.get_mut(&code).unwrap());
            self.versions.add(&values_of(&known.members), response.header("etag").unwrap());
            let member = |name: &str| known.members.get(name).cloned().unwrap_or_default();
            for name in ["destination_url", "title", "campaign", "is_paused", "forward_query"] {
                assert_eq!(link[name], member(name), "{code}, {name}");
            }
            assert_eq!(link["state"], state(known), "{code}: {known:?}");
            let clicks = link["clicks"].as_u64().expect("a number");
            assert!((known.clicks.0..=known.clicks.1).contains(&clicks), "{link}: {known:?}");
            known.clicks = (clicks, clicks);
        }
    }

    /// Waits until both servers redirect, or do not. `HEAD` is no click.
    fn compare_redirects(&self, code: &str, known: &Known) {
        let expected = if state(known) == "active" { 302 } else { 410 };
        for server in 0..2 {
            let head =
                async || self.send(server, "HEAD", &format!("/{code}"), "").status == expected;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(assert_within_a_second(code, head));
        }
        if known.is_deleted {
            let body = json!({"url": URL, "custom_code": code}).to_string();
            self.send(0, "POST", "/api/v1/shorten", &body).problem(409, "code-in-use");
        }
    }
}

/// Takes the request that made an event: that of its case, or the one whose response named it, or one without
/// a case and without a response that may have changed the same links.
fn take_request(
    requests: &mut BTreeMap<String, Request>,
    event: &Value,
    changes: &VecDeque<Value>,
) -> Option<Request> {
    if event["actor"]["type"] != "owner_key" {
        return None;
    }
    if let Some(case) = event["audit"]["case_id"].as_str() {
        let request = requests.remove(case)?;
        assert!(request.event.is_none_or(|id| event["id"] == id), "{request:?}: {event}");
        return Some(request);
    }
    let is_named = |request: &&Request| request.event.is_some_and(|id| event["id"] == id);
    let may_be = |request: &&Request| {
        let has_code =
            |change: &Value| request.codes.iter().any(|code| change["subject"] == **code);
        !request.has_case
            && request.patch.is_some()
            && matches!(request.answer, Answer::Unknown)
            && changes.iter().all(has_code)
    };
    let found = requests.values().find(is_named).or_else(|| requests.values().find(may_be));
    let case = found?.case.clone();
    requests.remove(&case)
}

fn state(link: &Known) -> &'static str {
    if link.is_deleted {
        "deleted"
    } else if link.members["state"] == "disabled" {
        "disabled"
    } else if link.members["is_paused"] == true {
        "paused"
    } else {
        "active"
    }
}

/// Runs a random command of the operator, and kills some.
fn command(database: &Database, shared: &Shared, choice: &mut Choice) {
    let code = choice.one(&shared.codes.read().unwrap()).clone();
    let verb = *choice.one(&["disable", "enable", "enable", "pause", "unpause"]);
    let event = choice.below(200).to_string();
    let arguments = match choice.below(10) {
        0 => vec!["link", "delete", code.as_str()],
        1 => vec!["link", "edit", code.as_str(), "--title", "by the operator"],
        2..4 => vec!["undo", &event],
        4..6 => vec!["link", verb, "--campaign", CAMPAIGN],
        _ => vec!["link", verb, code.as_str()],
    };
    let mut process = database.command();
    process.args(&arguments).arg("--yes");
    process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = process.spawn().expect("terse starts");
    if choice.percent(25) {
        thread::sleep(choice.millis(0, 60));
        child.kill().expect("a child that was not waited for");
    }
    let output = child.wait_with_output().expect("terse can be waited for");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("deadlock") && !error.contains("panicked"), "{arguments:?}: {error}");
}
