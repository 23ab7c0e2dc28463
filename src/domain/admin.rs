//! Searches and changes of operators on links of any owner, and the history of all changes.

mod bulk;
mod change;
mod edit;
mod find;
mod history;
mod selector;
mod undo;

pub use self::change::{LinkChange, change};
pub use self::edit::{LinkEdit, edit};
pub use self::find::{FoundLink, count, find, find_by_code};
pub use self::history::{HistoryFilter, ShownChange, changes, history};
pub use self::selector::LinkSelector;
pub use self::undo::{Undone, undo};
