//! The properties of a link that requests can give it.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Link;
use super::rules::LinkRules;
use crate::domain::qr::{Style, StyleChange};
use crate::domain::version::Versioned;
use crate::domain::{Error, Field};
use crate::store::entities::link::Model;
use crate::store::links::{LinkProperties, StoredQrSettings};
use crate::values::{Campaign, Destination, ExternalId, ShortCode, Timestamp, Title};

/// Values that a creation, an edit or a change of many links may have in common. `None` keeps a value, and
/// `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkValues {
    /// Title.
    pub title: Option<Option<Title>>,
    /// Campaign.
    pub campaign: Option<Option<Campaign>>,
    /// Time from which the link no longer redirects.
    pub expires_at: Option<Option<Timestamp>>,
    /// Where visitors of the expired link go.
    pub fallback: Option<Option<Destination>>,
    /// Whether the redirect appends the query of the request.
    pub forward_query: Option<bool>,
    /// Whether the link is paused.
    pub is_paused: Option<bool>,
    /// Whether the QR code is enabled.
    pub has_qr: Option<bool>,
    /// Settings of the QR code.
    pub style: StyleChange,
}

/// New values of a link. `None` keeps a value, and `Some(None)` removes it.
#[derive(Debug, Clone, Default)]
pub struct LinkEdit {
    /// Destination.
    pub destination: Option<Destination>,
    /// The owner's own identifier of the link.
    pub external_id: Option<Option<ExternalId>>,
    /// The other values.
    pub values: LinkValues,
}

impl LinkValues {
    /// Returns the properties of a new link with these values.
    pub(super) fn of_new(
        &self,
        destination: &Destination,
        external_id: Option<&ExternalId>,
        created_by: Option<i64>,
        created_at: Timestamp,
    ) -> LinkProperties {
        let Self { title, campaign, expires_at, fallback, forward_query, is_paused, has_qr, style } =
            self;
        let style = Style::default().with(style);
        LinkProperties {
            destination_url: destination.as_str().to_owned(),
            title: given(title).map(|title| title.as_str().to_owned()),
            campaign: given(campaign).map(|campaign| campaign.as_str().to_owned()),
            expires_at: expires_at.flatten(),
            fallback_url: given(fallback).map(|url| url.as_str().to_owned()),
            forward_query: forward_query.unwrap_or_default(),
            is_paused: is_paused.unwrap_or_default(),
            has_qr: has_qr.unwrap_or_default(),
            disabled: None,
            // Nothing is stored of the defaults.
            qr: if style == Style::default() {
                StoredQrSettings::default()
            } else {
                style.settings()
            },
            created_at,
            external_id: external_id.map(|id| id.as_str().to_owned()),
            created_by,
            updated_at: None,
        }
    }

    /// Returns what two requests to create a link must have in common for one to be the repetition of the
    /// other, in the order that stored fingerprints have.
    pub(super) fn texts(&self) -> [Option<Cow<'_, str>>; 11] {
        let Self { title, campaign, expires_at, fallback, forward_query, is_paused, has_qr, style } =
            self;
        let flag = |flag: &Option<bool>| (*flag == Some(true)).then_some(Cow::Borrowed("1"));
        let [error_correction, margin, foreground, background] =
            style.texts().map(|text| text.map(Cow::Owned));
        [
            given(title).map(|title| title.as_str().into()),
            given(campaign).map(|campaign| campaign.as_str().into()),
            expires_at.flatten().map(|time| time.millis().to_string().into()),
            given(fallback).map(|url| url.as_str().into()),
            flag(forward_query),
            flag(is_paused),
            flag(has_qr),
            error_correction,
            margin,
            foreground,
            background,
        ]
    }

