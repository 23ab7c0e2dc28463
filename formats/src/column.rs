//! Encodings and columns of Terse's own files.

/// Encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Comma-separated values. An import also accepts semicolons and tabs. An empty field means a
    /// missing value, and `""` an empty text.
    Csv,
    /// JSON objects, one per line. An import also accepts whole documents.
    Json,
}

/// A column of Terse's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are named as the columns")]
pub enum FileColumn {
    ShortCode,
    DestinationUrl,
    Title,
    Campaign,
    Clicks,
    IsActive,
    HasQr,
    CreatedAt,
    ExpiresAt,
    IsPaused,
    ForwardQuery,
    FallbackUrl,
}

impl FileColumn {
    /// All columns, in the order of an export.
    pub const ALL: [Self; 12] = [
        Self::ShortCode,
        Self::DestinationUrl,
        Self::Title,
        Self::Campaign,
        Self::Clicks,
        Self::IsActive,
        Self::HasQr,
        Self::CreatedAt,
        Self::ExpiresAt,
        Self::IsPaused,
        Self::ForwardQuery,
        Self::FallbackUrl,
    ];
    /// The names of [`Self::ALL`].
    pub const NAMES: [&str; Self::ALL.len()] = [
        "short_code",
        "destination_url",
        "title",
        "campaign",
        "clicks",
        "is_active",
        "has_qr",
        "created_at",
        "expires_at",
        "is_paused",
        "forward_query",
        "fallback_url",
    ];

    /// Returns the name of the column in CSV and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}
