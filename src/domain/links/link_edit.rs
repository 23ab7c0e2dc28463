//! The properties of a link that can be edited.

use serde_json::{Value, json};

use super::Link;
use super::rules::LinkRules;
use crate::domain::qr::{Style, StyleChange};
use crate::domain::version::Versioned;
use crate::domain::{Error, Field};
use crate::store::entities::link::Model;
use crate::store::links::{LinkProperties, QrColumns};
use crate::values::{Campaign, Destination, ExternalId, ShortCode, Timestamp, Title};

/// New values for properties of a link. `None` keeps a value, and `Some(None)` removes it.
#[derive(Debug, Clone, Default)]
pub struct LinkEdit {
    /// Destination.
    pub destination: Option<Destination>,
    /// Title.
    pub title: Option<Option<Title>>,
    /// Campaign.
    pub campaign: Option<Option<Campaign>>,
    /// Time from which the link no longer redirects.
    pub expires_at: Option<Option<Timestamp>>,
    /// The owner's own identifier of the link.
    pub external_id: Option<Option<ExternalId>>,
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

impl LinkEdit {
    /// Checks new destinations by the rules for new links. Values that `before` has are not new.
    pub(super) fn check_destinations(
        &self,
        before: Option<&Model>,
        rules: &LinkRules,
        now: Timestamp,
    ) -> Result<(), Error> {
        let Self {
            destination,
            fallback,
            title: _,
            campaign: _,
            expires_at: _,
            forward_query: _,
            is_paused: _,
            has_qr: _,
            external_id: _,
            style: _,
        } = self;
        let stored = before.map(|link| link.destination_url.as_str());
        if let Some(new) = destination.as_ref().filter(|new| Some(new.as_str()) != stored) {
            rules.check_destination(Field::Destination, new, now)?;
        }
        let stored = before.and_then(|link| link.fallback_url.as_deref());
        let new = fallback.as_ref().and_then(Option::as_ref);
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
        let Self {
            destination,
            title,
            campaign,
            expires_at,
            fallback,
            forward_query,
            is_paused,
            has_qr,
            external_id,
            style,
        } = self.clone();
        if let Some(destination) = destination {
            destination.host().clone_into(&mut link.destination_host);
            link.destination_url = destination.into_string();
        }
        if let Some(title) = title {
            link.title = title.map(Title::into_string);
        }
        if let Some(campaign) = campaign {
            link.campaign = campaign.map(Campaign::into_string);
        }
        if let Some(external_id) = external_id {
            link.external_id = external_id.map(ExternalId::into_string);
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
            let QrColumns { error_correction, margin, foreground, background } =
                after.checked_columns(&rules.addresses.short_url(owner_id, &code))?;
            link.qr_error_correction = Some(error_correction.to_owned());
            link.qr_margin = Some(margin);
            link.qr_foreground = Some(foreground);
            link.qr_background = Some(background);
        }
        Ok(())
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
