//! What the records of a JSON file look like.

use crate::json;
use crate::scanner::{MAX_DEPTH, elements};
use crate::services::Source;

/// Maximum number of objects in which a link is searched for.
const MAX_SEARCHED: usize = 100;

/// What is known about the records of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    source: Option<Source>,
    has_code_column: bool,
    /// Names of the members of the last object, and whether they are those of a link.
    last: (Vec<String>, bool),
}

impl Expected {
    /// Expects links of `source`, whose codes are in a column that the user names if
    /// `has_code_column` is true.
    pub(crate) fn new(source: Option<Source>, has_code_column: bool) -> Self {
        Self { source, has_code_column, last: (Vec::new(), false) }
    }

    /// Returns the service, if it is known.
    pub(crate) fn source(&self) -> Option<Source> {
        self.source
    }

    /// Sets the service, once it is known.
    pub(crate) fn set_source(&mut self, source: Source) {
        *self = Self::new(Some(source), self.has_code_column);
    }

    /// Returns whether these are the names of a link.
    pub(crate) fn is_link(&mut self, names: Vec<String>) -> bool {
        if self.last.0 != names {
            let is_link = Source::of_names(&names, self.source, self.has_code_column).is_some();
            self.last = (names, is_link);
        }
        self.last.1
    }

    /// Returns whether one of the first objects in a value is a link, or the names of the members of
    /// the first one, if there is one.
    pub(crate) fn find_link(&mut self, value: &[u8]) -> Result<(), Option<Vec<String>>> {
        let mut seen = Vec::new();
        if self.has_link(value, MAX_DEPTH, &mut seen) {
            return Ok(());
        }
        Err(seen.into_iter().next())
    }

    fn has_link(&mut self, value: &[u8], depth: usize, seen: &mut Vec<Vec<String>>) -> bool {
        if value.starts_with(b"{") {
            if seen.len() == MAX_SEARCHED {
                return false;
            }
            let Ok(names) = json::member_names(&String::from_utf8_lossy(value)) else {
                return false;
            };
            if self.is_link(names.clone()) {
                return true;
            }
            seen.push(names);
        } else if !value.starts_with(b"[") {
            return false;
        }
        depth > 0 && elements(value).any(|element| self.has_link(element, depth - 1, seen))
    }
}
