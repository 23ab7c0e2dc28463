//! The operator's patterns as `undo` reads and restores them.

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde_json::{Value, json};

use super::error::StoreError;
use super::query::{execute, row};

#[derive(FromQueryResult)]
struct PatternRow {
    action: String,
    reason: String,
    until: Option<i64>,
}

/// Returns the action, reason and end of a pattern as events store them, or null if the operator has
/// no such pattern.
///
/// # Errors
/// If the database fails.
pub async fn pattern_values(db: &impl ConnectionTrait, pattern: &str) -> Result<Value, StoreError> {
    let find = "SELECT action, reason, until FROM block_patterns WHERE pattern = $1";
    let found: Option<PatternRow> = row(db, find, [pattern.into()]).await?;
    Ok(found.map_or(Value::Null, |PatternRow { action, reason, until }| {
        json!({ "action": action, "reason": reason, "until": until })
    }))
}

/// Restores a pattern from values that an event stores; null removes it.
///
/// # Errors
/// If the database fails.
pub async fn restore_pattern(
    db: &impl ConnectionTrait,
    pattern: &str,
    values: &Value,
    event_id: i64,
) -> Result<(), StoreError> {
    execute(db, "DELETE FROM block_patterns WHERE pattern = $1", [pattern.into()]).await?;
    if values.is_null() {
        return Ok(());
    }
    let text = |name: &str| values[name].as_str().unwrap_or_default().to_owned();
    execute(
        db,
        "INSERT INTO block_patterns (pattern, action, reason, until, event_id)
         VALUES ($1, $2, $3, $4, $5)",
        [
            pattern.into(),
            text("action").into(),
            text("reason").into(),
            values["until"].as_i64().into(),
            event_id.into(),
        ],
    )
    .await?;
    Ok(())
}
