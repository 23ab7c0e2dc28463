//! Changes of links: the selection of links, and the columns that change.

use std::collections::BTreeSet;

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Cond, LikeExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, ExprTrait, IdenStatic as _, Iterable as _,
    ModelTrait as _, QueryFilter, QueryOrder, QuerySelect, Value,
};
use serde_json::{Map, Value as Json, json};

use super::entities::link::{Column, Entity, Model};
use super::error::StoreError;
use super::events::EventChange;
use super::invalidations::{self, Invalidation};
use super::{link_checksums, owners};
use crate::values::{Reason, ShortCode, Timestamp};

/// Maximum number of links per statement.
pub const MAX_IDS: usize = 1_000;

/// Conditions by which an operator selects links. A link must meet all of them and not be deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkConditions {
    /// Identifier of the owner.
    pub owner_id: Option<i64>,
    /// Campaign.
    pub campaign: Option<String>,
    /// Host of the destination in Punycode, or a parent domain of it.
    pub host: Option<String>,
    /// Destination, exactly as the client sent it.
    pub destination: Option<String>,
}

impl LinkConditions {
    fn condition(&self) -> Cond {
        let Self { owner_id, campaign, host, destination } = self;
        let mut all = Cond::all().add(Column::OwnerId.is_not_null());
        if let Some(owner_id) = owner_id {
            all = all.add(Column::OwnerId.eq(*owner_id));
        }
        if let Some(campaign) = campaign {
            all = all.add(Column::Campaign.eq(campaign));
        }
        if let Some(host) = host {
            let subdomain = LikeExpr::new(format!("%.{}", escape_like(host))).escape('\\');
            let is_host = Column::DestinationHost.eq(host);
            all = all.add(is_host.or(Column::DestinationHost.like(subdomain)));
        }
        if let Some(destination) = destination {
            all = all.add(Column::DestinationUrl.eq(destination));
        }
        all
    }
}

