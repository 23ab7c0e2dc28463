//! `terse block check`

use serde_json::json;

use super::super::error::CommandError;
use super::super::output::Output;
use super::row::Row;
use crate::domain::blocks::{BlockAction, BlockDecision, BlockSnapshot};
use crate::values::{ApiKey, ShortCode, Timestamp, parse_url_or_host};

/// Shows whether a URL is blocked, and by which pattern.
pub(super) fn check(
    text: &str,
    snapshot: &BlockSnapshot,
    now: Timestamp,
    output: Output,
) -> Result<(), CommandError> {
    if ApiKey::parse(text).is_ok() {
        return Err(CommandError::Usage("the URL must not be an API key".to_owned()));
    }
    let url = parse_url_or_host(text).map_err(|reason| {
        let hint = match ShortCode::parse(text) {
            Ok(code) if code.is_narrow() => format!("; `terse link show {code}` shows a link"),
            Ok(_) | Err(_) => String::new(),
        };
        CommandError::Usage(format!("the URL '{text}' {reason}{hint}"))
    })?;
    let decision = snapshot.decide(&url, now);
    let is_blocked = decision.as_ref().is_some_and(|one| one.rule.action == BlockAction::Block);
    let row = decision
        .as_ref()
        .map(|BlockDecision { pattern, source, rule }| Row::new(pattern, source.as_deref(), *rule));
    let state = if is_blocked { "blocked" } else { "not blocked" };
    let cause = row.as_ref().map_or_else(
        || "no pattern matches".to_owned(),
        |Row { pattern, action, source, reason, until }| {
            let source = source.map_or_else(String::new, |source| format!(" of '{source}'"));
            let until = until.as_ref().map_or_else(String::new, |until| format!(" until {until}"));
            format!("the pattern {pattern}{source} says {action} ({reason}){until}")
        },
    );
    let value = json!({
        "url": ApiKey::redact(text),
        "blocked": is_blocked,
        "pattern": row.as_ref().map(|row| row.pattern),
        "source": row.as_ref().and_then(|row| row.source),
        "action": row.as_ref().map(|row| row.action),
        "reason": row.as_ref().map(|row| row.reason),
        "until": row.as_ref().and_then(|row| row.until.as_ref()),
    });
    Ok(output.show(&ApiKey::redact(&format!("{state}: {cause}")), &value)?)
}
