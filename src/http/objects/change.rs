//! Changes, and their results.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::examples::EXAMPLE_URL;
use super::fields::{Count, Flag, FlagValue, Identifier, SubjectText};
use crate::domain::changes::{Actor, Change, Changed, Skipped};
use crate::domain::links::LinkEdit;
use crate::domain::qr::StyleChange;
use crate::http::openapi::field::{Nullable, example};
use crate::http::openapi::json_body::{Clearable, Flat, Replaceable, request_object};
use crate::values::{
    Campaign, CaseId, Colour, Destination, ErrorCorrection, Margin, Note, Reason, Timestamp, Title,
};

request_object! {
    json!({ "destination_url": EXAMPLE_URL, "title": "Spring catalogue", "campaign": null });
    strict
    /// New values for a link, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes
    /// a value.
    pub struct LinkPatch {
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
        #[oai(flatten)]
        account: Flat<ChangeAccount>,
    }
}

impl From<LinkPatch> for (LinkEdit, ChangeAccount) {
    fn from(patch: LinkPatch) -> Self {
        let LinkPatch {
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
            account: Flat(account),
        } = patch;
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
        (edit, account)
    }
}

request_object! {
    json!({ "reason": "phishing", "case": "4711" });
    strict
    /// Reason, note and case of a change, for the history.
    #[derive(Clone)]
    #[oai(rename = "ChangeReason")]
    pub struct ChangeAccount {
        /// The reason for the change, for the history.
        #[oai(nullable)]
        pub reason: Option<Reason>,
        /// A note for the history.
        #[oai(nullable)]
        pub note: Option<Note>,
        /// The identifier of a case in your own system, for the history.
        #[oai(nullable)]
        pub case: Option<CaseId>,
    }
}

impl ChangeAccount {
    /// Returns the change by an actor at the time `now`.
    #[must_use]
    pub fn change_by(self, actor: Actor, now: Timestamp) -> Change {
        let Self { reason, note, case } = self;
        let stop = CancellationToken::new();
        Change { actor, reason, note, case, is_dry_run: false, now, stop }
    }
}

/// The result of a change.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ChangeResult {
    /// Identifies the event; `null` if there was nothing to change.
    event: Nullable<Identifier>,
    /// Number of things that changed.
    changed: Count,
}

impl<T> From<&Changed<T>> for ChangeResult {
    fn from(changed: &Changed<T>) -> Self {
        let count = Count(changed.changed.try_into().unwrap_or(i64::MAX));
        Self { event: Nullable(changed.event.map(Identifier)), changed: count }
    }
}

example!(ChangeResult, (&Changed { event: Some(31), changed: 1, value: () }).into());

/// The result of a change of any number of links.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct LinkChangeResult {
    /// Identifies the event; `null` for a dry run, and if there was nothing to change.
    event: Nullable<Identifier>,
    /// Number of links that changed, or would change in a dry run.
    changed: Count,
    /// 1 if it was a dry run.
    dry_run: Flag,
}

impl LinkChangeResult {
    /// Describes the result of a change.
    pub fn new(changed: &Changed, is_dry_run: bool) -> Self {
        let ChangeResult { event, changed } = changed.into();
        Self { event, changed, dry_run: is_dry_run.into() }
    }
}

example!(
    LinkChangeResult,
    Self::new(&Changed { event: Some(31), changed: 2000, value: () }, false)
);

/// The result of an undo.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct UndoResult {
    /// Identifies the event of the undo; `null` if there was nothing to revert.
    event: Nullable<Identifier>,
    /// Number of links, owners, patterns or domains that were reverted.
    changed: Count,
    /// The codes of links, names of owners, patterns and hosts of domains that were not reverted, or not
    /// completely, because they have changed since, or were deleted.
    skipped: Vec<SubjectText>,
}

impl From<Changed<Vec<Skipped>>> for UndoResult {
    fn from(undone: Changed<Vec<Skipped>>) -> Self {
        let ChangeResult { event, changed } = (&undone).into();
        let skipped = undone.value.into_iter().map(|skipped| SubjectText(skipped.subject));
        Self { event, changed, skipped: skipped.collect() }
    }
}

example!(UndoResult, Changed { event: Some(32), changed: 1, value: Vec::new() }.into());
