//! Links, as their owners and the operator manage them, and campaigns of an owner.

use serde_json::{Value, json};

use super::change::Audit;
use super::fields::{
    Actor, CampaignText, ColourText, Count, CustomCode, DestinationText, EXAMPLE_CODE, EXAMPLE_URL,
    ErrorCorrectionText, ExternalIdText, LinkCode, MarginWidth, QrImageUrl, ReasonWord, ShortUrl,
    StateWord, TimeText, TitleText,
};
use crate::domain::addresses::{Addresses, short_url};
use crate::domain::links::{
    self, CreateLink, KeyNames, LinkEdit, LinkProperties, LinkState, LinkValues, StoredQrSettings,
};
use crate::domain::qr::{Style, StyleChange};
use crate::domain::version::Versioned;
use crate::http::openapi::field::Nullable;
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::response_object::response_object;
use crate::http::problem::EXAMPLE_BASE_URL;
use crate::store::link_pages;
use crate::values::{
    Campaign, Colour, Destination, ErrorCorrection, ExternalId, Margin, ShortCode, Timestamp, Title,
};

/// Returns the link of the examples.
pub fn example_link() -> links::Link {
    links::Link {
        id: 2,
        owner_id: 1,
        short_code: EXAMPLE_CODE.to_owned(),
        properties: LinkProperties {
            destination_url: EXAMPLE_URL.to_owned(),
            title: Some("Spring catalogue".to_owned()),
            campaign: Some("spring".to_owned()),
            disabled: None,
            has_qr: true,
            expires_at: None,
            fallback_url: None,
            forward_query: false,
            is_paused: false,
            qr: StoredQrSettings::default(),
            created_at: Timestamp::from_millis(1_700_000_000_000),
            external_id: Some("product-4711".to_owned()),
            created_by: Some(12),
            updated_at: None,
        },
        clicks: 42,
    }
}

/// Returns the links of example lists, the newer one first.
pub fn example_links() -> [links::Link; 2] {
    let newer = example_link();
    let properties = LinkProperties {
        destination_url: "https://example.org/about".to_owned(),
        title: None,
        campaign: None,
        external_id: None,
        ..newer.properties.clone()
    };
    let short_code = "wq3XbTn".to_owned();
    let older = links::Link { id: 1, short_code, properties, clicks: 7, ..newer.clone() };
    [newer, older]
}

/// Only what is stored of it has versions.
impl Versioned for (String, Option<Actor>, Style, links::Link, LinkState) {
    fn writable(&self) -> Value {
        self.3.writable()
    }
}

