//! Pages of links: links of one owner, newest first, or links of any owner, oldest first.

use sea_orm::{ConnectionTrait, FromQueryResult, Value};

use super::dialect::{CAMPAIGN_INDEX, IndexUse, SqlDialect};
use super::error::StoreError;
use super::links::LINK_COLUMNS;
use super::query::{rows, scalar, scalars};
use crate::values::Timestamp;

/// Conditions on the links of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkFilter {
    /// Only links of this campaign. `None`: all links.
    pub campaign: Option<String>,
    /// Only links that are enabled, unpaused and unexpired, or only the others. `None`: all links.
    pub active: Option<ActiveAt>,
    /// Only links with a QR code.
    pub with_qr: bool,
}

/// Condition that links are, or are not, enabled, unpaused and unexpired at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveAt {
    /// Whether the links must be enabled, unpaused and unexpired; otherwise they must not.
    pub is_active: bool,
    /// Time for which the condition is evaluated.
    pub now: Timestamp,
}

/// Range and order of the links from which a page is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkRange {
    /// Links of one owner whose identifiers are below `id`, newest first.
    Before {
        /// Identifier of the owner.
        owner_id: i64,
        /// Conditions on the links.
        filter: LinkFilter,
        /// Exclusive upper bound of the identifiers.
        id: i64,
    },
    /// Links of all owners whose identifiers are below `id`, newest first.
    BeforeOfAll {
        /// Only links of this campaign. `None`: all links.
        campaign: Option<String>,
        /// Exclusive upper bound of the identifiers.
        id: i64,
    },
    /// Links whose identifiers are above `id`, oldest first.
    After {
        /// Identifier of the owner. `None`: links of all owners.
        owner_id: Option<i64>,
        /// Exclusive lower bound of the identifiers.
        id: i64,
    },
}

/// Description of a page of links, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkPage {
    /// Range from which the links are taken.
    pub range: LinkRange,
    /// Maximum number of links.
    pub limit: u32,
    /// Whether to read the clicks of the links; otherwise they are 0.
    pub with_clicks: bool,
}

impl LinkRange {
    /// Returns the part of a query for this range after `FROM`, with its parameters. The SQL repeats
    /// every condition of the partial index, because the planner would not use the index otherwise.
    fn selection(&self, dialect: SqlDialect) -> (String, Vec<Value>) {
        let (sql, values) = match self {
            Self::After { owner_id: None, id } => {
                ("links WHERE id > $1 AND owner_id IS NOT NULL ORDER BY id", vec![(*id).into()])
            }
            Self::After { owner_id: Some(owner_id), id } => (
                "links WHERE id > $1 AND owner_id = $2 ORDER BY id",
                vec![(*id).into(), (*owner_id).into()],
            ),
            Self::BeforeOfAll { campaign, id } => (
                "links WHERE id < $1 AND owner_id IS NOT NULL
                 AND (campaign = $2 OR CAST($2 AS text) IS NULL) ORDER BY id DESC",
                vec![(*id).into(), campaign.clone().into()],
            ),
            Self::Before { owner_id, filter, id } => {
                let mut values = vec![(*id).into(), (*owner_id).into()];
                return (filter.selection(dialect, &mut values), values);
            }
        };
        (sql.to_owned(), values)
    }
}

impl LinkFilter {
    fn selection(&self, dialect: SqlDialect, values: &mut Vec<Value>) -> String {
        let has_qr = if self.with_qr { " AND has_qr = 1" } else { "" };
        let mut bind = |value: Value| {
            values.push(value);
            values.len()
        };
        let campaign = self.campaign.clone().map_or_else(String::new, |campaign| {
            format!(" AND campaign = ${}", bind(campaign.into()))
        });
        let active = self.active.map_or_else(String::new, |ActiveAt { is_active, now }| {
            let now = bind(now.into());
            if is_active {
                format!(
                    " AND disabled_reason IS NULL AND is_paused = 0
                     AND (expires_at IS NULL OR expires_at > ${now})"
                )
            } else {
                format!(
                    " AND {MAYBE_INACTIVE}
                     AND (disabled_reason IS NOT NULL OR is_paused = 1 OR expires_at <= ${now})"
                )
            }
        });
        let IndexUse { hint, bound, order } = dialect.index_use(self.index());
        format!(
            "links{hint}
             WHERE id < $1 AND owner_id = $2{bound}{has_qr}{campaign}{active} ORDER BY {order}"
        )
    }

    /// Returns the index that has the fewest entries to read if few links are disabled, paused or
    /// expire.
    fn index(&self) -> &'static str {
        let is_inactive = self.active.is_some_and(|active| !active.is_active);
        match (&self.campaign, is_inactive, self.with_qr) {
            (None, true, _) => "links_owner_id_inactive_idx",
            (None, false, false) => "links_owner_id_idx",
            (None, false, true) => "links_owner_id_qr_idx",
            (Some(_), true, _) => "links_owner_id_campaign_inactive_idx",
            (Some(_), false, false) => CAMPAIGN_INDEX,
            (Some(_), false, true) => "links_owner_id_campaign_qr_idx",
        }
    }
}

/// Condition of the partial indexes of links that are disabled or paused or have a time of expiry.
const MAYBE_INACTIVE: &str =
    "(disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1)";

impl LinkPage {
    /// Returns the query for the page with these columns of clicks, and its parameters.
    pub(super) fn select(&self, dialect: SqlDialect, clicks: &str) -> (String, Vec<Value>) {
        let (sql, mut values) = self.range.selection(dialect);
        values.push(i64::from(self.limit).into());
        let limit = values.len();
        (format!("SELECT {LINK_COLUMNS}{clicks} FROM {sql} LIMIT ${limit}"), values)
    }
}

/// Returns the identifiers of the two links that follow the first `skip` links of a range. It
/// returns fewer if the range ends before.
pub async fn page_bounds(
    db: &impl ConnectionTrait,
    range: &LinkRange,
    skip: u32,
) -> Result<Vec<i64>, StoreError> {
    let (sql, mut values) = range.selection(SqlDialect::from_connection(db));
    values.push(i64::from(skip).into());
    let query = format!("SELECT id FROM {sql} LIMIT 2 OFFSET ${}", values.len());
    scalars(db, &query, values).await
}

/// Counts the links of one owner, or of all owners if `owner_id` is `None`.
pub async fn count(db: &impl ConnectionTrait, owner_id: Option<i64>) -> Result<i64, StoreError> {
    let sql = "SELECT CAST(COALESCE(SUM(link_count), 0) AS bigint) FROM owners
               WHERE id = $1 OR CAST($1 AS bigint) IS NULL";
    Ok(scalar(db, sql, [owner_id.into()]).await?.unwrap_or(0))
}

/// A campaign of an owner, and the number of its links.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct CampaignLinks {
    /// The campaign.
    pub campaign: String,
    /// Number of its links.
    pub links: i64,
}

/// Returns the campaigns of an owner in the order of their names.
pub async fn campaigns(
    db: &impl ConnectionTrait,
    owner_id: i64,
) -> Result<Vec<CampaignLinks>, StoreError> {
    let sql = "SELECT campaign, COUNT(*) AS links FROM links
               WHERE owner_id = $1 AND campaign IS NOT NULL GROUP BY campaign";
    let mut campaigns: Vec<CampaignLinks> = rows(db, sql, [owner_id.into()]).await?;
    // A database may order them by the rules of a language.
    campaigns.sort_unstable_by(|one, other| one.campaign.cmp(&other.campaign));
    Ok(campaigns)
}
