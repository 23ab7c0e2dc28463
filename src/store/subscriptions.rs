//! Which deliveries of webhooks owners want, as each server has it in memory.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use super::entities::webhook::{Column, Entity};
use super::error::StoreError;
use crate::values::WebhookType;

/// The enabled webhooks of all owners, by owner.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Subscriptions(HashMap<i64, Vec<Subscription>>);

/// What an enabled webhook wants.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Subscription {
    webhook_id: i64,
    types: Vec<WebhookType>,
}

impl Subscriptions {
    /// Returns whether no owner has an enabled webhook.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether an owner has an enabled webhook.
    pub fn has(&self, owner_id: i64) -> bool {
        self.0.contains_key(&owner_id)
    }

    /// Returns whether any webhook wants deliveries of this type.
    pub fn any(&self, kind: WebhookType) -> bool {
        self.0.values().flatten().any(|webhook| webhook.types.contains(&kind))
    }

    /// Returns the webhooks of an owner.
    pub fn webhooks_of(&self, owner_id: i64) -> Vec<i64> {
        let all = self.0.get(&owner_id).into_iter().flatten();
        all.map(|webhook| webhook.webhook_id).collect()
    }

    /// Returns the webhooks of an owner that want deliveries of this type.
    pub fn wanting(&self, owner_id: i64, kind: WebhookType) -> impl Iterator<Item = i64> {
        let all = self.0.get(&owner_id).into_iter().flatten();
        all.filter(move |webhook| webhook.types.contains(&kind)).map(|webhook| webhook.webhook_id)
    }
}

/// Parses the names of types that a row has, without those that only a newer version knows.
pub fn types_of(stored: &str) -> Vec<WebhookType> {
    stored.split(' ').filter_map(|name| name.parse().ok()).collect()
}

/// Reads which deliveries owners want.
pub async fn read(db: &impl ConnectionTrait) -> Result<Subscriptions, StoreError> {
    let webhooks = Entity::find().filter(Column::IsEnabled.eq(true)).select_only();
    // Rows of SQLite have their columns in the order of the names.
    let webhooks = webhooks.columns([Column::Id, Column::OwnerId, Column::Types]);
    let mut found = Subscriptions::default();
    for (webhook_id, owner_id, types) in webhooks.into_tuple::<(i64, i64, String)>().all(db).await?
    {
        let subscription = Subscription { webhook_id, types: types_of(&types) };
        found.0.entry(owner_id).or_default().push(subscription);
    }
    Ok(found)
}
