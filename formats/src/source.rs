//! Services whose files an import reads, and the meaning of their fields.

use crate::column::{Encoding, FileColumn};
use crate::csv;
use crate::link::{FileLink, non_empty};
use crate::record::{Record, plain_name};

/// Service that a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Terse's own export.
    Terse,
    /// Shlink: the CSV of its web client, or responses of its API.
    Shlink,
    /// YOURLS: its table as CSV, responses of its API, or the CSV of its export plugin.
    Yourls,
    /// Kutt: responses of its API, or its table as CSV.
    Kutt,
    /// Bitly: responses of its API, or its CSV.
    Bitly,
}

/// What the user has specified about the format of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct FormatHint {
    /// Service that the file comes from.
    pub source: Option<Source>,
    /// Encoding of the file.
    pub encoding: Option<Encoding>,
}

/// Service that a file comes from, and its columns.
#[derive(Debug, Clone, Copy)]
pub struct FileKind<'a> {
    /// Service that the file comes from.
    pub source: Source,
    /// Names of the columns of a CSV file. `None` for JSON.
    pub columns: Option<&'a [String]>,
}

impl FileKind<'_> {
    /// Returns the ignored columns that the import warns about: all of them in Terse's own files,
    /// else those that may contain clicks if no known column does.
    #[must_use]
    pub fn unknown_columns(&self) -> Vec<&str> {
        let known: Vec<_> = self.source.names().iter().map(|name| plain_name(name)).collect();
        let has_click_part = |name: &str| CLICK_COLUMN_PARTS.iter().any(|part| name.contains(part));
        let columns = self.columns.unwrap_or_default();
        let columns = columns.iter().map(|name| (name.as_str(), plain_name(name)));
        let (known, unknown): (Vec<_>, Vec<_>) =
            columns.partition(|(_, plain)| known.contains(plain));
        let has_clicks = known.iter().any(|(_, plain)| has_click_part(plain));
        let is_worth_it =
            |plain: &str| self.source == Source::Terse || !has_clicks && has_click_part(plain);
        unknown.into_iter().filter(|(_, plain)| is_worth_it(plain)).map(|(name, _)| name).collect()
    }
}

/// What messages call the names in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NamesKind {
    Columns,
    Fields,
}

impl Source {
    const ALL: [Self; 5] = [Self::Shlink, Self::Bitly, Self::Kutt, Self::Yourls, Self::Terse];

    /// Returns the hint if the fields fit it. Without a hint, detects the service from the fields.
    pub(crate) fn of_names(names: &[String], hint: Option<Self>) -> Option<Self> {
        match hint {
            Some(hint) => hint.has_required_fields(names).then_some(hint),
            None => Self::recognise(names),
        }
    }

    /// Detects the service that a file with these fields comes from. Some fields may be unknown.
    pub(crate) fn recognise(names: &[String]) -> Option<Self> {
        // Underscores count here, because Bitly's CSV has a column "Destination URL".
        if names.iter().any(|name| name.trim().eq_ignore_ascii_case("destination_url")) {
            return Some(Self::Terse);
        }
        Self::ALL.into_iter().find(|source| source.has_required_fields(names))
    }

    /// Returns whether the fields include all that the source requires.
    fn has_required_fields(self, names: &[String]) -> bool {
        let names: Vec<Box<str>> = names.iter().map(|name| plain_name(name)).collect();
        let has = |name: &str| names.iter().any(|known| **known == *plain_name(name));
        match self {
            Self::Terse => has("destination_url"),
            Self::Shlink => has("longUrl") && (has("shortCode") || has("shortUrl")),
            Self::Yourls => {
                has("url") && (has("keyword") || has("shorturl")) || has("source") && has("target")
            }
            Self::Kutt => has("address") && has("target"),
            Self::Bitly => {
                BITLY_LINKS.iter().any(|name| has(name))
                    && (has("long_url") || has("Destination URL"))
                    // A file in Terse's own format may have a column `link` too.
                    && (has("link") || !TERSE_ONLY_COLUMNS.iter().any(|name| has(name)))
            }
        }
    }

