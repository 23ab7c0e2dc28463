//! Compares the program with the model.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::clients::{Client, Sent, Shared};
use super::operator::Operator;
use super::time::now;
use super::world::{Link, Owner, World};
use crate::harness::{EFFECT_POLLS, POLL_INTERVAL, Response, field};

/// Clients that visit all links concurrently.
const VISITORS: usize = 4;

/// Compares everything that commands list. `first` is the first event that the model knows.
pub(super) fn compare_lists(world: &mut World, operator: &Operator, first: i64) {
    compare_history(world, operator, first);
    let owners = operator.list(&["owner", "list"]);
    let row = |owner: &Value| {
        json!([owner["name"], owner["plan_name"], owner["links"], owner["suspended_reason"]])
    };
    let listed = owners.as_array().expect("a list").iter().map(row);
    let listed: BTreeMap<String, Value> =
        listed.map(|row| (row[0].as_str().expect("a name").to_owned(), row)).collect();
    let known = world.owners.iter().enumerate().filter(|(_, owner)| !owner.is_deleted);
    let expected = known.map(|(at, owner)| {
        let (Owner { name, plan, limit, fields, .. }, count) = (owner, world.links_of(at).count());
        assert!(count as u64 <= *limit, "'{name}' has {count} links");
        (name.clone(), json!([name, plan, count, fields["suspended_reason"]]))
    });
    // The model does not contain this owner, which creates no links.
    let default = ("default".to_owned(), json!(["default", "unlimited", 0, null]));
    assert_eq!(listed, expected.chain([default]).collect::<BTreeMap<_, _>>());

    let patterns = operator.list(&["block", "list"]);
    let row = |row: &Value| {
        let (action, reason, until) = (&row["action"], &row["reason"], &row["expires_at"]);
        let rule = json!({"action": action, "reason": reason, "expires_at": until});
        (row["pattern"].as_str().expect("a pattern").to_owned(), rule)
    };
    let listed: BTreeMap<String, Value> =
        patterns.as_array().expect("a list").iter().map(row).collect();
    assert_eq!(listed, world.patterns);
    for owner in world.owners.iter().filter(|owner| !owner.is_deleted) {
        compare_keys(owner, operator);
    }
}

fn compare_history(world: &World, operator: &Operator, first: i64) {
    let mut history = operator.history(&[]);
    history.retain(|event| event["id"].as_i64().expect("a number") >= first);
    for event in &mut history {
        let event = event.as_object_mut().expect("an object");
        for name in ["created_at", "owner_id", "status", "finished_at", "skipped", "skipped_count"]
        {
            assert!(event.remove(name).is_some(), "{event:?}");
        }
    }
    let expected: Vec<Value> = world.events.keys().rev().map(|id| world.history_row(*id)).collect();
    let differing = history.iter().zip(&expected).find(|(listed, expected)| listed != expected);
    assert!(differing.is_none() && history.len() == expected.len(), "{differing:#?}");
}

fn compare_keys(owner: &Owner, operator: &Operator) {
    let listed = operator.list(&["key", "list", &owner.name]);
    let row = |key: &Value| (key["id"].as_i64().expect("an id"), !key["revoked_at"].is_null());
    let listed: BTreeMap<i64, bool> = listed.as_array().expect("a list").iter().map(row).collect();
    assert_eq!(listed, owner.keys, "{}", owner.name);
}

