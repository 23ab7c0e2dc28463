//! Applies the commands and creations of a round to the model.
//!
//! The model takes over the results that only the program knows, such as those of killed commands.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::clients::{Creation, CreationResult};
use super::commands::{Command, LinkVerb, Row};
use super::effect::{Effect, Refusal};
use super::operator::{CommandRun, Operator};
use super::world::{Change, Event, Fields, Link, Owner, Span, Thing, World};
use crate::harness::{Outcome, find_object};
use crate::link_commands::lines;

/// The events of a round by their cases, as the history lists them.
pub(super) type Cases = BTreeMap<String, Vec<Value>>;

/// Adds the links that clients created in the round.
pub(super) fn add_created(world: &mut World, operator: &Operator, creations: Vec<Creation>) {
    for Creation { owner, body, span, result } in creations {
        let code = match result {
            CreationResult::Created(code) => Some(code),
            CreationResult::Refused => None,
            CreationResult::Unknown => find_created(operator, &world.owners[owner], &body),
        };
        let Some(code) = code else { continue };
        let fields = Fields::from([
            ("destination_url", body["url"].clone()),
            ("title", body["title"].clone()),
            ("campaign", body["campaign"].clone()),
            ("expires_at", body["expires_at"].clone()),
            ("disabled_reason", Value::Null),
            ("is_paused", json!(0)),
        ]);
        insert(world, code, owner, fields, 0, span);
    }
}

fn insert(world: &mut World, code: String, owner: usize, fields: Fields, clicks: u64, span: Span) {
    let clicks = (clicks, clicks);
    let link = Link { owner, fields, clicks, span, is_deleted: false, deleted_by: None };
    let other = world.links.insert(code.clone(), link);
    assert!(other.is_none(), "{code} was issued twice");
}

/// Finds a link whose creation had no response, deleted or not. Links without a custom code are not
/// deleted in such a round, and commands do not edit them, because they do not know their codes.
fn find_created(operator: &Operator, owner: &Owner, body: &Value) -> Option<String> {
    if let Some(code) = body["custom_code"].as_str() {
        let found = operator.database.terse(&["link", "find", "--json", code]);
        return (found.code == Some(0)).then(|| code.to_owned());
    }
    // The owner's name may have changed in the round, so the title identifies the link.
    let host = body["url"].as_str().and_then(|url| url.split('/').nth(2)).expect("a host");
    let found = operator.lines(&["link", "find", "--host", host]);
    let link = found.iter().find(|link| link["title"] == body["title"])?;
    assert!(!link["owner_name"].is_null(), "a link of {} without an owner: {link}", owner.name);
    Some(link["short_code"].as_str().expect("a code").to_owned())
}

/// Applies a command to the model, and checks its outcome.
pub(super) fn replay(world: &mut World, operator: &Operator, ran: &CommandRun, cases: &Cases) {
    let effect = world.effect(&ran.command, &ran.options, ran.steps);
    let of_case = |case| cases.get(case).cloned().unwrap_or_default();
    let events: Vec<Value> = ran.cases.iter().flat_map(of_case).collect();
    if ran.outcome.is_none() || ran.cases.len() > 1 {
        let listed = ran.cases.iter().flat_map(|case| operator.history(&["--case", case]));
        assert_eq!(listed.collect::<Vec<_>>(), events, "{ran:#?}");
    }
    match (&ran.command, effect, events.as_slice()) {
        (Command::Import { owner, rows }, effect, []) => {
            import(world, ran, world.owner(owner), rows, effect);
        }
        (_, effect, []) if ran.options.is_dry_run => check_dry_run(ran, effect),
        // The killed command may have deleted the owner before the repetition.
        (Command::OwnerDelete { .. }, Ok(effect), [_, ..]) => {
            delete_owner(world, ran, &effect, &events);
        }
        (_, Err(refusal), []) => check_refusal(ran, refusal),
        (_, Ok(effect), []) => {
            let Some(outcome) = &ran.outcome else { return };
            let is_nothing = effect.changes.is_empty() && effect.more == 0;
            assert!(is_nothing, "no event of {effect:#?}: {ran:#?}");
            check_result(outcome, &Value::Null, 0);
            check_skipped(outcome, &ran.command, &effect);
        }
        (_, Ok(effect), [event]) => apply(world, operator, ran, effect, event),
        (_, effect, events) => panic!("{effect:#?} is not {events:#?}: {ran:#?}"),
    }
}

