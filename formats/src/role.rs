//! What a field says about a link, as far as its name alone tells.

use crate::link::FileColumn;
use crate::values::{is_one_of, plain_name};
use crate::vocabulary::{
    ACTIVE, AUDIENCES, CLOSING, DISABLED, EXPIRIES, HOLDERS, IGNORED, IGNORED_PARTS, KINDS, LOCKS,
    OTHER_CODES, PARTS, PASSWORDS, PEOPLE, PERSONAL, RULES, STARTS, STATES, WRAPPERS,
};

/// What a field says about a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The short code as it is.
    Code,
    /// The short code, percent-encoded.
    EncodedCode,
    /// The short URL, whose path is the code. A value without a slash is the code itself.
    ShortUrl,
    /// Something that may be another code of the same link.
    OtherCode,
    Destination,
    Title,
    /// The campaign alone, which may be empty.
    Campaign,
    /// Several tags, of which Terse takes over one as the campaign.
    Tags,
    HasQr,
    IsPaused,
    ForwardQuery,
    FallbackUrl,
    ExternalId,
    Clicks,
    Created,
    Expires,
    /// Whether the link redirects.
    Active,
    /// Whether the link is closed.
    Disabled,
    /// Whether the link is archived, which services understand in different ways.
    Archived,
    Password,
    /// How often the link may be visited.
    Limit,
    /// From when on the link redirects.
    Starts,
    /// Who may visit the link.
    Audience,
    /// Whether the link has rules that lead visitors elsewhere.
    Rules,
    /// What kind of link it is. The kind may be the name of a restriction.
    Kind,
    /// The host of the short URL; empty for the default one.
    Domain,
    /// The number of the domain; empty for the default one.
    DomainId,
    /// Says nothing about where and whether the link leads.
    Ignored,
    /// May say anything.
    Unknown,
}

/// Usual names of what a service may call otherwise. Of several with the same role, the first that a
/// file has counts.
const USUAL: &[(Role, &str)] = &[
    (
        Role::Clicks,
        "clicks totalclicks totalclick clickcount clickscount numclicks visits totalvisits \
         visitcount visitscount hits totalhits hitcount hitscount views viewcount engagements \
         totalengagements count",
    ),
    (Role::Title, "title pagetitle linktitle urltitle"),
    (
        Role::Created,
        "createdat created createdon createddate createdtime createdate createtime creationdate \
         creationtime datecreated dateadded addedat",
    ),
    (Role::Tags, "tags tag labels"),
    (Role::Domain, "domain domainname domain.name domain.hostname shortdomain customdomain"),
    (Role::DomainId, "domainid domain.id"),
];

/// Returns each name of a table, with its role.
pub(crate) fn by_name(
    table: &'static [(Role, &'static str)],
) -> impl Iterator<Item = (&'static str, Role)> + Clone {
    table.iter().flat_map(|(role, names)| names.split(' ').map(|name| (name, *role)))
}

/// Returns each usual name, with its role.
pub(crate) fn usual_names() -> impl Iterator<Item = (&'static str, Role)> {
    by_name(USUAL)
}

/// Returns whether one of `parts`, separated by blanks, is in the name.
fn has(name: &str, parts: &str) -> bool {
    parts.split(' ').any(|part| name.contains(part))
}

/// Returns whether a field with this plain name is in an object that neither is the link nor holds its
/// own properties.
pub(crate) fn is_in_part(name: &str) -> bool {
    let mut around = name.rsplit('.').skip(1).peekable();
    around.peek().is_some() && !around.any(|part| is_one_of(part, WRAPPERS))
}

impl Role {
    /// Returns the role of a column of Terse's own files.
    pub(crate) const fn of_own(column: FileColumn) -> Self {
        match column {
            FileColumn::ShortCode => Self::Code,
            FileColumn::DestinationUrl => Self::Destination,
            FileColumn::Title => Self::Title,
            FileColumn::Clicks => Self::Clicks,
            FileColumn::IsActive => Self::Active,
            FileColumn::CreatedAt => Self::Created,
            FileColumn::ExpiresAt => Self::Expires,
            FileColumn::Campaign => Self::Campaign,
            FileColumn::HasQr => Self::HasQr,
            FileColumn::IsPaused => Self::IsPaused,
            FileColumn::ForwardQuery => Self::ForwardQuery,
            FileColumn::FallbackUrl => Self::FallbackUrl,
            FileColumn::ExternalId => Self::ExternalId,
        }
    }

