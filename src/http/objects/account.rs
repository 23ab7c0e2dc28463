//! The owner of an API key, as the owner's own programs see it.

use poem_openapi::Object;
use serde::Serialize;

use super::domain::DomainText;
use super::fields::{Count, Identifier, Text};
use super::key::Key;
use super::plan::Plan;
use crate::domain::account::Account;
use crate::http::openapi::field::example;

/// What the owner uses of the plan.
#[derive(Debug, Serialize, Object)]
pub struct OwnerUsage {
    /// Number of links.
    links: Count,
    /// Number of links created today (UTC), deleted ones included.
    links_today: Count,
}

/// The owner of the API key.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct Owner {
    /// Identifies the owner; it never changes.
    id: Identifier,
    /// The owner's name.
    name: Text,
    /// The owner's plan.
    plan: Plan,
    /// What the owner uses of it.
    usage: OwnerUsage,
    /// The API key of this request.
    api_key: Key,
    /// The owner's own domains, the default one first.
    #[oai(validator(max_items = 10_000))]
    domains: Vec<DomainText>,
}

impl From<Account> for Owner {
    fn from(account: Account) -> Self {
        let Account { owner, plan, links_today, key, domains } = account;
        Self {
            id: Identifier(owner.id),
            name: Text(owner.name),
            plan: plan.into(),
            usage: OwnerUsage { links: Count(owner.link_count), links_today: Count(links_today) },
            api_key: key.into(),
            domains: domains.into_iter().map(DomainText).collect(),
        }
    }
}

example!(Owner, {
    Self {
        id: Identifier(7),
        name: Text("acme".to_owned()),
        plan: Plan::example(),
        usage: OwnerUsage { links: Count(2), links_today: Count(1) },
        api_key: Key::example(),
        domains: vec![DomainText("go.acme.example".to_owned())],
    }
});
