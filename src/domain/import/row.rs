//! Checks rows by the rules of the API.

use std::fmt::Display;
use std::sync::Arc;

use super::codes::{Codes, Seed};
use super::dates;
use super::location::RowLocation;
use super::record::Record;
use super::source::{RawLink, Source};
use crate::domain::blocks::BlockSnapshot;
use crate::domain::clicks::MAX_CLICKS;
use crate::domain::file_format::FileColumn;
use crate::store::import::ImportLink;
use crate::store::links::LinkProperties;
use crate::values::{Campaign, Destination, Reason, ServiceUrls, ShortCode, Timestamp, Title};

/// Data for the checks of all rows of a file.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) service: ServiceUrls,
    pub(super) blocked_destinations: Arc<BlockSnapshot>,
    pub(super) owner_id: i64,
    pub(super) secret: String,
    pub(super) now: Timestamp,
    /// Whether links with a code of their own answer in any letter case.
    pub(super) ignores_case: bool,
}

/// A row without errors. Its code may still be in use.
#[derive(Debug)]
pub(super) struct ValidRow {
    pub(super) link: ImportLink,
    /// Further generated codes to try if the code in `link` is in use. `None` if the row has a code
    /// of its own.
    pub(super) codes: Option<Codes>,
    pub(super) has_several_tags: bool,
    /// Whether blanks or invisible characters around the destination were removed.
    pub(super) is_trimmed: bool,
}

impl Rules {
    /// Checks a record. `origin` is the location of its row in the original file.
    ///
    /// # Errors
    /// Returns all errors of the record, separated by `; `.
    pub(super) fn check(
        &self,
        source: Source,
        record: &Record,
        origin: Option<RowLocation>,
    ) -> Result<ValidRow, String> {
        if let Some(name) = record.duplicate(source.names()) {
            return Err(format!("there are two fields '{name}'"));
        }
        let raw = source.raw_link(record);
        let mut faults = Faults::default();
        for name in record.unsupported_fields(source.names()) {
            let name = name.escape_debug();
            faults.add(&format!("the field '{name}' holds an object or a list in a list"));
        }
        let destination = faults.note(self.destination(raw.value(FileColumn::DestinationUrl)));
        let code = faults.note(self.code(source, &raw, origin));
        let title = raw.text(FileColumn::Title).map(Title::parse).transpose();
        let title = faults.note(title.map_err(name_field("the title")));
        let campaign = raw.text(FileColumn::Campaign).map(Campaign::parse).transpose();
        let campaign = faults.note(campaign.map_err(name_field("the campaign")));
        let clicks = faults.note(parse_clicks(raw.value(FileColumn::Clicks)));
        let is_active = faults.note(parse_flag(&raw, FileColumn::IsActive, true));
        let has_qr = faults.note(parse_flag(&raw, FileColumn::HasQr, false));
        let created_at = raw.value(FileColumn::CreatedAt).map(dates::parse).transpose();
        let created_at = faults.note(created_at.map_err(name_field("the time of creation")));
        let expires_at = raw.value(FileColumn::ExpiresAt).map(dates::parse).transpose();
        let expires_at = faults.note(expires_at.map_err(name_field("the time of expiry")));
        for restriction in &raw.restrictions {
            faults.add(&format!("the link has {restriction}, which Terse cannot keep"));
        }
        faults.into_result()?;
        // None of the results below is an error, because every error was noted.
        let (code, codes) = code?;
        let link = ImportLink {
            ignores_case: self.ignores_case && codes.is_none(),
            code,
            clicks: clicks?,
            properties: LinkProperties {
                destination_host: destination.as_ref().map_or("", Destination::host).to_owned(),
                destination_url: destination?.into_string(),
                title: title?.map(Title::into_string),
                campaign: campaign?.map(Campaign::into_string),
                disabled: if is_active? { None } else { Some(Reason::Other) },
                has_qr: has_qr?,
                expires_at: expires_at?,
                created_at: created_at?.unwrap_or(self.now),
            },
        };
        let text = raw.value(FileColumn::DestinationUrl).unwrap_or_default();
        let is_trimmed = Destination::trim(text) != text;
        Ok(ValidRow { link, codes, has_several_tags: raw.has_several_tags, is_trimmed })
    }

    fn destination(&self, text: Option<&str>) -> Result<Destination, String> {
        let text = text.ok_or("there is no destination")?;
        let text = Destination::trim(text);
        let destination = Destination::parse(text).map_err(name_field("the destination"))?;
        destination.check_outside(&self.service).map_err(name_field("the destination"))?;
        if let Some(reason) = self.blocked_destinations.blocked(destination.as_str(), self.now) {
            let host = destination.shown_host();
            return Err(format!("the destination is blocked: {host} ({reason})"));
        }
        Ok(destination)
    }

    fn code(
        &self,
        source: Source,
        raw: &RawLink<'_>,
        origin: Option<RowLocation>,
    ) -> Result<(ShortCode, Option<Codes>), String> {
        if let Some(code) = raw.value(FileColumn::ShortCode) {
            let code = ShortCode::parse_imported(code).map_err(name_field("the short code"))?;
            return Ok((code, None));
        }
        if !source.generates_codes() {
            return Err("there is no short code".to_owned());
        }
        let location =
            origin.ok_or("without a short code, it must keep its original line number")?;
        let Self { secret, owner_id, .. } = self;
        let columns = [FileColumn::DestinationUrl, FileColumn::Title, FileColumn::Campaign];
        let texts = columns.map(|column| raw.text(column));
        let mut codes = Codes::new(&Seed { secret, owner_id: *owner_id, location, texts });
        Ok((codes.next(), Some(codes)))
    }
}

/// All errors of a row so far, separated by `; `.
#[derive(Debug, Default)]
struct Faults(Option<String>);

impl Faults {
    /// Notes the error of `value`, if it is one, and returns `value`.
    fn note<T>(&mut self, value: Result<T, String>) -> Result<T, String> {
        value.inspect_err(|fault| self.add(fault))
    }

    /// Returns the noted errors as one error, if there are any.
    fn into_result(self) -> Result<(), String> {
        self.0.map_or(Ok(()), Err)
    }

    fn add(&mut self, fault: &str) {
        let faults = self.0.get_or_insert_default();
        if !faults.is_empty() {
            faults.push_str("; ");
        }
        faults.push_str(fault);
    }
}

/// Returns a function that puts the name of a field in front of its error.
fn name_field<R: Display>(field: &'static str) -> impl Fn(R) -> String {
    move |reason| format!("{field} {reason}")
}

fn parse_clicks(text: Option<&str>) -> Result<i64, String> {
    let Some(text) = text else { return Ok(0) };
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let clicks = text.parse().ok().filter(|clicks| is_plain && *clicks <= MAX_CLICKS);
    clicks.ok_or_else(|| format!("the clicks must be a whole number from 0 to {MAX_CLICKS}"))
}

fn parse_flag(raw: &RawLink<'_>, column: FileColumn, default: bool) -> Result<bool, String> {
    match raw.value(column) {
        None => Ok(default),
        Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(_) => Err(format!("{} must be 0 or 1", column.name())),
    }
}
