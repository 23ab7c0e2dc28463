//! Links, as their owners and the operator manage them.

use poem_openapi::Object;
use serde::Serialize;

use super::examples::{example_link, example_links};
use super::fields::{
    CampaignText, ColourText, Count, DestinationText, ErrorCorrectionText, Flag, Identifier,
    LinkCode, MarginWidth, ShortUrl, Text, TimeText, TitleText, Word,
};
use crate::domain::addresses::short_url;
use crate::domain::links::{Link, LinkState};
use crate::domain::qr::Style;
use crate::http::openapi::field::{Nullable, example};
use crate::http::problem::EXAMPLE_BASE_URL;
use crate::values::ShortCode;

/// A link with everything that its owner can see.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ManagedLink {
    /// The link's code.
    short_code: LinkCode,
    /// The URL to hand out: it redirects to the destination.
    short_url: ShortUrl,
    /// Where the link leads, exactly as it was sent.
    destination_url: DestinationText,
    /// The link's title; `null` without one.
    title: Nullable<TitleText>,
    /// The campaign that the link belongs to; `null` without one.
    campaign: Nullable<CampaignText>,
    /// Number of clicks, at most 2⁵³ − 1.
    clicks: Count,
    /// 1 while the link redirects, which is in the state `active`; otherwise 0.
    is_active: Flag,
    /// The first of these that applies: `owner-suspended`, `blocked` (its destination), `disabled` (by
    /// the operator), `paused` (by the owner), `expired`, `active`.
    state: Word,
    /// Why the operator suspended, blocked or disabled it, such as `phishing`; `null` in the other
    /// states.
    state_reason: Nullable<Word>,
    /// 1 if the owner has paused the link, even if another state takes precedence.
    is_paused: Flag,
    /// 1 if the QR code is enabled.
    has_qr: Flag,
    /// How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
    /// `H` 30 %.
    qr_error_correction: ErrorCorrectionText,
    /// The quiet zone around the QR code in modules.
    qr_margin: MarginWidth,
    /// The colour of the QR code's modules.
    qr_foreground: ColourText,
    /// The colour behind them.
    qr_background: ColourText,
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

impl ManagedLink {
    /// Describes a link in a state.
    pub fn new(short_url: String, link: Link, state: LinkState) -> Self {
        let Link {
            id: _,
            owner_id: _,
            short_code,
            destination_url,
            title,
            campaign,
            disabled: _,
            has_qr,
            expires_at,
            fallback_url,
            forward_query,
            is_paused,
            created_at,
            qr,
            clicks,
        } = link;
        let Style { error_correction, margin, foreground, background } = Style::from_stored(&qr);
        Self {
            short_url: ShortUrl(short_url),
            short_code: LinkCode(short_code),
            destination_url: DestinationText(destination_url),
            title: Nullable(title.map(TitleText)),
            campaign: Nullable(campaign.map(CampaignText)),
            clicks: Count(clicks),
            is_active: state.is_active().into(),
            state: Word(state.name().to_owned()),
            state_reason: Nullable(state.reason().map(|reason| Word(reason.as_str().to_owned()))),
            is_paused: is_paused.into(),
            has_qr: has_qr.into(),
            qr_error_correction: ErrorCorrectionText(error_correction.letter().to_owned()),
            qr_margin: MarginWidth(margin.width()),
            qr_foreground: ColourText(foreground.to_string()),
            qr_background: ColourText(background.to_string()),
            forward_query: forward_query.into(),
            fallback_url: Nullable(fallback_url.map(DestinationText)),
            created_at: created_at.into(),
            expires_at: Nullable(expires_at.map(TimeText::from)),
        }
    }
}

fn active(link: Link) -> ManagedLink {
    let url = short_url(EXAMPLE_BASE_URL, &ShortCode::from_stored(&link.short_code));
    ManagedLink::new(url, link, LinkState::Active)
}

example!(ManagedLink, active(example_link()));

/// A page of links, newest first.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ManagedLinkList {
    /// The links.
    pub data: Vec<ManagedLink>,
}

example!(ManagedLinkList, Self { data: example_links().map(active).into() });

/// A link with its owner.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OwnedLink {
    #[serde(flatten)]
    #[oai(flatten)]
    link: ManagedLink,
    /// Identifies the owner.
    owner_id: Identifier,
    /// The owner's name.
    owner: Text,
}

impl OwnedLink {
    /// Describes a link of an owner in a state.
    pub fn new(short_url: String, link: Link, state: LinkState, owner: &str) -> Self {
        let (owner_id, owner) = (Identifier(link.owner_id), Text(owner.to_owned()));
        Self { link: ManagedLink::new(short_url, link, state), owner_id, owner }
    }
}

fn owned(link: Link) -> OwnedLink {
    OwnedLink { owner_id: Identifier(7), owner: Text("acme".to_owned()), link: active(link) }
}

example!(OwnedLink, owned(example_link()));

/// A page of links, newest first.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OwnedLinkList {
    /// The links.
    pub data: Vec<OwnedLink>,
}

example!(OwnedLinkList, Self { data: example_links().map(owned).into() });
