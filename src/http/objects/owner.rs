//! Owners, as their own programs see them.

use poem_openapi::Object;
use serde::Serialize;

use super::fields::{Count, Flag, Identifier, Text, TimeText, Word};
use crate::domain::account::Account;
use crate::domain::plans::Plan;
use crate::http::openapi::field::{Nullable, example};

/// What the owner's plan allows. `null` is unlimited.
#[derive(Debug, Serialize, Object)]
pub struct PlanLimits {
    /// The name of the plan.
    name: Text,
    /// Number of links at a time.
    max_links: Nullable<Count>,
    /// Number of new links per day (UTC).
    links_per_day: Nullable<Count>,
    /// Requests in a time, such as `20/s`, with all keys together.
    request_rate: Nullable<Text>,
    /// 1 if `custom_code` is not ignored.
    custom_codes: Flag,
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
    domains: Vec<Text>,
}

impl From<Account> for OwnerAccount {
    fn from(account: Account) -> Self {
        let Account { id, name, plan, links, links_today, key, domains } = account;
        let Plan { name: plan, max_links, custom_codes, requests, burst: _, links_per_day } = plan;
        Self {
            id: Identifier(id),
            name: Text(name),
            plan: PlanLimits {
                name: Text(plan),
                max_links: Nullable(max_links.map(Count)),
                links_per_day: Nullable(links_per_day.map(Count)),
                request_rate: Nullable(requests.map(Text)),
                custom_codes: custom_codes.into(),
            },
            usage: Usage { links: Count(links), links_today: Count(links_today) },
            api_key: OwnKey {
                id: Identifier(key.id),
                label: Nullable(key.label.map(Text)),
                scope: Word(key.scope),
                expires_at: Nullable(key.expires_at.map(TimeText::from)),
            },
            domains: domains.into_iter().map(Text).collect(),
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
        domains: vec![text("go.acme.example")],
    }
});
