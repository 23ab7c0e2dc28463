//! The JSON objects of requests and responses. Their doc comments are the descriptions in the
//! OpenAPI document. Conversions name every field, so that none is forgotten.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::Serialize;
use serde_json::json;

use crate::domain::addresses::short_url;
use crate::domain::links::{CreateLink, Link, LinkProperties, LinkState, LinkValues};
use crate::domain::qr::StyleChange;
use crate::http::objects::fields::{
    CampaignText, CodeText, Count, CustomCode, DestinationText, EXAMPLE_CODE, EXAMPLE_URL,
    LinkCode, ShortUrl, TitleText,
};
use crate::http::objects::link::{example_link, example_links};
use crate::http::openapi::field::{Nullable, example, integer_schema, response_fields};
use crate::http::openapi::json_body::request_object;
use crate::http::openapi::parameter::{number_error, parameter_value};
use crate::http::openapi::response_object::response_object;
use crate::http::problem::EXAMPLE_BASE_URL;
use crate::values::{
    Campaign, Colour, Destination, ErrorCorrection, Margin, ShortCode, Timestamp, Title,
};

response_fields! {
    /// A flag, 0 or 1.
    Flag(u8): integer_schema(0, 1);
}

impl From<bool> for Flag {
    fn from(flag: bool) -> Self {
        Self(flag.into())
    }
}

parameter_value!(
    Flag,
    |text| match text {
        "0" => Ok(Self(0)),
        "1" => Ok(Self(1)),
        _ => Err(number_error(text).because("must be 0 or 1")),
    },
    integer_schema(0, 1)
);

request_object! {
    // Without a custom code, so that a user can send it repeatedly.
    json!({ "url": EXAMPLE_URL, "title": "Spring catalogue", "campaign": "spring" });

    /// A link to create.
    pub struct ShortenRequest: Into<CreateLink> = {
        let custom_code = custom_code.map(|CustomCode(text)| text);
        let (title, campaign) = (title.map(Some), campaign.map(Some));
        let expires_at = expires_at.map(Some);
        let values = LinkValues { title, campaign, expires_at, ..LinkValues::default() };
        CreateLink { values, custom_code, ..CreateLink::new(url) }
    } => {
        /// Where the link leads: an absolute `http` or `https` URL with a host by the WHATWG URL
        /// standard, of at most 8,192 bytes (`maxLength` counts characters), which is stored exactly as
        /// sent and is not one of this service.
        url: Destination,
        /// The link's title, for people, without control characters.
        title?: Title,
        /// The campaign that the link belongs to, without control characters; lists can be filtered by
        /// it, spelled exactly as here.
        campaign?: Campaign,
        /// The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a
        /// fallback if the operator has set one. A time that is not in the future returns 409
        /// `expiry-passed`.
        expires_at?: Timestamp,
        /// The short code to give the link, case-sensitive. On a plan without custom codes
        /// (such as `free`) it is ignored and a random code is generated: read `short_code` in the
        /// response.
        custom_code?: CustomCode,
    }
}

/// A link that was created.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ShortenResponse {
    /// The link's code.
    short_code: LinkCode,
    /// The URL to hand out: it redirects to the destination.
    short_url: ShortUrl,
    /// Where the link leads, exactly as it was sent.
    destination_url: DestinationText,
}

impl ShortenResponse {
    /// Describes a new link whose code stands behind `origin`.
    pub(super) fn new(origin: &str, code: &ShortCode, destination: &str) -> Self {
        Self {
            short_code: LinkCode(code.to_string()),
            short_url: ShortUrl(short_url(origin, code)),
            destination_url: DestinationText(destination.to_owned()),
        }
    }
}

example!(
    ShortenResponse,
    Self::new(EXAMPLE_BASE_URL, &ShortCode::from_stored(EXAMPLE_CODE), EXAMPLE_URL)
);