    /// Returns the role of a field with this [`plain_name`], of any
    /// service. Restrictions are recognised by parts of names, because a restriction that is
    /// overlooked opens a link that was closed.
    pub(crate) fn of_name(name: &str) -> Self {
        let last = name.rsplit('.').next().unwrap_or(name);
        let restriction = Self::of_restriction(name, last).map(|role| {
            let around = name.rsplit('.').nth(1).filter(|around| !is_one_of(around, WRAPPERS));
            let is_state = matches!(role, Self::Active | Self::Disabled);
            around.filter(|_| is_state).map_or(role, |around| role.of_part(around))
        });
        let around = || name.rsplit('.').skip(1);
        let is_of_person = around().any(|part| is_one_of(part, PEOPLE));
        // The account of the person expires, not the link.
        let restriction = restriction.filter(|role| {
            !(is_of_person && matches!(role, Self::Expires | Self::Limit | Self::Starts))
        });
        // What is in an object such as `lock` belongs to the restriction.
        let of_around = || {
            let role = around().find_map(|part| Self::of_restriction(part, part))?;
            (role.restriction().is_some() || is_one_of(last, OTHER_CODES)).then_some(role)
        };
        restriction.or_else(of_around).unwrap_or_else(|| {
            let is_of_holder = || is_of_person || around().any(|part| has(part, HOLDERS));
            if name.split('.').any(|part| is_one_of(part, RULES)) {
                Self::Rules
            } else if is_one_of(last, PERSONAL) && is_of_person {
                Self::Ignored
            } else if is_one_of(last, KINDS) {
                if is_of_holder() { Self::Ignored } else { Self::Kind }
            } else if is_one_of(last, OTHER_CODES) {
                Self::OtherCode
            } else if is_one_of(last, IGNORED)
                || has(last, IGNORED_PARTS) && !(has(last, HOLDERS) && has(last, STATES))
            {
                Self::Ignored
            } else {
                Self::Unknown
            }
        })
    }

    /// Returns the role of a field with this role in an object that is called `around`, whose state it
    /// tells rather than that of the link.
    fn of_part(self, around: &str) -> Self {
        match Self::of_restriction(around, around) {
            Some(Self::Active) => self,
            // `password.enabled` says whether there is a password.
            Some(restriction) if self == Self::Active => restriction,
            Some(_) => Self::Unknown,
            None if has(around, HOLDERS) || is_one_of(around, PEOPLE) => Self::Unknown,
            None if is_one_of(around, IGNORED) || has(around, IGNORED_PARTS) => Self::Ignored,
            None if is_one_of(around, PARTS) => Self::Ignored,
            None => Self::Unknown,
        }
    }

    /// Returns the role that services usually give to a field with this plain name, if its role
    /// does not close a link.
    pub(crate) fn of_usual_name(name: &str) -> Option<Self> {
        usual_names().find(|(usual, _)| *usual == name).map(|(_, role)| role)
    }

