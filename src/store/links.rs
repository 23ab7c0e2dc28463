//! Links: their properties, and queries for single ones.

mod erase;

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QueryResult, QuerySelect,
};

use super::entities::link::{Column, Entity, Model};
use super::error::{StoreError, absent_if_invalid};
use super::owners;
use super::query::scalars;
use crate::values::{Reason, ShortCode, Timestamp};

pub use self::erase::{Erased, erase};

/// Properties of a link: all except owner, short code and clicks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkProperties {
    /// Destination as the client sent it.
    pub destination_url: String,
    /// Title, if the link has one.
    pub title: Option<String>,
    /// Campaign, if the link has one.
    pub campaign: Option<String>,
    /// Reason for which the link is disabled, if it is.
    pub disabled: Option<Reason>,
    /// Whether the QR code is enabled.
    pub has_qr: bool,
    /// Time from which the link no longer redirects, if it expires.
    pub expires_at: Option<Timestamp>,
    /// Where visitors of the expired link go, if the link has such a destination.
    pub fallback_url: Option<String>,
    /// Whether the redirect appends the query of the request.
    pub forward_query: bool,
    /// Whether the owner has paused the link.
    pub is_paused: bool,
    /// Settings of the QR code.
    pub qr: StoredQrSettings,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The owner's own identifier of the link, if it has one.
    pub external_id: Option<String>,
    /// Identifier of the owner's key that created the link, or [`BY_IMPORT`]. `None`: an earlier version
    /// created it.
    pub created_by: Option<i64>,
    /// Time of the last change of what the owner can write. `None`: it has not changed.
    pub updated_at: Option<Timestamp>,
}

/// Stored in place of a key's identifier if an import created the link.
pub const BY_IMPORT: i64 = 0;

/// What both requests and imports store of a new link: its properties and what follows from them.
/// `PROPERTY_COLUMNS` names the columns.
#[derive(Debug, Clone)]
pub struct NewProperties {
    /// Host of the destination in Punycode, without a trailing dot.
    pub destination_host: String,
    /// The properties.
    pub link: LinkProperties,
}

/// Function that reads the value of one column from [`NewProperties`], by type.
pub(super) enum PropertyReader {
    Text(fn(&NewProperties) -> Option<&str>),
    Int(fn(&NewProperties) -> Option<i32>),
    BigInt(fn(&NewProperties) -> Option<i64>),
}

/// The columns of [`NewProperties`] with their readers, from which both databases build inserts.
pub(super) const PROPERTY_COLUMNS: [(&str, PropertyReader); 17] = [
    ("destination_url", PropertyReader::Text(|new| Some(&new.link.destination_url))),
    ("destination_host", PropertyReader::Text(|new| Some(&new.destination_host))),
    ("title", PropertyReader::Text(|new| new.link.title.as_deref())),
    ("campaign", PropertyReader::Text(|new| new.link.campaign.as_deref())),
    ("disabled_reason", PropertyReader::Text(|new| new.link.disabled.map(<&str>::from))),
    ("expires_at", PropertyReader::BigInt(|new| new.link.expires_at.map(Timestamp::millis))),
    ("has_qr", PropertyReader::Int(|new| Some(new.link.has_qr.into()))),
    ("qr_error_correction", PropertyReader::Text(|new| new.link.qr.error_correction.as_deref())),
    ("qr_margin", PropertyReader::Int(|new| new.link.qr.margin)),
    ("qr_foreground", PropertyReader::Text(|new| new.link.qr.foreground.as_deref())),
    ("qr_background", PropertyReader::Text(|new| new.link.qr.background.as_deref())),
    ("created_at", PropertyReader::BigInt(|new| Some(new.link.created_at.millis()))),
    ("fallback_url", PropertyReader::Text(|new| new.link.fallback_url.as_deref())),
    ("forward_query", PropertyReader::Int(|new| Some(new.link.forward_query.into()))),
    ("is_paused", PropertyReader::Int(|new| Some(new.link.is_paused.into()))),
    ("external_id", PropertyReader::Text(|new| new.link.external_id.as_deref())),
    ("created_by", PropertyReader::BigInt(|new| new.link.created_by)),
];

/// Returns the names of [`PROPERTY_COLUMNS`], each with `prefix`, separated by commas.
pub(super) fn property_names(prefix: &str) -> String {
    PROPERTY_COLUMNS.map(|(name, _)| format!("{prefix}{name}")).join(", ")
}

