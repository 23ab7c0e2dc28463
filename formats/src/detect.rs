//! Formats: what the user specifies about a file, and how a file shows which one it has.

use strum::VariantArray as _;

use crate::csv;
use crate::link::FileColumn;
use crate::role::{Role, by_name};
use crate::services::{SERVICES, Service, Source, needed_names};
use crate::values::{LocalZone, normal_domain, plain_name, shown};

/// Encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Comma-separated values. An import also accepts semicolons and tabs. An empty field means a
    /// missing value, and `""` an empty text.
    Csv,
    /// JSON objects, one per line. An import also accepts whole documents.
    Json,
}

/// What the user has specified about the format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormatHint {
    /// Service that the file comes from.
    pub source: Option<Source>,
    /// Encoding of the file.
    pub encoding: Option<Encoding>,
}

impl FormatHint {
    /// Returns the names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ["csv", "jsonl"].into_iter().chain(SERVICES.iter().map(|service| service.source.format()))
    }

    /// Returns the format of this name, or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        let own = |encoding| Self { source: Some(Source::Terse), encoding: Some(encoding) };
        match name {
            "csv" => Some(own(Encoding::Csv)),
            "jsonl" => Some(own(Encoding::Json)),
            _ => SERVICES
                .iter()
                .find(|service| service.source.format() == name)
                .map(|service| Self { source: Some(service.source), encoding: None }),
        }
    }
}

/// Service that a file comes from, and its columns.
#[derive(Debug, Clone, Copy)]
pub struct FileKind<'a> {
    /// Service that the file comes from. `None`: the file has no links.
    pub source: Option<Source>,
    /// Names of the columns of a CSV file. `None` for JSON.
    pub columns: Option<&'a [String]>,
}

impl FileKind<'_> {
    /// Returns the name of the format, or `None` if the file has no links.
    pub fn format(&self) -> Option<&'static str> {
        Some(match (self.source?, self.columns) {
            (Source::Terse, Some(_)) => "csv",
            (Source::Terse, None) => "jsonl",
            (source, _) => source.format(),
        })
    }
}

/// What messages call the names in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NamesKind {
    Columns,
    Fields,
}

impl Source {
    /// Returns the name of the format.
    fn format(self) -> &'static str {
        self.into()
    }

    fn service(self) -> Option<&'static Service> {
        SERVICES.iter().find(|service| service.source == self)
    }

    /// Returns the hint if the fields fit it. Without a hint, detects the service from the fields.
    pub(crate) fn of_names(names: &[String], hint: Option<Self>, has_code: bool) -> Option<Self> {
        let other = || {
            let has = |name: &String| {
                by_name(OTHER).any(|(plain, _)| *plain_name(name) == *plain_name(plain))
            };
            (has_code && names.iter().any(has)).then_some(Self::Other)
        };
        match hint {
            Some(hint) => hint.fits(names, has_code).then_some(hint),
            None => Self::recognise(names, has_code).or_else(other),
        }
    }

    /// Detects the service that a file with these fields comes from. Some fields may be unknown.
    fn recognise(names: &[String], has_code: bool) -> Option<Self> {
        // Underscores count here, because other services have a column "Destination URL".
        let is_own = |name: &String| name.trim().eq_ignore_ascii_case("destination_url");
        let plain: Vec<Box<str>> = names.iter().map(|name| plain_name(name)).collect();
        let has = |name: &str| plain.iter().any(|known| **known == *name);
        let is_spelled_otherwise = has("destinationurl")
            && has("shortcode")
            && (has("isactive") || has("hasqr") || has("campaign"));
        if names.iter().any(is_own) || is_spelled_otherwise {
            return Some(Self::Terse);
        }
        let all = SERVICES.iter().map(|service| service.source);
        all.into_iter().find(|source| source.fits(names, has_code))
    }

    /// Returns whether the fields include all that the source requires. With `has_code`, another
    /// field holds the code.
    fn fits(self, names: &[String], has_code: bool) -> bool {
        let plain: Vec<Box<str>> = names.iter().map(|name| plain_name(name)).collect();
        let has = |name: &str| plain.iter().any(|known| **known == *plain_name(name));
        let is_code = |name: &str| {
            self.fields().any(|(known, role)| {
                matches!(role, Role::Code | Role::ShortUrl) && *known == name.replace(' ', "")
            })
        };
        match self.service() {
            Some(service) => service.needs.iter().any(|needs| {
                needed_names(needs).all(|name| has(name) || has_code && is_code(name))
            }),
            None if self == Self::Terse => has("destination_url"),
            None => has_code,
        }
    }

    /// Returns the fields that the source has a meaning for, in the order in which their values
    /// count.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, Role)> {
        let (own, table): (&[FileColumn], _) = match self.service() {
            Some(service) => (&[], service.fields),
            None if self == Self::Terse => (FileColumn::VARIANTS, &[][..]),
            None => (&[], OTHER),
        };
        own.iter().map(|column| (column.name(), Role::of_own(*column))).chain(by_name(table))
    }

    /// Returns the texts that mean a missing value in CSV if they are not quoted.
    pub(crate) const fn nulls(self) -> &'static [&'static str] {
        if self.may_be_of_mysql() { &csv::NULLS } else { &[] }
    }

    /// Returns whether MySQL may have written the file.
    pub(crate) const fn may_be_of_mysql(self) -> bool {
        matches!(self, Self::Yourls | Self::Kutt | Self::Polr)
    }

    /// Returns whether a row may lack a code. Links of other services always have a code.
    pub const fn generates_codes(self) -> bool {
        matches!(self, Self::Terse)
    }
}

