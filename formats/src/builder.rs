//! The links that a record describes, and reasons to reject one.

use std::borrow::Cow;

use crate::detect::{DomainChoice, ReadOptions, format_names};
use crate::link::FileLink;
use crate::record::{Record, RecordField};
use crate::role::Role;
use crate::services::Source;
use crate::values::{
    is_date, is_falsy, is_inert, is_null, is_open, normal_domain, parse_clicks, parse_flag,
    parse_time, short_url, shorten_title, shown,
};

/// Maximum number of codes of a record.
const MAX_CODES: usize = 100;
/// Maximum number of faults of a record that are named.
const MAX_FAULTS: usize = 20;

/// RecordField that may name the code of a link.
struct Candidate<'a> {
    role: Role,
    /// Name of the field.
    field: &'a str,
    /// Host of a short URL.
    host: Option<&'a str>,
    /// The code as the file writes it.
    raw: &'a str,
    code: Cow<'a, str>,
}

/// Returns the links that a record of `source` describes: one for each of its codes.
///
/// # Errors
/// If two fields have the same name.
pub(crate) fn links<'a>(
    record: &'a Record,
    source: Source,
    options: &ReadOptions,
) -> Result<Vec<FileLink<'a>>, String> {
    if let Some(name) = &record.layout.duplicate {
        return Err(format!("there are two fields '{}'", name.escape_debug()));
    }
    let mut builder = Builder::new(record, source, options);
    for (index, field, value) in record.fields() {
        let read = builder.read(index, field, value);
        builder.link.faults.extend(read.err());
    }
    Ok(builder.finish())
}

/// Returns whether the field says that no visit is left.
fn is_used_up(field: &RecordField, value: &str) -> bool {
    value.trim() == "0" && ["left", "remaining"].iter().any(|part| field.plain.contains(part))
}

struct Builder<'a, 'o> {
    record: &'a Record,
    source: Source,
    options: &'o ReadOptions,
    candidates: Vec<Candidate<'a>>,
    others: Vec<(&'a str, &'a str)>,
    /// Names of fields that may say anything.
    unknown: Vec<&'a str>,
    link: FileLink<'a>,
    /// Whether a field with a meaning has a structure that the import does not support.
    is_unsupported: bool,
}

impl<'a, 'o> Builder<'a, 'o> {
    fn new(record: &'a Record, source: Source, options: &'o ReadOptions) -> Self {
        let unsupported = record.unsupported_fields(source).map(|name| {
            let name = name.escape_debug();
            format!("the field '{name}' holds an object or a list in a list")
        });
        // Dub forwards all queries, and its files do not say so.
        let forward_query = source == Source::Dub;
        let faults = unsupported.collect();
        let link = FileLink { faults, forward_query, is_active: true, ..FileLink::default() };
        let (candidates, others, unknown) = (Vec::new(), Vec::new(), Vec::new());
        let is_unsupported = !link.faults.is_empty();
        let mut builder =
            Self { record, source, options, candidates, others, unknown, link, is_unsupported };
        if source == Source::Terse {
            // Only Terse distinguishes an empty text from a missing one.
            builder.read_empty_texts();
        }
        builder
    }

    fn read_empty_texts(&mut self) {
        for (field, value) in self.record.layout.fields.iter().zip(&self.record.values) {
            if value.as_deref() == Some("") {
                if field.role == Role::Title {
                    self.link.title = Some(Cow::Borrowed(""));
                } else if field.role == Role::Campaign {
                    self.link.campaign = Some("");
                }
            }
        }
    }