    /// Applies the values to a link.
    ///
    /// # Errors
    /// [`Error::ExpiryPassed`] or [`Error::ColoursTooClose`], if the value is new.
    fn apply(&self, link: &mut Model, rules: &LinkRules, now: Timestamp) -> Result<(), Error> {
        let Self { title, campaign, expires_at, fallback, forward_query, is_paused, has_qr, style } =
            self.clone();
        if let Some(title) = title {
            link.title = title.map(Title::into_string);
        }
        if let Some(campaign) = campaign {
            link.campaign = campaign.map(Campaign::into_string);
        }
        if let Some(expires_at) = expires_at {
            if link.expires_at != expires_at {
                rules.check_expiry(expires_at, now)?;
            }
            link.expires_at = expires_at;
        }
        if let Some(fallback) = fallback {
            link.fallback_url = fallback.map(Destination::into_string);
        }
        link.forward_query = forward_query.map_or(link.forward_query, i32::from);
        link.is_paused = is_paused.map_or(link.is_paused, i32::from);
        link.has_qr = has_qr.map_or(link.has_qr, i32::from);
        let before = Style::from_stored(&link.clone().into());
        let after = before.with(&style);
        if after != before {
            let code = ShortCode::from_stored(&link.short_code);
            // Only a deleted link has no owner.
            let owner_id =
                link.owner_id.ok_or_else(|| Error::LinksDeleted(vec![code.to_string()]))?;
            let short_url = rules.addresses.short_url(owner_id, &code);
            link.set_qr(after.checked_settings(&short_url)?);
        }
        Ok(())
    }
}

impl LinkEdit {
    /// Checks new destinations by the rules for new links. Values that `before` has are not new.
    pub(super) fn check_destinations(
        &self,
        before: Option<&Model>,
        rules: &LinkRules,
        now: Timestamp,
    ) -> Result<(), Error> {
        let stored = before.map(|link| link.destination_url.as_str());
        if let Some(new) = self.destination.as_ref().filter(|new| Some(new.as_str()) != stored) {
            rules.check_destination(Field::Destination, new, now)?;
        }
        let stored = before.and_then(|link| link.fallback_url.as_deref());
        let new = given(&self.values.fallback);
        if let Some(new) = new.filter(|new| Some(new.as_str()) != stored) {
            rules.check_destination(Field::Fallback, new, now)?;
        }
        Ok(())
    }

    /// Applies the new values to a link.
    ///
    /// # Errors
    /// [`Error::ExpiryPassed`] or [`Error::ColoursTooClose`], if the value is new.
    pub(super) fn apply(
        &self,
        link: &mut Model,
        rules: &LinkRules,
        now: Timestamp,
    ) -> Result<(), Error> {
        let Self { destination, external_id, values } = self;
        if let Some(destination) = destination {
            destination.host().clone_into(&mut link.destination_host);
            destination.as_str().clone_into(&mut link.destination_url);
        }
        if let Some(external_id) = external_id.clone() {
            link.external_id = external_id.map(ExternalId::into_string);
        }
        values.apply(link, rules, now)
    }
}

/// Returns the value, if there is one to store.
pub(super) const fn given<T>(value: &Option<Option<T>>) -> Option<&T> {
    match value {
        Some(Some(value)) => Some(value),
        Some(None) | None => None,
    }
}

/// The values that [`LinkEdit`] can change, with defaults in place of values that were never set.
impl Versioned for Link {
    fn writable(&self) -> Value {
        let LinkProperties {
            destination_url,
            title,
            campaign,
            disabled: _,
            has_qr,
            expires_at,
            fallback_url,
            forward_query,
            is_paused,
            qr,
            created_at: _,
            external_id,
            created_by: _,
            updated_at: _,
        } = &self.properties;
        let Style { error_correction, margin, foreground, background } = Style::from_stored(qr);
        let mut values = vec![
            json!(destination_url),
            json!(title),
            json!(campaign),
            json!(expires_at.map(Timestamp::millis)),
            json!(fallback_url),
            json!(forward_query),
            json!(is_paused),
            json!(has_qr),
            json!(error_correction.into_str()),
            json!(margin.width()),
            json!(foreground.to_string()),
            json!(background.to_string()),
        ];
        // Two versions that run at the same time agree on links without one.
        values.extend(external_id.as_ref().map(|id| json!(id)));
        values.into()
    }
}