impl LinkProperties {
    /// Returns the total size of the texts in bytes.
    pub fn text_bytes(&self) -> usize {
        let Self {
            destination_url,
            title,
            campaign,
            disabled: _,
            has_qr: _,
            expires_at: _,
            fallback_url,
            forward_query: _,
            is_paused: _,
            qr: _,
            created_at: _,
            external_id,
            created_by: _,
            updated_at: _,
        } = self;
        let optional = [title, campaign, fallback_url, external_id].into_iter().flatten();
        destination_url.len() + optional.map(String::len).sum::<usize>()
    }
}

/// A link and its clicks at one point in time, as statistics, lists and exports show them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Identifier of the link.
    pub id: i64,
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Short code.
    pub short_code: String,
    /// Other properties.
    pub properties: LinkProperties,
    /// Number of clicks, pending ones included, but at most
    /// [`MAX_CLICKS`](super::clicks::MAX_CLICKS). It is 0 in lists without clicks.
    pub clicks: i64,
}

impl Link {
    /// Converts the row of a link with its clicks. Returns `None` if the link is deleted.
    pub fn from_row(row: Model, clicks: i64) -> Option<Self> {
        let Model {
            id,
            owner_id,
            short_code,
            destination_url,
            destination_host: _,
            title,
            campaign,
            disabled_reason,
            expires_at,
            has_qr,
            qr_error_correction: error_correction,
            qr_margin: margin,
            qr_foreground: foreground,
            qr_background: background,
            deleted_event: _,
            created_at,
            fallback_url,
            forward_query,
            is_paused,
            external_id,
            created_by,
            updated_at,
        } = row;
        let properties = LinkProperties {
            destination_url,
            title,
            campaign,
            disabled: disabled_reason.as_deref().map(Reason::from_stored),
            has_qr: has_qr == 1,
            expires_at,
            fallback_url,
            forward_query: forward_query == 1,
            is_paused: is_paused == 1,
            qr: StoredQrSettings { error_correction, margin, foreground, background },
            created_at,
            external_id,
            created_by,
            updated_at,
        };
        Some(Self { id, owner_id: owner_id?, short_code, properties, clicks })
    }
}

/// The columns of [`Link`] without the clicks, in the order in which [`decode_link`] reads them.
pub(super) const LINK_COLUMNS: &str = "id, owner_id, short_code, destination_url, title, campaign,
    disabled_reason, has_qr, expires_at, created_at, fallback_url, forward_query, is_paused,
    qr_error_correction, qr_margin, qr_foreground, qr_background, external_id, created_by, updated_at";

/// The columns of clicks without pending ones and of the checksum, which queries on SQLite append to
/// [`LINK_COLUMNS`].
pub(super) const COUNTED_CLICKS: &str = ",
    COALESCE((SELECT proven_count(link_id, count, proof)
              FROM click_counts WHERE link_id = links.id), 0)
        + COALESCE((SELECT proven_count(link_id, count, proof)
                    FROM recent_counts WHERE link_id = links.id), 0),
    checksum";

/// Decodes a row of [`LINK_COLUMNS`] and the clicks by position. Lookups of
/// columns by name would take up a fifth of the time to read a list.
macro_rules! decode_link {
    ($row:ident, $get:ident) => {
        $crate::store::links::Link {
            id: $row.$get(0)?,
            owner_id: $row.$get(1)?,
            short_code: $row.$get(2)?,
            properties: $crate::store::links::LinkProperties {
                destination_url: $row.$get(3)?,
                title: $row.$get(4)?,
                campaign: $row.$get(5)?,
                disabled: $row.$get(6)?,
                has_qr: $row.$get(7).map(|flag: i32| flag == 1)?,
                expires_at: $row.$get(8)?,
                created_at: $row.$get(9)?,
                fallback_url: $row.$get(10)?,
                forward_query: $row.$get(11).map(|flag: i32| flag == 1)?,
                is_paused: $row.$get(12).map(|flag: i32| flag == 1)?,
                qr: $crate::store::links::StoredQrSettings {
                    error_correction: $row.$get(13)?,
                    margin: $row.$get(14)?,
                    foreground: $row.$get(15)?,
                    background: $row.$get(16)?,
                },
                external_id: $row.$get(17)?,
                created_by: $row.$get(18)?,
                updated_at: $row.$get(19)?,
            },
            clicks: $row
                .$get(20)
                .map(|clicks: i64| clicks.min($crate::store::clicks::MAX_CLICKS))?,
        }
    };
}
pub(super) use decode_link;