    fn read(&mut self, index: usize, field: &'a RecordField, value: &'a str) -> Result<(), String> {
        let is_own = self.source == Source::Terse;
        if is_null(value) && !field.role.may_be_null_word() {
            return Ok(());
        }
        let link = &mut self.link;
        match field.role {
            Role::Code | Role::EncodedCode | Role::ShortUrl => self.read_code(index, field),
            Role::OtherCode => self.others.push((&field.name, value)),
            Role::Destination if link.destination_url.is_none() => {
                link.destination_url = Some(value);
            }
            Role::Title if is_own => link.title = Some(Cow::Borrowed(value)),
            Role::Title if link.title.is_none() => {
                let title = shorten_title(value);
                link.losses.shortens_title = title != value;
                link.title = Some(title).filter(|title| !title.is_empty());
            }
            Role::Campaign => link.campaign = Some(value),
            Role::HasQr => link.has_qr = parse_flag("has_qr", value)?,
            Role::IsPaused => link.is_paused = parse_flag("is_paused", value)?,
            Role::ForwardQuery => link.forward_query = parse_flag("forward_query", value)?,
            Role::FallbackUrl => link.fallback_url = Some(value),
            Role::ExternalId => link.external_id = Some(value),
            Role::Tags if link.campaign.is_none() => {
                match self.record.elements(index, &['|', ','])[..] {
                    [] => {}
                    [only] if !link.losses.drops_campaign => link.campaign = Some(only),
                    [..] => link.losses.drops_campaign = true,
                }
            }
            Role::Tags => {
                link.campaign = None;
                link.losses.drops_campaign = true;
            }
            Role::Clicks if link.clicks == 0 => link.clicks = parse_clicks(value)?,
            Role::Created if link.created_at.is_none() => {
                self.link.created_at = self.time("creation", value)?;
            }
            Role::Expires => {
                let time = self.time("expiry", value)?;
                let earlier = |known: i64| time.map_or(known, |time| time.min(known));
                self.link.expires_at = self.link.expires_at.map(earlier).or(time);
            }
            Role::Active if is_own && &*field.plain == "isactive" => {
                link.is_active &= parse_flag("is_active", value)?;
            }
            Role::Active => {
                link.is_active &= is_open(value).ok_or_else(|| unclear(field, value))?;
            }
            Role::Disabled if is_falsy(value) => {}
            Role::Disabled => {
                if is_open(value) != Some(true) && !is_date(value) {
                    return Err(unclear(field, value));
                }
                link.is_active = false;
            }
            Role::Starts => {
                let time = if is_falsy(value) { None } else { Some(self.time("start", value)?) };
                if time.flatten().is_some_and(|time| time > self.options.now) {
                    return Err(restricted(field, field.role));
                }
            }
            Role::Audience if value.trim().eq_ignore_ascii_case("public") => {}
            Role::Password | Role::Limit | Role::Audience | Role::Archived
                if !(is_falsy(value) && !is_used_up(field, value)
                    || field.is_in_list && self.is_unsupported) =>
            {
                return Err(restricted(field, field.role));
            }
            Role::Kind => self.read_words(index, field)?,
            Role::Unknown if self.record.is_list(index) => self.read_words(index, field)?,
            Role::Rules => link.losses.drops_rules |= !is_falsy(value),
            Role::Unknown if field.is_in_list => {}
            Role::Unknown if !is_inert(value) => self.unknown.push(&field.name),
            // A short URL may be in any column.
            Role::Unknown if is_own => self.others.push((&field.name, value)),
            Role::Destination
            | Role::Title
            | Role::Clicks
            | Role::Created
            | Role::Archived
            | Role::Password
            | Role::Limit
            | Role::Audience
            | Role::Domain
            | Role::DomainId
            | Role::Ignored
            | Role::Unknown => {}
        }
        Ok(())
    }

    /// Reads words such as `password`, each of which says what a field of this name says if it is true.
    fn read_words(&mut self, index: usize, field: &RecordField) -> Result<(), String> {
        for word in self.record.elements(index, &['|', ',', ';', ' ']) {
            match Role::of_word(word) {
                Some(Role::Disabled) => self.link.is_active = false,
                Some(role) => return Err(restricted(field, role)),
                None => {}
            }
        }
        Ok(())
    }

    fn time(&self, name: &str, text: &str) -> Result<Option<i64>, String> {
        // MySQL stores zeros if a time is unknown.
        let is_none = || is_falsy(text) || text.starts_with("0000-00-00");
        if self.source != Source::Terse && is_none() {
            return Ok(None);
        }
        let time = parse_time(text, self.options.zone);
        time.map(Some).map_err(|reason| format!("the time of {name} {reason}"))
    }

    fn read_code(&mut self, index: usize, field: &'a RecordField) {
        let role = field.role;
        if self.record.is_inexact(index) {
            self.link.faults.push(inexact(&field.name));
        }
        // A field of Bitly has several.
        let values: Vec<&str> = if role == Role::ShortUrl && self.source == Source::Bitly {
            self.record.elements(index, &['|', ',', ' '])
        } else {
            self.record.values.get(index).and_then(Option::as_deref).into_iter().collect()
        };
        for value in values {
            let (host, raw) = if role == Role::ShortUrl { short_url(value) } else { (None, value) };
            let is_encoded = role == Role::EncodedCode || host.is_some();
            let decoded =
                is_encoded.then(|| percent_encoding::percent_decode_str(raw).decode_utf8().ok());
            let code = decoded.flatten().unwrap_or(Cow::Borrowed(raw));
            if !raw.is_empty() {
                let field = field.name.as_str();
                self.candidates.push(Candidate { role, field, host, raw, code });
            }
        }
    }