/// Compares all fields of all links of each owner. From then on their clicks are known exactly.
pub(super) fn compare_links(world: &mut World, operator: &Operator) {
    for at in 0..world.owners.len() {
        let Owner { name, is_deleted, .. } = &world.owners[at];
        if *is_deleted {
            continue;
        }
        let before = now();
        let found = operator.lines(&["link", "find", "--owner", name]);
        let after = now();
        let code = |link: &Value| link["short_code"].as_str().expect("a code").to_owned();
        let mut found: BTreeMap<String, Value> =
            found.into_iter().map(|link| (code(&link), link)).collect();
        let links: Vec<(String, Link)> =
            world.links_of(at).map(|(code, link)| (code.clone(), link.clone())).collect();
        for (code, link) in links {
            let row = found.remove(&code).unwrap_or_else(|| panic!("{code} is missing: {link:#?}"));
            compare_link(world, &code, &link, &row, [before, after]);
            let clicks = row["clicks"].as_u64().expect("a number");
            let (fewest, most) = link.clicks;
            assert!((fewest..=most).contains(&clicks), "{row} has not {fewest} to {most} clicks");
            world.links.get_mut(&code).expect("a known link").clicks = (clicks, clicks);
        }
        assert!(found.is_empty(), "links that nothing has created: {found:#?}");
    }
}

fn compare_link(world: &World, code: &str, link: &Link, row: &Value, during: [i64; 2]) {
    let Link { owner, fields, .. } = link;
    // A link may expire during the command.
    let rows = during.map(|time| {
        let (state, reason) = world.state(link, time);
        json!({
            "short_code": code,
            "owner_name": world.owners[*owner].name,
            "destination_url": fields["destination_url"],
            "title": fields["title"],
            "campaign": fields["campaign"],
            "clicks": row["clicks"],
            "state": state,
            "state_reason": reason,
            "created_at": row["created_at"],
            "expires_at": fields["expires_at"],
        })
    });
    let is_shown = |expected: &Value| {
        let mut members = expected.as_object().expect("an object").iter();
        members.all(|(name, value)| row[name] == *value)
    };
    assert!(rows.iter().any(is_shown), "{row} is not {:#}", rows[0]);
}

/// Checks the events that the history lists for some links.
pub(super) fn compare_histories(world: &World, operator: &Operator, codes: &[String]) {
    for code in codes {
        let link = &world.links[code];
        // Otherwise, either of two events may have deleted the link.
        if !link.is_deleted || link.deleted_by.is_some() {
            assert_eq!(operator.events_of(code), world.history_of(code), "{code}: {link:#?}");
        }
    }
}

/// Visits these links on both servers until all have the expected status, and counts the clicks.
pub(super) fn visit_all(world: &mut World, shared: &Shared, codes: &[String]) {
    let clicks: Mutex<BTreeMap<&String, u64>> = Mutex::default();
    let all: Vec<(usize, &String)> = codes.iter().flat_map(|code| [(0, code), (1, code)]).collect();
    let visited: &World = world;
    thread::scope(|scope| {
        for part in all.chunks(all.len().div_ceil(VISITORS).max(1)) {
            let clicks = &clicks;
            scope.spawn(move || {
                let (mut client, mut left) = (Client::new(shared), part.to_vec());
                // The polls count from the end of the first pass.
                let mut polls = 0;
                loop {
                    left.retain(|(server, code)| {
                        let before = now();
                        let response = get(&mut client, *server, code);
                        if response.status == 302 {
                            let mut clicks = clicks.lock().unwrap_or_else(PoisonError::into_inner);
                            *clicks.entry(code).or_default() += 1;
                        }
                        !is_expected(visited, &visited.links[*code], &response, [before, now()])
                    });
                    if left.is_empty() {
                        break;
                    }
                    assert!(polls < EFFECT_POLLS, "{}", explain(visited, &mut client, &left));
                    polls += 1;
                    thread::sleep(POLL_INTERVAL);
                }
            });
        }
    });
    let clicks: Vec<(String, u64)> = clicks
        .into_inner()
        .unwrap()
        .into_iter()
        .map(|(code, count)| (code.clone(), count))
        .collect();
    for (code, count) in clicks {
        let link = world.links.get_mut(&code).expect("a known link");
        link.clicks = (link.clicks.0 + count, link.clicks.1 + count);
    }
}

fn get(client: &mut Client<'_>, server: usize, code: &str) -> Response {
    match client.visit(server, code) {
        Sent::Response(response) => *response,
        Sent::Refused | Sent::Lost => panic!("server {server} does not respond"),
    }
}