/// Decodes a row of PostgreSQL. Rows of SQLite do not pass through SeaORM.
impl FromQueryResult for Link {
    fn from_query_result(row: &QueryResult, _: &str) -> Result<Self, DbErr> {
        Ok(decode_link!(row, try_get_by_index))
    }
}

/// Data of a link and its owner that the server needs for a redirect.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct TargetRow {
    /// Identifier of the link.
    pub link_id: i64,
    /// Identifier of the owner. `None`: the link is deleted.
    pub owner_id: Option<i64>,
    /// Destination as the client sent it.
    pub destination_url: String,
    /// Reason for which the link is disabled, if it is.
    pub disabled_reason: Option<Reason>,
    /// Reason of the owner's suspension, if the owner is suspended.
    pub suspended_reason: Option<Reason>,
    /// Time from which the link no longer redirects, if it expires.
    pub expires_at: Option<Timestamp>,
    /// Whether the redirect appends the query of the request: 0 or 1.
    pub forward_query: i32,
    /// Whether the owner has paused the link: 0 or 1.
    pub is_paused: i32,
    /// Where visitors of the expired link go.
    pub fallback_url: Option<String>,
    /// Where visitors of the owner's expired links go that have no such destination of their own.
    pub owner_fallback_url: Option<String>,
}

/// The columns of [`TargetRow`].
pub(super) const TARGET_COLUMNS: &str = "links.id AS link_id, links.owner_id, destination_url,
    disabled_reason, suspended_reason, expires_at, forward_query, is_paused, links.fallback_url,
    owners.fallback_url AS owner_fallback_url";
pub(super) const TARGET_TABLES: &str = "links LEFT JOIN owners ON owners.id = links.owner_id";

/// Short code of a link that a query looks up, optionally only among the links of one owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinkRef {
    /// Identifier of the owner. `None`: any owner.
    pub owner_id: Option<i64>,
    /// Short code.
    pub code: ShortCode,
}

/// Settings of a link's QR code. `None`: never set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredQrSettings {
    /// Error correction level: `L`, `M`, `Q` or `H`.
    pub error_correction: Option<String>,
    /// Margin in modules.
    pub margin: Option<i32>,
    /// Foreground colour as `#rrggbb`.
    pub foreground: Option<String>,
    /// Background colour as `#rrggbb`.
    pub background: Option<String>,
}

impl From<Model> for StoredQrSettings {
    fn from(link: Model) -> Self {
        Self {
            error_correction: link.qr_error_correction,
            margin: link.qr_margin,
            foreground: link.qr_foreground,
            background: link.qr_background,
        }
    }
}

impl Model {
    /// Sets the settings of the QR code.
    pub fn set_qr(&mut self, settings: StoredQrSettings) {
        let StoredQrSettings { error_correction, margin, foreground, background } = settings;
        self.qr_error_correction = error_correction;
        self.qr_margin = margin;
        self.qr_foreground = foreground;
        self.qr_background = background;
    }
}

/// Maximum number of links per statement of [`existing`].
const MAX_IDS: usize = 1_000;

/// Finds a link of any owner.
pub async fn find(
    db: &impl ConnectionTrait,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find().filter(Column::ShortCode.eq(code.as_str())).one(db).await?)
}

/// Returns the identifiers in `ids` for which a link exists.
pub async fn existing(db: &impl ConnectionTrait, ids: &[i64]) -> Result<HashSet<i64>, StoreError> {
    let mut existing = HashSet::new();
    for part in ids.chunks(MAX_IDS) {
        let part = part.iter().copied();
        let found = Entity::find().select_only().column(Column::Id).filter(Column::Id.is_in(part));
        existing.extend(found.into_tuple::<i64>().all(db).await?);
    }
    Ok(existing)
}

/// Returns the identifiers of the owners of links, by those of the links.
pub async fn owners_of(
    db: &impl ConnectionTrait,
    ids: &[i64],
) -> Result<HashMap<i64, i64>, StoreError> {
    let mut owners = HashMap::new();
    for part in ids.chunks(MAX_IDS) {
        let found = Entity::find().select_only().columns([Column::Id, Column::OwnerId]);
        let found = found.filter(Column::Id.is_in(part.iter().copied()));
        owners.extend(
            found.filter(Column::OwnerId.is_not_null()).into_tuple::<(i64, i64)>().all(db).await?,
        );
    }
    Ok(owners)
}

/// Locks the owners of the links with these identifiers, and returns their identifiers. Transactions lock
/// owners before links, as creations do, so that they cannot deadlock.
pub async fn lock_owners_of(
    db: &impl ConnectionTrait,
    ids: &[i64],
) -> Result<BTreeSet<i64>, StoreError> {
    let owner_ids: BTreeSet<i64> = owners_of(db, ids).await?.into_values().collect();
    for owner_id in &owner_ids {
        owners::lock(db, *owner_id).await?;
    }
    Ok(owner_ids)
}

