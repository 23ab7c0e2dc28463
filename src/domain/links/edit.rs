//! Corrections of a link's properties.

use serde_json::{Map, Value};

use super::rules::LinkRules;
use super::select::LinkSelector;
use crate::domain::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use crate::domain::{Error, Field};
use crate::store::entities::link::Model;
use crate::store::events::EventChange;
use crate::store::link_changes::LinkConditions;
use crate::store::{Store, events, link_changes, owners};
use crate::values::{Campaign, Destination, Timestamp, Title};

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
}

impl LinkEdit {
    /// Checks the new values by the rules for new links.
    fn check(&self, rules: &LinkRules, now: Timestamp) -> Result<(), Error> {
        let Self { destination, title: _, campaign: _, expires_at, fallback, forward_query: _ } =
            self;
        if let Some(destination) = destination {
            rules.check_destination(Field::Destination, destination, now)?;
        }
        if let Some(Some(fallback)) = fallback {
            rules.check_destination(Field::Fallback, fallback, now)?;
        }
        rules.check_expiry(expires_at.flatten(), now)
    }

    /// Applies the new values to a link.
    fn apply(&self, link: &mut Model) {
        let Self { destination, title, campaign, expires_at, fallback, forward_query } =
            self.clone();
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
        if let Some(fallback) = fallback {
            link.fallback_url = fallback.map(Destination::into_string);
        }
        if let Some(forward_query) = forward_query {
            link.forward_query = forward_query.into();
        }
    }
}

/// Changes the properties of one link. Running servers apply the change within a second.
///
/// # Errors
/// [`Error::Invalid`], [`Error::DestinationBlocked`], [`Error::ExpiryPassed`],
/// [`Error::LinksNotFound`], [`Error::LinksDeleted`], or if the database fails.
pub async fn edit(
    store: &Store,
    code: &str,
    edit: &LinkEdit,
    rules: &LinkRules,
    change: &Change,
) -> Result<Changed, Error> {
    edit.check(rules, change.now)?;
    let selection = LinkSelector::of_code(code).resolve(store.reader()).await?;
    if !selection.deleted.is_empty() {
        return Err(Error::LinksDeleted(vec![code.to_owned()]));
    }
    let found = link_changes::with_ids(store.reader(), &selection.ids).await?.pop();
    let owner = match found.and_then(|link| link.owner_id) {
        Some(id) => owners::name_of(store.reader(), id).await?.map(|name| (id, name)),
        None => None,
    };
    let subject = Subject { text: code.to_owned(), owner };
    change
        .apply(store, Action::LinkEdit, |transaction| {
            edit_locked(transaction, edit, &selection.ids, &subject)
        })
        .await
}

async fn edit_locked<'a>(
    mut transaction: ChangeTransaction<'a>,
    edit: &LinkEdit,
    ids: &[i64],
    subject: &Subject,
) -> Result<(ChangeTransaction<'a>, ()), Error> {
    let conditions = LinkConditions::default();
    let Some(before) = link_changes::lock(&transaction.db, ids, &conditions).await?.pop() else {
        return Err(Error::LinksDeleted(vec![subject.text.clone()]));
    };
    let mut after = before.clone();
    edit.apply(&mut after);
    if after == before {
        return transaction.done(());
    }
    link_changes::update(&transaction.db, &before, &after).await?;
    let change = differences(&before, &after);
    transaction.record_values(subject, events::LINK, vec![change]).await?;
    link_changes::invalidate(&transaction.db, &[after], transaction.change.now).await?;
    transaction.done(())
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