fn check_refusal(ran: &CommandRun, refusal: Refusal) {
    let Some(outcome) = &ran.outcome else { return };
    assert_eq!(outcome.code, Some(1), "not {refusal}: {ran:#?}");
    let error = lines(&outcome.stderr).pop().unwrap_or_default();
    assert_eq!(error["code"], refusal, "{ran:#?}");
}

/// Checks the object that a command prints.
fn check_result(outcome: &Outcome, event: &Value, changed: u64) {
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let result: Value = serde_json::from_str(&outcome.stdout).expect("a JSON object");
    assert_eq!((&result["event_id"], &result["changed"]), (event, &json!(changed)), "{outcome:#?}");
}

fn check_skipped(outcome: &Outcome, command: &Command, effect: &Effect) {
    if let Command::Undo { .. } = command {
        let result: Value = serde_json::from_str(&outcome.stdout).expect("a JSON object");
        assert_eq!(result["skipped_count"], effect.skipped, "{effect:#?}: {outcome:#?}");
    }
}

fn check_dry_run(ran: &CommandRun, effect: Result<Effect, Refusal>) {
    let (outcome, effect) = match (&ran.outcome, effect) {
        (None, _) => return,
        (_, Err(refusal)) => return check_refusal(ran, refusal),
        (Some(outcome), Ok(effect)) => (outcome, effect),
    };
    assert_eq!(outcome.code, Some(0), "{ran:#?}");
    let result: Value = serde_json::from_str(&outcome.stdout).expect("a JSON object");
    assert_eq!(result["event_id"], Value::Null, "{ran:#?}");
    let fewest = effect.changes.len() as u64 + effect.more;
    let most = fewest + effect.possible.len() as u64;
    let changed = result["changed"].as_u64().expect("a number");
    assert!((fewest..=most).contains(&changed), "{effect:#?}: {ran:#?}");
}

/// Applies a command that recorded an event.
fn apply(world: &mut World, operator: &Operator, ran: &CommandRun, effect: Effect, event: &Value) {
    let (id, changed) = (event["id"].as_i64().unwrap(), event["changed"].as_u64().unwrap());
    let is_included = |change: &Change| match &change.thing {
        Thing::Link(code) => operator.events_of(code).contains(&id),
        Thing::Owner(_) | Thing::Pattern(_) => true,
    };
    let Effect { subject, mut owner, other_owners, mut changes, possible, more, skipped: _ } =
        effect.clone();
    let of_event = event["owner_name"].as_str().and_then(|name| world.owner(name));
    if other_owners.contains(&of_event) {
        owner = of_event;
    }
    changes.extend(possible.into_iter().filter(is_included));
    if ran.outcome.is_none() && changed != changes.len() as u64 + more {
        // Slices after the kill are missing.
        changes.retain(is_included);
    }
    assert_eq!(changed, changes.len() as u64 + more, "{event}: {changes:#?} {ran:#?}");
    if let Some(outcome) = &ran.outcome {
        check_result(outcome, &event["id"], changed);
        check_skipped(outcome, &ran.command, &effect);
    }
    for change in &changes {
        if let (Command::Link { verb: LinkVerb::Delete, .. }, Thing::Link(code)) =
            (&ran.command, &change.thing)
        {
            world.delete(code, Some(id));
        } else {
            world.set(&change.thing, &change.after);
        }
    }
    change_more(world, operator, ran, owner, event);
    let is_deletion = matches!(ran.command, Command::Link { verb: LinkVerb::Delete, .. });
    let changes = if is_deletion { Vec::new() } else { changes };
    let subject = subject.unwrap_or_else(|| event["subject"].as_str().unwrap().to_owned());
    add_event(world, ran, id, Event { subject, owner, changed, changes, ..blank(ran) });
}

