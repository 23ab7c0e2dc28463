//! What committed is told, and nothing else, whatever fails meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::receiver::{Answer, Receiver};
use super::{TYPES, path_of, post, serve_quickly_on, subscribe};
use crate::harness::{Api, Cluster, Database, Server, Store, TIMEOUT, eventually};
use crate::link_commands::lines;

/// Number of kills of the server and, on PostgreSQL, of its sessions.
const ROUNDS: u64 = 10;
/// Number of loads in each round.
const LOADS: u64 = 4;
/// An hour of the shortened schedule, in which 5 s are 50 ms.
const HOUR: Duration = Duration::from_secs(36);
/// Number of links of a campaign, whose change is one delivery.
const MANY: usize = 150;

/// Sends requests until it is stopped: creations, edits, changes of a few and of many links, and visits. The
/// first load of each round begins by pausing many links, or by the opposite. Each such change notifies `many`
/// when it has ended.
async fn load(
    api: Api,
    seed: u64,
    codes: Arc<Vec<String>>,
    is_over: Arc<AtomicBool>,
    many: Arc<Notify>,
) {
    const ACTIONS: [&str; 2] = ["pause", "unpause"];
    let mut random = StdRng::seed_from_u64(seed);
    let mut first = seed.is_multiple_of(LOADS).then(|| (7, ACTIONS[(seed / LOADS % 2) as usize]));
    while !is_over.load(Ordering::Relaxed) {
        let chosen: Vec<&String> = codes.sample(&mut random, 3).collect();
        let chance = (random.random_range(0..11), *ACTIONS.choose(&mut random).unwrap());
        let (kind, action) = first.take().unwrap_or(chance);
        let change = |selectors: Value| {
            let ask = api.ask(Method::POST, "/api/manage/v1/link-changes");
            ask.json(&json!({ "action": action, "selectors": selectors }))
        };
        let ask = match kind {
            0..3 => api
                .ask(Method::POST, "/api/v1/shorten")
                .json(&json!({ "url": "https://example.org/" })),
            3..6 => api
                .ask(Method::PATCH, &format!("/api/manage/v1/links/{}", chosen[0]))
                .json(&json!({ "title": random.random_range(0..1_000).to_string() })),
            6 => change(json!({ "code": chosen })),
            7 => change(json!({ "campaign": "many" })),
            8 => api
                .ask(Method::POST, "/api/v1/qrcodes")
                .json(&json!({ "short_code": chosen[0], "margin": random.random_range(0..=16) })),
            _ => api.ask(Method::GET, &format!("/{}", chosen[0])),
        };
        let _ = ask.try_send().await;
        if kind == 7 {
            many.notify_one();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns the received codes or, of a change, the codes by event.
fn by_event(received: &Receiver, kinds: &[&str]) -> BTreeMap<i64, BTreeSet<String>> {
    let mut events = BTreeMap::<i64, BTreeSet<String>>::new();
    for one in kinds.iter().flat_map(|kind| received.of(kind)) {
        let data = &one.body["data"];
        let code = data["link"]["short_code"].as_str().unwrap_or("many");
        let code = data["changed"].as_u64().map_or(code.to_owned(), |changed| changed.to_string());
        events.entry(data["event_id"].as_i64().unwrap_or(0)).or_default().insert(code);
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_each_commit_is_told_and_nothing_else() {
    let is_postgres = Store::chosen() == Store::Postgres;
    let cluster = is_postgres.then(|| Cluster::private(&[]));
    let database = cluster.as_ref().map_or_else(Database::new, Database::on);
    let database = Arc::new(database.with_default_owner());
    let receiver = Receiver::start().await;
    let start = || serve_quickly_on(&database);
    let mut servers: Vec<Server> = (0..if is_postgres { 2 } else { 1 }).map(|_| start()).collect();
    let webhook = subscribe(&servers[0].api(), &receiver, &TYPES).await;
    let link = json!({ "destination_url": "https://example.org/", "campaign": "many" });
    let batch = json!({ "links": vec![link; MANY] });
    post(&servers[0].api(), "/api/manage/v1/link-batches", &batch).await.expect(200);
    let codes: Vec<String> = servers[0].api().listed().await.into_iter().take(20).collect();
    let codes = Arc::new(codes);

    let mut away = None;
    for round in 0..ROUNDS {
        if round == 2 {
            receiver.answer(Answer::Status("503 Down"));
            away = Some(Instant::now());
        }
        let (is_over, many) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let loads = (0..LOADS).map(|number| {
            let api = servers[number as usize % servers.len()].api();
            let seed = LOADS * round + number;
            tokio::spawn(load(
                api,
                seed,
                Arc::clone(&codes),
                Arc::clone(&is_over),
                Arc::clone(&many),
            ))
        });
        let loads: Vec<_> = loads.collect();
        tokio::time::sleep(Duration::from_millis(700)).await;
        // A machine that is busy needs longer.
        tokio::time::timeout(TIMEOUT, many.notified()).await.expect("a change of many links ends");
        if let Some(cluster) = &cluster {
            let sessions = "FROM pg_stat_activity WHERE application_name = 'terse'";
            cluster.sql(&format!("SELECT pg_terminate_backend(pid) {sessions}"));
            if round == 5 {
                cluster.stop_immediately();
                tokio::time::sleep(Duration::from_secs(2)).await;
                cluster.start();
            }
            tokio::time::sleep(Duration::from_millis(700)).await;
        }
        // One of two delivers, so that the other takes over.
        servers.remove(0).kill9();
        is_over.store(true, Ordering::Relaxed);
        for load in loads {
            load.await.unwrap();
        }
        servers.push(start());
    }
    let is_back = || away.unwrap().elapsed() >= HOUR;
    eventually(2 * HOUR, "an hour has passed", async || is_back()).await;
    receiver.answer(Answer::Status("200 OK"));

    let api = servers[0].api();
    let path = path_of(&webhook);
    eventually(4 * TIMEOUT, "nothing waits", async || {
        api.get(&path).await.expect(200).json()["waiting"] == 0
    })
    .await;
    assert_eq!(api.get(&path).await.expect(200).json()["dropped"], 0);

    let told = |kind| by_event(&receiver, &[kind]).into_values().flatten().collect::<BTreeSet<_>>();
    let links = api.listed().await;
    assert_eq!(told("link.created"), links);
    let history = database.terse(&["history", "--json", "--limit", "1000000"]).done();
    let mut expected = BTreeMap::new();
    for event in lines(&history.stdout) {
        let action = event["action"].as_str().unwrap();
        let changed = event["changed"].as_u64().unwrap();
        if ["link edit", "link pause", "link unpause"].contains(&action) && changed > 0 {
            expected.insert(event["id"].as_i64().unwrap(), changed);
        }
    }
    let changes = by_event(&receiver, &["link.updated", "links.changed"]);
    let counted = changes.iter().map(|(event, codes)| {
        let many = codes.first().and_then(|code| code.parse().ok()).filter(|_| codes.len() == 1);
        (*event, many.filter(|many| *many > 100).unwrap_or(codes.len() as u64))
    });
    assert_eq!(counted.collect::<BTreeMap<i64, u64>>(), expected);
    let is_many = |changed: &&u64| **changed > 100;
    let many = expected.values().filter(is_many).count();
    assert!(many > 0 && many < expected.len(), "{expected:?}");

    let mut clicks = BTreeMap::new();
    eventually(TIMEOUT, "the clicks of each link", async || {
        let mut counts = BTreeMap::new();
        for code in codes.iter() {
            let count = api.stats(code).await.expect(200).data()["clicks"].as_u64().unwrap();
            if count > 0 {
                counts.insert(code.clone(), count);
            }
        }
        clicks.clear();
        for delivery in receiver.of("links.clicked") {
            for link in delivery.body["data"]["links"].as_array().unwrap() {
                let code = link["short_code"].as_str().unwrap().to_owned();
                let largest: &mut u64 = clicks.entry(code).or_default();
                *largest = link["clicks"].as_u64().unwrap().max(*largest);
            }
        }
        clicks == counts
    })
    .await;
    assert!(!clicks.is_empty());
    let _ = writeln!(
        std::io::stderr(),
        "{} links, {} changes, {many} of them of many links, and {} clicks were told in {} requests, with {} \
         different deliveries",
        links.len(),
        expected.len(),
        clicks.values().sum::<u64>(),
        receiver.all().len(),
        receiver.all().iter().map(|one| one.id().to_owned()).collect::<BTreeSet<_>>().len(),
    );
}
