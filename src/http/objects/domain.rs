//! Domains of owners, as the operator manages them.

use poem_openapi::registry::MetaSchema;
use serde_json::json;

use super::change::Audit;
use super::fields::{DestinationText, Flag, FlagValue, Identifier, Text, TimeText, count_schema};
use crate::domain::Error;
use crate::domain::clicks::MAX_CLICKS;
use crate::domain::domains::{self, DomainEdit, NewDomain};
use crate::http::openapi::field::{
    Nullable, integer, request_field, response_fields, segment, text, text_schema,
};
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::list::Listed;
use crate::http::openapi::response_object::response_object;
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::values::{Destination, DomainHost, ErrorCode, Name, Timestamp};

segment! {
    /// Host of a domain in a path. `None` if the text is not a host, so that no domain has it.
    DomainSegment(Option<DomainHost>):
        |text| DomainHost::parse(text).ok(), "go.acme.example", domain_schema();
}

impl DomainSegment {
    /// Returns the host, with the port if it has one.
    ///
    /// # Errors
    /// [`Error::DomainNotFound`] if the text is not a host.
    pub fn host(&self) -> Result<&str, Error> {
        let host = self.0.as_ref().map(DomainHost::as_str);
        host.ok_or_else(|| Error::DomainNotFound(String::new()))
    }
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
    example_domain().into();

    /// A domain of an owner.
    pub struct Domain: From<domains::Domain> = domains::Domain {
        host, owner_id, owner, home_url, is_default, created_at,
    } => {
        /// The host in normal form, with a port if the domain is for that port only.
        host: DomainText,
        /// The identifier of the owner.
        owner_id: Identifier,
        /// The name of the owner.
        owner: Text,
        /// Where visitors of the start page go; `null` if they see a page.
        home_url: Nullable<DestinationText>,
        /// 1 if the owner's short URLs and QR codes have this host.
        is_default: Flag,
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

impl Listed for Domain {
    const PAGE: &'static str = "A page of domains, newest first.";
}

/// Identifier of an owner in requests.
#[derive(Debug, Clone, Copy)]
pub struct OwnerNumber(i64);

request_field!(
    OwnerNumber,
    |value| match integer(value)? {
        id if (1..=MAX_CLICKS).contains(&id) => Ok(Self(id)),
        _ => Err(ErrorCode::OutOfRange.because("must be the identifier of an owner")),
    },
    count_schema(1.0)
);

request_object! {
    json!({ "host": "go.acme.example", "owner": "acme", "home_url": "https://www.acme.example/" });
    strict
    /// A domain to add. Either `owner` or `owner_id` is required.
    pub struct DomainCreate {
        /// The host, in any spelling, with a port if only requests for that port are meant.
        host: DomainHost,
        /// The name of the owner.
        owner?: Name,
        /// The identifier of the owner, instead of the name.
        owner_id?: OwnerNumber,
        /// Where visitors of the start page go; without it, they see a page.
        home_url?: Destination,
        /// 1 adds the domain even if destinations lead to its host already; without it, 0.
        accept_destinations?: FlagValue,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

impl DomainCreate {
    /// The problem of a request that names no owner.
    pub const WITHOUT_OWNER: ProblemExample =
        ProblemExample::invalid("/owner", "is required, unless owner_id is there")
            .with_code(ErrorCode::Required);
    const WITH_TWO_OWNERS: ProblemExample =
        ProblemExample::invalid("/owner_id", "must not stand next to owner")
            .with_code(ErrorCode::NotAllowed);

    /// Returns the domain to add, and what the history says about it.
    ///
    /// # Errors
    /// If the request has neither the name nor the identifier of the owner, or both.
    pub fn parts(&self) -> Result<(NewDomain<'_>, Audit), Problem> {
        let Self {
            host,
            owner,
            owner_id,
            home_url,
            accept_destinations,
            audit: OptionalNested(audit),
        } = self;
        let owner = match (owner, owner_id) {
            (Some(name), None) => name.as_str().into(),
            (None, Some(OwnerNumber(id))) => (*id).into(),
            (None, None) => return Err(Self::WITHOUT_OWNER.problem()),
            (Some(_), Some(_)) => return Err(Self::WITH_TWO_OWNERS.problem()),
        };
        let accepts_destinations = accept_destinations.is_some_and(|FlagValue(flag)| flag);
        let domain = NewDomain { host, owner, home: home_url.as_ref(), accepts_destinations };
        Ok((domain, audit.clone().unwrap_or_default()))
    }
}

request_object! {
    json!({ "home_url": null, "is_default": 1 });
    strict
    /// New values for a domain, as a JSON merge patch (RFC 7396): what is absent stays, and `null`
    /// removes a value.
    pub struct DomainUpdate {
        /// Where visitors of the start page go; `null` if they see a page.
        home_url: Clearable<Destination>,
        /// 1 makes the domain the owner's default, so that another one no longer is.
        is_default: Replaceable<FlagValue>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

impl From<DomainUpdate> for (DomainEdit, Audit) {
    fn from(update: DomainUpdate) -> Self {
        let DomainUpdate {
            home_url: Clearable(home),
            is_default: Replaceable(is_default),
            audit: OptionalNested(audit),
        } = update;
        let is_default = is_default.map(|FlagValue(flag)| flag);
        (DomainEdit { home, is_default }, audit.unwrap_or_default())
    }
}
