//! What a row must be to become a link: the same rules as the API's.

use super::codes::{Codes, Seed};
use super::dates;
use super::format::{Draft, Format};
use super::record::Record;
use crate::domain::clicks::MOST_CLICKS;
use crate::store::import::Wanted;
use crate::values::{
    BaseUrl, Campaign, Destination, Invalid, Moment, ShortCode, Title, is_reserved,
};

/// What is the same for all rows of a file.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) service: BaseUrl,
    pub(super) owner_id: i64,
    pub(super) installation: String,
    pub(super) now: Moment,
}

/// A row that keeps all rules that can be known without the other links.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) wanted: Wanted,
    /// Where it named no code: the next ones to try.
    pub(super) codes: Option<Codes>,
    pub(super) has_several_tags: bool,
}

impl Rules {
    /// Takes a record as a row, which begins in that line, at that place among the objects of it.
    pub(super) fn check(
        &self,
        format: Format,
        record: &Record,
        line: u64,
        place: u64,
    ) -> Result<Row, String> {
        let draft = format.draft(record);
        let text = draft.destination.filter(|text| !text.is_empty());
        let text = text.ok_or("there is no destination")?;
        let destination = Destination::parse(text).map_err(of("the destination"))?;
        if destination.is_within(&self.service) {
            return Err("the destination must not lead to this service itself".to_owned());
        }
        let (code, codes) = match draft.code {
            Some(code) => (custom_code(code)?, None),
            None => {
                let Self { installation, owner_id, .. } = self;
                let owner_id = *owner_id;
                let seed = Seed { installation, owner_id, line, place, destination: text };
                let mut codes = Codes::of(&seed);
                (codes.next(), Some(codes))
            }
        };
        let title = draft.title.map(Title::parse).transpose().map_err(of("the title"))?;
        let campaign =
            draft.campaign.map(Campaign::parse).transpose().map_err(of("the campaign"))?;
        let created_at = draft.created_at.map(dates::parse).transpose();
        let wanted = Wanted {
            code,
            destination: text.to_owned(),
            title: title.map(Title::into_string),
            campaign: campaign.map(Campaign::into_string),
            clicks: clicks(draft.clicks)?,
            is_active: flag(draft.is_active, true, "is_active")? && self.is_on_time(&draft)?,
            has_qr: flag(draft.has_qr, false, "has_qr")?,
            created_at: created_at.map_err(of("the time of creation"))?.unwrap_or(self.now),
        };
        Ok(Row { wanted, codes, has_several_tags: draft.has_several_tags })
    }

    /// False for a link that has expired. One that would redirect on where it would not have done so
    /// is refused.
    fn is_on_time(&self, draft: &Draft<'_>) -> Result<bool, String> {
        if let Some(guard) = draft.guard {
            return Err(format!("the link has {guard}, which Terse cannot keep"));
        }
        let Some(text) = draft.expires_at else { return Ok(true) };
        let expires_at = dates::parse(text).map_err(of("the time of expiry"))?;
        if expires_at > self.now {
            return Err("the link is to expire, which Terse cannot keep".to_owned());
        }
        Ok(false)
    }
}

fn of(what: &'static str) -> impl Fn(Invalid) -> String {
    move |reason| format!("{what} {reason}")
}

fn custom_code(text: &str) -> Result<ShortCode, String> {
    if is_reserved(text) {
        return Err("the short code is reserved".to_owned());
    }
    ShortCode::parse(text).map_err(of("the short code"))
}

fn clicks(text: Option<&str>) -> Result<i64, String> {
    let Some(text) = text else { return Ok(0) };
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let clicks = text.parse().ok().filter(|clicks| is_plain && *clicks <= MOST_CLICKS);
    clicks.ok_or_else(|| format!("the clicks must be a whole number from 0 to {MOST_CLICKS}"))
}

fn flag(text: Option<&str>, default: bool, name: &str) -> Result<bool, String> {
    match text {
        None => Ok(default),
        Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(_) => Err(format!("{name} must be 0 or 1")),
    }
}
