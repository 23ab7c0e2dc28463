//! Changes of links: the selection of links, and the columns that change.

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Cond, Func, LikeExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, ExprTrait, IdenStatic as _, Iterable as _,
    ModelTrait as _, QueryFilter, QueryOrder, QuerySelect, Value,
};
use serde_json::{Map, Value as Json};

use super::entities::link::{Column, Entity, Model};
use super::error::StoreError;
use super::events::EventChange;
use super::invalidations::{self, Invalidation};
use super::link_checksums;
use super::links::{Link, LinkProperties};
use super::query::escape_like;
use crate::values::{Destination, ShortCode, Timestamp};

/// Maximum number of links per statement.
pub const MAX_IDS: usize = 1_000;

/// Conditions on links. A link must meet all of them and not be deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkConditions {
    /// Identifier of the owner.
    pub owner_id: Option<i64>,
    /// The owner's own identifier of the link.
    pub external_id: Option<String>,
    /// Campaign.
    pub campaign: Option<String>,
    /// Name of the state.
    pub state: Option<&'static str>,
    /// Host of the destination in Punycode, or a parent domain of it.
    pub host: Option<String>,
    /// Destination, exactly as the client sent it.
    pub destination: Option<String>,
    /// Part of the code, external identifier, title or destination, in ASCII lower case. ASCII letters
    /// match in any case.
    pub text: Option<String>,
    /// Only links created at this time or later.
    pub created_after: Option<Timestamp>,
    /// Only links created before this time.
    pub created_before: Option<Timestamp>,
    /// Only links that were created or changed at this time or later.
    pub updated_after: Option<Timestamp>,
    /// Identifier of the owner's key that created the link.
    pub created_by: Option<i64>,
}

impl LinkConditions {
    /// Returns the conditions in SQL, except for the state, which other tables decide too, and the text,
    /// whose letter case the databases fold differently.
    fn condition(&self) -> Cond {
        let Self { owner_id, external_id, campaign, state: _, host, destination, text: _, .. } =
            self;
        let Self { created_after, created_before, updated_after, created_by, .. } = self;
        let is_host = |host: &String| {
            let subdomain = LikeExpr::new(format!("%.{}", escape_like(host))).escape('\\');
            let is_host = Column::DestinationHost.eq(host);
            is_host.or(Column::DestinationHost.like(subdomain))
        };
        let updated_at = || {
            let columns = [Column::UpdatedAt, Column::CreatedAt].map(|column| column.into_expr());
            Func::coalesce(columns)
        };
        Cond::all()
            .add(Column::OwnerId.is_not_null())
            .add_option(owner_id.map(|id| Column::OwnerId.eq(id)))
            .add_option(external_id.as_ref().map(|id| Column::ExternalId.eq(id)))
            .add_option(campaign.as_ref().map(|campaign| Column::Campaign.eq(campaign)))
            .add_option(host.as_ref().map(is_host))
            .add_option(destination.as_ref().map(|url| Column::DestinationUrl.eq(url)))
            .add_option(created_after.map(|time| Column::CreatedAt.gte(time)))
            .add_option(created_before.map(|time| Column::CreatedAt.lt(time)))
            .add_option(updated_after.map(|time| updated_at().gte(time)))
            .add_option(created_by.map(|id| Column::CreatedBy.eq(id)))
    }

    /// Returns whether a link in this state meets the conditions.
    pub fn are_met_by(&self, link: &Link, link_state: &str) -> bool {
        let Self { owner_id, external_id, campaign, state, host, destination, text, .. } = self;
        let Self { created_after, created_before, updated_after, created_by, .. } = self;
        let Link { short_code, properties, .. } = link;
        let updated_at = properties.updated_at.unwrap_or(properties.created_at);
        let has_text = |part: &String| {
            let of = [properties.external_id.as_deref(), properties.title.as_deref()];
            let of = of.into_iter().flatten().chain([&**short_code, &*properties.destination_url]);
            of.into_iter().any(|text| text.to_ascii_lowercase().contains(part.as_str()))
        };
        owner_id.is_none_or(|id| link.owner_id == id)
            && campaign.as_ref().is_none_or(|text| properties.campaign.as_ref() == Some(text))
            && external_id.as_ref().is_none_or(|id| properties.external_id.as_ref() == Some(id))
            && state.is_none_or(|name| link_state == name)
            && destination.as_ref().is_none_or(|url| properties.destination_url == *url)
            && created_after.is_none_or(|time| properties.created_at >= time)
            && created_before.is_none_or(|time| properties.created_at < time)
            && updated_after.is_none_or(|time| updated_at >= time)
            && created_by.is_none_or(|id| properties.created_by == Some(id))
            && host.as_ref().is_none_or(|host| has_host(properties, host))
            && text.as_ref().is_none_or(has_text)
    }

    /// Returns whether there is no condition.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Returns whether a link leads to a host or to a subdomain of it.
fn has_host(properties: &LinkProperties, host: &str) -> bool {
    Destination::parse(&properties.destination_url).is_ok_and(|destination| {
        let rest = destination.host().strip_suffix(host);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
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

/// Returns the values of the columns that events record, by column.
pub fn recorded(link: &Model) -> Map<String, Json> {
    recorded_columns()
        .map(|column| (column.as_str().to_owned(), json_value(link.get(column))))
        .collect()
}

/// Returns the change of a link, as events record it.
pub fn edit_of(before: &Model, after: &Model) -> EventChange {
    let [from, to] = [before, after].map(|link| recorded(link).into());
    EventChange::between(before.id, &from, &to)
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

/// Returns whether a recorded column is one that the owner can write.
const fn is_writable(column: Column) -> bool {
    !matches!(column, Column::DisabledReason)
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
    now: Timestamp,
) -> Result<(), StoreError> {
    update_all(db, &[(before.clone(), after.clone())], now).await
}

/// Stores the columns that events record and that differ between links before and after a change, which
/// has given all links the same values.
pub async fn update_all(
    db: &impl ConnectionTrait,
    links: &[(Model, Model)],
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some((_, last)) = links.last() else { return Ok(()) };
    let ids: Vec<i64> = links.iter().map(|(before, _)| before.id).collect();
    let mut update = Entity::update_many().filter(Column::Id.is_in(ids.iter().copied()));
    let differs = |column: &Column| {
        links.iter().any(|(before, after)| before.get(*column) != after.get(*column))
    };
    let mut is_written = false;
    for column in recorded_columns().filter(differs) {
        update = update.col_expr(column, Expr::value(last.get(column)));
        is_written |= is_writable(column);
    }
    if is_written {
        update = update.col_expr(Column::UpdatedAt, Expr::value(now));
    }
    link_checksums::update(db, &ids, update).await
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
