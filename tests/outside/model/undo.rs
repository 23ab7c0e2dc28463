//! What an undo must revert.

use std::collections::BTreeSet;

use super::effect::{Effect, Refusal};
use super::world::{Change, Fields, Thing, World};

/// Actions whose events can be undone.
const REVERSIBLE: [&str; 10] = [
    "link disable",
    "link enable",
    "link pause",
    "link unpause",
    "link edit",
    "owner suspend",
    "owner resume",
    "block add",
    "block allow",
    "block remove",
];

/// Returns the effect of an undo: it reverts the values that are still those that the event gave,
/// unless a later event that was not itself undone has changed them. It reverts a pattern only as a
/// whole.
pub(super) fn reversal(world: &World, id: i64) -> Result<Effect, Refusal> {
    let event = world.events.get(&id).ok_or("event-not-found")?;
    if !REVERSIBLE.contains(&event.action) {
        return Err("cannot-undo");
    }
    let subject = Some(id.to_string());
    let mut effect = Effect { subject, owner: event.owner, ..Effect::default() };
    for change in &event.changes {
        let Change { thing, before, after } = change;
        let current = world.fields(thing);
        let changed = changed_since(world, id, change);
        let is_kept = |name: &&'static str| {
            current.as_ref().is_none_or(|all| all[name] != after[name]) || changed.contains(name)
        };
        let kept: BTreeSet<&str> = after.keys().copied().filter(is_kept).collect();
        effect.skipped += usize::from(!kept.is_empty());
        let is_whole = !matches!(thing, Thing::Link(_));
        if kept.len() == after.len() || (is_whole && !kept.is_empty()) {
            continue;
        }
        let rest = |fields: &Fields| {
            let fields = fields.iter().filter(|(name, _)| !kept.contains(*name));
            fields.map(|(name, value)| (*name, value.clone())).collect()
        };
        let (before, after) = (rest(after), rest(before));
        effect.changes.push(Change { thing: thing.clone(), before, after });
    }
    Ok(effect)
}

/// Returns the values of a thing that later events changed, unless these changes were undone.
fn changed_since(world: &World, id: i64, change: &Change) -> BTreeSet<&'static str> {
    let mut later = Vec::new();
    for (id, event) in world.events.range(id + 1..) {
        let of_thing = event.changes.iter().filter(|other| other.thing == change.thing);
        later.extend(of_thing.map(|other| (*id, event.undoes, other)));
    }
    let names = |other: &Change| {
        let names = other.after.keys().copied();
        names.filter(|name| change.after.contains_key(name)).collect::<Vec<_>>()
    };
    // Two later events of which one reverts the other change nothing.
    let mut reverted = BTreeSet::new();
    for (undo, of, other) in &later {
        if let Some(of) = of.filter(|of| *of > id) {
            for name in names(other) {
                reverted.extend([(of, name), (*undo, name)]);
            }
        }
    }
    let all = later.iter().flat_map(|(id, _, other)| names(other).into_iter().map(|n| (*id, n)));
    all.filter(|change| !reverted.contains(change)).map(|(_, name)| name).collect()
}
