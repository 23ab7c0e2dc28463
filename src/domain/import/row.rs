//! What a row must be to become a link: the same rules as the API's.

use std::fmt::Display;

use super::codes::{Codes, Seed};
use super::dates;
use super::format::{Draft, Format};
use super::place::Place;
use super::record::Record;
use crate::domain::clicks::MAX_CLICKS;
use crate::store::import::ImportLink;
use crate::store::links::LinkProperties;
use crate::values::{BaseUrl, Campaign, Destination, ShortCode, Timestamp, Title};

/// What is the same for all rows of a file.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) service: BaseUrl,
    pub(super) owner_id: i64,
    pub(super) installation: String,
    pub(super) now: Timestamp,
}

/// A row that keeps all rules that can be known without the other links.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) wanted: ImportLink,
    /// Where it named no code: the next ones to try.
    pub(super) codes: Option<Codes>,
    pub(super) has_several_tags: bool,
}

impl Rules {
    /// Takes a record as a row, which had that place when it was first read.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(super) fn check(
        &self,
        format: Format,
        record: &Record,
        origin: Option<Place>,
    ) -> Result<Row, String> {
        if let Some(name) = record.twice(format.names()) {
            return Err(format!("there are two fields '{name}'"));
        }
        let draft = format.draft(record);
        let mut faults = Faults::default();
        for name in record.composite(format.names()) {
            let name = name.escape_debug();
            faults.add(&format!("the field '{name}' holds an object or a list in a list"));
        }
        let destination = faults.note(self.destination(draft.destination));
        let code = faults.note(self.code(format, &draft, origin));
        let title = draft.title.map(Title::parse).transpose();
        let title = faults.note(title.map_err(of("the title")));
        let campaign = draft.campaign.map(Campaign::parse).transpose();
        let campaign = faults.note(campaign.map_err(of("the campaign")));
        let clicks = faults.note(clicks(draft.clicks));
        let is_active = faults.note(flag(draft.is_active, true, "is_active"));
        let has_qr = faults.note(flag(draft.has_qr, false, "has_qr"));
        let created_at = draft.created_at.map(dates::parse).transpose();
        let created_at = faults.note(created_at.map_err(of("the time of creation")));
        let is_on_time = faults.note(self.is_on_time(draft.expires_at));
        for guard in &draft.guards {
            faults.add(&format!("the link has {guard}, which Terse cannot keep"));
        }
        faults.into_result()?;
        // All of them were noted: none is a fault.
        let (code, codes) = code?;
        let wanted = ImportLink {
            code,
            clicks: clicks?,
            properties: LinkProperties {
                destination_url: destination?,
                title: title?.map(Title::into_string),
                campaign: campaign?.map(Campaign::into_string),
                is_active: is_active? && is_on_time?,
                has_qr: has_qr?,
                created_at: created_at?.unwrap_or(self.now),
            },
        };
        Ok(Row { wanted, codes, has_several_tags: draft.has_several_tags })
    }

    fn destination(&self, text: Option<&str>) -> Result<String, String> {
        let text = text.filter(|text| !text.is_empty()).ok_or("there is no destination")?;
        let destination = Destination::parse(text).map_err(of("the destination"))?;
        destination.check_outside(&self.service).map_err(of("the destination"))?;
        Ok(text.to_owned())
    }

    fn code(
        &self,
        format: Format,
        draft: &Draft<'_>,
        origin: Option<Place>,
    ) -> Result<(ShortCode, Option<Codes>), String> {
        if let Some(code) = draft.code {
            let code = ShortCode::parse_custom(code).map_err(of("the short code"))?;
            return Ok((code, None));
        }
        if !format.makes_codes() {
            return Err("there is no short code".to_owned());
        }
        let place = origin.ok_or("without a short code, it must keep its original line number")?;
        let Self { installation, owner_id, .. } = self;
        let texts = [draft.destination, draft.title, draft.campaign];
        let mut codes = Codes::of(&Seed { installation, owner_id: *owner_id, place, texts });
        Ok((codes.next(), Some(codes)))
    }

    /// False for a link that has expired. One that would redirect on where it would not have done so
    /// is refused.
    fn is_on_time(&self, expires_at: Option<&str>) -> Result<bool, String> {
        let Some(text) = expires_at else { return Ok(true) };
        let expires_at = dates::parse(text).map_err(of("the time of expiry"))?;
        if expires_at > self.now {
            return Err("the link has an expiry time, which Terse cannot keep".to_owned());
        }
        Ok(false)
    }
}

/// Everything that is wrong with a row, with `; ` between.
#[derive(Debug, Default)]
struct Faults(Option<String>);

impl Faults {
    /// The value as it is, after a look at whether it is a fault.
    fn note<T>(&mut self, value: Result<T, String>) -> Result<T, String> {
        value.inspect_err(|fault| self.add(fault))
    }

    /// All of them, if there are any.
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

/// What is wrong, after what it is wrong with.
fn of<R: Display>(what: &'static str) -> impl Fn(R) -> String {
    move |reason| format!("{what} {reason}")
}

fn clicks(text: Option<&str>) -> Result<i64, String> {
    let Some(text) = text else { return Ok(0) };
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let clicks = text.parse().ok().filter(|clicks| is_plain && *clicks <= MAX_CLICKS);
    clicks.ok_or_else(|| format!("the clicks must be a whole number from 0 to {MAX_CLICKS}"))
}

fn flag(text: Option<&str>, default: bool, name: &str) -> Result<bool, String> {
    match text {
        None => Ok(default),
        Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(_) => Err(format!("{name} must be 0 or 1")),
    }
}