    /// Returns the restriction that a word in a list or in the kind of a link names.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        let word = plain_name(word);
        Self::of_restriction(&word, &word).filter(|role| *role != Self::Active)
    }

    fn of_restriction(name: &str, last: &str) -> Option<Self> {
        let flag = last.strip_prefix("is").unwrap_or(last);
        let counts = has(name, "click visit view hit use access redirect open");
        let leads = has(last, "url link redirect destination fallback target");
        let is_time =
            has(last, "expir until validity deadline lifetime") || is_one_of(last, EXPIRIES);
        let limits = has(name, "max limit cap quota remaining allowed left");
        Some(match () {
            () if has(last, PASSWORDS) || last.ends_with("pin") || is_one_of(last, LOCKS) => {
                Self::Password
            }
            () if is_time && has(last, CLOSING) => Self::Starts,
            () if has(last, "takedown") || has(last, "reason") && has(last, CLOSING) => {
                Self::Disabled
            }
            () if is_time && counts && !leads => Self::Limit,
            () if is_one_of(last, "expired isexpired hasexpired") => Self::Disabled,
            () if is_time && leads => Self::Ignored,
            () if is_time => Self::Expires,
            () if has(last, "onetime singleuse burn selfdestruct uniqueaccess")
                || limits && counts
                || is_one_of(last, "limit limits maximum uses maxuses") =>
            {
                Self::Limit
            }
            () if is_one_of(flag, DISABLED)
                || ["suspended", "disabled", "banned", "deactivated", "revoked"]
                    .iter()
                    .any(|end| last.ends_with(end))
                || is_one_of(last, "deletedat disabledat bannedat blockedat pausedat") =>
            {
                Self::Disabled
            }
            () if has(last, "archived") => Self::Archived,
            () if is_one_of(flag, ACTIVE) => Self::Active,
            () if is_one_of(last, STARTS) || has(last, "validsince validfrom notbefore") => {
                Self::Starts
            }
            () if has(last, "whitelist blacklist restrict recipient invite")
                || has(last, "allow permit block denied only")
                    && has(last, "list countr geo region ip mail user visitor")
                || is_one_of(flag, AUDIENCES) =>
            {
                Self::Audience
            }
            () => return None,
        })
    }

    /// Returns whether a field may have the text `null`: as a code, a text or a state.
    pub(crate) const fn may_be_null_word(self) -> bool {
        self.is_text()
            || matches!(
                self,
                Self::Code | Self::EncodedCode | Self::ShortUrl | Self::Destination | Self::Active
            )
    }

    /// Returns whether a field has texts of people.
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::Title | Self::Tags | Self::Campaign)
    }

    /// Returns what a link with the restriction has, for messages, if the role is a restriction
    /// that Terse cannot enforce.
    pub(crate) fn restriction(self) -> Option<&'static str> {
        let texts = [
            (Self::Password, "a password"),
            (Self::Limit, "a visit limit"),
            (Self::Starts, "a time before which it is not valid"),
            (Self::Audience, "a limit to some visitors"),
            (Self::Archived, "been archived"),
        ];
        texts.into_iter().find(|(role, _)| *role == self).map(|(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_in_an_object_says_what_the_object_says() {
        for (names, role) in [
            (
                &["active", "link.active", "data.attributes.enabled", "status.active"][..],
                Role::Active,
            ),
            (&["disabled", "link.banned", "attributes.isdisabled"], Role::Disabled),
            (&["password.enabled", "protected.active", "pin.state"], Role::Password),
            (&["onetime.enabled", "maxvisits.active"], Role::Limit),
            (&["disabled.enabled"], Role::Disabled),
            (&["archived.enabled"], Role::Archived),
            (
                &["analytics.enabled", "qr.enabled", "utm.active", "og.status", "ios.enabled"],
                Role::Ignored,
            ),
            (&["lock.code", "password.hash", "rules.lock.hint", "auth.data"], Role::Password),
            (&["visibility.id", "access.type"], Role::Audience),
            (&["status.name", "state.code"], Role::Active),
            (&["domain.id", "link.code"], Role::OtherCode),
            (&["type", "rules.type", "options.linktype"], Role::Kind),
            (&["owner.type", "account.type", "creator.name"], Role::Ignored),
            (
                &["user.banned", "creator.active", "owner.status", "password.disabled"],
                Role::Unknown,
            ),
            (&["user.expiresat", "link.user.validuntil"], Role::Unknown),
        ] {
            for name in names {
                assert_eq!(Role::of_name(name), role, "{name}");
            }
        }
    }

    #[test]
    fn settings_are_no_part_of_their_own() {
        for (name, is_part) in [
            ("extra.level", true),
            ("level", false),
            ("settings.level", false),
            ("a.data.b", false),
        ] {
            assert_eq!(is_in_part(name), is_part, "{name}");
        }
    }

    #[test]
    fn word_may_name_a_restriction() {
        for (word, role) in [
            ("Password-protected", Some(Role::Password)),
            ("disabled", Some(Role::Disabled)),
            ("private", Some(Role::Audience)),
            ("one time", Some(Role::Limit)),
            ("active", None),
            ("redirect", None),
            ("noindex", None),
        ] {
            assert_eq!(Role::of_word(word), role, "{word}");
        }
    }
}
