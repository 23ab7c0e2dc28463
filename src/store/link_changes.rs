//! Changes of links by operators: the selection of links, and the columns that change.

use std::collections::BTreeSet;

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Cond, LikeExpr, SimpleExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, ExprTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::changes::{self, Change};
use super::entities::link::{ActiveModel, Column, Entity, Model};
use super::error::StoreError;
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
///
/// # Errors
/// If the database fails.
pub async fn select(
    db: &impl ConnectionTrait,
    conditions: &LinkConditions,
) -> Result<Vec<i64>, StoreError> {
    let links = Entity::find().select_only().column(Column::Id).filter(conditions.condition());
    Ok(links.order_by_asc(Column::Id).into_tuple().all(db).await?)
}

/// Returns the links with these identifiers, oldest first.
///
/// # Errors
/// If the database fails.
pub async fn with_ids(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Vec<Model>, StoreError> {
    let links = Entity::find().filter(Column::Id.is_in(ids.iter().copied()));
    Ok(links.order_by_asc(Column::Id).all(db).await?)
}

/// Returns the links with these codes, deleted ones included.
///
/// # Errors
/// If the database fails.
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
///
/// # Errors
/// If the database fails.
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
///
/// # Errors
/// If the database fails.
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
///
/// # Errors
/// If the database fails.
pub async fn lock_owners_of(db: &impl ConnectionTrait, ids: &[i64]) -> Result<(), StoreError> {
    for owner_id in owners_of(db, ids).await? {
        owners::lock(db, owner_id).await?;
    }
    Ok(())
}

/// Returns the identifiers of the owners of the links with these identifiers.
///
/// # Errors
/// If the database fails.
pub async fn owners_of(
    db: &impl ConnectionTrait,
    ids: &[i64],
) -> Result<BTreeSet<i64>, StoreError> {
    let found = Entity::find().select_only().column(Column::OwnerId).distinct();
    let found = found.filter(Column::Id.is_in(ids.iter().copied()));
    let owner_ids: Vec<Option<i64>> = found.into_tuple().all(db).await?;
    Ok(owner_ids.into_iter().flatten().collect())
}

/// Disables links for a reason, or enables them if `disabled` is `None`.
///
/// # Errors
/// If the database fails.
pub async fn set_disabled(
    db: &impl ConnectionTrait,
    ids: &[i64],
    disabled: Option<Reason>,
) -> Result<(), StoreError> {
    for part in ids.chunks(MAX_IDS) {
        let update = Entity::update_many()
            .col_expr(Column::DisabledReason, Expr::value(disabled.map(Reason::as_str)))
            .filter(Column::Id.is_in(part.iter().copied()));
        link_checksums::update(db, part, update).await?;
    }
    Ok(())
}

/// Stores the editable columns of a link: destination, title, campaign, expiry and disabled reason.
///
/// # Errors
/// If the database fails.
pub async fn update(db: &impl ConnectionTrait, link: Model) -> Result<(), StoreError> {
    let id = link.id;
    let row: ActiveModel = link.into_active_model();
    let mut update = Entity::update_many().filter(Column::Id.eq(id));
    let columns = [
        (Column::DestinationUrl, value(row.destination_url)),
        (Column::DestinationHost, value(row.destination_host)),
        (Column::Title, value(row.title)),
        (Column::Campaign, value(row.campaign)),
        (Column::ExpiresAt, value(row.expires_at)),
        (Column::DisabledReason, value(row.disabled_reason)),
    ];
    for (column, value) in columns {
        update = update.col_expr(column, value);
    }
    link_checksums::update(db, &[id], update).await
}

fn value<T: Into<sea_orm::Value>>(column: sea_orm::ActiveValue<T>) -> SimpleExpr {
    Expr::value(column.into_value().unwrap_or(sea_orm::Value::String(None)))
}

/// Appends to the change log that these links have changed.
///
/// # Errors
/// If the database fails.
pub async fn publish_link_changes(
    db: &impl ConnectionTrait,
    links: &[Model],
    now: Timestamp,
) -> Result<(), StoreError> {
    let codes = links.iter().filter_map(|link| ShortCode::parse(&link.short_code).ok());
    let all: Vec<Change> = codes.map(Change::Link).collect();
    changes::publish_all(db, &all, now).await
}
