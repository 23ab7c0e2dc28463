//! The JSON objects of requests and responses. Their doc comments are the descriptions in the
//! OpenAPI document. Conversions name every field, so that none is forgotten.

use poem_openapi::Object;
use serde::Serialize;

use super::json_body::{FromFields, JsonFields};
use super::schema::{CodeText, CustomCode, WireCode};
use crate::domain::links::{CreateLink, Link, LinkState};
use crate::domain::qr::StyleChange;
use crate::values::{
    Campaign, Colour, Destination, ErrorCorrection, Margin, ShortCode, Timestamp, Title,
};

/// A link to create.
#[derive(Debug, Object)]
pub struct ShortenRequest {
    /// Where the link leads: an absolute `http` or `https` URL with a host, of at most 8,192 bytes,
    /// by the WHATWG URL standard. It need not be a URI of RFC 3986: `https://exämple.org/a|b` is
    /// accepted, and stored exactly as sent. This service's own URLs return 422.
    url: Destination,
    /// The link's title, for people, without control characters.
    #[oai(nullable)]
    title: Option<Title>,
    /// The campaign that the link belongs to, without control characters; lists can be filtered by
    /// it, spelled exactly as here.
    #[oai(nullable)]
    campaign: Option<Campaign>,
    /// The time from which the link returns 410 instead of redirecting (RFC 3339). A time that is not
    /// in the future returns 409 `expiry-passed`.
    #[oai(nullable)]
    expires_at: Option<Timestamp>,
    /// The short code to give the link, case-sensitive. On a plan without custom codes
    /// (such as `free`) it is ignored and a random code is generated: read `short_code` in the
    /// response.
    #[oai(nullable)]
    custom_code: Option<CustomCode>,
}

impl FromFields for ShortenRequest {
    fn from_fields(fields: &mut JsonFields) -> Option<Self> {
        let url = fields.required("url");
        let title = fields.optional("title");
        let campaign = fields.optional("campaign");
        let expires_at = fields.optional("expires_at");
        let custom_code = fields.optional("custom_code");
        Some(Self { url: url?, title, campaign, expires_at, custom_code })
    }
}

impl From<ShortenRequest> for CreateLink {
    fn from(request: ShortenRequest) -> Self {
        let ShortenRequest { url, title, campaign, expires_at, custom_code } = request;
        let custom_code = custom_code.map(|CustomCode(text)| text);
        Self { destination: url, title, campaign, expires_at, custom_code }
    }
}

/// A link that was created.
#[derive(Debug, Serialize, Object)]
pub struct ShortenResponse {
    /// The link's code.
    short_code: WireCode,
    /// The URL to hand out: it redirects to the destination.
    #[oai(validator(
        min_length = 8,
        max_length = 4096,
        pattern = "^https?://[^/]+/[!$%&'()*+,./0-9:;=@A-Z_a-z~-]+$"
    ))]
    short_url: String,
    /// Where the link leads, exactly as it was sent.
    #[oai(validator(
        min_length = 8,
        max_length = 8192,
        pattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]"
    ))]
    destination_url: String,
}

impl ShortenResponse {
    /// Describes a new link.
    pub(super) fn new(base_url: &str, code: &ShortCode, destination: &str) -> Self {
        Self {
            short_code: WireCode(code.to_string()),
            short_url: format!("{base_url}/{}", code.path()),
            destination_url: destination.to_owned(),
        }
    }
}

/// A link in a list.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Link")]
pub struct ListedLink {
    /// The link's code.
    short_code: WireCode,
    /// Where the link leads.
    #[oai(validator(
        min_length = 8,
        max_length = 8192,
        pattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]"
    ))]
    destination_url: String,
    /// The campaign that the link belongs to; `null` without one.
    #[oai(nullable, validator(max_length = 100))]
    campaign: Option<String>,
    /// Number of clicks, at most 2⁵³ − 1.
    #[oai(validator(minimum(value = "0"), maximum(value = "9007199254740991")))]
    clicks: i64,
}

impl From<Link> for ListedLink {
    fn from(link: Link) -> Self {
        let Link { short_code, destination_url, campaign, clicks, .. } = link;
        Self { short_code: WireCode(short_code), destination_url, campaign, clicks }
    }
}

/// Links of the owner, newest first.
#[derive(Debug, Object)]
#[oai(rename = "LinkList")]
pub struct ListLinksResponse {
    /// The links.
    data: Vec<ListedLink>,
}

