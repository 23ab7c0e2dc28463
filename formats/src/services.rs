//! Services and the fields of their files. `docs/contributing/import-formats.md` names the source of each.

use strum_macros::IntoStaticStr;

use crate::role::Role;
use crate::role::Role::{
    Archived, Clicks, Code, Created, Destination, Disabled, Domain, DomainId, Expires, FallbackUrl,
    ForwardQuery, Ignored, Limit, Password, Rules, ShortUrl, Starts, Tags, Title,
};

/// Service that a file comes from. Its text is the name of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[expect(missing_docs, reason = "the variants are named as the services")]
pub enum Source {
    /// Terse's own files.
    Terse,
    /// A service that Terse does not know, with the code in a column that the user named.
    Other,
    Shlink,
    Yourls,
    Kutt,
    Bitly,
    Dub,
    ShortIo,
    Rebrandly,
    TinyUrl,
    Chhoto,
    Spoo,
    Polr,
    Sink,
}

/// A service.
pub(crate) struct Service {
    pub(crate) source: Source,
    /// Name of the service.
    pub(crate) name: &'static str,
    /// Alternative lists of fields that its files must have, as messages show them.
    pub(crate) needs: &'static [&'static str],
    /// Fields that the service has a meaning for, without blanks in their names. Of several with the
    /// same role, the first that has a value counts. [`Role::of_name`] tells the meaning of all others.
    pub(crate) fields: &'static [(Role, &'static str)],
}

/// Returns the names in one of [`Service::needs`].
pub(crate) fn needed_names(needs: &str) -> impl Iterator<Item = &str> {
    needs.split(" and ")
}

