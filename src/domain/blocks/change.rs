//! Changes of the operator's own patterns.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::pattern_list::{BlockAction, BlockRule};
use crate::domain::Error;
use crate::domain::changes::{Action, Change, Changed, Subject};
use crate::store::blocks::BlockPatternRow;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Store, blocks};
use crate::values::{BlockPattern, Reason, Timestamp};

/// The patterns that a change selected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternsChanged {
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

/// Removes patterns from the operator's own. If there are several, all of them must exist.
///
/// # Errors
/// [`Error::PatternsNotFound`].
pub async fn remove(
    store: &Store,
    patterns: &[BlockPattern],
    change: &Change,
) -> Result<Changed<PatternsChanged>, Error> {
    replace(store, patterns, Action::BlockRemove, change, |_| Ok(None)).await
}

/// What a change makes of patterns.
#[derive(Debug, Clone, Copy)]
pub struct NewRule {
    /// What it does with destinations.
    pub action: BlockAction,
    /// The reason. Without it, a pattern that has the action keeps its reason.
    pub reason: Option<Reason>,
    /// The time from which it no longer counts.
    pub until: Option<Timestamp>,
}

/// Blocks destinations that match the patterns, or exempts them from blocks that are not more specific.
/// A pattern with the other action gets the new one.
///
/// # Errors
/// [`Error::ExpiryPassed`] if the rule ends in the past, or if the database fails.
pub async fn put(
    store: &Store,
    patterns: &[BlockPattern],
    NewRule { action, reason, until }: NewRule,
    change: &Change,
) -> Result<Changed<PatternsChanged>, Error> {
    let event_action = match action {
        BlockAction::Block => Action::BlockAdd,
        BlockAction::Allow => Action::BlockAllow,
    };
    replace(store, patterns, event_action, change, |before| {
        // Not before, because a repetition of the request may come after the expiry.
        if until.is_some_and(|until| until <= change.now) {
            return Err(Error::ExpiryPassed);
        }
        let kept = before.filter(|rule| rule.action == action).map(|rule| rule.reason);
        let reason = reason.or(kept).unwrap_or(Reason::Other);
        Ok(Some(BlockRule { action, reason, until }))
    })
    .await
}

/// Replaces the rule of each pattern by the one that `after` returns for the current rule. Removes
/// the pattern if `after` returns `None`.
async fn replace(
    store: &Store,
    patterns: &[BlockPattern],
    action: Action,
    change: &Change,
    after: impl Fn(Option<BlockRule>) -> Result<Option<BlockRule>, Error>,
) -> Result<Changed<PatternsChanged>, Error> {
    let replaced = change.apply_once(store, action, async |mut transaction| {
        let (db, now) = (&transaction.db, change.now);
        // This comes first, because its lock makes concurrent changes wait for each other.
        invalidations::publish(db, &Invalidation::Blocks, now).await?;
        let texts: Vec<String> =
            patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect();
        let found = blocks::find_own(db, &texts).await?;
        let found = found.iter().map(|row| (row.pattern.clone(), BlockRule::from(row)));
        let found: BTreeMap<String, BlockRule> = found.collect();
        let rules = texts.into_iter().collect::<BTreeSet<_>>().into_iter().map(|pattern| {
            let before = found.get(&pattern).copied();
            Ok::<_, Error>(PatternChange { before, after: after(before)?, pattern })
        });
        let rules = rules.collect::<Result<Vec<_>, _>>()?;
        let (changed, unchanged): (Vec<_>, Vec<_>) =
            rules.into_iter().partition(|change| change.before != change.after);
        if action == Action::BlockRemove
            && changed.len() + unchanged.len() > 1
            && !unchanged.is_empty()
        {
            let unknown = unchanged.into_iter().map(|change| change.pattern).collect();
            return Err(Error::PatternsNotFound(unknown));
        }
        let subject = match changed.as_slice() {
            [] => return transaction.done(PatternsChanged { changed, unchanged }),
            [only] => only.pattern.clone(),
            _ => format!("{} patterns", changed.len()),
        };
        let values = changed.iter().map(|PatternChange { pattern, before, after }| EventChange {
            subject: pattern.clone(),
            before: value(*before).to_string(),
            after: value(*after).to_string(),
        });
        let subject = Subject::new(subject);
        let event_id =
            transaction.record_values(&subject, ChangeKind::Block, values.collect()).await?;
        let (mut rows, mut removed) = (Vec::new(), Vec::new());
        for PatternChange { pattern, before: _, after } in changed.iter().cloned() {
            match after {
                None => removed.push(pattern),
                Some(BlockRule { action, reason, until }) => rows.push(BlockPatternRow {
                    pattern,
                    action: action.into_str().to_owned(),
                    reason,
                    until,
                    event_id,
                }),
            }
        }
        blocks::put_own(&transaction.db, rows).await?;
        blocks::delete_own(&transaction.db, &removed).await?;
        transaction.done(PatternsChanged { changed, unchanged })
    });
    replaced.await
}

/// Returns a rule as `event_changes` stores it.
fn value(rule: Option<BlockRule>) -> Value {
    rule.map_or(Value::Null, |BlockRule { action, reason, until }| {
        let until = until.map(Timestamp::millis);
        json!({ "action": action.into_str(), "reason": reason.into_str(), "until": until })
    })
}
