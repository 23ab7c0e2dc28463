//! Owners' domains.

use sea_orm::IdenStatic;
use sea_orm::prelude::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, IntoActiveModel,
    Iterable as _, QueryFilter, QueryOrder, QuerySelect, TryInsertResult,
};

use super::entities::domain::{Column, Entity};
use super::entities::{link, owner};
use super::error::StoreError;
use crate::values::Reason;

pub use super::entities::domain::Model as DomainRow;

/// Number of rows per query. The rows of a query take several times the memory of what is kept of them.
const PAGE: u64 = 100;

/// A domain, and its owner.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct OwnedDomain {
    /// The domain.
    #[sea_orm(nested)]
    pub domain: DomainRow,
    /// Name of the owner.
    pub owner: String,
    /// Reason for which the owner is suspended. `None`: the owner is not.
    pub suspended_reason: Option<Reason>,
}

/// Returns the domains whose hosts follow `after`, in the order of their bytes: one page, or none at
/// the end.
pub async fn page(db: &impl ConnectionTrait, after: &str) -> Result<Vec<OwnedDomain>, StoreError> {
    let domains = Entity::find()
        .inner_join(owner::Entity)
        .expr_as(Expr::col((owner::Entity, owner::Column::Name)), "owner")
        .column(owner::Column::SuspendedReason)
        .filter(Column::Host.gt(after))
        .order_by_asc(Column::Host)
        .limit(PAGE);
    Ok(domains.into_model().all(db).await?)
}

/// Returns the hosts of domains whose owner does not exist, in the order of their bytes.
pub async fn without_owner(db: &impl ConnectionTrait) -> Result<Vec<String>, StoreError> {
    let domains = Entity::find()
        .left_join(owner::Entity)
        .select_only()
        .column(Column::Host)
        .filter(owner::Column::Id.is_null())
        .order_by_asc(Column::Host);
    Ok(domains.into_tuple().all(db).await?)
}

/// Finds a domain. Returns `None` if no domain has the host.
pub async fn find(db: &impl ConnectionTrait, host: &str) -> Result<Option<DomainRow>, StoreError> {
    Ok(Entity::find_by_id(host).one(db).await?)
}

/// Returns the domains of an owner, the default one first.
pub async fn of_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Vec<DomainRow>, StoreError> {
    let domains = Entity::find().filter(Column::OwnerId.eq(owner_id));
    let mut domains = domains.all(db).await?;
    domains.sort_by(|one, other| one.rank().cmp(&other.rank()));
    Ok(domains)
}

/// Inserts a domain, unless one has the host. Returns whether it did. Callers must publish
/// [`Invalidation::Domains`](super::invalidations::Invalidation::Domains).
pub async fn insert(db: &impl ConnectionTrait, row: DomainRow) -> Result<bool, StoreError> {
    let insert = Entity::insert(row.into_active_model().reset_all()).on_conflict_do_nothing();
    let inserted = insert.exec_without_returning(db).await?;
    Ok(matches!(inserted, TryInsertResult::Inserted(1..)))
}

/// Stores all values of a domain. Callers must have locked the owner, and publish
/// [`Invalidation::Domains`](super::invalidations::Invalidation::Domains).
pub async fn update(db: &impl ConnectionTrait, row: DomainRow) -> Result<(), StoreError> {
    row.into_active_model().reset_all().update(db).await?;
    Ok(())
}

/// Deletes a domain. Callers must publish
/// [`Invalidation::Domains`](super::invalidations::Invalidation::Domains).
pub async fn delete(db: &impl ConnectionTrait, host: &str) -> Result<(), StoreError> {
    Entity::delete_by_id(host).exec(db).await?;
    Ok(())
}

/// Deletes the domains of an owner, and returns their number. Callers must publish
/// [`Invalidation::Domains`](super::invalidations::Invalidation::Domains).
pub async fn delete_of_owner(db: &impl ConnectionTrait, owner_id: i64) -> Result<u64, StoreError> {
    let domains = Entity::delete_many().filter(Column::OwnerId.eq(owner_id));
    Ok(domains.exec(db).await?.rows_affected)
}

/// Returns how many links have a destination with this host.
pub async fn count_destinations(db: &impl ConnectionTrait, host: &str) -> Result<u64, StoreError> {
    use sea_orm::PaginatorTrait as _;

    let links = link::Entity::find().filter(link::Column::DestinationHost.eq(host));
    Ok(links.filter(link::Column::OwnerId.is_not_null()).count(db).await?)
}

/// Returns whether a column of links has a destination.
pub fn is_destination(column: &str) -> bool {
    link::Column::iter()
        .any(|one| IdenStatic::as_str(&one) == column && one.purpose().is_destination)
}

/// Returns the column of links with the destination whose host has an index.
pub fn first_destination_column() -> link::Column {
    link::Column::DestinationUrl
}

/// Returns the columns of links with further destinations, whose hosts no column has.
pub fn further_destination_columns() -> impl Iterator<Item = link::Column> {
    let is_further = |column: &link::Column| {
        column.purpose().is_destination && !matches!(column, link::Column::DestinationUrl)
    };
    link::Column::iter().filter(is_further)
}

/// A destination of a link.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct LinkDestination {
    /// Identifier of the link.
    pub id: i64,
    /// The destination.
    pub url: String,
}

/// Returns a page of the destinations in a column that contain a text, of links after the link `after`,
/// or none at the end.
pub async fn destinations(
    db: &impl ConnectionTrait,
    column: link::Column,
    text: &str,
    after: i64,
) -> Result<Vec<LinkDestination>, StoreError> {
    let links = link::Entity::find()
        .select_only()
        .column(link::Column::Id)
        .column_as(column, "url")
        .filter(column.is_not_null())
        .filter(column.contains(text))
        .filter(link::Column::OwnerId.is_not_null())
        .filter(link::Column::Id.gt(after))
        .order_by_asc(link::Column::Id)
        .limit(PAGE);
    Ok(links.into_model().all(db).await?)
}