fn add_event(world: &mut World, ran: &CommandRun, id: i64, event: Event) {
    let newest = world.events.keys().next_back();
    assert!(newest.is_none_or(|newest| *newest < id), "event {id} is not the newest: {ran:#?}");
    world.events.insert(id, event);
}

/// Returns an event with the data that the operator gave.
fn blank(ran: &CommandRun) -> Event {
    let undoes = if let Command::Undo { event } = ran.command { Some(event) } else { None };
    Event {
        action: ran.command.action(),
        subject: String::new(),
        owner: None,
        reason: ran.options.reason.unwrap_or("other").to_owned(),
        note: ran.options.note.clone(),
        case: Some(ran.options.case.clone()),
        changed: 0,
        changes: Vec::new(),
        undoes,
    }
}

/// Applies changes that no undo can revert: new owners, new names, and keys.
fn change_more(
    world: &mut World,
    operator: &Operator,
    ran: &CommandRun,
    owner: Option<usize>,
    event: &Value,
) {
    let result =
        ran.outcome.as_ref().and_then(|outcome| serde_json::from_str(&outcome.stdout).ok());
    let result: Value = result.unwrap_or_default();
    let key = result["key"].as_str().map(str::to_owned);
    if let Command::OwnerAdd { name, plan, .. } = &ran.command {
        world.owners.push(added_owner(operator, name, plan, key.expect("a key")));
    } else if let Command::Rename { new, .. } = &ran.command {
        world.rename(owner.unwrap(), new);
    } else if let Command::KeyAdd { .. } = &ran.command {
        let id = event["subject"].as_str().and_then(|id| id.parse().ok()).expect("an id");
        let owner = &mut world.owners[owner.unwrap()];
        assert!(owner.keys.insert(id, false).is_none(), "key {id} is new");
        if let (true, Some(key)) = (owner.keys[&owner.client_key.0], key) {
            owner.client_key = (id, key);
        }
    } else if let Command::KeyRevoke { ids } = &ran.command {
        let keys = world.owners.iter_mut().flat_map(|owner| &mut owner.keys);
        keys.filter(|(id, _)| ids.contains(id)).for_each(|(_, is_revoked)| *is_revoked = true);
    } else if let Command::KeyRevokeAll { .. } = &ran.command {
        let keys = world.owners[owner.unwrap()].keys.values_mut();
        keys.for_each(|is_revoked| *is_revoked = true);
    }
}

/// Returns an owner that a command has created.
pub(super) fn added_owner(
    operator: &Operator,
    name: &str,
    plan: &'static str,
    key: String,
) -> Owner {
    let keys = operator.list(&["key", "list", name]);
    let id = keys[0]["id"].as_i64().expect("the key is listed");
    let plans = operator.list(&["plan", "list"]);
    let limit = find_object(&plans, "name", plan).expect("the plan")["max_links"].as_u64();
    Owner {
        name: name.to_owned(),
        plan,
        limit: limit.expect("a limit"),
        fields: Fields::from([("suspended_reason", Value::Null)]),
        keys: BTreeMap::from([(id, false)]),
        client_key: (id, key),
        is_deleted: false,
    }
}

