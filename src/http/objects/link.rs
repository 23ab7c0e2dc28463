//! Links, as their owners and the operator manage them.

use serde_json::json;

use super::change::Audit;
use super::fields::{
    CampaignText, ColourText, Count, CustomCode, DestinationText, EXAMPLE_CODE, EXAMPLE_URL,
    ErrorCorrectionText, Flag, FlagValue, LinkCode, MarginWidth, ReasonWord, ShortUrl, StateWord,
    TimeText, TitleText,
};
use crate::domain::addresses::{Addresses, short_url};
use crate::domain::links::{
    self, CreateLink, LinkEdit, LinkProperties, LinkState, StoredQrSettings,
};
use crate::domain::qr::{Style, StyleChange};
use crate::http::openapi::field::Nullable;
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::list::Listed;
use crate::http::openapi::response_object::response_object;
use crate::http::problem::EXAMPLE_BASE_URL;
use crate::values::{
    Campaign, Colour, Destination, ErrorCorrection, Margin, ShortCode, Timestamp, Title,
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
        ..newer.properties.clone()
    };
    let short_code = "wq3XbTn".to_owned();
    let older = links::Link { id: 1, short_code, properties, clicks: 7, ..newer.clone() };
    [newer, older]
}

response_object! {
    {
        let link = example_link();
        let url = short_url(EXAMPLE_BASE_URL, &ShortCode::from_stored(&link.short_code));
        Self::new(url, link, LinkState::Active)
    };

    /// A link with everything that its owner can see.
    pub struct Link: From<(String, Style, links::Link, LinkState)> = (
        short_url,
        Style { error_correction, margin, foreground, background },
        links::Link {
            id: _, owner_id: _, short_code, clicks,
            properties: LinkProperties {
                destination_url, title, campaign, disabled: _, has_qr, expires_at, fallback_url,
                forward_query, is_paused, qr: _, created_at,
            },
        },
        state,
    ) => {
        /// The link's code.
        short_code: LinkCode,
        /// The URL to hand out: it redirects to the destination.
        short_url: ShortUrl = ShortUrl(short_url),
        /// Where the link leads, exactly as it was sent.
        destination_url: DestinationText,
        /// The link's title; `null` without one.
        title: Nullable<TitleText>,
        /// The campaign that the link belongs to; `null` without one.
        campaign: Nullable<CampaignText>,
        /// Number of clicks, at most 2⁵³ − 1.
        clicks: Count,
        /// 1 while the link redirects, which is in the state `active`; otherwise 0.
        is_active: Flag = state.is_active().into(),
        /// The first of these that applies: `owner-suspended`, `blocked` (its destination), `disabled` (by
        /// the operator), `paused` (by the owner), `expired`, `active`.
        state: StateWord = state.into_str().into(),
        /// Why the operator suspended, blocked or disabled it, such as `phishing`; `null` in the other
        /// states.
        state_reason: Nullable<ReasonWord> = state.reason().map(<&str>::from).into(),
        /// 1 if the owner has paused the link, even if another state takes precedence.
        is_paused: Flag,
        /// 1 if the QR code is enabled.
        has_qr: Flag,
        /// How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
        /// `H` 30 %.
        qr_error_correction: ErrorCorrectionText = error_correction.into_str().to_owned().into(),
        /// The quiet zone around the QR code in modules.
        qr_margin: MarginWidth = margin.width().into(),
        /// The colour of the QR code's modules.
        qr_foreground: ColourText = foreground.to_string().into(),
        /// The colour behind them.
        qr_background: ColourText = background.to_string().into(),
        /// 1 if the redirect appends the query of the request to that of the destination.
        forward_query: Flag,
        /// Where visitors go once the link has expired; `null` if they see a page.
        fallback_url: Nullable<DestinationText>,
        /// When the link was created; for an imported link, where it comes from.
        created_at: TimeText,
        /// The time at which the link expires: from then on, it returns 410, or redirects to a fallback;
        /// `null` if it does not expire.
        expires_at: Nullable<TimeText>,
    }
}

impl Link {
    /// Describes a link in a state.
    pub fn new(short_url: String, link: links::Link, state: LinkState) -> Self {
        (short_url, Style::from_stored(&link.properties.qr), link, state).into()
    }

    /// Describes a link in a state, with its current short URL.
    pub fn read(addresses: &Addresses, link: links::Link, state: LinkState) -> Self {
        let code = ShortCode::from_stored(&link.short_code);
        Self::new(addresses.short_url(link.owner_id, &code), link, state)
    }
}