    /// Returns a link for each code.
    fn finish(mut self) -> Vec<FileLink<'a>> {
        if !self.unknown.is_empty() {
            self.link.faults.push(unknown(&self.unknown));
        }
        // A code as it is says more than one that a URL contains.
        self.candidates.sort_by_key(|candidate| candidate.role == Role::ShortUrl);
        let mut codes: Vec<(Cow<'a, str>, Option<&'a str>)> = Vec::new();
        // A code without a host has that of the short URL next to it.
        let near_host = self.candidates.iter().find_map(|candidate| candidate.host);
        for Candidate { field, host, raw, code, .. } in std::mem::take(&mut self.candidates) {
            let host = host.or(near_host);
            match codes.first() {
                Some((known, _)) if self.source != Source::Bitly => {
                    if !names_code(raw, known) {
                        self.link.faults.push(other_code(field, known));
                    }
                }
                _ if codes.iter().any(|(known, at)| *known == code && *at == host) => {}
                _ if codes.len() == MAX_CODES => {
                    let reason = format!("the field '{}' has too many codes", shown(field));
                    self.link.faults.push(reason);
                    break;
                }
                _ => codes.push((code, host)),
            }
        }
        for (field, value) in std::mem::take(&mut self.others) {
            match codes.first() {
                Some(_) if self.source == Source::Terse => {}
                Some((known, _)) if names_code(short_url(value).1, known) => {}
                Some((known, _)) => self.link.faults.push(other_code(field, known)),
                None if is_inert(value) && short_url(value).0.is_none() => {}
                None => self.link.faults.push(unnamed(field)),
            }
        }
        let Self { record, options, mut link, .. } = self;
        link.losses.changes_forwarding = link.forward_query && self.source != Source::Terse;
        if let Some(more) = link.faults.len().checked_sub(MAX_FAULTS).filter(|more| *more > 0) {
            link.faults.truncate(MAX_FAULTS);
            link.faults.push(format!("and {more} more"));
        }
        let mut codes = codes.into_iter();
        let (code, host) = codes.next().unzip();
        let first =
            FileLink { short_code: code, domain: domain_of(record, host.flatten()), ..link };
        // Which of several codes was clicked is not known.
        let further = codes.map(|(code, host)| FileLink {
            short_code: Some(code),
            domain: domain_of(record, host),
            clicks: 0,
            ..first.clone()
        });
        let further: Vec<_> = further.collect();
        let mut links = vec![first];
        links.extend(further);
        if let Some(choice) = &options.domain {
            for link in &mut links {
                link.is_of_other_domain = !is_chosen(record, link.domain.as_deref(), choice);
            }
        }
        links
    }
}

/// Returns the domain of a record's link in its normal form, or `None` if it is the default one or
/// unknown. `host` is that of a short URL of the link.
fn domain_of<'a>(record: &'a Record, host: Option<&'a str>) -> Option<Cow<'a, str>> {
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
    // Shlink calls the default domain DEFAULT.
    name.or(number).map(normal_domain).filter(|domain| domain != "default")
}

/// Returns whether a link with this domain is one of the chosen domain.
fn is_chosen(record: &Record, domain: Option<&str>, choice: &DomainChoice) -> bool {
    match choice {
        DomainChoice::Default => domain.is_none(),
        DomainChoice::Host(host) => {
            let mut numbers = record.fields().filter(|(_, field, _)| field.role == Role::DomainId);
            domain == Some(host) || numbers.any(|(.., number)| normal_domain(number) == *host)
        }
    }
}

/// Returns whether the path of a short URL, or a field that holds a code, names this code. A service
/// may have a path of its own.
fn names_code(raw: &str, code: &str) -> bool {
    let decoded = || percent_encoding::percent_decode_str(raw).decode_utf8();
    let before = raw.strip_suffix(code);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        || raw.contains('%') && decoded().is_ok_and(|text| text == code)
}

fn other_code(field: &str, code: &str) -> String {
    format!(
        "the column '{}' may hold another code than '{}': --code-column or --ignore-column says \
         what it is",
        shown(field),
        shown(code)
    )
}

pub(crate) fn unclear(field: &RecordField, value: &str) -> String {
    let value: String = value.chars().take(40).collect();
    let (name, value) = (shown(&field.name), value.escape_debug());
    format!(
        "whether '{name}' with '{value}' closes the link is unclear: --ignore-column {name} \
             imports it as open"
    )
}

fn restricted(field: &RecordField, role: Role) -> String {
    let what = role.restriction().unwrap_or("a restriction");
    let name = shown(&field.name);
    format!(
        "the link has {what}, which Terse cannot enforce (--ignore-column '{name}' imports it without)"
    )
}

pub(crate) fn inexact(field: &str) -> String {
    format!(
        "the code in '{}' is a number with a point, an exponent or too many digits, which can be \
         written in several ways; put it in quotes",
        shown(field)
    )
}

fn unnamed(field: &str) -> String {
    format!(
        "the column '{}' may hold the short code: --code-column or --ignore-column says what it is",
        shown(field)
    )
}

/// Words the fault of a link with values in columns that are unknown, of which there is one or more.
pub(crate) fn unknown(names: &[&str]) -> String {
    let what = match names {
        [name] => format!("the column '{}' is unknown", shown(name)),
        _ => format!("the columns {} are unknown", format_names(names.iter().copied())),
    };
    format!(
        "{what} and may restrict the link or hold its code: --ignore-column or --code-column says \
         what it is"
    )
}