fn is_expected(world: &World, link: &Link, response: &Response, during: [i64; 2]) -> bool {
    let is_redirect = response.status == 302;
    let to = response.header("location");
    let is_right = !is_redirect || to == link.text("destination_url");
    is_right && during.iter().any(|time| world.status(link, *time) == response.status)
}

fn explain(world: &World, client: &mut Client<'_>, left: &[(usize, &String)]) -> String {
    let (server, code) = left[0];
    let (link, response) = (&world.links[code], get(client, server, code));
    format!("server {server}, {code}: not {:?} {link:#?}: {response:#?}", world.state(link, now()))
}

/// Compares what the API lists for each owner, and its statistics of some links, on both servers.
pub(super) fn compare_api(world: &World, shared: &Shared, codes: &[String]) {
    let mut client = Client::new(shared);
    for (at, owner) in world.owners.iter().enumerate() {
        let fields = [field("X-API-Key", &owner.client_key.1)];
        let is_revoked = owner.keys[&owner.client_key.0];
        let is_suspended = !owner.fields["suspended_reason"].is_null();
        let expected = match (is_revoked || owner.is_deleted, is_suspended) {
            (true, _) => 401,
            (false, true) => 403,
            (false, false) => 200,
        };
        for server in 0..2 {
            let before = now();
            let response = get_api(&mut client, server, "/api/v1/links", &fields, expected);
            if expected != 200 {
                continue;
            }
            let listed = response.data().as_array().expect("a list").clone();
            let code = |link: &Value| link["short_code"].as_str().expect("a code").to_owned();
            let listed: BTreeMap<String, Value> =
                listed.into_iter().map(|link| (code(&link), link)).collect();
            let links: BTreeMap<&String, &Link> = world.links_of(at).collect();
            assert!(listed.keys().eq(links.keys().copied()), "{listed:#?} is not {links:#?}");
            for (code, link) in links {
                compare_item(world, link, &listed[code], before);
                if codes.contains(code) {
                    let target = format!("/api/v1/stats/{code}");
                    let stats = get_api(&mut client, server, &target, &fields, 200).data();
                    compare_item(world, link, &stats, before);
                }
            }
        }
    }
}

fn compare_item(world: &World, link: &Link, item: &Value, before: i64) {
    assert_eq!(item["clicks"], link.clicks.0, "{item}: {link:#?}");
    assert_eq!(item["destination_url"], link.fields["destination_url"], "{item}");
    assert_eq!(item["campaign"], link.fields["campaign"], "{item}");
    if item.get("is_active").is_some() {
        let states = [before, now()].map(|time| u8::from(world.status(link, time) == 302));
        assert!(states.iter().any(|state| item["is_active"] == *state), "{item}: {link:#?}");
    }
}

/// Sends a request to the API until its status is the expected one.
fn get_api(
    client: &mut Client<'_>,
    server: usize,
    target: &str,
    fields: &[Vec<u8>],
    expected: u16,
) -> Response {
    let mut polls = 0;
    loop {
        let Sent::Response(response) = client.send(server, "GET", target, fields, "") else {
            panic!("server {server} does not respond");
        };
        if response.status == expected {
            return *response;
        }
        assert!(polls < EFFECT_POLLS, "{target}: not {expected}: {response:#?}");
        polls += 1;
        thread::sleep(POLL_INTERVAL);
    }
}

/// Checks, as the owner `default`, that the codes of deleted links cannot be used again.
pub(super) fn compare_retired(shared: &Shared, key: &str, codes: &[String]) {
    let mut client = Client::new(shared);
    let fields = [field("X-API-Key", key), field("Content-Type", "application/json")];
    for (number, code) in codes.iter().enumerate() {
        let body = json!({"url": "https://probe.invalid/", "custom_code": code}).to_string();
        match client.send(number % 2, "POST", "/api/v1/shorten", &fields, &body) {
            Sent::Response(response) => drop(response.problem(409, "code-in-use")),
            Sent::Refused | Sent::Lost => panic!("no response for {code}"),
        }
    }
}
