//! Whose export a file is, and what its fields mean.

use super::record::{Record, plain_name};
use crate::domain::csv;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// Comma-separated values, or others between `;` or tabs.
    Csv,
    /// Objects, in a line each or several.
    Json,
}

/// Whose columns a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Terse's own.
    Terse,
    /// Shlink's web client (CSV) and its API.
    Shlink,
    /// The table of YOURLS, its API, and a plugin that exports CSV.
    Yourls,
    /// Kutt's API and its table.
    Kutt,
    /// Bitly's API, and its CSV.
    Bitly,
}

/// A link to be, of texts that nobody has checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Draft<'a> {
    pub(super) code: Option<&'a str>,
    pub(super) destination: Option<&'a str>,
    pub(super) title: Option<&'a str>,
    pub(super) campaign: Option<&'a str>,
    pub(super) clicks: Option<&'a str>,
    pub(super) is_active: Option<&'a str>,
    pub(super) has_qr: Option<&'a str>,
    pub(super) created_at: Option<&'a str>,
    /// It had several tags, and Terse has one campaign.
    pub(super) has_several_tags: bool,
    /// Until when it redirects.
    pub(super) expires_at: Option<&'a str>,
    /// What the other service does before or instead of redirecting, and Terse would not.
    pub(super) guards: Vec<&'static str>,
}

impl Format {
    /// What is said of a file without a format's columns.
    pub(super) const UNKNOWN: &'static str = "the columns are not those of any known format; \
         the first line must name them, in Terse's own format at least destination_url";
    /// What is said of a file whose objects have no format's fields.
    pub(super) const UNKNOWN_FIELDS: &'static str = "the fields are not those of any known \
         format; Terse's own has at least destination_url";

    /// The format of these columns, if they are one's. Others may stand beside them.
    pub(super) fn recognise(names: &[String]) -> Option<Self> {
        // Bitly's CSV has a column "Destination URL".
        if names.iter().any(|name| name.trim().eq_ignore_ascii_case("destination_url")) {
            return Some(Self::Terse);
        }
        let known = [Self::Shlink, Self::Bitly, Self::Kutt, Self::Yourls, Self::Terse];
        known.into_iter().find(|format| format.fits(names))
    }

    /// Whether these columns have what it takes.
    pub(super) fn fits(self, names: &[String]) -> bool {
        let names: Vec<Box<str>> = names.iter().map(|name| plain_name(name)).collect();
        let has = |name: &str| names.iter().any(|known| **known == *name);
        match self {
            Self::Terse => has("destinationurl"),
            Self::Shlink => has("longurl") && (has("shortcode") || has("shorturl")),
            Self::Yourls => {
                has("url") && (has("keyword") || has("shorturl")) || has("source") && has("target")
            }
            Self::Kutt => has("address") && has("target"),
            Self::Bitly => {
                BITLY_LINKS.iter().any(|name| has(name))
                    && (has("longurl") || has("destinationurl"))
                    // A file of one's own may have such a column as well.
                    && (has("link") || !OWN.iter().any(|name| has(name)))
            }
        }
    }

    /// The columns that mean nothing here. Other services' files have many; what is said of them is
    /// where clicks may be that are not taken.
    pub(super) fn unknown(self, columns: &[String]) -> Vec<&str> {
        let is_known = |name: &str| self.names().contains(&name);
        let counts = |name: &str| COUNTS.iter().any(|part| name.contains(part));
        let plain: Vec<Box<str>> = columns.iter().map(|name| plain_name(name)).collect();
        let has_clicks = plain.iter().any(|name| is_known(name) && counts(name));
        let is_unknown =
            |name: &str| !is_known(name) && (self == Self::Terse || !has_clicks && counts(name));
        let all = columns.iter().zip(plain);
        all.filter(|(_, plain)| is_unknown(plain)).map(|(name, _)| name.as_str()).collect()
    }

    /// The names that mean something.
    pub(super) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Terse => &TERSE,
            Self::Shlink => &SHLINK,
            Self::Yourls => &YOURLS,
            Self::Kutt => &KUTT,
            Self::Bitly => &BITLY,
        }
    }

    /// What a file lacks that was said to have this format.
    pub(super) fn missing(self, what: &str) -> String {
        let needs = match self {
            Self::Terse => "destination_url",
            Self::Shlink => "longUrl and shortCode or shortUrl",
            Self::Yourls => "url and keyword or shorturl",
            Self::Kutt => "address and target",
            Self::Bitly => {
                "link, Bitlink, Short Link or Short URL, and long_url or Destination URL"
            }
        };
        format!("the {what} are not those of that format, which needs {needs}")
    }

    /// What stands in CSV where there is no value, beside nothing: what comes out of MySQL has it.
    pub(super) const fn nulls(self) -> &'static [&'static str] {
        match self {
            Self::Yourls | Self::Kutt => &csv::NULLS,
            Self::Terse | Self::Shlink | Self::Bitly => &[],
        }
    }

    /// Whether a link may be without a code, and is to get one. Elsewhere each has had one, without
    /// which it is not that link.
    pub(super) const fn makes_codes(self) -> bool {
        match self {
            Self::Terse => true,
            Self::Shlink | Self::Yourls | Self::Kutt | Self::Bitly => false,
        }
    }

    pub(super) fn draft(self, record: &Record) -> Draft<'_> {
        match self {
            Self::Terse => terse(record),
            Self::Shlink => shlink(record),
            Self::Yourls => yourls(record),
            Self::Kutt => kutt(record),
            Self::Bitly => bitly(record),
        }
    }
}

/// Parts of the names under which other services count clicks.
const COUNTS: [&str; 4] = ["click", "engagement", "hit", "visit"];

