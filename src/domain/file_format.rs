//! Encodings and columns of Terse's own files, which [`export`](super::export) writes and
//! [`import`](super::import) reads.

use std::borrow::Cow;

use serde::Serialize;

use super::links::Link;
use crate::values::Timestamp;

/// Encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Comma-separated values. An import also accepts semicolons and tabs. An empty field means a
    /// missing value, and `""` an empty text.
    Csv,
    /// JSON objects, one per line. An import also accepts several per line.
    Json,
}

/// A column of Terse's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileColumn {
    ShortCode,
    DestinationUrl,
    Title,
    Campaign,
    Clicks,
    IsActive,
    HasQr,
    CreatedAt,
    ExpiresAt,
    FallbackUrl,
}

/// Value of a column for one link.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum FileValue<'a> {
    Number(i64),
    Text(Cow<'a, str>),
}

impl FileColumn {
    /// All columns, in the order of an export.
    pub(super) const ALL: [Self; 10] = [
        Self::ShortCode,
        Self::DestinationUrl,
        Self::Title,
        Self::Campaign,
        Self::Clicks,
        Self::IsActive,
        Self::HasQr,
        Self::CreatedAt,
        Self::ExpiresAt,
        Self::FallbackUrl,
    ];
    /// The names of [`Self::ALL`].
    pub(super) const NAMES: [&str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = Self::ALL[index].name();
            index += 1;
        }
        names
    };

    /// Returns the name of the column in CSV and JSON.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ShortCode => "short_code",
            Self::DestinationUrl => "destination_url",
            Self::Title => "title",
            Self::Campaign => "campaign",
            Self::Clicks => "clicks",
            Self::IsActive => "is_active",
            Self::HasQr => "has_qr",
            Self::CreatedAt => "created_at",
            Self::ExpiresAt => "expires_at",
            Self::FallbackUrl => "fallback_url",
        }
    }

    /// Returns the value of the column in `link`, or `None` if the link has none.
    pub(super) fn value(self, link: &Link) -> Option<FileValue<'_>> {
        let text = |text| FileValue::Text(Cow::Borrowed(text));
        let time = |time: Timestamp| FileValue::Text(time.to_millis_text().into());
        match self {
            Self::ShortCode => Some(text(&link.short_code)),
            Self::DestinationUrl => Some(text(&link.destination_url)),
            Self::Title => link.title.as_deref().map(text),
            Self::Campaign => link.campaign.as_deref().map(text),
            Self::Clicks => Some(FileValue::Number(link.clicks)),
            Self::IsActive => Some(FileValue::Number(link.disabled.is_none().into())),
            Self::HasQr => Some(FileValue::Number(link.has_qr.into())),
            Self::CreatedAt => Some(time(link.created_at)),
            Self::ExpiresAt => link.expires_at.map(time),
            Self::FallbackUrl => link.fallback_url.as_deref().map(text),
        }
    }
}

impl<'a> FileValue<'a> {
    /// Returns the value as a text.
    pub(super) fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Number(number) => number.to_string().into(),
            Self::Text(text) => text,
        }
    }
}
