//! The values before and after a change, with the names and types of the interfaces.

use serde_json::{Map, Value, json};

use super::fields::Members;
use super::link::Link;
use crate::domain::Error;
use crate::domain::changes::{ChangeKind, ShownChange, before_and_after};
use crate::domain::links::{self, KeyNames, StateInputs};
use crate::domain::webhooks::LinkRow;
use crate::values::Timestamp;

/// Members of a link that follow from others, or are no part of what can be changed.
const DERIVED: [&str; 4] = ["etag", "updated_at", "qr_svg_url", "qr_png_url"];
/// Members that show that the operator has disabled a link, and follow from others otherwise.
const OF_STATE: [&str; 3] = ["state", "state_reason", "is_active"];

/// Returns the members of a link that differ before and after a change with these recorded values.
pub fn link_members(link: &LinkRow, recorded: [&Value; 2]) -> Result<[Members; 2], Error> {
    let is_switch = recorded[0].get("disabled_reason").is_some();
    let members = |row: LinkRow| {
        let link = links::Link::from_row(row, 0);
        let link = link.map(|link| {
            // Nothing tells any more what else kept the link from redirecting.
            let never = Timestamp::from_millis(0);
            let state = StateInputs::from_link(&link, None).state_at(None, never);
            json!(Link::new(String::new(), &KeyNames::default(), link, state))
        });
        link.and_then(|link| link.as_object().cloned()).unwrap_or_default()
    };
    let [before, after] = before_and_after(link, recorded)?.map(members);
    let changed = |of: &Map<String, Value>, other: &Map<String, Value>| {
        let mut changed = of.clone();
        changed.retain(|name, value| {
            let is_derived = DERIVED.contains(&name.as_str())
                || (!is_switch && OF_STATE.contains(&name.as_str()));
            !is_derived && other.get(name) != Some(value)
        });
        Members(changed)
    };
    Ok([changed(&before, &after), changed(&after, &before)])
}

/// Returns the members of anything that differ before and after a change: none of what did not exist, or was
/// erased.
pub fn members(change: ShownChange) -> [Option<Members>; 2] {
    let ShownChange { kind, subject: _, before, after, link } = change;
    let (Some(before), Some(after)) = (before, after) else { return [None, None] };
    if kind == Some(ChangeKind::Link) {
        let members = link.and_then(|link| link_members(&link, [&before, &after]).ok());
        return members.map_or([None, None], |members| members.map(Some));
    }
    [changed_members(&before, &after), changed_members(&after, &before)]
}

/// Returns the members that differ from another version, from the values that events record.
fn changed_members(values: &Value, other: &Value) -> Option<Members> {
    let mut members = Map::new();
    for (name, value) in values.as_object()? {
        if other.get(name) == Some(value) {
            continue;
        }
        let time = value.as_i64().map(|millis| Timestamp::from_millis(millis).to_millis_text());
        let (name, value) = match (name.as_str(), time) {
            // The domain that was chosen last is the default. A new one has not been chosen.
            ("default_at", _) if other.is_null() => continue,
            ("default_at", _) => ("is_default", (value.as_i64() > other[name].as_i64()).into()),
            ("until", time) => ("expires_at", time.into()),
            (name, Some(time)) if name.ends_with("_at") => (name, time.into()),
            (name, _) => (name, value.clone()),
        };
        if name == "suspended_reason" {
            members.insert("is_suspended".to_owned(), (!value.is_null()).into());
        }
        members.insert(name.to_owned(), value);
    }
    Some(Members(members))
}
