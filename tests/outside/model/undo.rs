//! What an undo must revert.

use std::collections::BTreeSet;

use super::effect::{Effect, Refusal};
use super::world::{Change, World};

/// Actions whose events can be undone.
const REVERSIBLE: [&str; 8] = [
    "link disable",
    "link enable",
    "link edit",
    "owner suspend",
    "owner resume",
    "block add",
    "block allow",
    "block remove",
];

/// Returns the effect of an undo: it reverts what still has the values that the event gave it,
/// unless a later event that was not itself undone has changed one of these values.
pub(super) fn reversal(world: &World, id: i64) -> Result<Effect, Refusal> {
    let event = world.events.get(&id).ok_or("event-not-found")?;
    if !REVERSIBLE.contains(&event.action) {
        return Err("cannot-undo");
    }
    let subject = Some(id.to_string());
    let mut effect = Effect { subject, owner: event.owner, ..Effect::default() };
    for change in &event.changes {
        let Change { thing, before, after } = change.clone();
        let current = world.fields(&thing);
        let is_current = |name: &str| current.as_ref().is_some_and(|all| all[name] == after[name]);
        if after.keys().all(|name| is_current(name)) && !has_changed_since(world, id, change) {
            effect.changes.push(Change { thing, before: after, after: before });
        } else {
            effect.skipped += 1;
        }
    }
    Ok(effect)
}

/// Returns whether a later event that was not undone has changed one of the values.
fn has_changed_since(world: &World, id: i64, change: &Change) -> bool {
    let mut later = Vec::new();
    for (id, event) in world.events.range(id + 1..) {
        let of_thing = event.changes.iter().filter(|other| other.thing == change.thing);
        later.extend(of_thing.map(|other| (*id, event.undoes, other)));
    }
    let ids: BTreeSet<i64> = later.iter().map(|(id, ..)| *id).collect();
    // Two later events of which one reverts the other change nothing.
    let reverted: BTreeSet<i64> =
        later.iter().filter_map(|(_, undoes, _)| undoes.filter(|of| ids.contains(of))).collect();
    let stands = |id: &i64, undoes: &Option<i64>| {
        !reverted.contains(id) && undoes.is_none_or(|of| !reverted.contains(&of))
    };
    later.iter().any(|(id, undoes, other)| {
        stands(id, undoes) && other.after.keys().any(|name| change.after.contains_key(name))
    })
}
