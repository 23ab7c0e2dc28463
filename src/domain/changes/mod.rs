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
