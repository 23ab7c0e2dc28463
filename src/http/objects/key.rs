//! API keys, as their owners see them and as the operator does. Only a new one has a secret.

use poem_openapi::Object;
use poem_openapi::registry::MetaSchema;
use serde::Serialize;
use serde_json::json;

use super::change::Audit;
use super::fields::{Flag, Identifier, Secret, Text, TimeText, Word};
use crate::domain::keys::{CreatedKey, Key, KeyEdit, KeyInfo, KeyState, NewKey};
use crate::http::openapi::field::{Nullable, example, request_field, text};
use crate::http::openapi::json_body::{Clearable, Flat, request_object};
use crate::http::openapi::response_object::{response_list, response_object};
use crate::values::{ApiKey, KeyLabel, KeyScope, Timestamp};

response_object! {
    example_key().into();

    /// An API key. Nothing shows its secret again.
    pub struct ManagedKey: From<KeyInfo> = KeyInfo {
        key: Key {
            id, owner_id: _, hash: _, label, scope, created_at, expires_at, revoked_at, last_used_at,
            hint: _,
        },
        owner: _,
        state: _,
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
            key: Key {
                id, owner_id: _, hash: _, label, scope, created_at, expires_at, revoked_at,
                last_used_at, hint: _,
            },
            owner: _,
            state: _,
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

fn example_key() -> KeyInfo {
    let created_at = Timestamp::from_millis(1_700_000_000_000);
    let key = Key {
        id: 12,
        owner_id: 7,
        hash: Vec::new(),
        label: Some("crm".to_owned()),
        scope: "manage".to_owned(),
        created_at,
        expires_at: None,
        revoked_at: None,
        last_used_at: Some(created_at),
        hint: None,
    };
    KeyInfo { key, owner: "acme".to_owned(), state: KeyState::Active }
}

fn example_created() -> CreatedKey {
    let mut info = example_key();
    info.key.last_used_at = None;
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
        label?: KeyLabel,
        /// What the key allows: `read` the three `GET` operations of `/api/v1`, `create` the two `POST`
        /// operations, `full` all five, `manage` these and all of `/api/manage/v1`. Without it, `full`.
        scope?: KeyScope,
        /// The time from which the key is invalid (RFC 3339), no later than the expiry of the key that
        /// sends the request. Without it, the same as that one.
        expires_at?: Timestamp,
        #[oai(flatten)]
        audit: Flat<Audit>,
    }
}

impl From<KeyRequest> for (NewKey, Audit) {
    fn from(request: KeyRequest) -> Self {
        let KeyRequest { label, scope, expires_at, audit: Flat(audit) } = request;
        let scope = scope.unwrap_or(KeyScope::Full);
        (NewKey { label, scope, expires_at }, audit)
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
        audit: Flat<Audit>,
    }
}

impl From<KeyPatch> for (KeyEdit, Audit) {
    fn from(patch: KeyPatch) -> Self {
        let KeyPatch {
            label: Clearable(label),
            expires_at: Clearable(expires_at),
            audit: Flat(audit),
        } = patch;
        (KeyEdit { label, expires_at }, audit)
    }
}

/// An API key with its owner. Nothing shows its secret again.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OwnedKey {
    #[serde(flatten)]
    #[oai(flatten)]
    key: ManagedKey,
    /// Identifies the owner.
    owner_id: Identifier,
    /// The owner's name.
    owner: Text,
}

impl From<KeyInfo> for OwnedKey {
    fn from(info: KeyInfo) -> Self {
        let (owner_id, owner) = (Identifier(info.key.owner_id), Text(info.owner.clone()));
        Self { key: info.into(), owner_id, owner }
    }
}

example!(OwnedKey, example_key().into());

response_list! {
    vec![example_key().into()];

    /// A page of keys, newest first, revoked and expired ones included.
    pub struct OwnedKeyList {
        /// The keys.
        data: Vec<OwnedKey>,
    }
}

request_object! {
    json!({ "label": "crm, old", "expires_at": "2099-01-01T00:00:00Z" });
    strict
    /// New values for a key, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a
    /// value.
    pub struct OwnedKeyPatch {
        /// The key's label, without control characters.
        label: Clearable<KeyLabel>,
        /// The time from which the key is invalid (RFC 3339); at once if it has passed.
        expires_at: Clearable<Timestamp>,
        #[oai(flatten)]
        audit: Flat<Audit>,
    }
}

