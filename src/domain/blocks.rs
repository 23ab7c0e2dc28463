//! Blocked destinations: the patterns in memory, their sources, and how operators change them.

mod blocklist;
mod change;
mod expiry;
mod file;
mod import;
mod listing;
mod load;
mod pattern_list;

pub use self::blocklist::{BlockDecision, BlockSnapshot, Blocklist, CachedVerdict};
pub use self::change::{PatternChange, PatternsChanged, put, remove};
pub use self::file::{BLOCK_FILE_SOURCE, BlockFile, BlockFileError};
pub use self::import::{DotlessHosts, count_source, import, read_patterns, remove_source};
pub use self::listing::{ListedBlock, page};
pub use self::load::{load_into, run, sweep};
pub use self::pattern_list::{BlockAction, BlockRule};
