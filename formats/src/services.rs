//! Services and the fields of their files. `docs/contributing/import-formats.md` names the source of each.

use crate::link::FileColumn;
use crate::role::Role;
use crate::role::Role::{
    Archived, Clicks, Code, Created, Destination, Disabled, Domain, DomainId, Expires, Ignored,
    Limit, Password, Rules, ShortUrl, Starts, Tags, Title,
};

/// Service that a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Name of the format.
    pub(crate) format: &'static str,
    /// Alternative lists of fields that its files must have.
    pub(crate) needs: &'static [&'static [&'static str]],
    /// Fields that the service has a meaning for. Of several with the same role, the first that has
    /// a value counts. [`Role::of_name`] tells the meaning of all others.
    pub(crate) fields: &'static [(&'static str, Role)],
}

impl Service {
    /// Returns whether the field of this name holds the code.
    pub(crate) fn is_code(&self, name: &str) -> bool {
        let is_code = |role: Role| matches!(role, Role::Code | Role::ShortUrl);
        self.fields.iter().any(|(known, role)| *known == name && is_code(*role))
    }
}

/// The services, in the order in which files are compared with them: those with more distinctive
/// fields come first.
pub(crate) const SERVICES: [Service; 12] = [
    Service {
        source: Source::Polr,
        name: "Polr",
        format: "polr",
        needs: &[&["short_url", "long_url", "secret_key"], &["short_url", "long_url", "is_custom"]],
        fields: &[
            ("short_url", Code),
            ("long_url", Destination),
            ("clicks", Clicks),
            ("created_at", Created),
            ("is_disabled", Disabled),
            ("secret_key", Password),
            ("id", Ignored),
            ("is_custom", Ignored),
            ("long_url_hash", Ignored),
        ],
    },
    Service {
        source: Source::Chhoto,
        name: "chhoto-url",
        format: "chhoto",
        needs: &[
            &["short_url", "long_url", "expiry_time"],
            &["shortlink", "longlink"],
            &["short_url", "long_url", "hits"],
        ],
        fields: &[
            ("short_url", Code),
            ("shortlink", Code),
            ("long_url", Destination),
            ("longlink", Destination),
            ("hits", Clicks),
            ("expiry_time", Expires),
            ("notes", Title),
            ("id", Ignored),
        ],
    },
    Service {
        source: Source::Spoo,
        name: "spoo.me",
        format: "spoo",
        needs: &[&["alias", "long_url"]],
        fields: &[
            ("alias", Code),
            ("short_url", ShortUrl),
            ("long_url", Destination),
            ("total_clicks", Clicks),
            ("created_at", Created),
            ("expire_after", Expires),
            ("max_clicks", Limit),
            ("password_set", Password),
            ("id", Ignored),
            ("_id", Ignored),
            ("private_stats", Ignored),
            ("block_bots", Ignored),
            ("last_click", Ignored),
        ],
    },
    Service {
        source: Source::Shlink,
        name: "Shlink",
        format: "shlink",
        needs: &[&["longUrl", "shortCode"], &["longUrl", "shortUrl"]],
        fields: &[
            ("shortCode", Code),
            ("shortUrl", ShortUrl),
            ("longUrl", Destination),
            ("title", Title),
            ("tags", Tags),
            ("visits", Clicks),
            ("visitsSummary.total", Clicks),
            ("visitsCount", Clicks),
            ("createdAt", Created),
            ("dateCreated", Created),
            ("meta.maxVisits", Limit),
            ("maxVisits", Limit),
            ("meta.validSince", Starts),
            ("validSince", Starts),
            ("meta.validUntil", Expires),
            ("validUntil", Expires),
            ("domain", Domain),
            ("hasRedirectRules", Rules),
            ("visitsSummary.nonBots", Ignored),
            ("visitsSummary.bots", Ignored),
            ("forwardQuery", Role::Own(FileColumn::ForwardQuery)),
        ],
    },
    Service {
        source: Source::Bitly,
        name: "Bitly",
        format: "bitly",
        needs: &[
            &["long_url", "link"],
            &["Destination URL", "Link"],
            &["Destination URL", "Bitlink"],
            &["long_url", "Bitlink"],
            &["Destination URL", "Short URL"],
            &["long_url", "Short Link"],
            &["Destination URL", "Short Link", "Creation Date"],
        ],
        fields: &[
            ("custom_bitlinks", ShortUrl),
            ("Custom Link", ShortUrl),
            ("link", ShortUrl),
            ("Bitlink", ShortUrl),
            ("Short Link", ShortUrl),
            ("Short URL", ShortUrl),
            ("long_url", Destination),
            ("Destination URL", Destination),
            ("title", Title),
            ("tags", Tags),
            ("clicks", Clicks),
            ("Total Clicks", Clicks),
            ("engagements", Clicks),
            ("Total Engagements", Clicks),
            ("created_at", Created),
            ("date_created", Created),
            ("created", Created),
            ("Creation Date", Created),
            ("expiration_at", Expires),
            ("Expiration Date", Expires),
            // An archived link still redirects.
            ("archived", Ignored),
            ("id", Ignored),
            ("campaign", Ignored),
            ("references.group", Ignored),
        ],
    },
    Service {
        source: Source::TinyUrl,
        name: "TinyURL",
        format: "tinyurl",
        needs: &[&["tiny_url", "url"], &["tiny_url", "long_url"], &["alias", "url", "domain"]],
        fields: &[
            ("tiny_url", ShortUrl),
            ("alias", Code),
            ("url", Destination),
            ("long_url", Destination),
            ("description", Title),
            ("tags", Tags),
            ("hits", Clicks),
            ("created_at", Created),
            ("expires_at", Expires),
            ("deleted", Disabled),
            ("domain", Domain),
            ("analytics.enabled", Ignored),
            ("analytics.public", Ignored),
        ],
    },
    Service {
        source: Source::Dub,
        name: "Dub",
        format: "dub",
        needs: &[&["shortLink", "url"], &["Short link", "Destination URL"], &["key", "url"]],
        fields: &[
            ("shortLink", ShortUrl),
            ("key", Code),
            ("url", Destination),
            ("Destination URL", Destination),
            ("title", Title),
            ("tags.name", Tags),
            ("tags", Tags),
            ("clicks", Clicks),
            ("createdAt", Created),
            ("expiresAt", Expires),
            ("expiredUrl", Role::Own(FileColumn::FallbackUrl)),
            ("password", Password),
            // An archived link still redirects.
            ("archived", Ignored),
            ("domain", Domain),
            ("disabledAt", Disabled),
            ("id", Ignored),
            ("externalId", Ignored),
            ("tenantId", Ignored),
            ("partnerId", Ignored),
            ("tagId", Ignored),
            ("tags.id", Ignored),
            ("tags.color", Ignored),
            ("proxy", Ignored),
            ("rewrite", Ignored),
            ("doIndex", Ignored),
            ("ios", Rules),
            ("android", Rules),
            ("trackConversion", Ignored),
            ("publicStats", Ignored),
            ("lastClicked", Ignored),
            ("leads", Ignored),
            ("conversions", Ignored),
            ("sales", Ignored),
            ("saleAmount", Ignored),
            ("video", Ignored),
            ("testStartedAt", Ignored),
            ("testCompletedAt", Ignored),
            ("projectId", Ignored),
        ],
    },
    Service {
        source: Source::ShortIo,
        name: "Short.io",
        format: "shortio",
        needs: &[
            &["originalURL", "path"],
            &["originalURL", "shortURL"],
            &["originalURL", "secureShortURL"],
        ],
        fields: &[
            ("shortURL", ShortUrl),
            ("secureShortURL", ShortUrl),
            ("path", Code),
            ("originalURL", Destination),
            ("title", Title),
            ("tags", Tags),
            ("clicks", Clicks),
            ("humanClicks", Clicks),
            ("createdAt", Created),
            ("expiresAt", Expires),
            ("expiredURL", Role::Own(FileColumn::FallbackUrl)),
            ("clicksLimit", Limit),
            ("password", Password),
            ("hasPassword", Password),
            ("passwordContact", Password),
            // An archived link still redirects.
            ("archived", Ignored),
            ("id", Ignored),
            ("idString", Ignored),
            ("DomainId", DomainId),
            ("OwnerId", Ignored),
            ("FolderId", Ignored),
            ("TeamId", Ignored),
            ("cloaking", Ignored),
            ("source", Ignored),
            ("redirectType", Ignored),
            ("splitPercent", Ignored),
            ("splitURL", Rules),
            ("androidURL", Rules),
            ("iphoneURL", Rules),
            ("ttl", Expires),
        ],
    },
    Service {
        source: Source::Rebrandly,
        name: "Rebrandly",
        format: "rebrandly",
        needs: &[
            &["destination", "slashtag"],
            &["destination", "shortUrl"],
            &["Destination URL", "Slashtag"],
        ],
        fields: &[
            ("shortUrl", ShortUrl),
            ("slashtag", Code),
            ("destination", Destination),
            ("Destination URL", Destination),
            ("title", Title),
            ("tags.name", Tags),
            ("tags", Tags),
            ("clicks", Clicks),
            ("createdAt", Created),
            ("domainName", Domain),
            ("domain.fullName", Domain),
            ("id", Ignored),
            ("domainId", DomainId),
            ("domain.id", DomainId),
            ("domain.ref", Ignored),
            ("domain.active", Ignored),
            ("isPublic", Ignored),
            ("integrated", Ignored),
            ("https", Ignored),
            ("favourite", Ignored),
            ("forwardParameters", Role::Own(FileColumn::ForwardQuery)),
        ],
    },
    Service {
        source: Source::Kutt,
        name: "Kutt",
        format: "kutt",
        needs: &[&["address", "target"]],
        fields: &[
            ("address", Code),
            ("target", Destination),
            ("description", Title),
            ("visit_count", Clicks),
            ("banned", Disabled),
            ("password", Password),
            ("created_at", Created),
            ("expire_in", Expires),
            ("domain_id", DomainId),
            ("domain", Domain),
            ("link", ShortUrl),
            ("link.url", ShortUrl),
            ("relative_expire_in", Ignored),
            ("id", Ignored),
            ("banned_by_id", Ignored),
        ],
    },
    Service {
        source: Source::Sink,
        name: "Sink",
        format: "sink",
        needs: &[&["slug", "url"]],
        fields: &[
            ("slug", Code),
            ("url", Destination),
            ("title", Title),
            ("comment", Title),
            ("createdAt", Created),
            ("expiration", Expires),
            ("password", Password),
            ("unsafe", Ignored),
            ("redirectWithQuery", Role::Own(FileColumn::ForwardQuery)),
            ("id", Ignored),
            ("apple", Rules),
            ("google", Rules),
        ],
    },
    Service {
        source: Source::Yourls,
        name: "YOURLS",
        format: "yourls",
        needs: &[&["url", "keyword"], &["url", "shorturl"], &["source", "target"]],
        fields: &[
            ("keyword", Code),
            ("source", ShortUrl),
            ("shorturl", ShortUrl),
            ("url", Destination),
            ("target", Destination),
            ("title", Title),
            ("clicks", Clicks),
            ("hits", Clicks),
            ("timestamp", Created),
            ("isArchived", Archived),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MAX_NAME;

    #[test]
    fn known_names_fit_into_the_limit() {
        let names = SERVICES.iter().flat_map(|service| service.fields).map(|(name, _)| name);
        assert!(names.clone().count() > 100);
        assert!(names.clone().all(|name| name.len() <= MAX_NAME && name.is_ascii()));
    }

    #[test]
    fn every_service_needs_a_code_and_a_destination() {
        for service in &SERVICES {
            for names in service.needs {
                let role = |name: &&str| {
                    let found = service.fields.iter().find(|(known, _)| {
                        crate::values::plain_name(known) == crate::values::plain_name(name)
                    });
                    found.map_or(Role::Unknown, |(_, role)| *role)
                };
                let roles: Vec<Role> = names.iter().map(role).collect();
                assert!(roles.contains(&Destination), "{}: {names:?}", service.name);
                let is_code = |role: &Role| matches!(role, Code | ShortUrl);
                assert!(roles.iter().any(is_code), "{}: {names:?}", service.name);
            }
        }
    }
}