impl LinkConditions {
    /// Returns whether a row meets the conditions.
    #[must_use]
    pub fn is_met_by(&self, link: &Model) -> bool {
        let Self { owner_id, campaign, host, destination } = self;
        let is_host = |host: &String| {
            let rest = link.destination_host.strip_suffix(host.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        link.owner_id.is_some()
            && owner_id.is_none_or(|id| link.owner_id == Some(id))
            && campaign.as_ref().is_none_or(|text| link.campaign.as_ref() == Some(text))
            && host.as_ref().is_none_or(is_host)
            && destination.as_ref().is_none_or(|text| link.destination_url == *text)
    }
}

/// Escapes the characters that `LIKE` interprets, such as the underscore, which hosts may contain.
fn escape_like(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}

/// Returns the identifiers of all links that meet the conditions, oldest first.
pub async fn select(
    db: &impl ConnectionTrait,
    conditions: &LinkConditions,
) -> Result<Vec<i64>, StoreError> {
    let links = Entity::find().select_only().column(Column::Id).filter(conditions.condition());
    Ok(links.order_by_asc(Column::Id).into_tuple().all(db).await?)
}

/// Returns the links with these identifiers, oldest first.
pub async fn with_ids(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Vec<Model>, StoreError> {
    let links = Entity::find().filter(Column::Id.is_in(ids.iter().copied()));
    Ok(links.order_by_asc(Column::Id).all(db).await?)
}

/// Returns the links with these codes, deleted ones included.
pub async fn with_codes(
    db: &impl ConnectionTrait,
    codes: &[ShortCode],
) -> Result<Vec<Model>, StoreError> {
    let mut links = Vec::new();
    for part in codes.chunks(MAX_IDS) {
        let codes = part.iter().map(ShortCode::as_str);
        links.extend(Entity::find().filter(Column::ShortCode.is_in(codes)).all(db).await?);
    }
    Ok(links)
}

/// Returns the codes of the links that an event deleted, oldest first.
pub async fn deleted_by(
    db: &impl ConnectionTrait,
    event_id: i64,
) -> Result<Vec<String>, StoreError> {
    let links = Entity::find().select_only().column(Column::ShortCode);
    let links = links.filter(Column::DeletedEvent.eq(event_id)).order_by_asc(Column::Id);
    Ok(links.into_tuple().all(db).await?)
}

/// Locks the links among `ids` that still meet the conditions, in the order of their identifiers,
/// until the transaction ends.
pub async fn lock(
    db: &impl ConnectionTrait,
    ids: &[i64],
    conditions: &LinkConditions,
) -> Result<Vec<Model>, StoreError> {
    let links = Entity::find().filter(Column::Id.is_in(ids.iter().copied()));
    let links = links.filter(conditions.condition()).order_by_asc(Column::Id);
    Ok(links.lock_exclusive().all(db).await?)
}

/// Locks the owners of the links with these identifiers. Transactions lock owners before links, as
/// creations do, so that they cannot deadlock.
pub async fn lock_owners_of(db: &impl ConnectionTrait, ids: &[i64]) -> Result<(), StoreError> {
    for owner_id in owners_of(db, ids).await? {
        owners::lock(db, owner_id).await?;
    }
    Ok(())
}

/// Returns the identifiers of the owners of the links with these identifiers.
pub async fn owners_of(
    db: &impl ConnectionTrait,
    ids: &[i64],
) -> Result<BTreeSet<i64>, StoreError> {
    let found = Entity::find().select_only().column(Column::OwnerId).distinct();
    let found = found.filter(Column::Id.is_in(ids.iter().copied()));
    let owner_ids: Vec<Option<i64>> = found.into_tuple().all(db).await?;
    Ok(owner_ids.into_iter().flatten().collect())
}

/// New value of the column that disables or pauses links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopValue {
    /// Reason for which the links are disabled. `None`: they are enabled.
    Disabled(Option<Reason>),
    /// Whether the links are paused.
    Paused(bool),
}

impl StopValue {
    fn to_column(self) -> (Column, Value) {
        match self {
            Self::Disabled(reason) => (Column::DisabledReason, reason.map(<&str>::from).into()),
            Self::Paused(is_paused) => (Column::IsPaused, i32::from(is_paused).into()),
        }
    }

    /// Returns whether a link has this value.
    #[must_use]
    pub fn is_of(self, link: &Model) -> bool {
        let (column, value) = self.to_column();
        link.get(column) == value
    }
}

/// Disables, enables or pauses links, or ends their pause. Returns the changes for the event.
pub async fn set_stop(
    db: &impl ConnectionTrait,
    links: &[Model],
    value: StopValue,
) -> Result<Vec<EventChange>, StoreError> {
    let (column, value) = value.to_column();
    for part in links.chunks(MAX_IDS) {
        let ids: Vec<i64> = part.iter().map(|link| link.id).collect();
        let update = Entity::update_many()
            .col_expr(column, Expr::value(value.clone()))
            .filter(Column::Id.is_in(ids.iter().copied()));
        link_checksums::update(db, &ids, update).await?;
    }
    let text = |value: Value| json!({ column.as_str(): json_value(value) }).to_string();
    let changes = links.iter().map(|link| EventChange {
        subject: link.id.to_string(),
        before: text(link.get(column)),
        after: text(value.clone()),
    });
    Ok(changes.collect())
}

/// Returns the values of the columns that events record, by column.
#[must_use]
pub fn recorded(link: &Model) -> Map<String, Json> {
    recorded_columns()
        .map(|column| (column.as_str().to_owned(), json_value(link.get(column))))
        .collect()
}

/// Sets columns of a link to recorded values. Columns that are missing in `values` keep theirs.
///
/// # Errors
/// If a column cannot hold the value.
pub fn restore(link: &mut Model, values: &Map<String, Json>) -> Result<(), StoreError> {
    for column in recorded_columns() {
        if let Some(value) = values.get(column.as_str()) {
            let current = link.get(column);
            let restored = if let Value::BigInt(_) = current {
                Value::BigInt(value.as_i64())
            } else if let Value::Int(_) = current {
                Value::Int(value.as_i64().and_then(|number| number.try_into().ok()))
            } else {
                Value::String(value.as_str().map(str::to_owned))
            };
            link.try_set(column, restored)?;
        }
    }
    Ok(())
}

fn recorded_columns() -> impl Iterator<Item = Column> {
    Column::iter().filter(|column| column.purpose().is_recorded)
}

fn json_value(value: Value) -> Json {
    if let Value::BigInt(number) = value {
        number.into()
    } else if let Value::Int(number) = value {
        number.into()
    } else {
        value.unwrap::<Option<String>>().into()
    }
}

/// Stores the columns of `after` that events record and that differ from `before`.
pub async fn update(
    db: &impl ConnectionTrait,
    before: &Model,
    after: &Model,
) -> Result<(), StoreError> {
    let mut update = Entity::update_many().filter(Column::Id.eq(after.id));
    for column in recorded_columns().filter(|column| before.get(*column) != after.get(*column)) {
        update = update.col_expr(column, Expr::value(after.get(column)));
    }
    link_checksums::update(db, &[after.id], update).await
}

/// Appends invalidations of these links to the log.
pub async fn invalidate(
    db: &impl ConnectionTrait,
    links: &[Model],
    now: Timestamp,
) -> Result<(), StoreError> {
    let codes = links.iter().map(|link| ShortCode::from_stored(&link.short_code));
    let all: Vec<Invalidation> = codes.map(Invalidation::Link).collect();
    invalidations::publish_all(db, &all, now).await
}