/// A link and its statistics.
#[derive(Debug, Serialize, Object)]
pub struct LinkStats {
    /// The link's code.
    short_code: WireCode,
    /// Where the link leads.
    #[oai(validator(
        min_length = 8,
        max_length = 8192,
        pattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]"
    ))]
    destination_url: String,
    /// The campaign that the link belongs to; `null` without one.
    #[oai(nullable, validator(max_length = 100))]
    campaign: Option<String>,
    /// Number of clicks, at most 2⁵³ − 1.
    #[oai(validator(minimum(value = "0"), maximum(value = "9007199254740991")))]
    clicks: i64,
    /// 1 while the link redirects; 0 if it has expired, the operator has disabled it, or its
    /// destination is blocked: it then returns 410.
    #[oai(validator(minimum(value = "0"), maximum(value = "1")))]
    is_active: i32,
}

impl From<(Link, LinkState)> for LinkStats {
    fn from((link, state): (Link, LinkState)) -> Self {
        let Link { short_code, destination_url, campaign, clicks, .. } = link;
        let is_active = state.is_active().into();
        Self { short_code: WireCode(short_code), destination_url, campaign, clicks, is_active }
    }
}

/// The statistics of one link.
#[derive(Debug, Serialize, Object)]
pub struct StatsResponse {
    /// The link.
    pub data: LinkStats,
}

/// The link whose QR code to enable, and how to draw it. Settings that are left out keep their last
/// value; the defaults are `M`, 4, `#000000` and `#ffffff`.
#[derive(Debug, Object)]
pub struct QrCodeRequest {
    /// The link's code.
    short_code: CodeText,
    /// How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
    /// `H` 30 %.
    #[oai(nullable)]
    error_correction: Option<ErrorCorrection>,
    /// The quiet zone around the code in modules; the standard asks for 4.
    #[oai(nullable)]
    margin: Option<Margin>,
    /// The colour of the modules, as `#rrggbb`.
    #[oai(nullable)]
    foreground: Option<Colour>,
    /// The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `foreground`.
    #[oai(nullable)]
    background: Option<Colour>,
}

impl FromFields for QrCodeRequest {
    fn from_fields(fields: &mut JsonFields) -> Option<Self> {
        let short_code = fields.required("short_code");
        let error_correction = fields.optional("error_correction");
        let margin = fields.optional("margin");
        let foreground = fields.optional("foreground");
        let background = fields.optional("background");
        Some(Self { short_code: short_code?, error_correction, margin, foreground, background })
    }
}

impl From<QrCodeRequest> for (CodeText, StyleChange) {
    fn from(request: QrCodeRequest) -> Self {
        let QrCodeRequest { short_code, error_correction, margin, foreground, background } =
            request;
        (short_code, StyleChange { error_correction, margin, foreground, background })
    }
}

/// A link whose QR code is enabled now.
#[derive(Debug, Serialize, Object)]
pub struct QrCodeResponse {
    /// The link's code.
    short_code: WireCode,
    /// 1: the QR code is enabled.
    #[oai(validator(minimum(value = "0"), maximum(value = "1")))]
    has_qr: i32,
    /// Where the images are, for people; programs find the SVG in the header `Location`.
    #[oai(validator(min_length = 1, max_length = 8192))]
    message: String,
}

impl QrCodeResponse {
    /// Describes the QR code of a link.
    pub(super) fn new(base_url: &str, code: &ShortCode) -> Self {
        let short_url = format!("{base_url}/{}", code.path());
        Self {
            short_code: WireCode(code.to_string()),
            has_qr: 1,
            message: format!("QR code enabled: {short_url}/qr.svg and {short_url}/qr.png"),
        }
    }
}

/// A link with a QR code in a list.
#[derive(Debug, Serialize, Object)]
pub struct QrCodeLink {
    /// The link's code.
    short_code: WireCode,
    /// Where the link leads.
    #[oai(validator(
        min_length = 8,
        max_length = 8192,
        pattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]"
    ))]
    destination_url: String,
    /// The link's title; `null` without one.
    #[oai(nullable, validator(max_length = 255))]
    title: Option<String>,
    /// 1: the QR code is enabled.
    #[oai(validator(minimum(value = "0"), maximum(value = "1")))]
    has_qr: i32,
}

impl From<Link> for QrCodeLink {
    fn from(link: Link) -> Self {
        let Link { short_code, destination_url, title, has_qr, .. } = link;
        Self { short_code: WireCode(short_code), destination_url, title, has_qr: has_qr.into() }
    }
}

/// Links of the owner whose QR code is enabled, newest first.
#[derive(Debug, Object)]
#[oai(rename = "QrCodeList")]
pub struct ListQrCodesResponse {
    /// The links.
    data: Vec<QrCodeLink>,
}
