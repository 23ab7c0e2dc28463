//! Patterns as `terse block` shows them.

use serde::Serialize;

use crate::domain::blocks::BlockRule;

/// A pattern in a list.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    pub(super) pattern: &'a str,
    pub(super) action: &'static str,
    pub(super) source: Option<&'a str>,
    pub(super) reason: &'static str,
    pub(super) until: Option<String>,
}

impl<'a> Row<'a> {
    /// Creates the row of a pattern with its rule.
    pub(super) fn new(pattern: &'a str, source: Option<&'a str>, rule: BlockRule) -> Self {
        let BlockRule { action, reason, until } = rule;
        let until = until.map(|until| until.to_string());
        Self { pattern, action: action.as_str(), source, reason: reason.as_str(), until }
    }
}
