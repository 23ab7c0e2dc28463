//! Rows of files: checks them by the rules of the API, and gives the values of a link for one of Terse's
//! own files.

use std::borrow::Cow;
use std::fmt::Display;

use formats::{FileColumn, FileLink, Losses, RowLocation, Source};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::domain::Field;
use crate::domain::links::LinkRules;
use crate::store::import::ImportLink;
use crate::store::links::{BY_IMPORT, Link, LinkProperties, NewProperties, StoredQrSettings};
use crate::values::{Campaign, Destination, ExternalId, Reason, ShortCode, Timestamp, Title};

/// Data for the checks of all rows of a file.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) links: LinkRules,
    pub(super) owner_id: i64,
    pub(super) secret: String,
    pub(super) now: Timestamp,
    /// Whether links with a code of their own answer in any letter case.
    pub(super) ignores_case: bool,
    /// Service that the file comes from.
    pub(super) source: Source,
}

/// A row without errors. Its code may still be in use.
#[derive(Debug)]
pub(super) struct ValidRow {
    pub(super) link: ImportLink,
    /// Further generated codes to try if the code in `link` is in use. `None` if the row has a code
    /// of its own.
    pub(super) codes: Option<Codes>,
    /// What differs from the file.
    pub(super) losses: Losses,
    /// Whether blanks or invisible characters around the destination were removed.
    pub(super) is_trimmed: bool,
    /// Whether blanks or invisible characters of the code were removed.
    pub(super) is_code_cleaned: bool,
}

impl Rules {
    /// Checks a link of a row, and returns its domain, and the row or all its errors, separated by
    /// `; `. `origin` is the location of the row in the original file.
    pub(super) fn check(
        &self,
        mut link: FileLink<'_>,
        origin: Option<RowLocation>,
    ) -> (Option<String>, Result<ValidRow, String>) {
        let domain = link.domain.take().map(Cow::into_owned);
        (domain, self.row(link, origin))
    }

    fn row(&self, link: FileLink<'_>, origin: Option<RowLocation>) -> Result<ValidRow, String> {
        let mut faults = Vec::new();
        let destination = link.destination_url.ok_or("there is no destination".to_owned());
        let destination = destination.and_then(|text| self.destination(Field::Destination, text));
        let destination = note(&mut faults, destination);
        let code = note(&mut faults, self.code(&link, origin));
        let title = link.title.as_deref().map(Title::parse).transpose();
        let title = note(&mut faults, title.map_err(name_field("the title")));
        let campaign = link.campaign.map(Campaign::parse).transpose();
        let campaign = note(&mut faults, campaign.map_err(name_field("the campaign")));
        let external_id = link.external_id.map(ExternalId::parse).transpose();
        let external_id =
            note(&mut faults, external_id.map_err(name_field("the external identifier")));
        let fallback = link.fallback_url.map(|text| self.destination(Field::Fallback, text));
        let fallback = note(&mut faults, fallback.transpose());
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
            properties: NewProperties {
                destination_host: destination.as_ref().map_or("", Destination::host).to_owned(),
                link: LinkProperties {
                    destination_url: destination?.into_string(),
                    title: title?.map(Title::into_string),
                    campaign: campaign?.map(Campaign::into_string),
                    disabled: if link.is_active { None } else { Some(Reason::Other) },
                    has_qr: link.has_qr,
                    expires_at: link.expires_at.map(time),
                    fallback_url: fallback?.map(Destination::into_string),
                    forward_query: link.forward_query,
                    is_paused: link.is_paused,
                    qr: StoredQrSettings::default(),
                    created_at: link.created_at.map_or(self.now, time),
                    external_id: external_id?.map(ExternalId::into_string),
                    created_by: Some(BY_IMPORT),
                    updated_at: None,
                },
            },
        };
        let text = link.destination_url.unwrap_or_default();
        let is_trimmed = Destination::trim(text) != text;
        let is_code_cleaned = link.short_code.is_some_and(|code| ShortCode::has_invisible(&code));
        let losses = link.losses;
        Ok(ValidRow { link: imported, codes, losses, is_trimmed, is_code_cleaned })
    }

    fn destination(&self, field: Field, text: &str) -> Result<Destination, String> {
        let destination = Destination::parse(Destination::trim(text));
        let destination = destination.map_err(|reason| format!("{field} {reason}"))?;
        let checked = self.links.check_destination(field, &destination, self.now);
        checked.map_err(|error| error.to_string())?;
        Ok(destination)
    }

    fn code(
        &self,
        link: &FileLink<'_>,
        origin: Option<RowLocation>,
    ) -> Result<(ShortCode, Option<Codes>), String> {
        if let Some(code) = &link.short_code {
            let code = ShortCode::parse_imported(code).map_err(name_field("the short code"))?;
            return Ok((code, None));
        }
        if !self.source.generates_codes() {
            return Err("there is no short code".to_owned());
        }
        let location =
            origin.ok_or("without a short code, it must keep its original line number")?;
        let Self { secret, owner_id, .. } = self;
        let texts = [link.destination_url, link.title.as_deref(), link.campaign];
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

/// Value of a column for one link.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(in crate::domain) enum FileValue<'a> {
    Number(i64),
    Text(Cow<'a, str>),
}

/// Returns the value of a column in `link`, or `None` if the link has none.
pub(in crate::domain) fn column_value(column: FileColumn, link: &Link) -> Option<FileValue<'_>> {
    let Link { id: _, owner_id: _, short_code, properties, clicks } = link;
    let LinkProperties {
        destination_url,
        title,
        campaign,
        disabled,
        has_qr,
        expires_at,
        fallback_url,
        forward_query,
        is_paused,
        qr: _,
        created_at,
        external_id,
        created_by: _,
        updated_at: _,
    } = properties;
    let text = |text| FileValue::Text(Cow::Borrowed(text));
    let flag = |flag: bool| Some(FileValue::Number(flag.into()));
    let time = |time: Timestamp| FileValue::Text(time.to_millis_text().into());
    match column {
        FileColumn::ShortCode => Some(text(short_code)),
        FileColumn::DestinationUrl => Some(text(destination_url)),
        FileColumn::Title => title.as_deref().map(text),
        FileColumn::Campaign => campaign.as_deref().map(text),
        FileColumn::Clicks => Some(FileValue::Number(*clicks)),
        FileColumn::IsActive => flag(disabled.is_none()),
        FileColumn::HasQr => flag(*has_qr),
        FileColumn::CreatedAt => Some(time(*created_at)),
        FileColumn::ExpiresAt => expires_at.map(time),
        FileColumn::IsPaused => flag(*is_paused),
        FileColumn::ForwardQuery => flag(*forward_query),
        FileColumn::FallbackUrl => fallback_url.as_deref().map(text),
        FileColumn::ExternalId => external_id.as_deref().map(text),
    }
}