/// The services, in the order in which files are compared with them: those with more distinctive
/// fields come first.
pub(crate) const SERVICES: [Service; 12] = [
    Service {
        source: Source::Polr,
        name: "Polr",
        needs: &["short_url and long_url and secret_key", "short_url and long_url and is_custom"],
        fields: &[
            (Code, "short_url"),
            (Destination, "long_url"),
            (Clicks, "clicks"),
            (Created, "created_at"),
            (Disabled, "is_disabled"),
            (Password, "secret_key"),
            (Ignored, "id is_custom long_url_hash"),
        ],
    },
    Service {
        source: Source::Chhoto,
        name: "chhoto-url",
        needs: &[
            "short_url and long_url and expiry_time",
            "shortlink and longlink",
            "short_url and long_url and hits",
        ],
        fields: &[
            (Code, "short_url shortlink"),
            (Destination, "long_url longlink"),
            (Clicks, "hits"),
            (Expires, "expiry_time"),
            (Title, "notes"),
            (Ignored, "id"),
        ],
    },
    Service {
        source: Source::Spoo,
        name: "spoo.me",
        needs: &["alias and long_url"],
        fields: &[
            (Code, "alias"),
            (ShortUrl, "short_url"),
            (Destination, "long_url"),
            (Clicks, "total_clicks"),
            (Created, "created_at"),
            (Expires, "expire_after"),
            (Limit, "max_clicks"),
            (Password, "password_set"),
            (Ignored, "id _id private_stats block_bots last_click"),
        ],
    },
    Service {
        source: Source::Shlink,
        name: "Shlink",
        needs: &["longUrl and shortCode", "longUrl and shortUrl"],
        fields: &[
            (Code, "shortCode"),
            (ShortUrl, "shortUrl"),
            (Destination, "longUrl"),
            (Title, "title"),
            (Tags, "tags"),
            (Clicks, "visits visitsSummary.total visitsCount"),
            (Created, "createdAt dateCreated"),
            (Limit, "meta.maxVisits maxVisits"),
            (Starts, "meta.validSince validSince"),
            (Expires, "meta.validUntil validUntil"),
            (Domain, "domain"),
            (Rules, "hasRedirectRules"),
            (ForwardQuery, "forwardQuery"),
            (Ignored, "visitsSummary.nonBots visitsSummary.bots"),
        ],
    },
    Service {
        source: Source::Bitly,
        name: "Bitly",
        needs: &[
            "long_url and link",
            "Destination URL and Link",
            "Destination URL and Bitlink",
            "long_url and Bitlink",
            "Destination URL and Short URL",
            "long_url and Short Link",
            "Destination URL and Short Link and Creation Date",
        ],
        fields: &[
            (ShortUrl, "custom_bitlinks CustomLink link Bitlink ShortLink ShortURL"),
            (Destination, "long_url DestinationURL"),
            (Title, "title"),
            (Tags, "tags"),
            (Clicks, "clicks TotalClicks engagements TotalEngagements"),
            (Created, "created_at date_created created CreationDate"),
            (Expires, "expiration_at ExpirationDate"),
            // A link that is archived still redirects.
            (Ignored, "archived id campaign references.group"),
        ],
    },
    Service {
        source: Source::TinyUrl,
        name: "TinyURL",
        needs: &["tiny_url and url", "tiny_url and long_url", "alias and url and domain"],
        fields: &[
            (ShortUrl, "tiny_url"),
            (Code, "alias"),
            (Destination, "url long_url"),
            (Title, "description"),
            (Tags, "tags"),
            (Clicks, "hits"),
            (Created, "created_at"),
            (Expires, "expires_at"),
            (Disabled, "deleted"),
            (Domain, "domain"),
            (Ignored, "analytics.enabled analytics.public"),
        ],
    },
    Service {
        source: Source::Dub,
        name: "Dub",
        needs: &["shortLink and url", "Short link and Destination URL", "key and url"],
        fields: &[
            (ShortUrl, "shortLink"),
            (Code, "key"),
            (Destination, "url DestinationURL"),
            (Title, "title"),
            (Tags, "tags.name tags"),
            (Clicks, "clicks"),
            (Created, "createdAt"),
            (Expires, "expiresAt"),
            (FallbackUrl, "expiredUrl"),
            (Password, "password"),
            (Domain, "domain"),
            (Disabled, "disabledAt"),
            (Rules, "ios android"),
            // A link that is archived still redirects.
            (
                Ignored,
                "archived id externalId tenantId partnerId tagId tags.id tags.color proxy \
                 rewrite doIndex trackConversion publicStats lastClicked leads conversions \
                 sales saleAmount video testStartedAt testCompletedAt projectId",
            ),
        ],
    },
    Service {
        source: Source::ShortIo,
        name: "Short.io",
        needs: &[
            "originalURL and path",
            "originalURL and shortURL",
            "originalURL and secureShortURL",
        ],
        fields: &[
            (ShortUrl, "shortURL secureShortURL"),
            (Code, "path"),
            (Destination, "originalURL"),
            (Title, "title"),
            (Tags, "tags"),
            (Clicks, "clicks humanClicks"),
            (Created, "createdAt"),
            (Expires, "expiresAt"),
            (FallbackUrl, "expiredURL"),
            (Limit, "clicksLimit"),
            (Password, "password hasPassword passwordContact"),
            (DomainId, "DomainId"),
            (Rules, "splitURL androidURL iphoneURL"),
            (Expires, "ttl"),
            // A link that is archived still redirects.
            (
                Ignored,
                "archived id idString OwnerId FolderId TeamId cloaking source redirectType \
                 splitPercent",
            ),
        ],
    },
    Service {
        source: Source::Rebrandly,
        name: "Rebrandly",
        needs: &[
            "destination and slashtag",
            "destination and shortUrl",
            "Destination URL and Slashtag",
        ],
        fields: &[
            (ShortUrl, "shortUrl"),
            (Code, "slashtag"),
            (Destination, "destination DestinationURL"),
            (Title, "title"),
            (Tags, "tags.name tags"),
            (Clicks, "clicks"),
            (Created, "createdAt"),
            (Domain, "domainName domain.fullName"),
            (DomainId, "domainId domain.id"),
            (ForwardQuery, "forwardParameters"),
            (Ignored, "id domain.ref domain.active isPublic integrated https favourite"),
        ],
    },
    Service {
        source: Source::Kutt,
        name: "Kutt",
        needs: &["address and target"],
        fields: &[
            (Code, "address"),
            (Destination, "target"),
            (Title, "description"),
            (Clicks, "visit_count"),
            (Disabled, "banned"),
            (Password, "password"),
            (Created, "created_at"),
            (Expires, "expire_in"),
            (DomainId, "domain_id"),
            (Domain, "domain"),
            (ShortUrl, "link link.url"),
            (Ignored, "relative_expire_in id banned_by_id"),
        ],
    },
    Service {
        source: Source::Sink,
        name: "Sink",
        needs: &["slug and url"],
        fields: &[
            (Code, "slug"),
            (Destination, "url"),
            (Title, "title comment"),
            (Created, "createdAt"),
            (Expires, "expiration"),
            (Password, "password"),
            (ForwardQuery, "redirectWithQuery"),
            (Rules, "apple google"),
            (Ignored, "unsafe id"),
        ],
    },
    Service {
        source: Source::Yourls,
        name: "YOURLS",
        needs: &["url and keyword", "url and shorturl", "source and target"],
        fields: &[
            (Code, "keyword"),
            (ShortUrl, "source shorturl"),
            (Destination, "url target"),
            (Title, "title"),
            (Clicks, "clicks hits"),
            (Created, "timestamp"),
            (Archived, "isArchived"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MAX_NAME;
    use crate::role::by_name;

    #[test]
    fn known_names_fit_into_the_limit() {
        let names = SERVICES.iter().flat_map(|service| by_name(service.fields));
        let names = names.map(|(name, _)| name);
        assert!(names.clone().count() > 100);
        assert!(names.clone().all(|name| name.len() <= MAX_NAME && name.is_ascii()));
    }

    #[test]
    fn every_service_needs_a_code_and_a_destination() {
        for service in &SERVICES {
            for names in service.needs {
                let role = |name: &str| {
                    let found = by_name(service.fields).find(|(known, _)| {
                        crate::values::plain_name(known) == crate::values::plain_name(name)
                    });
                    found.map_or(Role::Unknown, |(_, role)| role)
                };
                let roles: Vec<Role> = needed_names(names).map(role).collect();
                assert!(roles.contains(&Destination), "{}: {names:?}", service.name);
                let is_code = |role: &Role| matches!(role, Code | ShortUrl);
                assert!(roles.iter().any(is_code), "{}: {names:?}", service.name);
            }
        }
    }
}
