//! Corrections of a link's properties by an operator.

use serde_json::{Map, Value, json};

use super::bulk::BulkChange;
use super::selector::LinkSelector;
use crate::domain::AdminError;
use crate::domain::blocks::BlockSnapshot;
use crate::domain::events::{Action, ChangeContext, ChangeResult};
use crate::store::entities::link::Model;
use crate::store::events::EventChange;
use crate::store::{Store, events, link_changes, owners};
use crate::values::{Campaign, Destination, ServiceUrls, Timestamp, Title};

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
}

impl LinkEdit {
    /// Checks the new values by the rules of the API.
    fn check(
        &self,
        service: &ServiceUrls,
        blocks: &BlockSnapshot,
        now: Timestamp,
    ) -> Result<(), AdminError> {
        if let Some(destination) = &self.destination {
            if let Err(reason) = destination.check_outside(service) {
                return Err(AdminError::InvalidValue(format!("the destination {reason}")));
            }
            if let Some(reason) = blocks.blocked(destination.as_str(), now) {
                let host = destination.shown_host();
                return Err(AdminError::DestinationBlocked { host, reason });
            }
        }
        if let Some(Some(expires_at)) = self.expires_at
            && expires_at <= now
        {
            return Err(AdminError::ExpiryPassed);
        }
        Ok(())
    }

    /// Applies the new values to a link.
    fn apply(&self, link: &mut Model) {
        let Self { destination, title, campaign, expires_at } = self.clone();
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
            link.expires_at = expires_at.map(Timestamp::millis);
        }
    }
}

/// Changes the properties of one link. Running servers apply the change within a second.
///
/// # Errors
/// [`AdminError::InvalidValue`], [`AdminError::NoSuchLinks`], [`AdminError::LinksDeleted`], or if
/// the database fails.
pub async fn edit(
    store: &Store,
    code: &str,
    edit: &LinkEdit,
    service: &ServiceUrls,
    blocks: &BlockSnapshot,
    context: &ChangeContext,
) -> Result<ChangeResult, AdminError> {
    edit.check(service, blocks, context.now)?;
    let selector = LinkSelector::of_code(code);
    let selection = selector.resolve(store.reader()).await?;
    if !selection.deleted.is_empty() {
        return Err(AdminError::LinksDeleted(vec![code.to_owned()]));
    }
    let found = link_changes::with_ids(store.reader(), &selection.ids).await?.pop();
    let owner = match found.and_then(|link| link.owner_id) {
        Some(id) => owners::name_of(store.reader(), id).await?.map(|name| (id, name)),
        None => None,
    };
    let bulk = BulkChange { context, action: Action::LinkEdit, subject: code.to_owned(), owner };
    bulk.run(store, &selection.ids, async |db, ids, event| {
        let Some(before) = link_changes::lock(db, ids, &selection.conditions).await?.pop() else {
            return Err(AdminError::LinksDeleted(vec![code.to_owned()]));
        };
        let mut after = before.clone();
        edit.apply(&mut after);
        if after == before {
            return Ok(());
        }
        link_changes::update(db, after.clone()).await?;
        let (before_fields, after_fields) = differences(&before, &after);
        let change = EventChange {
            subject: before.id.to_string(),
            before: before_fields.to_string(),
            after: after_fields.to_string(),
        };
        let id = event.record(db, 1).await?;
        events::insert_changes(db, id, events::LINK, vec![change]).await?;
        link_changes::publish_link_changes(db, &[after], context.now).await?;
        Ok(())
    })
    .await
}

/// Returns the columns of a link whose changes events record, by name.
pub(super) fn fields(link: &Model) -> Map<String, Value> {
    let Model {
        destination_url,
        destination_host,
        title,
        campaign,
        expires_at,
        disabled_reason,
        ..
    } = link;
    let fields = json!({
        "destination_url": destination_url,
        "destination_host": destination_host,
        "title": title,
        "campaign": campaign,
        "expires_at": expires_at,
        "disabled_reason": disabled_reason,
    });
    if let Value::Object(fields) = fields { fields } else { Map::new() }
}

/// Returns the fields in which two versions of a link differ: their values before, and after.
pub(super) fn differences(before: &Model, after: &Model) -> (Value, Value) {
    let (before, after) = (fields(before), fields(after));
    let differs = |(name, value): &(String, Value), other: &Map<String, Value>| {
        other.get(name) != Some(value)
    };
    let changed = |of: &Map<String, Value>, other: &Map<String, Value>| -> Map<String, Value> {
        of.clone().into_iter().filter(|field| differs(field, other)).collect()
    };
    (Value::Object(changed(&before, &after)), Value::Object(changed(&after, &before)))
}