response_object! {
    example_link().into();

    /// A link in a list.
    #[oai(rename = "Link")]
    pub struct ListedLink: From<Link> = Link {
        short_code, properties: LinkProperties { destination_url, campaign, .. }, clicks, ..
    } => {
        /// The link's code.
        short_code: LinkCode,
        /// Where the link leads.
        destination_url: DestinationText,
        /// The campaign that the link belongs to; `null` without one.
        campaign: Nullable<CampaignText>,
        /// Number of clicks, at most 2⁵³ − 1.
        clicks: Count,
    }
}

/// Links of the owner, newest first.
#[derive(Debug, Object)]
#[oai(example)]
pub struct LinkList {
    /// The links.
    data: Vec<ListedLink>,
}

example!(LinkList, Self { data: example_links().map(Into::into).into() });

response_object! {
    (example_link(), LinkState::Active).into();

    /// A link and its statistics.
    pub struct LinkStats: From<(Link, LinkState)> = (link, state) => {
        #[serde(flatten)]
        #[oai(flatten)]
        link: ListedLink = link.into(),
        /// 1 while the link redirects to its destination; 0 if it has expired or is paused, or if the
        /// operator has disabled it or blocked its destination: it then returns 410, or 451 because of a
        /// legal demand.
        is_active: Flag = state.is_active().into(),
    }
}

/// The statistics of one link.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct StatsResponse {
    /// The link.
    pub data: LinkStats,
}

example!(StatsResponse, Self { data: Example::example() });

request_object! {
    json!({ "short_code": EXAMPLE_CODE, "error_correction": "Q", "foreground": "#1d3557" });

    /// The link whose QR code to enable, and how to draw it.
    pub struct QrCodeRequest: Into<(CodeText, StyleChange)> = (
        short_code, StyleChange { error_correction, margin, foreground, background },
    ) => {
        /// The link's code.
        short_code: CodeText,
        /// How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
        /// `H` 30 %. Absent: the stored value, at first `M`.
        error_correction?: ErrorCorrection,
        /// The quiet zone around the code in modules; the standard asks for 4. Absent: the stored value,
        /// at first 4.
        margin?: Margin,
        /// The colour of the modules, as `#rrggbb`. Absent: the stored value, at first `#000000`.
        foreground?: Colour,
        /// The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `foreground`.
        /// Absent: the stored value, at first `#ffffff`.
        background?: Colour,
    }
}

/// A link whose QR code is enabled now.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct QrCodeResponse {
    /// The link's code.
    short_code: LinkCode,
    /// 1: the QR code is enabled.
    has_qr: Flag,
    /// Where the images are, for people; programs find the SVG in the header `Location`.
    #[oai(validator(min_length = 1, max_length = 8192))]
    message: String,
}

impl QrCodeResponse {
    /// Describes the QR code of a link whose code stands behind `origin`.
    pub(super) fn new(origin: &str, code: &ShortCode) -> Self {
        let short_url = short_url(origin, code);
        Self {
            short_code: LinkCode(code.to_string()),
            has_qr: true.into(),
            message: format!("QR code enabled: {short_url}/qr.svg and {short_url}/qr.png"),
        }
    }
}

example!(QrCodeResponse, Self::new(EXAMPLE_BASE_URL, &ShortCode::from_stored(EXAMPLE_CODE)));

response_object! {
    example_link().into();

    /// A link with a QR code in a list.
    pub struct QrCodeLink: From<Link> = Link {
        short_code, properties: LinkProperties { destination_url, title, has_qr, .. }, ..
    } => {
        /// The link's code.
        short_code: LinkCode,
        /// Where the link leads.
        destination_url: DestinationText,
        /// The link's title; `null` without one.
        title: Nullable<TitleText>,
        /// Always 1: the list has only links whose QR code is enabled.
        has_qr: Flag,
    }
}

/// Links of the owner whose QR code is enabled, newest first.
#[derive(Debug, Object)]
#[oai(example)]
pub struct QrCodeList {
    /// The links.
    data: Vec<QrCodeLink>,
}

example!(QrCodeList, Self { data: example_links().map(Into::into).into() });
