//! The columns of Terse's own files, and the link that a row of any file describes.

use std::borrow::Cow;

use strum_macros::{IntoStaticStr, VariantArray};

/// A column of Terse's own files, in the order of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
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
    ExternalId,
}

impl FileColumn {
    /// Returns the name of the column in CSV and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A link that a row describes.
#[derive(Debug, Clone, Default)]
pub struct FileLink<'a> {
    /// Short code, decoded from percent-encoding.
    pub short_code: Option<Cow<'a, str>>,
    /// Domain of the short URL in its normal form. `None`: the default one, or none is known.
    pub domain: Option<Cow<'a, str>>,
    /// Whether the link has another domain than the chosen one.
    pub is_of_other_domain: bool,
    /// Destination.
    pub destination_url: Option<&'a str>,
    /// Title, which may be empty.
    pub title: Option<Cow<'a, str>>,
    /// Campaign, which may be empty.
    pub campaign: Option<&'a str>,
    /// Number of clicks, at most [`MAX_CLICKS`](crate::MAX_CLICKS).
    pub clicks: i64,
    /// Whether visitors are redirected.
    pub is_active: bool,
    /// Whether the link has a QR code.
    pub has_qr: bool,
    /// Time of creation in milliseconds since 1970.
    pub created_at: Option<i64>,
    /// Time of expiry in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// Whether the owner has paused the link.
    pub is_paused: bool,
    /// Whether the redirect appends the query of the request.
    pub forward_query: bool,
    /// Destination for visitors of the expired link.
    pub fallback_url: Option<&'a str>,
    /// The owner's own identifier of the link.
    pub external_id: Option<&'a str>,
    /// What Terse does not take over as it is.
    pub losses: Losses,
    /// Reasons to reject the row. The fields that they are about have default values.
    pub faults: Vec<String>,
}

/// What Terse does not take over as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Losses {
    /// Whether the link has several tags. Terse supports only one campaign.
    pub drops_campaign: bool,
    /// Whether the title was too long, or had line breaks or control characters.
    pub shortens_title: bool,
    /// Whether the link has rules that lead some visitors elsewhere.
    pub drops_rules: bool,
    /// Whether the service forwards queries, and lets them replace values of the destination.
    pub changes_forwarding: bool,
}
