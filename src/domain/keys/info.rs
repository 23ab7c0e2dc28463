//! API keys as operators and owners see them.

use strum_macros::IntoStaticStr;

use crate::store::entities::api_key::Model;
use crate::store::entities::owner;
use crate::values::Timestamp;

/// An API key as the operator sees it, without its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Identifier, by which an operator revokes the key.
    pub id: i64,
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Name of the owner.
    pub owner: String,
    /// Label that the operator chose.
    pub label: Option<String>,
    /// Operations that the key allows.
    pub scope: String,
    /// State of the key at the time of the query.
    pub state: KeyState,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which the key is invalid, if it expires.
    pub expires_at: Option<Timestamp>,
    /// Time of revocation, if the key is revoked.
    pub revoked_at: Option<Timestamp>,
    /// Time of the last use with a precision of a minute, if the key was used.
    pub last_used_at: Option<Timestamp>,
}

impl KeyInfo {
    pub(in crate::domain) fn new(row: Model, owner: &owner::Model, now: Timestamp) -> Self {
        let Model {
            id,
            owner_id,
            hash: _,
            label,
            scope,
            created_at,
            expires_at,
            revoked_at,
            last_used_at,
        } = row;
        let state = if revoked_at.is_some() {
            KeyState::Revoked
        } else if expires_at.is_some_and(|expires_at| expires_at <= now) {
            KeyState::Expired
        } else if owner.suspended_reason.is_some() {
            KeyState::OwnerSuspended
        } else {
            KeyState::Active
        };
        Self {
            id,
            owner_id,
            owner: owner.name.clone(),
            label,
            scope,
            state,
            created_at,
            expires_at,
            revoked_at,
            last_used_at,
        }
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
