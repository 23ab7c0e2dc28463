//! Operations whose key is revoked, or whose owner is suspended, deleted or put on another plan,
//! while they run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::PREFIX;
use crate::harness::{Api, Server, assert_within_a_second};
use crate::permissions::owners::{external_id_of, name_link};
use crate::permissions::{Attempt, Operation, operations};

/// Number of links and keys that the requests of each operation name in turn.
const NAMED: usize = 8;
/// Number of links that the new plan of the owner allows, which are fewer than the owner has at
/// first.
const MAX_LINKS: u64 = 5;

/// What happens to the owner or the key, and the problem that begins with it.
const COMMANDS: [(&str, &str); 4] = [
    ("revoke", "unauthorized"),
    ("suspend", "owner-suspended"),
    ("delete", "unauthorized"),
    ("plan", "plan-limit-reached"),
];

/// An owner with a key, and what each request of its operations is for.
struct Scene {
    owner: String,
    key: String,
    key_id: String,
    codes: Vec<String>,
    key_ids: Vec<String>,
    event: String,
}

impl Scene {
    async fn create(server: &Server, owner: &str) -> Self {
        server.terse(&["owner", "add", owner, "--plan", "unlimited", "--no-key"]).done();
        let add = ["key", "add", owner, "--scope", "full", "--label", "author"];
        let key = server.terse(&add).key();
        let key_id = server.database().key_id(owner, "author");
        let api = server.with_key(&key);
        let (mut codes, mut key_ids) = (Vec::new(), Vec::new());
        for _ in 0..NAMED {
            codes.push(api.create("https://example.com/").await);
            name_link(&api, codes.last().unwrap()).await;
            let created =
                api.ask(Method::POST, &format!("{PREFIX}/keys")).json(&json!({ "scope": "read" }));
            key_ids.push(created.send().await.expect(201).json()["id"].to_string());
        }
        let history = ["history", "--owner", owner, "--limit", "1", "--json"];
        let event = server.terse(&history).json()["id"].to_string();
        Self { owner: owner.to_owned(), key, key_id, codes, key_ids, event }
    }

    /// Returns the requests of an operation, each for another link or key.
    fn attempts(&self, operation: &Operation) -> Vec<Attempt> {
        let each = self.codes.iter().zip(&self.key_ids);
        let attempts = each.map(|(code, key)| {
            let is_about_event = operation.template.contains("/events/{id}");
            let id = if is_about_event { &self.event } else { key };
            let path = operation.template.replace("{code}", code).replace("{id}", id);
            let path = path.replace("{delivery_id}", "msg_1_1");
            let path = path.replace("{external_id}", &external_id_of(code));
            operation.attempt(path, operation.body())
        });
        attempts.collect()
    }

    /// Runs the command that takes the rights away.
    fn run(&self, server: &Server, command: &str) {
        let owner = self.owner.as_str();
        match command {
            "revoke" => server.terse(&["key", "revoke", &self.key_id]).done(),
            "suspend" => server.terse(&["owner", "suspend", owner]).done(),
            "delete" => server.terse(&["owner", "delete", owner, "--confirm", owner]).done(),
            _ => {
                let plan = ["plan", "add", "few", "--max-links", &MAX_LINKS.to_string()];
                server.terse(&[&plan[..], &["--custom-codes", "true"]].concat()).done();
                server.terse(&["owner", "plan", owner, "few"]).done()
            }
        };
    }
}

/// Sends the requests again and again, for the last time once `has_run` is true. Returns the codes
/// of their problems, each with the problem. A batch has those of its members, too.
async fn send_all(
    api: Api,
    attempts: Vec<Attempt>,
    has_run: Arc<AtomicBool>,
) -> BTreeMap<String, String> {
    let mut problems = BTreeMap::new();
    let mut add = |problem: &Value| {
        let code = problem["code"].as_str().map(str::to_owned);
        problems.extend(code.map(|code| (code, problem.to_string())));
    };
    loop {
        let is_last = has_run.load(Ordering::SeqCst);
        for attempt in &attempts {
            let response = attempt.send(&api).await;
            if response.body.is_empty() {
                continue;
            }
            let body = response.json();
            add(&body);
            body["data"].as_array().into_iter().flatten().for_each(|item| add(&item["problem"]));
        }
        if is_last {
            return problems;
        }
    }
}

/// Returns the number of changes by owners' keys.
fn changes(server: &Server) -> usize {
    let history = ["history", "--actor-type", "owner_key", "--limit", "100000", "--json"];
    server.terse(&history).done().stdout.lines().count()
}

/// Returns the number of links of an owner. A deleted owner has none.
fn links(server: &Server, owner: &str) -> Value {
    let owners = server.terse(&["owner", "list", "--json"]).json();
    let owners = owners.as_array().unwrap();
    let found = owners.iter().find(|one| one["name"] == owner);
    found.map_or(json!(0), |one| one["links"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn operations_end_with_the_rights_of_their_key() {
    let server = Server::start();
    let second = Server::on(server.database());
    for (command, problem) in COMMANDS {
        let scene = Scene::create(&server, &format!("owner-{command}")).await;
        let (mut clients, has_run) = (JoinSet::new(), Arc::new(AtomicBool::new(false)));
        let operations = operations(false);
        let own = operations.iter().filter(|one| one.template.starts_with(PREFIX));
        for (number, operation) in own.enumerate() {
            let api = if number % 2 == 0 { &server } else { &second }.with_key(&scene.key);
            clients.spawn(send_all(api, scene.attempts(operation), Arc::clone(&has_run)));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        scene.run(&server, command);
        let (changes_before, links_before) = (changes(&server), links(&server, &scene.owner));
        has_run.store(true, Ordering::SeqCst);
        let problems: BTreeMap<String, String> =
            clients.join_all().await.into_iter().flatten().collect();
        // Operations delete links and keys that others name. On a busy machine, the disk may seem to
        // stall.
        let mut expected = BTreeSet::from([
            problem,
            "link-not-found",
            "key-not-found",
            "key-limit-reached",
            "webhook-limit-reached",
            "webhook-not-found",
            "delivery-not-found",
            "unavailable",
        ]);
        if command == "delete" {
            // A deletion begins with a suspension.
            expected.insert("owner-suspended");
        }
        for (code, problem) in &problems {
            assert!(expected.contains(code.as_str()), "{command}: {problem}\n{}", server.log());
        }
        if command == "plan" {
            // Deletions may have left fewer links than the plan allows, in whose place others may
            // be created.
            let most = links_before.as_u64().unwrap().max(MAX_LINKS);
            let after = links(&server, &scene.owner).as_u64().unwrap();
            assert!(after <= most, "{after} after {links_before}");
            continue;
        }
        assert_eq!(changes(&server), changes_before, "{command}: a change came afterwards");
        if command != "revoke" {
            assert_eq!(links(&server, &scene.owner), links_before, "{command}");
        }
        for server in [&server, &second] {
            assert_within_a_second("the key is refused", async || {
                let response = server.with_key(&scene.key).get(&format!("{PREFIX}/owner")).await;
                response.status != 200 && response.json()["code"] == problem
            })
            .await;
        }
    }
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
}
