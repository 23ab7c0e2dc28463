//! The domain of a link.

use std::borrow::Cow;

use crate::options::DomainChoice;
use crate::record::Record;
use crate::role::Role;
use crate::values::{is_falsy, is_null, normal_domain};

/// Returns the domain of a record's link in its normal form, or `None` if it is the default one or
/// unknown. `host` is that of a short URL of the link.
pub(crate) fn domain<'a>(record: &'a Record, host: Option<&'a str>) -> Option<Cow<'a, str>> {
    let of_role = |role: Role| {
        let mut fields = record.fields();
        let found = fields.find(|(_, field, _)| field.role == role).map(|(.., value)| value);
        found.filter(|value| !is_null(value))
    };
    let number = of_role(Role::DomainId).filter(|number| !is_falsy(number));
    // Kutt names the default domain next to a number that is missing.
    if record.layout.has(Role::DomainId) && number.is_none() {
        return None;
    }
    let has_name = record.layout.has(Role::Domain);
    let name = if has_name { of_role(Role::Domain) } else { host };
    name.or(number).map(normal_domain)
}

/// Returns whether a link with this domain is one of the chosen domain.
pub(crate) fn is_chosen(record: &Record, domain: Option<&str>, choice: &DomainChoice) -> bool {
    match choice {
        DomainChoice::Default => domain.is_none(),
        DomainChoice::Host(host) => {
            let mut numbers = record.fields().filter(|(_, field, _)| field.role == Role::DomainId);
            domain == Some(host) || numbers.any(|(.., number)| normal_domain(number) == *host)
        }
    }
}