/// The names of Terse's own columns.
const TERSE: [&str; 8] = [
    "shortcode",
    "destinationurl",
    "title",
    "campaign",
    "clicks",
    "isactive",
    "hasqr",
    "createdat",
];

fn terse(record: &Record) -> Draft<'_> {
    Draft {
        code: some(record.get(&["shortcode"])),
        destination: record.get(&["destinationurl"]),
        title: record.get(&["title"]),
        campaign: record.get(&["campaign"]),
        clicks: some(record.get(&["clicks"])),
        is_active: some(record.get(&["isactive"])),
        has_qr: some(record.get(&["hasqr"])),
        created_at: some(record.get(&["createdat"])),
        ..Draft::default()
    }
}

const SHLINK: [&str; 16] = [
    "shortcode",
    "shorturl",
    "longurl",
    "title",
    "tags",
    "visits",
    "visitssummary.total",
    "visitscount",
    "createdat",
    "datecreated",
    "meta.maxvisits",
    "maxvisits",
    "meta.validsince",
    "validsince",
    "meta.validuntil",
    "validuntil",
];

fn shlink(record: &Record) -> Draft<'_> {
    let limit = |names| some(record.get(names));
    let visits = limit(&["meta.maxvisits", "maxvisits"]).map(|_| "a visit limit");
    let since = limit(&["meta.validsince", "validsince"]);
    let since = since.map(|_| "a time before which it is not valid");
    Draft {
        code: code(record.get(&["shortcode"]), record.get(&["shorturl"])),
        destination: record.get(&["longurl"]),
        title: some(record.get(&["title"])),
        clicks: some(record.get(&["visits", "visitssummary.total", "visitscount"])),
        created_at: some(record.get(&["createdat", "datecreated"])),
        expires_at: limit(&["meta.validuntil", "validuntil"]),
        guards: visits.into_iter().chain(since).collect(),
        ..tagged(record)
    }
}

const YOURLS: [&str; 9] =
    ["keyword", "source", "shorturl", "url", "target", "title", "clicks", "hits", "timestamp"];

/// What MySQL has where a time is not known and must be something.
const NO_DATE: &str = "0000-00-00 00:00:00";

fn yourls(record: &Record) -> Draft<'_> {
    Draft {
        code: code(record.get(&["keyword", "source"]), record.get(&["shorturl"])),
        destination: record.get(&["url", "target"]),
        title: some(record.get(&["title"])),
        clicks: some(record.get(&["clicks", "hits"])),
        created_at: some(record.get(&["timestamp"])).filter(|text| *text != NO_DATE),
        ..Draft::default()
    }
}

const KUTT: [&str; 8] = [
    "address",
    "target",
    "description",
    "visitcount",
    "banned",
    "password",
    "createdat",
    "expirein",
];

fn kutt(record: &Record) -> Draft<'_> {
    let is_set = |text: &&str| !matches!(*text, "false" | "f" | "0");
    let is_banned = record.get(&["banned"]).filter(|text| !text.is_empty()).filter(is_set);
    let password = some(record.get(&["password"])).filter(is_set);
    Draft {
        code: code(record.get(&["address"]), None),
        destination: record.get(&["target"]),
        title: some(record.get(&["description"])),
        clicks: some(record.get(&["visitcount"])),
        is_active: is_banned.map(|_| "0"),
        created_at: some(record.get(&["createdat"])),
        expires_at: some(record.get(&["expirein"])),
        guards: password.map(|_| "a password").into_iter().collect(),
        ..Draft::default()
    }
}

/// What Terse's own files have, and Bitly's do not.
const OWN: [&str; 4] = ["shortcode", "campaign", "isactive", "hasqr"];

/// Where a code is, beside those of a link's own choice.
const BITLY_LINKS: [&str; 4] = ["link", "bitlink", "shortlink", "shorturl"];

const BITLY: [&str; 18] = [
    "custombitlinks",
    "customlink",
    "link",
    "bitlink",
    "shortlink",
    "shorturl",
    "longurl",
    "destinationurl",
    "title",
    "tags",
    "clicks",
    "totalclicks",
    "engagements",
    "totalengagements",
    "createdat",
    "datecreated",
    "created",
    "creationdate",
];

fn bitly(record: &Record) -> Draft<'_> {
    let custom = record.elements(&["custombitlinks", "customlink"], &['|', ',', ' ']);
    let custom = custom.first().copied();
    Draft {
        code: code(None, custom.or(record.get(&BITLY_LINKS))),
        destination: record.get(&["longurl", "destinationurl"]),
        title: some(record.get(&["title"])),
        clicks: some(record.get(&["clicks", "totalclicks", "engagements", "totalengagements"])),
        created_at: some(record.get(&["createdat", "datecreated", "created", "creationdate"])),
        ..tagged(record)
    }
}

/// Other services do not tell an empty text from none.
fn some(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// A link's only tag is its campaign.
fn tagged(record: &Record) -> Draft<'_> {
    match record.elements(&["tags"], &['|', ','])[..] {
        [] => Draft::default(),
        [only] => Draft { campaign: Some(only), ..Draft::default() },
        [..] => Draft { has_several_tags: true, ..Draft::default() },
    }
}

/// The code, or else what a short URL has after its host.
fn code<'a>(code: Option<&'a str>, short_url: Option<&'a str>) -> Option<&'a str> {
    let path = |url: &'a str| {
        let url = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = url.split_once('/').map_or("", |(_, path)| path);
        path.split(['?', '#']).next().unwrap_or_default()
    };
    let code = some(code).or_else(|| short_url.map(path));
    some(code.map(|code| code.trim_matches('/')))
}
