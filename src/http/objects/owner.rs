//! Owners, as the operator manages them.

use serde_json::json;

use super::change::Audit;
use super::fields::{Count, DestinationText, Flag, Identifier, ReasonWord, Text, TimeText};
use super::key::{CreatedKey, OwnerKeyCreate};
use super::owned::Owned;
use crate::domain::keys::NewKey;
use crate::domain::owners::{self, NewOwner, OwnerEdit};
use crate::domain::plans;
use crate::http::openapi::field::Nullable;
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::list::Listed;
use crate::http::openapi::response_object::response_object;
use crate::values::{Destination, Name, Timestamp};

response_object! {
    example_owner().into();

    /// An owner, as the operator sees it.
    pub struct Owner: From<owners::Owner> = owners::Owner {
        id, name, plan, link_count: links, created_day: _, created_today: _, created_month: _,
        created_in_month: _, suspended_reason, created_at, fallback_url, suspended_at,
    } => {
        /// Identifies the owner; it never changes and is never used again.
        id: Identifier,
        /// The owner's name.
        name: Text,
        /// The name of the owner's plan.
        plan: Text,
        /// Number of links.
        links: Count,
        /// 1 while the owner is suspended.
        is_suspended: Flag = suspended_reason.is_some().into(),
        /// Why the owner is suspended; `null` if the owner is not.
        suspended_reason: Nullable<ReasonWord> = suspended_reason.map(<&str>::from).into(),
        /// Since when the owner is suspended; `null` if the owner is not, or if it is unknown.
        suspended_at: Nullable<TimeText> = suspended_at.into(),
        /// When the owner was created.
        created_at: TimeText,
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
    }
}

impl Listed for Owner {
    const PAGE: &'static str = "A page of owners, newest first.";
}

request_object! {
    json!({ "plan": "unlimited", "fallback_url": "https://example.org/ended" });
    strict
    /// New values for an owner, as a JSON merge patch (RFC 7396): what is absent stays, and `null`
    /// removes a value.
    pub struct OwnerUpdate {
        /// The owner's name; keys, links and the history follow.
        name: Replaceable<Name>,
        /// The name of a plan. A lower limit deletes no links.
        plan: Replaceable<Name>,
        /// Where visitors of expired links go that have no fallback of their own.
        fallback_url: Clearable<Destination>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

impl From<OwnerUpdate> for (OwnerEdit, Audit) {
    fn from(update: OwnerUpdate) -> Self {
        let OwnerUpdate {
            name: Replaceable(name),
            plan: Replaceable(plan),
            fallback_url: Clearable(fallback),
            audit: OptionalNested(audit),
        } = update;
        let plan = plan.map(|plan| plan.as_str().to_owned());
        (OwnerEdit { name, plan, fallback }, audit.unwrap_or_default())
    }
}

request_object! {
    json!({ "name": "acme", "plan": "pro", "api_key": { "label": "crm", "scope": "full" } });
    strict
    /// An owner to create.
    pub struct OwnerCreate {
        /// The owner's name, without control characters.
        name: Name,
        /// The name of a plan. Without it, `free`.
        plan?: Name,
        /// The owner's first key. Without it, the owner gets none.
        api_key: OptionalNested<OwnerKeyCreate>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

impl From<OwnerCreate> for (NewOwner, Audit) {
    fn from(request: OwnerCreate) -> Self {
        let OwnerCreate { name, plan, api_key: OptionalNested(key), audit: OptionalNested(audit) } =
            request;
        let plan = plan.as_ref().map_or(plans::DEFAULT, Name::as_str).to_owned();
        let key = key.map(NewKey::from);
        (NewOwner { name, plan, key }, audit.unwrap_or_default())
    }
}

response_object! {
    {
        let owner = owners::Owner { link_count: 0, ..example_owner() };
        Self { owner: owner.into(), api_key: Nullable(Some(Owned::example())) }
    };

    /// A new owner, with the first key.
    pub struct CreatedOwner: From<owners::CreatedOwner> = owners::CreatedOwner {
        owner, key, is_replay: _,
    } => {
        /// The owner.
        owner: Owner,
        /// The first key; `null` if none was requested. Nothing shows its secret again.
        api_key: Nullable<Owned<CreatedKey>> = key.into(),
    }
}
