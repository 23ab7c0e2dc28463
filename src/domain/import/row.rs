//! Checks rows by the rules of the API.

use std::fmt::Display;
use std::sync::Arc;

use formats::{FileLink, RowLocation, Source};

use super::codes::{Codes, Seed};
use crate::domain::blocks::BlockSnapshot;
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
    /// Checks the link of a row. `origin` is the location of the row in the original file.
    ///
    /// # Errors
    /// Returns all errors of the row, separated by `; `.
    pub(super) fn check(
        &self,
        source: Source,
        link: FileLink<'_>,
        origin: Option<RowLocation>,
    ) -> Result<ValidRow, String> {
        let mut faults = Vec::new();
        let destination = link.destination_url.ok_or("there is no destination");
        let destination = destination.map_err(str::to_owned);
        let destination = destination.and_then(|text| self.destination("the destination", text));
        let destination = note(&mut faults, destination);
        let code = note(&mut faults, self.code(source, &link, origin));
        let title = link.title.map(Title::parse).transpose();
        let title = note(&mut faults, title.map_err(name_field("the title")));
        let campaign = link.campaign.map(Campaign::parse).transpose();
        let campaign = note(&mut faults, campaign.map_err(name_field("the campaign")));
        let fallback = link.fallback_url;
        let fallback = fallback.map(|text| self.destination("the fallback", text)).transpose();
        let fallback = note(&mut faults, fallback);
        faults.extend(link.faults);
        if !faults.is_empty() {
            return Err(faults.join("; "));
        }
        // None of the results below is an error, because every error was noted.
        let (code, codes) = code?;
        let time = Timestamp::from_millis;
        let imported = ImportLink {
            ignores_case: self.ignores_case && codes.is_none(),
            code,
            clicks: link.clicks,
            properties: LinkProperties {
                destination_host: destination.as_ref().map_or("", Destination::host).to_owned(),
                destination_url: destination?.into_string(),
                title: title?.map(Title::into_string),
                campaign: campaign?.map(Campaign::into_string),
                disabled: if link.is_active { None } else { Some(Reason::Other) },
                has_qr: link.has_qr,
                expires_at: link.expires_at.map(time),
                fallback_url: fallback?.map(Destination::into_string),
                forward_query: link.forward_query,
                created_at: link.created_at.map_or(self.now, time),
            },
        };
        let text = link.destination_url.unwrap_or_default();
        let is_trimmed = Destination::trim(text) != text;
        let has_several_tags = link.has_several_tags;
        Ok(ValidRow { link: imported, codes, has_several_tags, is_trimmed })
    }

    fn destination(&self, name: &'static str, text: &str) -> Result<Destination, String> {
        let destination = Destination::parse(Destination::trim(text)).map_err(name_field(name))?;
        destination.check_outside(&self.service).map_err(name_field(name))?;
        if let Some(reason) = self.blocked_destinations.blocked(destination.as_str(), self.now) {
            let host = destination.shown_host();
            return Err(format!("{name} is blocked: {host} ({reason})"));
        }
        Ok(destination)
    }

    fn code(
        &self,
        source: Source,
        link: &FileLink<'_>,
        origin: Option<RowLocation>,
    ) -> Result<(ShortCode, Option<Codes>), String> {
        if let Some(code) = link.short_code {
            let code = ShortCode::parse_imported(code).map_err(name_field("the short code"))?;
            return Ok((code, None));
        }
        if !source.generates_codes() {
            return Err("there is no short code".to_owned());
        }
        let location =
            origin.ok_or("without a short code, it must keep its original line number")?;
        let Self { secret, owner_id, .. } = self;
        let texts = [link.destination_url, link.title, link.campaign];
        let mut codes = Codes::new(&Seed { secret, owner_id: *owner_id, location, texts });
        Ok((codes.next(), Some(codes)))
    }
}

/// Adds the error of `value` to `faults`, if it is one, and returns `value`.
fn note<T>(faults: &mut Vec<String>, value: Result<T, String>) -> Result<T, String> {
    value.inspect_err(|fault| faults.push(fault.clone()))
}

/// Returns a function that puts the name of a field in front of its error.
fn name_field<R: Display>(field: &'static str) -> impl Fn(R) -> String {
    move |reason| format!("{field} {reason}")
}
