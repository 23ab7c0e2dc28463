//! Creations that share a transaction: each has the response that it would have alone.

mod late;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{
    Api, Database, Response, Server, Store, TIMEOUT, eventually, find_object, only_on,
};

const URL: &str = "https://example.com/";

/// Sends all creations concurrently; returns the responses in the same order.
async fn send_concurrently(creations: Vec<(Api, Value)>) -> Vec<Response> {
    let mut asked = JoinSet::new();
    for (number, (api, body)) in creations.into_iter().enumerate() {
        asked.spawn(async move { (number, api.shorten(&body).await) });
    }
    let responses: BTreeMap<usize, Response> = asked.join_all().await.into_iter().collect();
    responses.into_values().collect()
}

/// Starts the servers of a database: one on SQLite, two on PostgreSQL.
fn start_servers(database: &Arc<Database>) -> Vec<Server> {
    let count = if Store::chosen() == Store::Sqlite { 1 } else { 2 };
    (0..count).map(|_| Server::on(database)).collect()
}

fn link_count(database: &Database, owner: &str) -> usize {
    let owners = database.terse(&["owner", "list", "--json"]).json();
    let owner = find_object(&owners, "name", owner).unwrap();
    usize::try_from(owner["links"].as_u64().unwrap()).unwrap()
}

/// Returns the body of a creation, and its allowed results while the plan has room.
fn creation(number: usize, round: usize) -> (Value, &'static [&'static str]) {
    let own = format!("own-{round}-{number}");
    match number % 8 {
        0 | 1 => (json!({"url": URL}), &["created"]),
        2 => (json!({"url": URL, "custom_code": own}), &["created"]),
        3 | 4 => {
            let shared = format!("shared-{round}");
            (json!({"url": URL, "custom_code": shared}), &["created", "code-in-use"])
        }
        5 => (json!({"url": URL, "custom_code": "robots.txt"}), &["code-reserved"]),
        6 => (json!({"url": URL, "custom_code": "no code"}), &["invalid-input"]),
        _ => (json!({"url": "nonsense"}), &["invalid-input"]),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_creation_of_a_batch_has_its_own_response() {
    const MAX_LINKS: usize = 150;
    let database = Arc::new(Database::new().with_default_owner());
    let servers = start_servers(&database);
    database.plan("some", &MAX_LINKS.to_string(), true);
    let key = database.owner("crowd", "some");
    let apis: Vec<Api> = servers.iter().map(|server| server.with_key(&key)).collect();
    let mut created = BTreeSet::new();
    for round in 0..6 {
        let creations =
            (0..96).map(|number| (apis[number % apis.len()].clone(), creation(number, round)));
        let (asked, expected): (Vec<_>, Vec<_>) =
            creations.map(|(api, (body, expected))| ((api, body), expected)).unzip();
        let responses = send_concurrently(asked).await;
        let full = responses.iter().any(|response| response.json()["code"] == "plan-limit-reached");
        let mut shared = 0;
        for (number, (response, expected)) in responses.iter().zip(expected).enumerate() {
            let outcome = match response.status {
                201 => "created".to_owned(),
                _ => response.json()["code"].as_str().unwrap().to_owned(),
            };
            // An invalid or reserved code is reported even if the plan is full.
            let may_be_full = expected.contains(&"created") && full;
            assert!(
                expected.contains(&outcome.as_str())
                    || (may_be_full && outcome == "plan-limit-reached"),
                "{number}: {outcome}"
            );
            if outcome == "created" {
                shared += usize::from(matches!(number % 8, 3 | 4));
                assert!(created.insert(response.code()), "each code is used once");
            }
        }
        assert!(shared == 1 || (full && shared == 0), "{shared} got the code that many wanted");
    }
    assert_eq!(created.len(), MAX_LINKS, "the plan is full exactly");
    assert_eq!(apis[0].listed().await, created);
    assert_eq!(link_count(&database, "crowd"), MAX_LINKS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_creation_frees_its_plan_slot_in_the_batch() {
    let database = Arc::new(Database::new().with_default_owner());
    let servers = start_servers(&database);
    for round in 0..8 {
        let (plan, owner) = (format!("plan-{round}"), format!("owner-{round}"));
        database.plan(&plan, "5", true);
        let api = servers[0].with_key(&database.owner(&owner, &plan));
        let taken = format!("taken-{round}");
        servers[0].api().create_from(&json!({"url": URL, "custom_code": taken})).await;
        // Nine creations that must fail, then five that can succeed.
        let refused = (0..9).map(|_| json!({"url": URL, "custom_code": taken}));
        let creations = refused.chain((0..5).map(|_| json!({"url": URL})));
        let responses =
            send_concurrently(creations.map(|body| (api.clone(), body)).collect()).await;
        let (first, rest) = responses.split_at(9);
        for response in first {
            assert_eq!(response.status, 409);
        }
        assert!(rest.iter().all(|response| response.status == 201), "{rest:#?}");
        assert_eq!(link_count(&database, &owner), 5);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creation_rejected_by_the_database_fails_alone() {
    only_on!(Postgres: "a file takes every letter");
    let database = Arc::new(Database::in_latin1().with_default_owner());
    let server = Server::on(&database);
    let (mut created, mut refused) = (0, 0);
    for _ in 0..4 {
        let creation = |number: usize| {
            let title = if number % 8 == 3 { "snow: \u{2603}" } else { "caf\u{e9}" };
            (server.api(), json!({"url": URL, "title": title}))
        };
        for (number, response) in
            send_concurrently((0..32).map(creation).collect()).await.iter().enumerate()
        {
            if number % 8 == 3 {
                assert_eq!(response.status, 503);
                refused += 1;
            } else {
                assert_eq!(response.status, 201, "{response:?}");
                created += 1;
            }
        }
    }
    assert_eq!((created, refused), (112, 16));
    assert_eq!(link_count(&database, "default"), created);
}

#[tokio::test]
async fn producer_is_forgotten_once_its_batches_are_stored() {
    only_on!(Postgres: "a server on SQLite has no producer");
    let server = Server::start();
    let code = server.api().create("https://example.com/").await;
    let path = format!("/{code}");
    let visit = |server: &Server, times: u32| {
        let mut connection = server.connect();
        for _ in 0..times {
            let response = connection.exchange("GET", path.as_bytes(), &[], b"").unwrap();
            assert_eq!(response.status, 302);
        }
    };
    let producers = |database: &Database| database.sql("SELECT COUNT(*) FROM click_writers");
    visit(&server, 1);
    assert_eq!(producers(server.database()), "1");
    // A recorder takes another identifier after 1,000 batches.
    visit(&server, 1_000);
    eventually(TIMEOUT, "the first identifier is forgotten", async || {
        producers(server.database()) == "1"
    })
    .await;
    let database = Arc::clone(server.database());
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(producers(&database), "0");
    let killed = Server::on(&database);
    visit(&killed, 1);
    let database = killed.kill9();
    assert_eq!(producers(&database), "1", "a spool file could repeat its last batch");
}
