//! Corrections of a link's properties.

use serde_json::{Map, Value};

use super::rules::LinkRules;
use super::target::LinkTarget;
use crate::domain::changes::{Action, Change, Changed};
use crate::domain::qr::{Style, StyleChange};
use crate::domain::{Error, Field};
use crate::store::entities::link::Model;
use crate::store::events::{ChangeKind, EventChange};
use crate::store::link_changes::LinkConditions;
use crate::store::links::QrColumns;
use crate::store::{Store, link_changes};
use crate::values::{Campaign, Destination, ShortCode, Timestamp, Title};

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
    fn check_destinations(
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
        let new = self.fallback.as_ref().and_then(Option::as_ref);
        if let Some(new) = new.filter(|new| Some(new.as_str()) != stored) {
            rules.check_destination(Field::Fallback, new, now)?;
        }
        Ok(())
    }

    /// Applies the new values to a link.
    ///
    /// # Errors
    /// [`Error::ExpiryPassed`] or [`Error::ColoursTooClose`], if the value is new.
    fn apply(&self, link: &mut Model, rules: &LinkRules, now: Timestamp) -> Result<(), Error> {
        let Self {
            destination,
            title,
            campaign,
            expires_at,
            fallback,
            forward_query,
            is_paused,
            has_qr,
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
        if let Some(expires_at) = expires_at {
            let stored = expires_at.map(Timestamp::millis);
            if link.expires_at != stored {
                rules.check_expiry(expires_at, now)?;
            }
            link.expires_at = stored;
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

/// Changes the properties of one link. Running servers apply the change within a second.
///
/// # Errors
/// [`Error::Invalid`], [`Error::DestinationBlocked`], [`Error::LinksNotFound`],
/// [`Error::LinksDeleted`], [`Error::PreconditionFailed`], [`Error::LinkDisabled`],
/// [`Error::ExpiryPassed`], [`Error::ColoursTooClose`], or if the database fails: the first that
/// applies.
pub async fn edit(
    store: &Store,
    target: LinkTarget<'_>,
    edit: &LinkEdit,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed, Error> {
    let found = match target.find(store.reader()).await {
        Ok(found) => found,
        Err(error) => {
            edit.check_destinations(None, rules, change.now)?;
            return Err(error);
        }
    };
    let subject = &target.subject(store, &found).await?;
    let edited = change.apply(store, Action::LinkEdit, async |mut transaction| {
        target.authorize(&transaction).await?;
        let (db, now) = (&transaction.db, change.now);
        let locked = link_changes::lock(db, &[found.id], &LinkConditions::default()).await?.pop();
        let before = locked.ok_or_else(|| Error::LinksDeleted(vec![subject.text.clone()]))?;
        edit.check_destinations(Some(&before), rules, now)?;
        target.check(&before, rules, now)?;
        let mut after = before.clone();
        edit.apply(&mut after, rules, now)?;
        if after != before {
            link_changes::update(db, &before, &after).await?;
            let values = differences(&before, &after);
            link_changes::invalidate(db, &[after], now).await?;
            transaction.record_values(subject, ChangeKind::Link, vec![values]).await?;
        }
        transaction.done(())
    });
    edited.await
}

/// Returns the recorded fields in which two versions of a link differ.
fn differences(before: &Model, after: &Model) -> EventChange {
    let subject = before.id.to_string();
    let (before, after) = (link_changes::recorded(before), link_changes::recorded(after));
    let changed = |of: &Map<String, Value>, other: &Map<String, Value>| {
        let fields = of.clone().into_iter().filter(|(name, value)| other.get(name) != Some(value));
        Value::Object(fields.collect()).to_string()
    };
    EventChange { subject, before: changed(&before, &after), after: changed(&after, &before) }
}
