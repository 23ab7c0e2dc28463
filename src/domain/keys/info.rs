//! API keys as operators and owners see them.

use serde_json::{Value, json};
use strum_macros::IntoStaticStr;

use crate::domain::version::Versioned;
use crate::store::entities::api_key::Model;
use crate::store::entities::owner;
use crate::store::events::EventChange;
use crate::values::{KeyScope, Timestamp};

/// An API key with its owner's name and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// The key.
    pub key: Model,
    /// Name of the owner.
    pub owner: String,
    /// State of the key at the time of the query.
    pub state: KeyState,
}

impl KeyInfo {
    pub(in crate::domain) fn new(key: Model, owner: &owner::Model, now: Timestamp) -> Self {
        let state = if key.revoked_at.is_some() {
            KeyState::Revoked
        } else if key.expires_at.is_some_and(|expires_at| expires_at <= now) {
            KeyState::Expired
        } else if owner.suspended_reason.is_some() {
            KeyState::OwnerSuspended
        } else {
            KeyState::Active
        };
        Self { key, owner: owner.name.clone(), state }
    }
}

/// Returns the change of a key, as events record it. `before` is `None` for a new one.
pub(in crate::domain) fn event_change(before: Option<&Model>, after: &Model) -> EventChange {
    let values = |key: &Model| {
        json!({
            "label": key.label, "scope": KeyScope::name_of_stored(&key.scope),
            "expires_at": key.expires_at.map(Timestamp::millis),
            "revoked_at": key.revoked_at.map(Timestamp::millis),
        })
    };
    EventChange::between(after.id, &json!(before.map(values)), &values(after))
}

impl Versioned for Model {
    fn writable(&self) -> Value {
        json!([self.label, self.expires_at.map(Timestamp::millis)])
    }
}

/// State of an API key. If several states apply, the key has the first of them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum KeyState {
    /// An operator revoked the key.
    Revoked,
    /// The key has expired.
    Expired,
    /// An operator suspended the key's owner.
    OwnerSuspended,
    /// Clients can use the key.
    Active,
}
