//! Changes of the operator's own patterns.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::pattern_list::{BlockAction, BlockRule};
use crate::domain::AdminError;
use crate::domain::events::{self, Action, ChangeContext, ChangeResult, Subject};
use crate::store::blocks::BlockPatternRow;
use crate::store::changes::{self, Change};
use crate::store::events::{EventChange, insert_changes};
use crate::store::{Durability, Store, blocks};
use crate::values::{BlockPattern, Reason, Timestamp};

/// Kind of these changes in the table `event_changes`.
const KIND: &str = "block";

/// Result of a change of patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternsChanged {
    /// Event of the change, and number of changed patterns.
    pub result: ChangeResult,
    /// The patterns that changed, or would change in a dry run.
    pub changed: Vec<PatternChange>,
    /// The patterns that the change left as they were.
    pub unchanged: Vec<PatternChange>,
}

/// A pattern with its rules before and after a change. `None`: the pattern is not among the
/// operator's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternChange {
    /// The pattern.
    pub pattern: String,
    /// The rule before the change.
    pub before: Option<BlockRule>,
    /// The rule after the change.
    pub after: Option<BlockRule>,
}

/// Blocks destinations that match the patterns, until `until` if it is set. A pattern that was an
/// exception becomes a block. Without a new reason, an existing pattern keeps its reason.
///
/// # Errors
/// If the database fails.
pub async fn block(
    store: &Store,
    patterns: &[BlockPattern],
    until: Option<Timestamp>,
    context: &ChangeContext,
) -> Result<PatternsChanged, AdminError> {
    put(store, patterns, BlockAction::Block, until, context).await
}

/// Exempts destinations that match the patterns from blocks, unless a block is more specific.
///
/// # Errors
/// If the database fails.
pub async fn allow(
    store: &Store,
    patterns: &[BlockPattern],
    context: &ChangeContext,
) -> Result<PatternsChanged, AdminError> {
    put(store, patterns, BlockAction::Allow, None, context).await
}

/// Removes patterns from the operator's own. If there are several, all of them must exist.
///
/// # Errors
/// [`AdminError::NoSuchPatterns`], or if the database fails.
pub async fn remove(
    store: &Store,
    patterns: &[BlockPattern],
    context: &ChangeContext,
) -> Result<PatternsChanged, AdminError> {
    change(store, patterns, Action::BlockRemove, context, |_| None).await
}

async fn put(
    store: &Store,
    patterns: &[BlockPattern],
    action: BlockAction,
    until: Option<Timestamp>,
    context: &ChangeContext,
) -> Result<PatternsChanged, AdminError> {
    let event_action = match action {
        BlockAction::Block => Action::BlockAdd,
        BlockAction::Allow => Action::BlockAllow,
    };
    change(store, patterns, event_action, context, |before| {
        let kept = before.filter(|rule| rule.action == action).map(|rule| rule.reason);
        let reason = context.reason.or(kept).unwrap_or(Reason::Other);
        Some(BlockRule { action, reason, until })
    })
    .await
}

/// Replaces the rule of each pattern by the one that `after` returns for the current rule. Removes
/// the pattern if `after` returns `None`.
async fn change(
    store: &Store,
    patterns: &[BlockPattern],
    action: Action,
    context: &ChangeContext,
    after: impl Fn(Option<BlockRule>) -> Option<BlockRule>,
) -> Result<PatternsChanged, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    // This comes first, because its lock makes concurrent changes wait for each other.
    changes::publish(db, &Change::Blocks, context.now).await?;
    let texts: Vec<String> = patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect();
    let found = blocks::find_own(db, &texts).await?;
    let found: BTreeMap<String, BlockRule> = found
        .into_iter()
        .map(|row| {
            let rule = BlockRule::from(&row);
            (row.pattern, rule)
        })
        .collect();
    let rules = texts.into_iter().collect::<BTreeSet<_>>().into_iter().map(|pattern| {
        let before = found.get(&pattern).copied();
        PatternChange { before, after: after(before), pattern }
    });
    let (changed, unchanged): (Vec<_>, Vec<_>) =
        rules.partition(|change| change.before != change.after);
    if action == Action::BlockRemove && changed.len() + unchanged.len() > 1 && !unchanged.is_empty()
    {
        let unknown = unchanged.into_iter().map(|change| change.pattern).collect();
        return Err(AdminError::NoSuchPatterns(unknown));
    }
    let subject = match changed.as_slice() {
        [] => {
            return Ok(PatternsChanged { result: ChangeResult::default(), changed, unchanged });
        }
        [only] => only.pattern.clone(),
        _ => format!("{} patterns", changed.len()),
    };
    let count = changed.len() as u64;
    let subject = Subject { text: &subject, owner: None };
    let event = events::record(db, context, action, subject, count).await?;
    let event_id = event.unwrap_or(0);
    let (mut rows, mut removed, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for PatternChange { pattern, before, after } in changed.iter().cloned() {
        events.push(EventChange {
            subject: pattern.clone(),
            before: value(before).to_string(),
            after: value(after).to_string(),
        });
        match after {
            None => removed.push(pattern),
            Some(BlockRule { action, reason, until }) => rows.push(BlockPatternRow {
                pattern,
                action: action.as_str().to_owned(),
                reason: reason.as_str().to_owned(),
                until: until.map(Timestamp::millis),
                event_id,
            }),
        }
    }
    blocks::put_own(db, rows).await?;
    blocks::delete_own(db, &removed).await?;
    insert_changes(db, event_id, KIND, events).await?;
    let result = events::commit(transaction, context, event, count).await?;
    Ok(PatternsChanged { result, changed, unchanged })
}

/// Returns a rule as `event_changes` stores it.
fn value(rule: Option<BlockRule>) -> Value {
    rule.map_or(Value::Null, |BlockRule { action, reason, until }| {
        let until = until.map(Timestamp::millis);
        json!({ "action": action.as_str(), "reason": reason.as_str(), "until": until })
    })
}