/// Applies the deletion of an owner, by one event or, after an interruption, two.
fn delete_owner(world: &mut World, ran: &CommandRun, effect: &Effect, events: &[Value]) {
    let owner = effect.owner.expect("a deletion has an owner");
    let counts: Vec<u64> = events.iter().map(|event| event["changed"].as_u64().unwrap()).collect();
    // Each event counts the owner.
    let repeated = events.len() as u64 - 1;
    let links: Vec<String> = world.links_of(owner).map(|(code, _)| code.clone()).collect();
    let changed = links.len() as u64 + effect.more + repeated;
    assert_eq!(counts.iter().sum::<u64>(), changed, "{events:#?} {links:?} {ran:#?}");
    let outcome = ran.outcome.as_ref().expect("a deletion is repeated until it is complete");
    let last = &events[events.len() - 1];
    if last["audit"]["case_id"] == ran.options.case.as_str() {
        check_result(outcome, &last["id"], counts[counts.len() - 1]);
    } else {
        check_refusal(ran, "owner-not-found");
    }
    let ids = events.iter().map(|event| event["id"].as_i64().unwrap());
    for (id, (changed, event)) in ids.clone().zip(counts.into_iter().zip(events)) {
        let case = event["audit"]["case_id"].as_str().map(str::to_owned);
        assert!(case.as_ref().is_some_and(|case| ran.cases.contains(case)), "{event}");
        let subject = effect.subject.clone().expect("the owner's name");
        let owner = Some(owner);
        add_event(world, ran, id, Event { subject, owner, changed, case, ..blank(ran) });
    }
    let mut ids = ids;
    let only = ids.next_back().filter(|_| events.len() == 1);
    links.iter().for_each(|code| world.delete(code, only));
    world.owners[owner].is_deleted = true;
}

/// Applies an import, which records no event.
fn import(
    world: &mut World,
    ran: &CommandRun,
    owner: Option<usize>,
    rows: &[Row],
    effect: Result<Effect, Refusal>,
) {
    let is_new = |row: &&Row| !world.links.contains_key(&row.code);
    let valid = rows.iter().filter(is_new).filter(|row| world.blocked(&row.destination).is_none());
    let valid: Vec<&Row> = valid.collect();
    let imported = rows.iter().filter(is_new).filter(|row| ran.imported.contains(&row.code));
    let imported: Vec<&Row> = imported.collect();
    let is_valid = |row: &&Row| valid.iter().any(|other| other.code == row.code);
    assert!(imported.iter().all(is_valid), "{ran:#?}");
    if let Err(refusal) = effect {
        assert!(imported.is_empty(), "{ran:#?}");
        return check_refusal(ran, refusal);
    }
    assert!(!ran.options.is_dry_run || imported.is_empty(), "{ran:#?}");
    if let Some(outcome) = ran.outcome.as_ref().filter(|_| !ran.options.is_dry_run) {
        let summary: Value = serde_json::from_str(&outcome.stdout).expect("a summary");
        let rejected = rows.len() - imported.len();
        let counts = (json!(imported.len()), json!(rejected));
        assert_eq!(
            (&summary["imported"], &summary["rejected"]),
            (&counts.0, &counts.1),
            "{ran:#?}"
        );
        assert_eq!(outcome.code, Some(i32::from(rejected > 0)), "{ran:#?}");
        let is_limited = outcome.stderr.contains("plan");
        assert!(imported.len() == valid.len() || is_limited, "{valid:#?} {ran:#?}");
    }
    let imported: Vec<Row> = imported.into_iter().cloned().collect();
    for Row { code, destination, campaign, clicks, is_active, expires_at } in imported {
        let fields = Fields::from([
            ("destination_url", json!(destination)),
            ("title", json!(Row::TITLE)),
            ("campaign", json!(campaign)),
            ("expires_at", json!(expires_at)),
            ("is_paused", json!(0)),
            ("disabled_reason", if is_active { Value::Null } else { json!("other") }),
        ]);
        let span = Span { sent: ran.steps.begun, responded: ran.steps.begun };
        insert(world, code, owner.expect("the owner exists"), fields, clicks, span);
    }
}
