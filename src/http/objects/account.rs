//! The owner of an API key, as the owner's own programs see it.

use poem_openapi::Object;
use serde::Serialize;

use super::domain::DomainText;
use super::fields::{Count, DestinationText, Identifier, Text};
use super::key::Key;
use super::plan::Plan;
use crate::domain::owners::{Account, AccountDetails};
use crate::http::openapi::field::{Nullable, example};

/// What the owner uses of the plan, and in this month (UTC).
#[derive(Debug, Serialize, Object)]
pub struct OwnerUsage {
    /// Number of links.
    links: Count,
    /// Number of links created today (UTC), deleted ones included, imported ones not.
    links_today: Count,
    /// Number of requests in this month, without those that a limit rejected or that failed. The server
    /// counts a request within some seconds.
    requests: Count,
    /// Number of links created in this month, deleted ones included.
    links_created: Count,
    /// Number of clicks in this month.
    clicks: Count,
}

/// A domain of the owner.
#[derive(Debug, Serialize, Object)]
pub struct Domain {
    /// The host in normal form, with a port if the domain is for that port only.
    host: DomainText,
    /// Where visitors of the start page go; `null` if they see a page.
    home_url: Nullable<DestinationText>,
    /// Whether the owner's short URLs and QR codes have this host.
    is_default: bool,
}

/// The owner of the API key.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct Owner {
    /// Identifies the owner; it never changes.
    id: Identifier,
    /// The owner's name.
    name: Text,
    /// Where visitors of expired links go that have no fallback of their own; `null` if they see a page.
    fallback_url: Nullable<DestinationText>,
    /// The owner's plan.
    plan: Plan,
    /// What the owner uses of it; `null` for a key of the scope `create`.
    usage: Nullable<OwnerUsage>,
    /// The API key of this request.
    key: Key,
    /// The owner's own domains, the default one first; `null` for a key of the scope `create`.
    #[oai(validator(max_items = 10_000))]
    domains: Nullable<Vec<Domain>>,
}

impl From<Account> for Owner {
    fn from(account: Account) -> Self {
        let Account { owner, plan, key, details } = account;
        let details = details.map(|AccountDetails { links_today, usage, domains }| {
            let month = usage.map_or([0; 3], |of| [of.requests, of.links_created, of.clicks]);
            let [requests, links_created, clicks] = month.map(Count);
            let (links, links_today) = (Count(owner.link_count), Count(links_today));
            let usage = OwnerUsage { links, links_today, requests, links_created, clicks };
            let domains = domains.into_iter().enumerate().map(|(rank, domain)| Domain {
                host: domain.host.into(),
                home_url: domain.home_url.into(),
                is_default: rank == 0,
            });
            (usage, domains.collect())
        });
        let (usage, domains) = details.unzip();
        Self {
            id: Identifier(owner.id),
            name: Text(owner.name),
            fallback_url: owner.fallback_url.into(),
            plan: plan.into(),
            usage: Nullable(usage),
            key: key.into(),
            domains: Nullable(domains),
        }
    }
}

example!(Owner, {
    let usage = OwnerUsage {
        links: Count(2),
        links_today: Count(1),
        requests: Count(91),
        links_created: Count(2),
        clicks: Count(40),
    };
    let domain = Domain {
        host: DomainText("go.acme.example".to_owned()),
        home_url: Nullable(None),
        is_default: true,
    };
    Self {
        id: Identifier(7),
        name: Text("acme".to_owned()),
        fallback_url: Nullable(None),
        plan: Plan::example(),
        usage: Nullable(Some(usage)),
        key: Key::example(),
        domains: Nullable(Some(vec![domain])),
    }
});
