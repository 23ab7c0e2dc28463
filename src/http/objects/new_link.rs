//! Links to create.

use serde_json::json;

use super::examples::EXAMPLE_URL;
use super::fields::{CustomCode, FlagValue};
use crate::domain::links::CreateLink;
use crate::domain::qr::StyleChange;
use crate::http::openapi::json_body::request_object;
use crate::values::{Campaign, Colour, Destination, ErrorCorrection, Margin, Timestamp, Title};

request_object! {
    json!({ "destination_url": EXAMPLE_URL, "title": "Spring catalogue", "campaign": "spring" });
    strict
    /// A link to create.
    pub struct LinkRequest {
        /// Where the link leads, as `url` in `POST /api/v1/shorten`.
        destination_url: Destination,
        /// The short code to give the link, case-sensitive. On a plan without custom codes it is ignored
        /// and a random code is generated: read `short_code` in the response.
        #[oai(nullable)]
        custom_code: Option<CustomCode>,
        /// The link's title, for people, without control characters.
        #[oai(nullable)]
        title: Option<Title>,
        /// The campaign that the link belongs to, without control characters.
        #[oai(nullable)]
        campaign: Option<Campaign>,
        /// The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a
        /// fallback. A time that is not in the future returns 409 `expiry-passed`.
        #[oai(nullable)]
        expires_at: Option<Timestamp>,
        /// Where visitors go once the link has expired, by the same rules as `destination_url`.
        #[oai(nullable)]
        fallback_url: Option<Destination>,
        /// 1 appends the query of each request to that of the destination. Without it, 0.
        #[oai(nullable)]
        forward_query: Option<FlagValue>,
        /// 1 creates the link paused: it returns 410 until a change to 0. Without it, 0.
        #[oai(nullable)]
        is_paused: Option<FlagValue>,
        /// 1 enables the QR code. Without it, 0.
        #[oai(nullable)]
        has_qr: Option<FlagValue>,
        /// How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %,
        /// `H` 30 %. Without it, `M`.
        #[oai(nullable)]
        qr_error_correction: Option<ErrorCorrection>,
        /// The quiet zone around the QR code in modules. Without it, 4, as the standard asks for.
        #[oai(nullable)]
        qr_margin: Option<Margin>,
        /// The colour of the QR code's modules, as `#rrggbb`. Without it, `#000000`.
        #[oai(nullable)]
        qr_foreground: Option<Colour>,
        /// The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`.
        /// Without it, `#ffffff`.
        #[oai(nullable)]
        qr_background: Option<Colour>,
    }
}

impl From<LinkRequest> for CreateLink {
    fn from(request: LinkRequest) -> Self {
        let LinkRequest {
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
        }
    }
}
