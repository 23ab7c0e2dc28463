//! Owners, as their own programs and the operator's see them.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::json;

use super::change::Audit;
use super::domain::DomainText;
use super::fields::{Count, DestinationText, Flag, Identifier, Text, TimeText, Word};
use super::key::{FirstKey, FirstKeyRequest};
use crate::domain::account::Account;
use crate::domain::keys::NewKey;
use crate::domain::owners::{CreatedOwner, NewOwner, Owner, OwnerEdit};
use crate::domain::plans::{self, Plan};
use crate::http::openapi::field::{Nullable, example};
use crate::http::openapi::json_body::{
    Clearable, Flat, OptionalNested, Replaceable, request_object,
};
use crate::http::openapi::response_object::{response_list, response_object};
use crate::values::{Destination, Name, Timestamp};

response_object! {
    nested
    /// What the owner's plan allows. `null` is unlimited.
    pub struct PlanLimits: From<Plan> = Plan {
        name, max_links, custom_codes, requests, burst: _, links_per_day,
    } => {
        /// The name of the plan.
        name: Text,
        /// Number of links at a time.
        max_links: Nullable<Count>,
        /// Number of new links per day (UTC).
        links_per_day: Nullable<Count>,
        /// Requests in a time, such as `20/s`, with all keys together.
        request_rate: Nullable<Text> = requests.into(),
        /// 1 if `custom_code` is not ignored.
        custom_codes: Flag,
    }
}

/// What the owner uses of the plan.
#[derive(Debug, Serialize, Object)]
pub struct Usage {
    /// Number of links.
    links: Count,
    /// Number of links created today (UTC), deleted ones included.
    links_today: Count,
}

/// The API key of the request.
#[derive(Debug, Serialize, Object)]
pub struct OwnKey {
    /// Identifies the key.
    id: Identifier,
    /// The label that the key was given; `null` without one.
    label: Nullable<Text>,
    /// What the key allows: `read`, `create`, `full` or `manage`.
    scope: Word,
    /// The time from which the key is invalid; `null` if it does not expire.
    expires_at: Nullable<TimeText>,
}

/// The owner of the API key.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OwnerAccount {
    /// Identifies the owner; it never changes.
    id: Identifier,
    /// The owner's name.
    name: Text,
    /// The owner's plan.
    plan: PlanLimits,
    /// What the owner uses of it.
    usage: Usage,
    /// The API key of this request.
    api_key: OwnKey,
    /// The owner's own domains, the default one first.
    domains: Vec<DomainText>,
}

impl From<Account> for OwnerAccount {
    fn from(account: Account) -> Self {
        let Account { owner, plan, links_today, key, domains } = account;
        Self {
            id: Identifier(owner.id),
            name: Text(owner.name),
            plan: plan.into(),
            usage: Usage { links: Count(owner.link_count), links_today: Count(links_today) },
            api_key: OwnKey {
                id: Identifier(key.id),
                label: key.label.into(),
                scope: Word(key.scope),
                expires_at: key.expires_at.into(),
            },
            domains: domains.into_iter().map(DomainText).collect(),
        }
    }
}

example!(OwnerAccount, {
    let text = |text: &str| Text(text.to_owned());
    Self {
        id: Identifier(7),
        name: text("acme"),
        plan: PlanLimits {
            name: text("pro"),
            max_links: Nullable(Some(Count(10_000))),
            links_per_day: Nullable(None),
            request_rate: Nullable(Some(text("20/s"))),
            custom_codes: true.into(),
        },
        usage: Usage { links: Count(2), links_today: Count(1) },
        api_key: OwnKey {
            id: Identifier(12),
            label: Nullable(Some(text("crm"))),
            scope: Word("manage".to_owned()),
            expires_at: Nullable(None),
        },
        domains: vec![DomainText("go.acme.example".to_owned())],
    }
});

response_object! {
    example_owner().into();

    /// An owner, as the operator sees it.
    pub struct OwnerDetails: From<Owner> = Owner {
        id, name, plan, link_count: links, created_day: _, created_today: _, created_month: _,
        created_in_month: _, suspended_reason, created_at, fallback_url,
        suspended_at: _,
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
        /// When the owner was created.
        created_at: TimeText,
        /// Where visitors of expired links go that have no fallback of their own; `null` if they see a page.
        fallback_url: Nullable<DestinationText>,
    }
}

fn example_owner() -> Owner {
    Owner {
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

response_list! {
    vec![example_owner().into()];

    /// A page of owners, newest first.
    pub struct OwnerDetailsList {
        /// The owners.
        data: Vec<OwnerDetails>,
    }
}

request_object! {
    json!({ "plan": "unlimited", "fallback_url": "https://example.org/ended" });
    strict
    /// New values for an owner, as a JSON merge patch (RFC 7396): what is absent stays, and `null`
    /// removes a value.
    pub struct OwnerPatch {
        /// The owner's name; keys, links and the history follow.
        name: Replaceable<Name>,
        /// The name of a plan. A lower limit deletes no links.
        plan: Replaceable<Name>,
        /// Where visitors of expired links go that have no fallback of their own.
        fallback_url: Clearable<Destination>,
        #[oai(flatten)]
        audit: Flat<Audit>,
    }
}

impl From<OwnerPatch> for (OwnerEdit, Audit) {
    fn from(patch: OwnerPatch) -> Self {
        let OwnerPatch {
            name: Replaceable(name),
            plan: Replaceable(plan),
            fallback_url: Clearable(fallback),
            audit: Flat(audit),
        } = patch;
        let plan = plan.map(|plan| plan.as_str().to_owned());
        (OwnerEdit { name, plan, fallback }, audit)
    }
}

request_object! {
    json!({ "name": "acme", "plan": "pro", "api_key": { "label": "crm", "scope": "manage" } });
    strict
    /// An owner to create.
    pub struct OwnerRequest {
        /// The owner's name, without control characters.
        name: Name,
        /// The name of a plan. Without it, `free`.
        plan?: Name,
        /// The owner's first key. Without it, the owner gets none.
        #[oai(nullable)]
        api_key: OptionalNested<FirstKeyRequest>,
        #[oai(flatten)]
        audit: Flat<Audit>,
    }
}

impl From<OwnerRequest> for (NewOwner, Audit) {
    fn from(request: OwnerRequest) -> Self {
        let OwnerRequest { name, plan, api_key: OptionalNested(key), audit: Flat(audit) } = request;
        let plan = plan.as_ref().map_or(plans::DEFAULT, Name::as_str).to_owned();
        let key = key.map(NewKey::from);
        (NewOwner { name, plan, key }, audit)
    }
}

response_object! {
    {
    let owner = Owner { link_count: 0, ..example_owner() };
    Self { owner: owner.into(), api_key: Nullable(Some(FirstKey::in_examples())) }
};

    /// A new owner, with the first key.
    pub struct OwnerCreation: From<CreatedOwner> = CreatedOwner { owner, key, is_replay: _ } => {
        /// The owner.
        owner: OwnerDetails,
        /// The first key; `null` if none was requested. Nothing shows its secret again.
        api_key: Nullable<FirstKey> = Nullable(key.map(FirstKey::from)),
    }
}