    /// Returns the names of the fields that [`Self::raw_link`] reads.
    pub(crate) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Terse => &FileColumn::NAMES,
            Self::Shlink => &SHLINK,
            Self::Yourls => &YOURLS,
            Self::Kutt => &KUTT,
            Self::Bitly => &BITLY,
        }
    }

    /// Returns the name of the service, and a description of the fields that its files must have.
    const fn name_and_required_fields(self) -> (&'static str, &'static str) {
        match self {
            Self::Terse => ("Terse", "destination_url"),
            Self::Shlink => ("Shlink", "longUrl and shortCode or shortUrl"),
            Self::Yourls => ("YOURLS", "url and keyword or shorturl, or source and target"),
            Self::Kutt => ("Kutt", "address and target"),
            Self::Bitly => {
                ("Bitly", "link, Bitlink, Short Link or Short URL, and long_url or Destination URL")
            }
        }
    }

    /// Returns the texts that mean a missing value in CSV if they are not quoted.
    pub(crate) const fn nulls(self) -> &'static [&'static str] {
        match self {
            Self::Yourls | Self::Kutt => &csv::NULLS,
            Self::Terse | Self::Shlink | Self::Bitly => &[],
        }
    }

    /// Returns whether a row may lack a code. Links of other services always have a code.
    #[must_use]
    pub const fn generates_codes(self) -> bool {
        matches!(self, Self::Terse)
    }

    /// Returns the link that a record describes.
    ///
    /// # Errors
    /// If two fields have the same name.
    pub(crate) fn link(self, record: &Record) -> Result<FileLink<'_>, String> {
        if let Some(name) = record.duplicate(self.names()) {
            return Err(format!("there are two fields '{name}'"));
        }
        let mut link = match self {
            Self::Terse => {
                FileLink::new(FileColumn::ALL.map(|column| (column, record.get(&[column.name()]))))
            }
            Self::Shlink => shlink(record),
            Self::Yourls => yourls(record),
            Self::Kutt => kutt(record),
            Self::Bitly => bitly(record),
        };
        for name in record.unsupported_fields(self.names()) {
            let name = name.escape_debug();
            let fault = format!("the field '{name}' holds an object or a list in a list");
            link.faults.push(fault);
        }
        Ok(link)
    }
}

/// Returns the message about unexpected fields, which lists the found and the known ones.
pub(crate) fn mismatch_message(hint: Option<Source>, kind: NamesKind, found: &[String]) -> String {
    let what = match kind {
        NamesKind::Columns => "columns",
        NamesKind::Fields => "fields",
    };
    let found = format_names(found);
    if let Some(source) = hint {
        let (needs, known) = (source.name_and_required_fields().1, source.names().join(", "));
        return format!(
            "the {what} are not those of that format, which needs {needs}; found: {found}; known: {known}"
        );
    }
    let header = match kind {
        NamesKind::Columns => "; the first line must name them",
        NamesKind::Fields => "",
    };
    let known = |source: Source| {
        format!("{}: {}", source.name_and_required_fields().0, source.names().join(", "))
    };
    let mut sources = Source::ALL;
    // The message begins with Terse's own format.
    sources.rotate_right(1);
    let known = sources.map(known).join("; known for ");
    format!(
        "the {what} are not those of any known format{header}; found: {found}; known for {known}"
    )
}

