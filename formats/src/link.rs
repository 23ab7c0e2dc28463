//! The link that a row describes.

use crate::column::FileColumn;
use crate::dates;
use crate::record::Record;

/// Maximum number of clicks: the largest integer that every JSON parser reads exactly (RFC 8259,
/// section 6).
pub const MAX_CLICKS: i64 = (1 << 53) - 1;

/// A link that a row describes. Its texts are as the file has them.
#[derive(Debug)]
pub struct FileLink<'a> {
    /// Short code.
    pub short_code: Option<&'a str>,
    /// Destination.
    pub destination_url: Option<&'a str>,
    /// Title, which may be empty.
    pub title: Option<&'a str>,
    /// Campaign, which may be empty.
    pub campaign: Option<&'a str>,
    /// Number of clicks, at most [`MAX_CLICKS`].
    pub clicks: i64,
    /// Whether visitors are redirected.
    pub is_active: bool,
    /// Whether the link has a QR code.
    pub has_qr: bool,
    /// Time of creation in milliseconds since 1970.
    pub created_at: Option<i64>,
    /// Time of expiry in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// Whether the redirect appends the query of the request.
    pub forward_query: bool,
    /// Destination for visitors of the expired link.
    pub fallback_url: Option<&'a str>,
    /// Whether the link has several tags. Terse supports only one campaign.
    pub has_several_tags: bool,
    /// Reasons to reject the row. The fields that they are about have default values.
    pub faults: Vec<String>,
}

impl<'a> FileLink<'a> {
    /// Creates a link from the texts of its columns. An empty text means a missing value, except in
    /// a title and a campaign.
    pub(crate) fn new<const N: usize>(texts: [(FileColumn, Option<&'a str>); N]) -> Self {
        let mut link = Self {
            short_code: None,
            destination_url: None,
            title: None,
            campaign: None,
            clicks: 0,
            is_active: true,
            has_qr: false,
            created_at: None,
            expires_at: None,
            forward_query: false,
            fallback_url: None,
            has_several_tags: false,
            faults: Vec::new(),
        };
        for (column, text) in texts {
            if let Err(fault) = link.set(column, text) {
                link.faults.push(fault);
            }
        }
        link
    }

    fn set(&mut self, column: FileColumn, text: Option<&'a str>) -> Result<(), String> {
        let value = non_empty(text);
        match column {
            FileColumn::ShortCode => self.short_code = value,
            FileColumn::DestinationUrl => self.destination_url = value,
            FileColumn::Title => self.title = text,
            FileColumn::Campaign => self.campaign = text,
            FileColumn::Clicks => self.clicks = parse_clicks(value)?,
            FileColumn::IsActive => self.is_active = parse_flag(column, value, true)?,
            FileColumn::HasQr => self.has_qr = parse_flag(column, value, false)?,
            FileColumn::CreatedAt => self.created_at = parse_time("creation", value)?,
            FileColumn::ForwardQuery => self.forward_query = parse_flag(column, value, false)?,
            FileColumn::FallbackUrl => self.fallback_url = value,
            FileColumn::ExpiresAt => self.expires_at = parse_time("expiry", value)?,
        }
        Ok(())
    }

    /// Sets the campaign if the link has exactly one tag.
    pub(crate) fn with_tags(mut self, record: &'a Record) -> Self {
        match record.elements(&["tags"], &['|', ','])[..] {
            [] => {}
            [only] => self.campaign = Some(only),
            [..] => self.has_several_tags = true,
        }
        self
    }

    /// Adds a fault for each restriction that the service enforces but Terse does not.
    pub(crate) fn with_restrictions(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let fault = |name| format!("the link has {name}, which Terse cannot keep");
        self.faults.extend(names.into_iter().map(fault));
        self
    }
}

fn parse_clicks(text: Option<&str>) -> Result<i64, String> {
    let Some(text) = text else { return Ok(0) };
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let clicks = text.parse().ok().filter(|clicks| is_plain && *clicks <= MAX_CLICKS);
    clicks.ok_or_else(|| format!("the clicks must be a whole number from 0 to {MAX_CLICKS}"))
}

fn parse_flag(column: FileColumn, text: Option<&str>, default: bool) -> Result<bool, String> {
    match text {
        None => Ok(default),
        Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(_) => Err(format!("{} must be 0 or 1", column.name())),
    }
}

fn parse_time(name: &str, text: Option<&str>) -> Result<Option<i64>, String> {
    text.map(dates::parse).transpose().map_err(|reason| format!("the time of {name} {reason}"))
}

pub(crate) fn non_empty(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
