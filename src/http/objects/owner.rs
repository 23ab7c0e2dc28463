//! Owners, as the operator manages them.

use serde_json::json;

use super::change::Audit;
use super::fields::{
    Count, DayText, DestinationText, ExternalIdText, Identifier, ReasonWord, Text, TimeText,
};
use super::key::{CreatedKey, OwnerKeyCreate};
use super::owned::Owned;
use crate::domain::keys::NewKey;
use crate::domain::owners::{self, NewOwner, OwnerEdit, OwnerInfo};
use crate::domain::plans;
use crate::http::openapi::field::Nullable;
use crate::http::openapi::headers::{EntityTag, Tagged};
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::response_object::response_object;
use crate::values::{Day, Destination, ExternalId, Name, Timestamp};

response_object! {
    versioned OwnerInfo { owner: example_owner(), last_active_on: Some(Day::from_number(20_000)) }.into();
    page "A page of owners, newest first.";

    /// An owner, as the operator sees it.
    pub struct Owner: From<OwnerInfo> = OwnerInfo {
        owner: owners::Owner {
            id, name, plan: plan_name, link_count: links, created_day: _, created_today: _, created_month: _,
            created_in_month: _, suspended_reason, created_at, fallback_url, suspended_at, external_id,
        },
        last_active_on,
    } => {
        /// Identifies the owner; it never changes and is never used again.
        id: Identifier,
        /// The owner's name.
        name: Text,
        /// Your own identifier of the owner; `null` without one.
        external_id: Nullable<ExternalIdText>,
        /// The name of the owner's plan.
        plan_name: Text,
        /// Number of links.
        links: Count,
        /// Whether the owner is suspended.
        is_suspended: bool = suspended_reason.is_some(),
        /// Why the owner is suspended; `null` if the owner is not.
        suspended_reason: Nullable<ReasonWord> = suspended_reason.map(<&str>::from).into(),
        /// Since when the owner is suspended; `null` if the owner is not, or if it is unknown.
        suspended_at: Nullable<TimeText> = suspended_at.into(),
        /// When the owner was created.
        created_at: TimeText,
        /// The day (UTC) of the newest use of the owner's keys; `null` if they were never used.
        last_active_on: Nullable<DayText> = Nullable(last_active_on.map(|day| DayText(day.to_string()))),
        /// Where visitors of expired links go that have no fallback of their own; `null` if they see a page.
        fallback_url: Nullable<DestinationText>,
    }
}

fn example_owner() -> owners::Owner {
    owners::Owner {
        id: 7,
        name: "acme".to_owned(),
        plan: "pro".to_owned(),
        link_count: 2,
        created_day: 0,
        created_today: 0,
        created_month: 0,
        created_in_month: 0,
        suspended_reason: None,
        created_at: Timestamp::from_millis(1_700_000_000_000),
        fallback_url: None,
        suspended_at: None,
        external_id: Some("customer-7".to_owned()),
    }
}

request_object! {
    json!({ "plan_name": "unlimited", "fallback_url": "https://example.org/ended" });
    strict
    /// New values for an owner, as a JSON merge patch (RFC 7396): what is absent stays, and `null`
    /// removes a value.
    pub struct OwnerUpdate: Into<(OwnerEdit, Audit)> = {
        let edit = OwnerEdit {
            name: name.0,
            plan: plan_name.0.map(|plan| plan.as_str().to_owned()),
            external_id: external_id.0,
            fallback: fallback_url.0,
        };
        (edit, audit.0.unwrap_or_default())
    } => {
        /// The owner's name; keys, links and the history follow.
        name: Replaceable<Name>,
        /// The name of a plan. A lower limit deletes no links.
        plan_name: Replaceable<Name>,
        /// Your own identifier of the owner, of 1 to 255 characters without control characters, except `.` and
        /// `..`. No other owner may have it.
        external_id: Clearable<ExternalId>,
        /// Where visitors of expired links go that have no fallback of their own.
        fallback_url: Clearable<Destination>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

request_object! {
    json!({ "name": "acme", "plan_name": "pro", "key": { "label": "crm", "scope": "full" } });
    strict
    /// An owner to create.
    pub struct OwnerCreate: Into<(NewOwner, Audit)> = {
        let plan = plan_name.as_ref().map_or(plans::DEFAULT, Name::as_str).to_owned();
        (NewOwner { name, plan, external_id, key: key.0.map(NewKey::from) }, audit.0.unwrap_or_default())
    } => {
        /// The owner's name, without control characters.
        name: Name,
        /// The name of a plan. Without it, `free`.
        plan_name?: Name,
        /// Your own identifier of the owner, of 1 to 255 characters without control characters, except `.` and
        /// `..`. No other owner may have it.
        external_id?: ExternalId,
        /// The owner's first key. Without it, the owner gets none.
        key: OptionalNested<OwnerKeyCreate>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

response_object! {
    {
        let owner = owners::Owner { link_count: 0, ..example_owner() };
        Self { owner: OwnerInfo { owner, last_active_on: None }.into(), key: Nullable(Some(Owned::example())) }
    };

    /// A new owner, with the first key.
    pub struct CreatedOwner: From<owners::CreatedOwner> = owners::CreatedOwner { owner, key } => {
        #[serde(flatten)]
        #[oai(flatten)]
        owner: Owner = OwnerInfo { owner, last_active_on: None }.into(),
        /// The first key; `null` if none was requested. Nothing shows its secret again.
        key: Nullable<Owned<CreatedKey>>,
    }
}

impl Tagged for CreatedOwner {
    fn etag(&self) -> EntityTag {
        self.owner.etag()
    }
}