impl Listed for Link {
    const PAGE: &'static str = "A page of links, newest first.";
}

request_object! {
    json!({ "destination_url": EXAMPLE_URL, "title": "Spring catalogue", "campaign": "spring" });
    strict
    /// A link to create.
    pub struct LinkCreate {
        /// Where the link leads, as `url` in `POST /api/v1/shorten`.
        destination_url: Destination,
        /// The short code to give the link, case-sensitive. On a plan without custom codes it is ignored
        /// and a random code is generated: read `short_code` in the response.
        custom_code?: CustomCode,
        /// The link's title, for people, without control characters.
        title?: Title,
        /// The campaign that the link belongs to, without control characters.
        campaign?: Campaign,
        /// The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a
        /// fallback. A time that is not in the future returns 409 `expiry-passed`.
        expires_at?: Timestamp,
        /// Where visitors go once the link has expired, by the same rules as `destination_url`.
        fallback_url?: Destination,
        /// 1 appends the query of each request to that of the destination. Without it, 0.
        forward_query?: FlagValue,
        /// 1 creates the link paused: it returns 410 until a change to 0. Without it, 0.
        is_paused?: FlagValue,
        /// 1 enables the QR code. Without it, 0.
        has_qr?: FlagValue,
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

impl From<LinkCreate> for CreateLink {
    fn from(request: LinkCreate) -> Self {
        let LinkCreate {
            destination_url: destination,
            custom_code,
            title,
            campaign,
            expires_at,
            fallback_url: fallback,
            forward_query,
            is_paused,
            has_qr,
            qr_error_correction: error_correction,
            qr_margin: margin,
            qr_foreground: foreground,
            qr_background: background,
        } = request;
        let [forward_query, is_paused, has_qr] =
            [forward_query, is_paused, has_qr].map(|flag| flag.is_some_and(|FlagValue(flag)| flag));
        Self {
            destination,
            title,
            campaign,
            expires_at,
            fallback,
            forward_query,
            is_paused,
            has_qr,
            style: StyleChange { error_correction, margin, foreground, background },
            custom_code: custom_code.map(|CustomCode(text)| text),
            demands_custom_code: true,
        }
    }
}

request_object! {
    json!({ "destination_url": EXAMPLE_URL, "title": "Spring catalogue", "campaign": null });
    strict
    /// New values for a link, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes
    /// a value.
    pub struct LinkUpdate {
        /// Where the link leads, as in `POST /api/v1/shorten`.
        destination_url: Replaceable<Destination>,
        /// The link's title, for people, without control characters.
        title: Clearable<Title>,
        /// The campaign that the link belongs to, without control characters.
        campaign: Clearable<Campaign>,
        /// The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a
        /// fallback. A new time that is not in the future returns 409 `expiry-passed`.
        expires_at: Clearable<Timestamp>,
        /// 1 pauses the link, which then returns 410 instead of redirecting; 0 ends the pause.
        is_paused: Replaceable<FlagValue>,
        /// Where visitors go once the link has expired, by the same rules as `destination_url`.
        fallback_url: Clearable<Destination>,
        /// 1 appends the query of each request to that of the destination, 0 does not.
        forward_query: Replaceable<FlagValue>,
        /// 1 enables the QR code, 0 disables it.
        has_qr: Replaceable<FlagValue>,
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

impl From<LinkUpdate> for (LinkEdit, Audit) {
    fn from(update: LinkUpdate) -> Self {
        let LinkUpdate {
            destination_url: Replaceable(destination),
            title: Clearable(title),
            campaign: Clearable(campaign),
            expires_at: Clearable(expires_at),
            is_paused: Replaceable(is_paused),
            fallback_url: Clearable(fallback),
            forward_query: Replaceable(forward_query),
            has_qr: Replaceable(has_qr),
            qr_error_correction: Replaceable(error_correction),
            qr_margin: Replaceable(margin),
            qr_foreground: Replaceable(foreground),
            qr_background: Replaceable(background),
            audit: OptionalNested(audit),
        } = update;
        let [forward_query, is_paused, has_qr] =
            [forward_query, is_paused, has_qr].map(|flag| flag.map(|FlagValue(flag)| flag));
        let style = StyleChange { error_correction, margin, foreground, background };
        let edit = LinkEdit {
            destination,
            title,
            campaign,
            expires_at,
            fallback,
            forward_query,
            is_paused,
            has_qr,
            style,
        };
        (edit, audit.unwrap_or_default())
    }
}
