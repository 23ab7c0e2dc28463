//! What goes over the wire. Each object is read from its fields or made from what the domain gives,
//! naming every field.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::Serialize;

use super::body::{Fields, FromFields};
use super::schema::{Clicks, Code, CodeText, CustomCode, DestinationUrl, Flag, Nullable};
use crate::domain::links::{self, Wish};
use crate::domain::qr::StyleChange;
use crate::values::{Campaign, Colour, Destination, ErrorCorrection, Margin, Title};

/// A link to create.
#[derive(Debug, Object)]
#[oai(example, skip_serializing_if_is_none)]
pub struct ShortenRequest {
    /// Where the link leads: an absolute `http` or `https` URL of at most 8,192 bytes, kept exactly
    /// as sent, including its query. What a browser accepts is accepted, such as `|` in a query.
    /// This service's own URLs are refused.
    url: Destination,
    /// The link's title, for people, without control characters.
    #[oai(nullable)]
    title: Option<Title>,
    /// The campaign that the link belongs to, without control characters; lists can be filtered by
    /// it, spelled exactly as here.
    #[oai(nullable)]
    campaign: Option<Campaign>,
    /// The short code to give the link, case-sensitive. On a plan without custom codes
    /// (such as `free`) it is ignored and a random code is generated: read `short_code` in the answer.
    #[oai(nullable)]
    custom_code: Option<CustomCode>,
}

/// Without a custom code: whoever tries the example twice is to succeed twice.
impl Example for ShortenRequest {
    fn example() -> Self {
        Self {
            url: Destination::example(),
            title: Title::parse("Spring catalogue").ok(),
            campaign: Campaign::parse("spring").ok(),
            custom_code: None,
        }
    }
}

impl FromFields for ShortenRequest {
    fn from_fields(fields: &mut Fields) -> Option<Self> {
        let url = fields.required("url");
        let title = fields.optional("title");
        let campaign = fields.optional("campaign");
        let custom_code = fields.optional("custom_code");
        Some(Self { url: url?, title, campaign, custom_code })
    }
}

impl From<ShortenRequest> for Wish {
    fn from(request: ShortenRequest) -> Self {
        let ShortenRequest { url, title, campaign, custom_code } = request;
        let custom_code = custom_code.map(|CustomCode(text)| text);
        Self { destination: url, title, campaign, custom_code }
    }
}

/// A link that was created.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ShortenResponse {
    /// The link's code.
    pub short_code: Code,
    /// The URL to hand out: it redirects to the destination.
    #[oai(validator(
        min_length = 8,
        max_length = 2048,
        pattern = "^https?://[^/]+/[0-9A-Za-z_-]{3,64}$"
    ))]
    pub short_url: String,
    /// Where the link leads, exactly as it was sent.
    pub destination_url: DestinationUrl,
}

impl Example for ShortenResponse {
    fn example() -> Self {
        Self {
            short_code: Code::example(),
            short_url: "http://127.0.0.1:8080/Vd7hK2m".to_owned(),
            destination_url: DestinationUrl::example(),
        }
    }
}

/// A link in a list.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct Link {
    /// The link's code.
    short_code: Code,
    /// Where the link leads.
    destination_url: DestinationUrl,
    /// The campaign that the link belongs to; `null` without one.
    #[oai(validator(max_length = 100))]
    campaign: Nullable,
    /// How often the link was followed; 0 at first, at most 2⁵³ − 1.
    clicks: Clicks,
}

impl Example for Link {
    fn example() -> Self {
        Self {
            short_code: Code::example(),
            destination_url: DestinationUrl::example(),
            campaign: Nullable(Some("spring".to_owned())),
            clicks: Clicks(42),
        }
    }
}

impl From<links::Link> for Link {
    fn from(link: links::Link) -> Self {
        let links::Link { short_code, destination_url, campaign, clicks, is_active: _ } = link;
        Self {
            short_code: Code(short_code),
            destination_url: DestinationUrl(destination_url),
            campaign: Nullable(campaign),
            clicks: Clicks(clicks),
        }
    }
}

/// Links of the owner, newest first.
#[derive(Debug, Object)]
#[oai(example)]
pub struct LinkList {
    /// The links.
    data: Vec<Link>,
}

impl Example for LinkList {
    fn example() -> Self {
        let older = Link {
            short_code: Code("wq3XbTn".to_owned()),
            destination_url: DestinationUrl("https://example.org/about".to_owned()),
            campaign: Nullable(None),
            clicks: Clicks(7),
        };
        Self { data: vec![Link::example(), older] }
    }
}

