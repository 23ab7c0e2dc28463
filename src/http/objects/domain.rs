//! Domains of owners, as the operator manages them.

use poem_openapi::registry::MetaSchema;
use serde_json::json;

use super::change::Audit;
use super::fields::{DestinationText, Identifier, OwnerId, Text, TimeText};
use crate::domain::Error;
use crate::domain::domains::{self, DomainEdit, NewDomain};
use crate::http::openapi::field::{
    Nullable, request_field, response_fields, segment, text, text_schema,
};
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::response_object::response_object;
use crate::values::{Destination, DomainHost, Timestamp};

segment! {
    /// Host of a domain in a path.
    DomainSegment(DomainHost):
        |text| DomainHost::parse(text).ok(), "go.acme.example", domain_schema(),
        Error::DomainNotFound(String::new());
}

request_field!(DomainHost, |value| DomainHost::parse(text(value)?), domain_schema());

response_fields! {
    /// Host of a domain, with a port if the domain is for that port only.
    DomainText(String): domain_schema();
}

/// Returns the schema of the hosts of domains.
fn domain_schema() -> MetaSchema {
    text_schema(1, DomainHost::MAX_LENGTH, r"^[^\x00-\x20/?#@\\]+$")
}

response_object! {
    versioned example_domain().into();
    page "A page of domains, newest first.";

    /// A domain of an owner.
    pub struct Domain: From<domains::Domain> = domains::Domain {
        host, owner_id, owner: owner_name, home_url, is_default, created_at,
    } => {
        /// The host in normal form, with a port if the domain is for that port only.
        host: DomainText,
        /// The identifier of the owner.
        owner_id: Identifier,
        /// The name of the owner.
        owner_name: Text,
        /// Where visitors of the start page go; `null` if they see a page.
        home_url: Nullable<DestinationText>,
        /// Whether the owner's short URLs and QR codes have this host.
        is_default: bool,
        /// When the domain was added.
        created_at: TimeText,
    }
}

fn example_domain() -> domains::Domain {
    domains::Domain {
        host: "go.acme.example".to_owned(),
        owner_id: 7,
        owner: "acme".to_owned(),
        home_url: Some("https://www.acme.example/".to_owned()),
        is_default: true,
        created_at: Timestamp::from_millis(1_700_000_000_000),
    }
}

request_object! {
    json!({ "host": "go.acme.example", "owner_id": 7, "home_url": "https://www.acme.example/" });
    strict
    /// A domain to add.
    pub struct DomainCreate {
        /// The host, in any spelling, with a port if only requests for that port are meant.
        host: DomainHost,
        /// The identifier of the owner.
        owner_id: OwnerId,
        /// Where visitors of the start page go; without it, they see a page.
        home_url?: Destination,
        /// `true` adds the domain even if destinations lead to its host already; without it, `false`.
        accept_destinations?: bool,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

impl DomainCreate {
    /// Returns the domain to add, and what the history says about it.
    pub fn parts(&self) -> (NewDomain<'_>, Audit) {
        let Self { host, owner_id, home_url, accept_destinations, audit: OptionalNested(audit) } =
            self;
        let accepts_destinations = accept_destinations.unwrap_or_default();
        let (owner, home) = ((*owner_id).into(), home_url.as_ref());
        let domain = NewDomain { host, owner, home, accepts_destinations };
        (domain, audit.clone().unwrap_or_default())
    }
}

request_object! {
    json!({ "home_url": null, "is_default": true });
    strict
    /// New values for a domain, as a JSON merge patch (RFC 7396): what is absent stays, and `null`
    /// removes a value.
    pub struct DomainUpdate: Into<(DomainEdit, Audit)> = (
        DomainEdit { home: home_url.0, is_default: is_default.0 }, audit.0.unwrap_or_default(),
    ) => {
        /// Where visitors of the start page go; `null` if they see a page.
        home_url: Clearable<Destination>,
        /// `true` makes the domain the owner's default, so that another one no longer is.
        is_default: Replaceable<bool>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}