/// Returns the identifiers of at most `limit` links of an owner, oldest first.
pub async fn ids_of_owner(
    db: &impl ConnectionTrait,
    owner_id: i64,
    limit: u64,
) -> Result<Vec<i64>, StoreError> {
    let ids = Entity::of(owner_id).select_only().column(Column::Id).order_by_asc(Column::Id);
    Ok(ids.limit(limit).into_tuple().all(db).await?)
}

/// Finds a link of an owner.
pub async fn find_owned(
    db: &impl ConnectionTrait,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    Ok(Entity::of(owner_id).filter(Column::ShortCode.eq(code.as_str())).one(db).await?)
}

/// Returns the code of an owner's link with this external identifier.
pub async fn code_of_external_id(
    db: &impl ConnectionTrait,
    owner_id: i64,
    external_id: &str,
) -> Result<Option<String>, StoreError> {
    let link = Entity::of(owner_id).filter(Column::ExternalId.eq(external_id));
    let code = link.select_only().column(Column::ShortCode).into_tuple().one(db).await;
    absent_if_invalid(code.map_err(StoreError::from))
}

/// Returns the codes of the links with this external identifier: of an owner, or of all owners.
pub async fn codes_of_external_id(
    db: &impl ConnectionTrait,
    owner_id: Option<i64>,
    external_id: &str,
) -> Result<Vec<String>, StoreError> {
    // The index begins with the owner.
    let sql = "SELECT links.short_code FROM owners JOIN links ON links.owner_id = owners.id
               WHERE links.external_id = $1 AND (owners.id = $2 OR CAST($2 AS bigint) IS NULL)";
    let codes = scalars(db, sql, [external_id.into(), owner_id.into()]).await;
    Ok(absent_if_invalid(codes.map(Some))?.unwrap_or_default())
}

/// Returns the codes of an owner's links with these external identifiers, by the identifiers.
pub async fn codes_by_external_id(
    db: &impl ConnectionTrait,
    owner_id: i64,
    external_ids: &[&str],
) -> Result<HashMap<String, String>, StoreError> {
    let mut found = HashMap::new();
    for part in external_ids.chunks(MAX_IDS) {
        let links = Entity::of(owner_id).filter(Column::ExternalId.is_in(part.iter().copied()));
        let links = links.select_only().columns([Column::ExternalId, Column::ShortCode]);
        let links = links.into_tuple::<(Option<String>, String)>().all(db).await?;
        found.extend(links.into_iter().filter_map(|(id, code)| Some((id?, code))));
    }
    Ok(found)
}

/// Finds a link of an owner and locks its row until the transaction ends.
pub async fn lock_owned(
    db: &impl ConnectionTrait,
    owner_id: i64,
    code: &ShortCode,
) -> Result<Option<Model>, StoreError> {
    let link = Entity::of(owner_id).filter(Column::ShortCode.eq(code.as_str()));
    absent_if_invalid(link.lock_exclusive().one(db).await.map_err(StoreError::from))
}

#[cfg(test)]
mod tests {
    use sea_orm::{IdenStatic as _, Iterable as _};

    use super::*;
    use crate::store::entities::link::Column;
    use crate::values::Destination;

    impl NewProperties {
        /// Returns the properties of a link that has only a destination.
        pub(crate) fn new(destination: Destination, created_at: Timestamp) -> Self {
            let destination_host = destination.host().to_owned();
            let link = LinkProperties {
                destination_url: destination.into_string(),
                title: None,
                campaign: None,
                disabled: None,
                has_qr: false,
                expires_at: None,
                fallback_url: None,
                forward_query: false,
                is_paused: false,
                qr: StoredQrSettings::default(),
                created_at,
                external_id: None,
                created_by: None,
                updated_at: None,
            };
            Self { destination_host, link }
        }
    }

    #[test]
    fn property_columns_match_the_entity() {
        let others = [
            Column::Id,
            Column::OwnerId,
            Column::ShortCode,
            Column::DeletedEvent,
            Column::UpdatedAt,
        ]
        .map(|column| column.as_str());
        let all = Column::iter().map(|column| column.as_str());
        let expected: Vec<_> = all.filter(|name| !others.contains(name)).collect();
        assert_eq!(PROPERTY_COLUMNS.map(|(name, _)| name).as_slice(), expected);
    }
}