response_object! {
    versioned {
        let link = example_link();
        let url = short_url(EXAMPLE_BASE_URL, &ShortCode::from_stored(&link.short_code));
        Self::new(url, &KeyNames::from_key(12, Some("crm")), link, LinkState::Active)
    };
    page "A page of links, newest first.";

    /// A link with everything that its owner can see.
    pub struct Link: From<(String, Option<Actor>, Style, links::Link, LinkState)> = (
        short_url,
        created_by,
        Style { error_correction, margin, foreground, background },
        links::Link {
            id: _, owner_id: _, short_code, clicks,
            properties: LinkProperties {
                destination_url, title, campaign, disabled: _, has_qr, expires_at, fallback_url,
                forward_query, is_paused, qr: _, created_at, external_id, created_by: _,
                updated_at,
            },
        },
        state,
    ) => {
        /// The link's code.
        short_code: LinkCode,
        /// The URL to hand out: it redirects to the destination.
        short_url: ShortUrl = ShortUrl(short_url.clone()),
        /// Where the link leads, exactly as it was sent.
        destination_url: DestinationText,
        /// The link's title; `null` without one.
        title: Nullable<TitleText>,
        /// The campaign that the link belongs to; `null` without one.
        campaign: Nullable<CampaignText>,
        /// Your own identifier of the link; `null` without one.
        external_id: Nullable<ExternalIdText>,
        /// Number of clicks, at most 2⁵³ − 1.
        clicks: Count,
        /// Whether the link redirects, which it does in the state `active`.
        is_active: bool = state.is_active(),
        /// The first of these that applies: `owner-suspended`, `blocked` (its destination), `disabled` (by
        /// the operator), `paused` (by the owner), `expired`, `active`.
        state: StateWord = state.into_str().into(),
        /// Why the operator suspended, blocked or disabled it, such as `phishing`; `null` in the other
        /// states.
        state_reason: Nullable<ReasonWord> = state.reason().map(<&str>::from).into(),
        /// Whether the owner has paused the link, even if another state takes precedence.
        is_paused: bool,
        /// Whether the QR code is enabled.
        has_qr: bool,
        /// How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
        /// `H` 30 %.
        qr_error_correction: ErrorCorrectionText = error_correction.into_str().to_owned().into(),
        /// The quiet zone around the QR code in modules.
        qr_margin: MarginWidth = margin.width().into(),
        /// The colour of the QR code's modules.
        qr_foreground: ColourText = foreground.to_string().into(),
        /// The colour behind them.
        qr_background: ColourText = background.to_string().into(),
        /// The QR code as SVG; `null` unless it is enabled.
        qr_svg_url: Nullable<QrImageUrl> = Nullable(has_qr.then(|| QrImageUrl(format!("{short_url}/qr.svg")))),
        /// The QR code as PNG; `null` unless it is enabled.
        qr_png_url: Nullable<QrImageUrl> = Nullable(has_qr.then(|| QrImageUrl(format!("{short_url}/qr.png")))),
        /// Whether the redirect appends the query of the request to that of the destination.
        forward_query: bool,
        /// Where visitors go once the link has expired; `null` if they see a page.
        fallback_url: Nullable<DestinationText>,
        /// When the link was created; for an imported link, where it comes from.
        created_at: TimeText,
        /// Who created the link: a key, or an import; `null` if an earlier version did.
        created_by: Nullable<Actor> = Nullable(created_by),
        /// When what can be written of the link last changed; at first, when it was created.
        updated_at: TimeText = updated_at.unwrap_or(created_at).into(),
        /// The time at which the link expires: from then on, it returns 410, or redirects to a fallback;
        /// `null` if it does not expire.
        expires_at: Nullable<TimeText>,
    }
}

impl Link {
    /// Describes a link in a state.
    pub fn new(short_url: String, keys: &KeyNames, link: links::Link, state: LinkState) -> Self {
        let created_by = Actor::of_link(link.properties.created_by, keys);
        (short_url, created_by, Style::from_stored(&link.properties.qr), link, state).into()
    }

    /// Describes a link in a state, with its current short URL.
    pub fn read(
        addresses: &Addresses,
        keys: &KeyNames,
        link: links::Link,
        state: LinkState,
    ) -> Self {
        let code = ShortCode::from_stored(&link.short_code);
        Self::new(addresses.short_url(link.owner_id, &code), keys, link, state)
    }
}

request_object! {
    json!({ "destination_url": EXAMPLE_URL, "title": "Spring catalogue", "campaign": "spring" });
    strict
    /// A link to create.
    pub struct LinkCreate: Into<CreateLink> = CreateLink {
        destination: destination_url,
        external_id,
        values: LinkValues {
            title: title.0,
            campaign: campaign.0,
            expires_at: expires_at.0,
            fallback: fallback_url.0,
            forward_query,
            is_paused,
            has_qr,
            style: StyleChange {
                error_correction: qr_error_correction,
                margin: qr_margin,
                foreground: qr_foreground,
                background: qr_background,
            },
        },
        custom_code: custom_code.map(|CustomCode(text)| text),
        demands_custom_code: true,
    } => {
        /// Where the link leads, as `url` in `POST /api/v1/shorten`.
        destination_url: Destination,
        /// The short code to give the link, case-sensitive. On a plan without custom codes, the response is
        /// 409 `custom-codes-not-allowed`.
        custom_code?: CustomCode,
        /// The link's title, for people, without control characters.
        title: Clearable<Title>,
        /// The campaign that the link belongs to, without control characters.
        campaign: Clearable<Campaign>,
        /// Your own identifier of the link, of 1 to 255 characters without control characters, except `.` and
        /// `..`. No other link of yours may have it.
        external_id?: ExternalId,
        /// The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a
        /// fallback. A time that is not in the future returns 409 `expiry-passed`.
        expires_at: Clearable<Timestamp>,
        /// Where visitors go once the link has expired, by the same rules as `destination_url`.
        fallback_url: Clearable<Destination>,
        /// `true` appends the query of each request to that of the destination. Without it, `false`.
        forward_query?: bool,
        /// `true` creates the link paused: it returns 410 until a change to `false`. Without it, `false`.
        is_paused?: bool,
        /// `true` enables the QR code. Without it, `false`.
        has_qr?: bool,
        /// How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
        /// `H` 30 %. Without it, `M`.
        qr_error_correction?: ErrorCorrection,
        /// The quiet zone around the QR code in modules. Without it, 4, as the standard asks for.
        qr_margin?: Margin,
        /// The colour of the QR code's modules, as `#rrggbb`. Without it, `#000000`.
        qr_foreground?: Colour,
        /// The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`.
        /// Without it, `#ffffff`.
        qr_background?: Colour,
    }
}

