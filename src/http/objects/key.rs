//! API keys. Only a new one has a secret.

use serde_json::json;

use super::change::ChangeAccount;
use super::fields::{Flag, Identifier, Secret, Text, TimeText, Word};
use crate::domain::keys::{CreatedKey, KeyEdit, KeyInfo, KeyState, NewKey};
use crate::http::openapi::field::Nullable;
use crate::http::openapi::json_body::{Clearable, Flat, request_object};
use crate::http::openapi::response_object::{response_list, response_object};
use crate::values::{ApiKey, KeyLabel, KeyScope, Timestamp};

response_object! {
    example_key().into();

    /// An API key. Nothing shows its secret again.
    pub struct ManagedKey: From<KeyInfo> = KeyInfo {
        id, owner_id: _, owner: _, label, scope, state: _, created_at, expires_at, revoked_at,
        last_used_at,
    } => {
        /// Identifies the key.
        id: Identifier,
        /// Its label; `null` without one.
        label: Nullable<Text>,
        /// What the key allows: `read`, `create`, `full` or `manage`.
        scope: Word,
        /// When the key was created.
        created_at: TimeText,
        /// The time from which the key is invalid; `null` if it does not expire.
        expires_at: Nullable<TimeText>,
        /// When the key was last used, with a precision of a minute; `null` if it never was.
        last_used_at: Nullable<TimeText>,
        /// 1 if the key is revoked.
        is_revoked: Flag = revoked_at.is_some().into(),
    }
}

response_object! {
    example_created().into();

    /// A new API key, with its secret.
    pub struct CreatedManagedKey: From<CreatedKey> = CreatedKey {
        info: KeyInfo {
            id, owner_id: _, owner: _, label, scope, state: _, created_at, expires_at, revoked_at,
            last_used_at,
        },
        secret,
        first_base_url: _,
    } => {
        /// Identifies the key.
        id: Identifier,
        /// What the key's user sends as `X-API-Key`. Nothing else shows it.
        secret: Secret = secret.reveal().to_owned().into(),
        /// Its label; `null` without one.
        label: Nullable<Text>,
        /// What the key allows: `read`, `create`, `full` or `manage`.
        scope: Word,
        /// When the key was created.
        created_at: TimeText,
        /// The time from which the key is invalid; `null` if it does not expire.
        expires_at: Nullable<TimeText>,
        /// When the key was last used: `null`.
        last_used_at: Nullable<TimeText>,
        /// 1 if the key is revoked: 0.
        is_revoked: Flag = revoked_at.is_some().into(),
    }
}

pub(super) fn example_key() -> KeyInfo {
    let created_at = Timestamp::from_millis(1_700_000_000_000);
    KeyInfo {
        id: 12,
        owner_id: 7,
        owner: "acme".to_owned(),
        label: Some("crm".to_owned()),
        scope: "manage".to_owned(),
        state: KeyState::Active,
        created_at,
        expires_at: None,
        revoked_at: None,
        last_used_at: Some(created_at),
    }
}

pub(super) fn example_created() -> CreatedKey {
    let info = KeyInfo { last_used_at: None, ..example_key() };
    CreatedKey { info, secret: ApiKey::derive("example", b"key"), first_base_url: None }
}

response_list! {
    vec![example_key().into()];

    /// A page of keys, newest first, revoked and expired ones included.
    pub struct ManagedKeyList {
        /// The keys.
        data: Vec<ManagedKey>,
    }
}

request_object! {
    json!({ "label": "crm", "scope": "manage", "expires_at": "2099-01-01T00:00:00Z" });
    strict
    /// A key to create.
    pub struct KeyRequest {
        /// The key's label, without control characters.
        #[oai(nullable)]
        label: Option<KeyLabel>,
        /// What the key allows: `read` the three `GET` operations of `/api/v1`, `create` the two `POST`
        /// operations, `full` all five, `manage` these and all of `/api/manage/v1`. Without it, `full`.
        #[oai(nullable)]
        scope: Option<KeyScope>,
        /// The time from which the key is invalid (RFC 3339), no later than the expiry of the key that
        /// sends the request. Without it, the same as that one.
        #[oai(nullable)]
        expires_at: Option<Timestamp>,
        #[oai(flatten)]
        account: Flat<ChangeAccount>,
    }
}

impl From<KeyRequest> for (NewKey, ChangeAccount) {
    fn from(request: KeyRequest) -> Self {
        let KeyRequest { label, scope, expires_at, account: Flat(account) } = request;
        let scope = scope.unwrap_or(KeyScope::Full);
        (NewKey { label, scope, expires_at }, account)
    }
}

request_object! {
    json!({ "label": "crm, old", "expires_at": "2099-01-01T00:00:00Z" });
    strict
    /// New values for a key, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a
    /// value.
    pub struct KeyPatch {
        /// The key's label, without control characters.
        label: Clearable<KeyLabel>,
        /// The time from which the key is invalid (RFC 3339), no later than the expiry of the key that
        /// sends the request.
        expires_at: Clearable<Timestamp>,
        #[oai(flatten)]
        account: Flat<ChangeAccount>,
    }
}

impl From<KeyPatch> for (KeyEdit, ChangeAccount) {
    fn from(patch: KeyPatch) -> Self {
        let KeyPatch {
            label: Clearable(label),
            expires_at: Clearable(expires_at),
            account: Flat(account),
        } = patch;
        (KeyEdit { label, expires_at }, account)
    }
}