impl From<OwnedKeyPatch> for (KeyEdit, Audit) {
    fn from(patch: OwnedKeyPatch) -> Self {
        let OwnedKeyPatch {
            label: Clearable(label),
            expires_at: Clearable(expires_at),
            audit: Flat(audit),
        } = patch;
        (KeyEdit { label, expires_at }, audit)
    }
}

/// A new API key with its owner and its secret.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct CreatedOwnedKey {
    #[serde(flatten)]
    #[oai(flatten)]
    key: CreatedManagedKey,
    /// Identifies the owner.
    owner_id: Identifier,
    /// The owner's name.
    owner: Text,
}

impl From<CreatedKey> for CreatedOwnedKey {
    fn from(key: CreatedKey) -> Self {
        let (owner_id, owner) = (Identifier(key.info.key.owner_id), Text(key.info.owner.clone()));
        Self { key: key.into(), owner_id, owner }
    }
}

example!(CreatedOwnedKey, example_created().into());

request_object! {
    json!({ "label": "crm", "scope": "manage", "expires_at": "2099-01-01T00:00:00Z" });
    strict
    /// A key to create for an owner.
    pub struct OwnedKeyRequest {
        #[oai(flatten)]
        key: Flat<FirstKeyRequest>,
        #[oai(flatten)]
        audit: Flat<Audit>,
    }
}

impl From<OwnedKeyRequest> for (NewKey, Audit) {
    fn from(request: OwnedKeyRequest) -> Self {
        let OwnedKeyRequest { key: Flat(key), audit: Flat(audit) } = request;
        (key.into(), audit)
    }
}

/// The first API key of a new owner, with its secret.
#[derive(Debug, Serialize, Object)]
pub struct FirstKey {
    /// Identifies the key.
    id: Identifier,
    /// What the key's user sends as `X-API-Key`. Nothing else shows it.
    secret: Secret,
    /// Its label; `null` without one.
    label: Nullable<Text>,
    /// What the key allows: `read`, `create`, `full` or `manage`.
    scope: Word,
    /// When the key was created.
    created_at: TimeText,
    /// The time from which the key is invalid; `null` if it does not expire.
    expires_at: Nullable<TimeText>,
}

impl From<CreatedKey> for FirstKey {
    fn from(key: CreatedKey) -> Self {
        let CreatedManagedKey { id, secret, label, scope, created_at, expires_at, .. } = key.into();
        Self { id, secret, label, scope, created_at, expires_at }
    }
}

impl FirstKey {
    /// Returns the key in examples.
    pub fn in_examples() -> Self {
        example_created().into()
    }
}

request_object! {
    json!({ "label": "crm", "scope": "manage" });
    strict
    /// The first key of a new owner.
    pub struct FirstKeyRequest {
        /// The key's label, without control characters.
        label?: KeyLabel,
        /// What the key allows: `read` the three `GET` operations of `/api/v1`, `create` the two `POST`
        /// operations, `full` all five, `manage` these and all of `/api/manage/v1`. Without it, `full`.
        scope?: KeyScope,
        /// The time from which the key is invalid (RFC 3339). Without it, the key does not expire.
        expires_at?: Timestamp,
    }
}

impl From<FirstKeyRequest> for NewKey {
    fn from(FirstKeyRequest { label, scope, expires_at }: FirstKeyRequest) -> Self {
        Self { label, scope: scope.unwrap_or(KeyScope::Full), expires_at }
    }
}

/// API key that a client sends to find it.
#[derive(Debug)]
pub struct SecretText(ApiKey);

request_field!(
    SecretText,
    |value| ApiKey::parse(text(value)?).map(Self),
    MetaSchema { max_length: Some(1024), ..MetaSchema::new("string") }
);

request_object! {
    json!({ "secret": "terse_0123456789abcdefghijABCDEFGHIJ01" });
    strict
    /// An API key, to find it.
    pub struct KeySearch {
        /// The API key, as it was shown when it was created.
        secret: SecretText,
    }
}

impl KeySearch {
    /// Returns the key.
    pub fn into_key(self) -> ApiKey {
        self.secret.0
    }
}