request_object! {
    json!({ "destination_url": EXAMPLE_URL, "title": "Spring catalogue", "campaign": null });
    strict
    /// New values for a link, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes
    /// a value.
    pub struct LinkUpdate: Into<(LinkEdit, Audit)> = {
        let values = LinkValues {
            title: title.0,
            campaign: campaign.0,
            expires_at: expires_at.0,
            fallback: fallback_url.0,
            forward_query: forward_query.0,
            is_paused: is_paused.0,
            has_qr: has_qr.0,
            style: StyleChange {
                error_correction: qr_error_correction.0,
                margin: qr_margin.0,
                foreground: qr_foreground.0,
                background: qr_background.0,
            },
        };
        let edit = LinkEdit { destination: destination_url.0, external_id: external_id.0, values };
        (edit, audit.0.unwrap_or_default())
    } => {
        /// Where the link leads, as in `POST /api/v1/shorten`.
        destination_url: Replaceable<Destination>,
        /// The link's title, for people, without control characters.
        title: Clearable<Title>,
        /// The campaign that the link belongs to, without control characters.
        campaign: Clearable<Campaign>,
        /// Your own identifier of the link, of 1 to 255 characters without control characters, except `.` and
        /// `..`. No other link of yours may have it.
        external_id: Clearable<ExternalId>,
        /// The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a
        /// fallback. A new time that is not in the future returns 409 `expiry-passed`.
        expires_at: Clearable<Timestamp>,
        /// `true` pauses the link, which then returns 410 instead of redirecting; `false` ends the pause.
        is_paused: Replaceable<bool>,
        /// Where visitors go once the link has expired, by the same rules as `destination_url`.
        fallback_url: Clearable<Destination>,
        /// Whether the redirect appends the query of each request to that of the destination.
        forward_query: Replaceable<bool>,
        /// Whether the QR code is enabled.
        has_qr: Replaceable<bool>,
        /// How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
        /// `H` 30 %.
        qr_error_correction: Replaceable<ErrorCorrection>,
        /// The quiet zone around the QR code in modules; the standard asks for 4.
        qr_margin: Replaceable<Margin>,
        /// The colour of the QR code's modules, as `#rrggbb`.
        qr_foreground: Replaceable<Colour>,
        /// The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`.
        qr_background: Replaceable<Colour>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

request_object! {
    json!({ "campaign": "spring-2026", "is_paused": false });
    strict
    /// New values for all links of a change: what is absent stays, and `null` removes a value.
    pub struct LinkChangeUpdate: Into<LinkValues> = LinkValues {
        title: title.0,
        campaign: campaign.0,
        expires_at: expires_at.0,
        fallback: fallback_url.0,
        forward_query: forward_query.0,
        is_paused: is_paused.0,
        has_qr: has_qr.0,
        style: StyleChange::default(),
    } => {
        /// The title.
        title: Clearable<Title>,
        /// The campaign.
        campaign: Clearable<Campaign>,
        /// The time at which the links expire (RFC 3339). One that is not in the future returns 409
        /// `expiry-passed`.
        expires_at: Clearable<Timestamp>,
        /// Whether the links are paused.
        is_paused: Replaceable<bool>,
        /// Where visitors go once a link has expired.
        fallback_url: Clearable<Destination>,
        /// Whether the redirect appends the query of each request to that of the destination.
        forward_query: Replaceable<bool>,
        /// Whether the QR codes are enabled.
        has_qr: Replaceable<bool>,
    }
}

response_object! {
    link_pages::CampaignLinks { campaign: "spring".to_owned(), links: 2 }.into();
    page "A page of campaigns, by name.";

    /// A campaign, and the number of its links.
    pub struct CampaignLinks: From<link_pages::CampaignLinks> = link_pages::CampaignLinks {
        campaign, links,
    } => {
        /// The campaign.
        campaign: CampaignText,
        /// Number of its links.
        links: Count,
    }
}
