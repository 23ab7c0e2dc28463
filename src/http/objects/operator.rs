//! Operator keys. Only a new one has a secret.

use serde_json::json;

use super::change::Audit;
use super::fields::{Identifier, OperatorSecret, RoleWord, Text, TimeText, enum_schema};
use crate::domain::operators::{self, NewOperatorKey, OperatorInfo};
use crate::http::openapi::field::{Nullable, request_field, text};
use crate::http::openapi::json_body::{OptionalNested, request_object};
use crate::http::openapi::response_object::response_object;
use crate::values::{ApiKey, ErrorCode, Name, OperatorRole, Timestamp};

response_object! {
    example_key().into();
    page "A page of operator keys, newest first, revoked and expired ones included.";

    /// An operator key. Nothing shows its secret again.
    pub struct OperatorKey: From<OperatorInfo> = OperatorInfo {
        id, name, hash: _, role, created_at, revoked_at, last_used_at, hint, expires_at,
    } => {
        /// Identifies the key.
        id: Identifier,
        /// The key's name, which the history shows.
        name: Text,
        /// What the key may do: `auditor`, `provisioner`, `moderator` or `admin`.
        role: RoleWord = (&*role).into(),
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

response_object! {
    {
        let secret = crate::values::OperatorKey::from_api_key(&ApiKey::derive("example", b"key"));
        let info = OperatorInfo { last_used_at: None, ..example_key() };
        operators::CreatedOperatorKey { info, secret }.into()
    };

    /// A new operator key, with its secret.
    pub struct CreatedOperatorKey: From<operators::CreatedOperatorKey> =
        operators::CreatedOperatorKey { info, secret } =>
    {
        #[serde(flatten)]
        #[oai(flatten)]
        key: OperatorKey = info.into(),
        /// What the key's user sends as `X-API-Key`. Nothing else shows it.
        secret: OperatorSecret = secret.reveal().to_owned().into(),
    }
}

fn example_key() -> OperatorInfo {
    let created_at = Timestamp::from_millis(1_700_000_000_000);
    OperatorInfo {
        id: 3,
        name: "billing".to_owned(),
        hash: Vec::new(),
        role: OperatorRole::Provisioner.into_str().to_owned(),
        created_at,
        revoked_at: None,
        last_used_at: Some(created_at),
        hint: Some("9fQa".to_owned()),
        expires_at: None,
    }
}

request_field!(
    OperatorRole,
    |value| {
        let expected =
            |_| ErrorCode::NotAllowed.because("must be auditor, provisioner, moderator or admin");
        text(value)?.parse().map_err(expected)
    },
    enum_schema(<OperatorRole as strum::VariantNames>::VARIANTS)
);

request_object! {
    json!({ "name": "billing", "role": "provisioner", "expires_at": "2099-01-01T00:00:00Z" });
    strict
    /// An operator key to create.
    pub struct OperatorKeyCreate: Into<(NewOperatorKey, Audit)> = (
        NewOperatorKey { name, role, expires_at }, audit.0.unwrap_or_default(),
    ) => {
        /// The key's name, which the history shows. It is free again after the revocation of its key.
        name: Name,
        /// What the key may do: `auditor` to read, `provisioner` also to manage owners with their keys and
        /// domains, `moderator` also to change links and blocks and to suspend owners, `admin` everything.
        role: OperatorRole,
        /// The time from which the key is invalid (RFC 3339). Without it, the key does not expire.
        expires_at?: Timestamp,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}