impl<'a> FileValue<'a> {
    /// Returns the value as a text.
    pub(in crate::domain) fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Number(number) => number.to_string().into(),
            Self::Text(text) => text,
        }
    }
}

/// Everything that determines the codes of a row.
struct Seed<'a> {
    /// Secret of the installation. Without it, clients could derive the code of a link from its
    /// destination.
    secret: &'a str,
    owner_id: i64,
    /// Location of the row in its file, so that two identical rows have different codes.
    location: RowLocation,
    /// Destination, title and campaign, so that different rows at the same location in two files
    /// have different codes.
    texts: [Option<&'a str>; 3],
}

/// Infinite sequence of codes for one row. The import takes the first code that is not in use.
#[derive(Debug)]
pub(super) struct Codes(Stream);

impl Codes {
    fn new(seed: &Seed<'_>) -> Self {
        let Seed { secret, owner_id, location: RowLocation { line, object }, texts } = seed;
        let object = object.map_or(0, |object| object.saturating_sub(1));
        let mut hash = Sha256::new();
        hash.update(secret.as_bytes());
        for number in [owner_id.to_be_bytes(), line.to_be_bytes(), object.to_be_bytes()] {
            hash.update(number);
        }
        for text in texts {
            // The length separates the texts. Otherwise, two texts with a character moved from one
            // to the other would give the same hash.
            let length = text.map_or(-1, |text| text.len() as i64);
            hash.update(length.to_be_bytes());
            hash.update(text.unwrap_or_default());
        }
        let seed = hash.finalize().into();
        Self(Stream { seed, blocks: 1, left: block(&seed, 0) })
    }

    pub(super) fn next(&mut self) -> ShortCode {
        ShortCode::from_bytes(&mut self.0)
    }
}

/// Infinite stream of bytes: SHA-256 hashes of a seed and a counter.
#[derive(Debug)]
struct Stream {
    seed: [u8; 32],
    /// Number of hashes computed so far.
    blocks: u64,
    left: std::array::IntoIter<u8, 32>,
}

impl Iterator for Stream {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.left.len() == 0 {
            self.left = block(&self.seed, self.blocks);
            self.blocks += 1;
        }
        self.left.next()
    }
}

fn block(seed: &[u8; 32], number: u64) -> std::array::IntoIter<u8, 32> {
    let hash = Sha256::new().chain_update(seed).chain_update(number.to_be_bytes()).finalize();
    <[u8; 32]>::from(hash).into_iter()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn first_two(seed: &Seed<'_>) -> [String; 2] {
        let mut codes = Codes::new(seed);
        [codes.next().to_string(), codes.next().to_string()]
    }

    #[test]
    fn codes_depend_on_every_part_of_the_seed() {
        let seed = |secret, owner_id, line, object, texts| {
            let location = RowLocation { line, object: Some(object) };
            first_two(&Seed { secret, owner_id, location, texts })
        };
        let texts = [Some("https://example.com/"), Some("title"), None];
        let base = seed("secret", 1, 2, 1, texts);
        assert_eq!(base, seed("secret", 1, 2, 1, texts));
        let other = |index: usize, text| {
            let mut texts = texts;
            texts[index] = text;
            seed("secret", 1, 2, 1, texts)
        };
        let others = [
            seed("Secret", 1, 2, 1, texts),
            seed("secret", 2, 2, 1, texts),
            seed("secret", 1, 3, 1, texts),
            seed("secret", 1, 2, 2, texts),
            other(0, Some("https://example.com/x")),
            other(1, None),
            other(1, Some("")),
            other(2, Some("")),
            seed("secret", 1, 2, 1, [texts[0], None, texts[1]]),
            seed("secret", 1, 2, 1, [Some("https://example.com/title"), None, None]),
        ];
        let all: HashSet<&String> = others.iter().flatten().chain(&base).collect();
        assert_eq!(all.len(), 22);
    }

    #[test]
    fn codes_stay_the_same_in_later_releases() {
        let seed = Seed {
            secret: "secret",
            owner_id: 1,
            location: RowLocation { line: 2, object: None },
            texts: [Some("https://example.com/"), Some("title"), None],
        };
        assert_eq!(first_two(&seed), ["voEQXoh", "vsZydzX"]);
    }
}
