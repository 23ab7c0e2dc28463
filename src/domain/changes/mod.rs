//! Changes by operators and by owners' programs: who changes what, when and why. Each change records
//! an event in its own transaction. The history lists events, and an undo reverts one.

mod action;
mod change;
mod history;
mod transaction;
mod undo;

pub use self::action::Action;
pub use self::change::{Actor, ActorType, Change, Changed};
pub use self::history::{Event, History, HistoryFilter, ShownChange, changes, event};
pub(super) use self::transaction::{ChangeTransaction, Subject};
pub use self::undo::{Skipped, undo};

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;

    use super::*;
    use crate::domain::blocks::{self, ImportedPatterns};
    use crate::domain::keys::{self, KeyEdit, KeyOwner, KeySelection, NewKey};
    use crate::domain::links::{self, LinkEdit, LinkRules, LinkSelector, LinkSwitch, LinkTarget};
    use crate::domain::owners::{self, NewOwner};
    use crate::domain::plans::{self, PlanSettings};
    use crate::store::Store;
    use crate::values::Name;

    fn assert_send<T: Send>(_: T) {}

    /// Handlers of requests need futures that can move between threads. This compiles only if all
    /// of them can, and never runs.
    #[expect(dead_code, clippy::too_many_arguments, reason = "only its types are checked")]
    fn futures_of_changes_are_send(
        store: &Store,
        change: &Change,
        rules: &LinkRules,
        selector: &LinkSelector,
        edit: &LinkEdit,
        settings: &PlanSettings,
        patterns: &ImportedPatterns,
        name: &Name,
        new_key: &NewKey,
        new_owner: &NewOwner,
        rng: &mut StdRng,
    ) {
        assert_send(undo(store, 1, change));
        assert_send(links::switch(store, selector, LinkSwitch::Delete, change));
        assert_send(links::edit(store, LinkTarget::of_code("code"), edit, rules, change));
        assert_send(links::delete(store, LinkTarget::of_code("code"), rules, change));
        assert_send(owners::create(store, new_owner, None, change, rng));
        assert_send(owners::set_plan(store, "name", "plan", change));
        assert_send(owners::rename(store, "name", name, change));
        assert_send(owners::suspend(store, "name", change));
        assert_send(keys::create(store, KeyOwner::Own(1), new_key, None, change, rng));
        assert_send(keys::edit(store, 1, &KeyEdit::default(), change));
        assert_send(keys::revoke(store, KeySelection::Owner("name"), change));
        assert_send(plans::set(store, name, settings, change));
        assert_send(blocks::allow(store, &[], change));
        assert_send(blocks::import(store, "source", patterns, change));
    }
}
