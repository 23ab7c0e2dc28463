//! API keys, as their owners see them and as the operator does. Only a new one has a secret.

use poem_openapi::registry::MetaSchema;
use serde_json::json;

use super::change::Audit;
use super::fields::{Identifier, ScopeWord, Secret, Text, TimeText};
use super::owned::Owned;
use crate::domain::keys::{self, KeyEdit, KeyInfo, KeyState, NewKey};
use crate::http::openapi::field::{Nullable, request_field, text};
use crate::http::openapi::headers::{EntityTag, Tagged};
use crate::http::openapi::json_body::{Clearable, OptionalNested, request_object};
use crate::http::openapi::response_object::response_object;
use crate::values::{ApiKey, KeyLabel, KeyScope, Timestamp};

response_object! {
    versioned example_key().into();
    page "A page of keys, newest first, revoked and expired ones included.";

    /// An API key. Nothing shows its secret again.
    pub struct Key: From<keys::Key> = keys::Key {
        id, owner_id: _, hash: _, label, scope, created_at, expires_at, revoked_at, last_used_at,
        hint,
    } => {
        /// Identifies the key.
        id: Identifier,
        /// Its label; `null` without one.
        label: Nullable<Text>,
        /// What the key allows: `read`, `create`, `edit` or `full`.
        scope: ScopeWord = KeyScope::name_of_stored(&scope).into(),
        /// The last four characters of its secret; `null` if an earlier version of the service created it.
        hint: Nullable<Text>,
        /// When the key was created.
        created_at: TimeText,
        /// The time from which the key is invalid; `null` if it does not expire.
        expires_at: Nullable<TimeText>,
        /// When the key was last used, with a precision of a minute; `null` if it never was.
        last_used_at: Nullable<TimeText>,
        /// When the key was revoked; `null` if it is not.
        revoked_at: Nullable<TimeText>,
    }
}

impl From<KeyInfo> for Key {
    fn from(info: KeyInfo) -> Self {
        info.key.into()
    }
}

impl From<KeyInfo> for Owned<Key> {
    fn from(KeyInfo { key, owner, state: _ }: KeyInfo) -> Self {
        let owner_id = key.owner_id;
        Self::new(key.into(), owner_id, &owner)
    }
}

response_object! {
    {
        let key = keys::Key { last_used_at: None, ..example_key() };
        let info = KeyInfo { key, owner: "acme".to_owned(), state: KeyState::Active };
        let secret = ApiKey::derive("example", b"key");
        keys::CreatedKey { info, secret, first_base_url: None }.into()
    };

    /// A new API key, with its secret.
    pub struct CreatedKey: From<keys::CreatedKey> = keys::CreatedKey {
        info, secret, first_base_url: _,
    } => {
        #[serde(flatten)]
        #[oai(flatten)]
        key: Key = info.into(),
        /// What the key's user sends as `X-API-Key`. Nothing else shows it.
        secret: Secret = secret.reveal().to_owned().into(),
    }
}

impl Tagged for CreatedKey {
    fn etag(&self) -> EntityTag {
        self.key.etag()
    }
}

impl From<keys::CreatedKey> for Owned<CreatedKey> {
    fn from(created: keys::CreatedKey) -> Self {
        let (owner_id, owner) = (created.info.key.owner_id, created.info.owner.clone());
        Self::new(created.into(), owner_id, &owner)
    }
}

fn example_key() -> keys::Key {
    let created_at = Timestamp::from_millis(1_700_000_000_000);
    keys::Key {
        id: 12,
        owner_id: 7,
        hash: Vec::new(),
        label: Some("crm".to_owned()),
        scope: KeyScope::Full.stored().to_owned(),
        created_at,
        expires_at: None,
        revoked_at: None,
        last_used_at: Some(created_at),
        hint: Some("9fQa".to_owned()),
    }
}

request_object! {
    json!({ "label": "crm", "scope": "full" });
    strict
    /// The first key of a new owner.
    pub struct OwnerKeyCreate: Into<NewKey> = NewKey {
        label, scope: scope.unwrap_or(KeyScope::Full), expires_at,
    } => {
        /// The key's label, without control characters.
        label?: KeyLabel,
        /// What the key allows: `read`, `create`, `edit` or `full`. Without it, `full`.
        scope?: KeyScope,
        /// The time from which the key is invalid (RFC 3339). Without it, the key does not expire.
        expires_at?: Timestamp,
    }
}

request_object! {
    json!({ "label": "crm", "scope": "edit", "expires_at": "2099-01-01T00:00:00Z" });
    strict
    /// A key to create.
    pub struct KeyCreate: Into<(NewKey, Audit)> = (
        NewKey { label, scope, expires_at }, audit.0.unwrap_or_default(),
    ) => {
        /// The key's label, without control characters.
        label?: KeyLabel,
        /// What the key allows: `read` to read links and clicks, `create` to create links and QR codes,
        /// `edit` both and to change links, `full` everything of the owner.
        scope: KeyScope,
        /// The time from which the key is invalid (RFC 3339). Without it, the key expires with the owner's
        /// key that sends the request, or never.
        expires_at?: Timestamp,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

request_object! {
    json!({ "label": "crm, old", "expires_at": "2099-01-01T00:00:00Z" });
    strict
    /// New values for a key, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a
    /// value.
    pub struct KeyUpdate: Into<(KeyEdit, Audit)> = (
        KeyEdit { label: label.0, expires_at: expires_at.0 }, audit.0.unwrap_or_default(),
    ) => {
        /// The key's label, without control characters.
        label: Clearable<KeyLabel>,
        /// The time from which the key is invalid (RFC 3339).
        expires_at: Clearable<Timestamp>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

request_field!(
    ApiKey,
    |value| Self::parse(text(value)?),
    MetaSchema { max_length: Some(1024), ..MetaSchema::new("string") }
);

request_object! {
    json!({ "secret": "terse_0123456789abcdefghijABCDEFGHIJ01" });
    strict
    /// An API key, to find it.
    pub struct KeySearch: Into<ApiKey> = secret => {
        /// The API key, as it was shown when it was created.
        secret: ApiKey,
    }
}