/// A link and its statistics.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct LinkStats {
    /// The link's code.
    short_code: Code,
    /// Where the link leads.
    destination_url: DestinationUrl,
    /// The campaign that the link belongs to; `null` without one.
    #[oai(validator(max_length = 100))]
    campaign: Nullable,
    /// How often the link was followed; 0 at first, at most 2⁵³ − 1.
    clicks: Clicks,
    /// 1 while the link redirects, 0 when the operator has disabled it: it then answers 410.
    is_active: Flag,
}

impl Example for LinkStats {
    fn example() -> Self {
        Self {
            short_code: Code::example(),
            destination_url: DestinationUrl::example(),
            campaign: Nullable(Some("spring".to_owned())),
            clicks: Clicks(42),
            is_active: Flag::from(true),
        }
    }
}

impl From<links::Link> for LinkStats {
    fn from(link: links::Link) -> Self {
        let links::Link { short_code, destination_url, campaign, clicks, is_active } = link;
        Self {
            short_code: Code(short_code),
            destination_url: DestinationUrl(destination_url),
            campaign: Nullable(campaign),
            clicks: Clicks(clicks),
            is_active: is_active.into(),
        }
    }
}

/// The statistics of one link.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct StatsResponse {
    /// The link.
    pub data: LinkStats,
}

impl Example for StatsResponse {
    fn example() -> Self {
        Self { data: LinkStats::example() }
    }
}

/// The link whose QR code to enable, and how to draw it. Settings that are left out keep their last
/// value; the defaults are `M`, 4, `#000000` and `#ffffff`.
#[derive(Debug, Object)]
#[oai(example, skip_serializing_if_is_none)]
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

impl Example for QrCodeRequest {
    fn example() -> Self {
        Self {
            short_code: CodeText::example(),
            error_correction: Some(ErrorCorrection::Quartile),
            margin: None,
            foreground: Colour::parse("#1d3557").ok(),
            background: None,
        }
    }
}

impl FromFields for QrCodeRequest {
    fn from_fields(fields: &mut Fields) -> Option<Self> {
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
#[oai(example)]
pub struct QrCodeResponse {
    /// The link's code.
    pub short_code: Code,
    /// 1: the QR code is enabled.
    pub has_qr: Flag,
    /// Where the images are, for people; programs find the SVG in the header `Location`.
    #[oai(validator(min_length = 1, max_length = 8192))]
    pub message: String,
}

impl Example for QrCodeResponse {
    fn example() -> Self {
        Self {
            short_code: Code::example(),
            has_qr: Flag::from(true),
            message: "QR code enabled: http://127.0.0.1:8080/Vd7hK2m/qr.svg and \
                      http://127.0.0.1:8080/Vd7hK2m/qr.png"
                .to_owned(),
        }
    }
}

/// A link with a QR code in a list.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct QrCodeLink {
    /// The link's code.
    short_code: Code,
    /// Where the link leads.
    destination_url: DestinationUrl,
    /// The link's title; `null` without one.
    #[oai(validator(max_length = 255))]
    title: Nullable,
    /// 1: the QR code is enabled.
    has_qr: Flag,
}

impl Example for QrCodeLink {
    fn example() -> Self {
        Self {
            short_code: Code::example(),
            destination_url: DestinationUrl::example(),
            title: Nullable(Some("Spring catalogue".to_owned())),
            has_qr: Flag::from(true),
        }
    }
}

impl From<links::QrLink> for QrCodeLink {
    fn from(link: links::QrLink) -> Self {
        let links::QrLink { short_code, destination_url, title } = link;
        Self {
            short_code: Code(short_code),
            destination_url: DestinationUrl(destination_url),
            title: Nullable(title),
            has_qr: Flag::from(true),
        }
    }
}

/// Links of the owner whose QR code is enabled, newest first.
#[derive(Debug, Object)]
#[oai(example)]
pub struct QrCodeList {
    /// The links.
    data: Vec<QrCodeLink>,
}

impl Example for QrCodeList {
    fn example() -> Self {
        let older = QrCodeLink {
            short_code: Code("wq3XbTn".to_owned()),
            destination_url: DestinationUrl("https://example.org/about".to_owned()),
            title: Nullable(None),
            has_qr: Flag::from(true),
        };
        Self { data: vec![QrCodeLink::example(), older] }
    }
}