/// Formats names for a message: limits their number and length, and escapes control characters.
fn format_names(names: &[String]) -> String {
    const MAX_LISTED: usize = 20;
    const MAX_LENGTH: usize = 64;
    let shown = names.iter().take(MAX_LISTED).map(|name| {
        let name = name.trim();
        let cut: String = name.chars().take(MAX_LENGTH).collect();
        let rest = if cut.len() < name.len() { "…" } else { "" };
        format!("'{}{rest}'", cut.escape_debug())
    });
    let more = names.len().saturating_sub(MAX_LISTED);
    let more = (more > 0).then(|| format!("and {more} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

/// Words that occur in the names of columns in which other services count clicks.
const CLICK_COLUMN_PARTS: [&str; 4] = ["click", "engagement", "hit", "visit"];

const SHLINK: [&str; 16] = [
    "shortCode",
    "shortUrl",
    "longUrl",
    "title",
    "tags",
    "visits",
    "visitsSummary.total",
    "visitsCount",
    "createdAt",
    "dateCreated",
    "meta.maxVisits",
    "maxVisits",
    "meta.validSince",
    "validSince",
    "meta.validUntil",
    "validUntil",
];

fn shlink(record: &Record) -> FileLink<'_> {
    let limit = |names| non_empty(record.get(names));
    let visits = limit(&["meta.maxVisits", "maxVisits"]).map(|_| "a visit limit");
    let since = limit(&["meta.validSince", "validSince"]);
    let since = since.map(|_| "a time before which it is not valid");
    FileLink::new([
        (FileColumn::ShortCode, code(record.get(&["shortCode"]), record.get(&["shortUrl"]))),
        (FileColumn::DestinationUrl, record.get(&["longUrl"])),
        (FileColumn::Title, non_empty(record.get(&["title"]))),
        (FileColumn::Clicks, record.get(&["visits", "visitsSummary.total", "visitsCount"])),
        (FileColumn::CreatedAt, record.get(&["createdAt", "dateCreated"])),
        (FileColumn::ExpiresAt, record.get(&["meta.validUntil", "validUntil"])),
    ])
    .with_tags(record)
    .with_restrictions(visits.into_iter().chain(since))
}

const YOURLS: [&str; 9] =
    ["keyword", "source", "shorturl", "url", "target", "title", "clicks", "hits", "timestamp"];

/// Value that MySQL stores if a time is unknown.
const NO_DATE: &str = "0000-00-00 00:00:00";

fn yourls(record: &Record) -> FileLink<'_> {
    let code = code(record.get(&["keyword", "source"]), record.get(&["shorturl"]));
    FileLink::new([
        (FileColumn::ShortCode, code),
        (FileColumn::DestinationUrl, record.get(&["url", "target"])),
        (FileColumn::Title, non_empty(record.get(&["title"]))),
        (FileColumn::Clicks, record.get(&["clicks", "hits"])),
        (FileColumn::CreatedAt, record.get(&["timestamp"]).filter(|text| *text != NO_DATE)),
    ])
}

const KUTT: [&str; 8] = [
    "address",
    "target",
    "description",
    "visit_count",
    "banned",
    "password",
    "created_at",
    "expire_in",
];

fn kutt(record: &Record) -> FileLink<'_> {
    let is_set = |text: &&str| !matches!(*text, "false" | "f" | "0");
    let is_banned = non_empty(record.get(&["banned"])).filter(is_set);
    let password = non_empty(record.get(&["password"])).filter(is_set);
    FileLink::new([
        (FileColumn::ShortCode, code(record.get(&["address"]), None)),
        (FileColumn::DestinationUrl, record.get(&["target"])),
        (FileColumn::Title, non_empty(record.get(&["description"]))),
        (FileColumn::Clicks, record.get(&["visit_count"])),
        (FileColumn::IsActive, is_banned.map(|_| "0")),
        (FileColumn::CreatedAt, record.get(&["created_at"])),
        (FileColumn::ExpiresAt, record.get(&["expire_in"])),
    ])
    .with_restrictions(password.map(|_| "a password"))
}

/// Columns that show that a file with a column `link` comes from Terse, not from Bitly.
const TERSE_ONLY_COLUMNS: [&str; 4] = ["short_code", "campaign", "is_active", "has_qr"];

/// Names of Bitly's fields for the short URL, except the fields for custom short URLs.
const BITLY_LINKS: [&str; 4] = ["link", "Bitlink", "Short Link", "Short URL"];

const BITLY: [&str; 20] = [
    "custom_bitlinks",
    "Custom Link",
    "link",
    "Bitlink",
    "Short Link",
    "Short URL",
    "long_url",
    "Destination URL",
    "title",
    "tags",
    "clicks",
    "Total Clicks",
    "engagements",
    "Total Engagements",
    "created_at",
    "date_created",
    "created",
    "Creation Date",
    "expiration_at",
    "Expiration Date",
];

fn bitly(record: &Record) -> FileLink<'_> {
    let custom = record.elements(&["custom_bitlinks", "Custom Link"], &['|', ',', ' ']);
    let short_url = custom.first().copied().or(record.get(&BITLY_LINKS));
    let clicks = ["clicks", "Total Clicks", "engagements", "Total Engagements"];
    let created = ["created_at", "date_created", "created", "Creation Date"];
    FileLink::new([
        (FileColumn::ShortCode, code(None, short_url)),
        (FileColumn::DestinationUrl, record.get(&["long_url", "Destination URL"])),
        (FileColumn::Title, non_empty(record.get(&["title"]))),
        (FileColumn::Clicks, record.get(&clicks)),
        (FileColumn::CreatedAt, record.get(&created)),
        (FileColumn::ExpiresAt, record.get(&["expiration_at", "Expiration Date"])),
    ])
    .with_tags(record)
}

/// Returns the code, or else the path of the short URL, or `None` if both are missing.
fn code<'a>(code: Option<&'a str>, short_url: Option<&'a str>) -> Option<&'a str> {
    let path = |url: &'a str| {
        let url = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = url.split_once('/').map_or("", |(_, path)| path);
        path.split(['?', '#']).next().unwrap_or_default()
    };
    let code = non_empty(code).or_else(|| short_url.map(path));
    non_empty(code.map(|code| code.trim_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MAX_NAME;

    #[test]
    fn known_names_fit_into_the_limit() {
        let names = Source::ALL.into_iter().flat_map(Source::names);
        assert!(names.clone().count() > 30);
        assert!(names.clone().all(|name| name.len() <= MAX_NAME && name.is_ascii()));
    }
}