/// Usual names of the destination in files of a service that Terse does not know.
const OTHER: &[(Role, &str)] = &[(
    Role::Destination,
    "destination_url destination long_url long_link original_url original origin_url target_url \
     target redirect_url endpoint_url full_url url",
)];

/// Returns the message about unexpected fields: the found ones, the service that is nearest, and
/// what is missing.
pub(crate) fn mismatch_message(hint: Option<Source>, kind: NamesKind, found: &[String]) -> String {
    let what = match kind {
        NamesKind::Columns => "columns",
        NamesKind::Fields => "fields",
    };
    let plain: Vec<Box<str>> = found.iter().map(|name| plain_name(name)).collect();
    let found = format_names(found.iter().map(String::as_str));
    if hint == Some(Source::Terse) {
        return format!(
            "the {what} are not those of that format, which needs destination_url; found: {found}"
        );
    }
    let has = |name: &str| plain.iter().any(|known| **known == *plain_name(name));
    let candidates = SERVICES.iter().filter(|service| hint.is_none_or(|one| one == service.source));
    let all =
        candidates.flat_map(|service| service.needs.iter().map(move |needs| (service, *needs)));
    let nearest = all.max_by_key(|(_, needs)| {
        let there = needed_names(needs).filter(|name| has(name)).count();
        // Of services with the same number of fields, the one that lacks fewer.
        (there * 10).saturating_sub(needed_names(needs).count())
    });
    let Some((service, needs)) = nearest else { return format!("found: {found}") };
    if hint.is_some() {
        return format!(
            "the {what} are not those of that format, which needs {}; found: {found}",
            service.needs.join(", or ")
        );
    }
    let header = match kind {
        NamesKind::Columns => "; the first line must name them",
        NamesKind::Fields => "",
    };
    let missing: Vec<&str> = needed_names(needs).filter(|name| !has(name)).collect();
    let near = if missing.len() == needed_names(needs).count() {
        "Terse's own format needs destination_url".to_owned()
    } else {
        let missing = missing.join(" and ");
        format!("nearest is {} ({needs}), without {missing}", service.name)
    };
    format!(
        "the {what} are not those of any known format{header}; found: {found}; {near}; \
         --code-column NAME names the one with the codes"
    )
}

/// Formats names for a message: limits their number and length, and escapes control characters.
pub(crate) fn format_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MAX_LISTED: usize = 20;
    let more = names.len().saturating_sub(MAX_LISTED);
    let shown = names.take(MAX_LISTED).map(|name| format!("'{}'", shown(name.trim())));
    let more = (more > 0).then(|| format!("and {more} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

/// What the user has specified about a file. A [`LinkReader`](crate::LinkReader) detects everything
/// else.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Format of the file.
    pub hint: FormatHint,
    /// WHATWG label of the file's encoding.
    pub encoding: Option<String>,
    /// Name of the column or field with the short codes.
    pub code_column: Option<String>,
    /// Names of columns or fields that are read as if they were not there.
    pub ignored_columns: Vec<String>,
    /// Domain whose links are read. `None`: all, which must have the same domain.
    pub domain: Option<DomainChoice>,
    /// Time zone of times without one.
    pub zone: LocalZone,
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

/// Domain whose links are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DomainChoice {
    /// Links without a domain of their own.
    Default,
    /// Links with this host in its normal form, or this number of a domain.
    Host(String),
}

impl DomainChoice {
    /// Returns the choice that an option names: `default`, or a host.
    pub fn from_text(text: &str) -> Self {
        if text == "default" { Self::Default } else { Self::Host(normal_domain(text).into_owned()) }
    }
}
