//! Usage of owners by month.

use sea_orm::entity::prelude::*;

/// Row with what an owner used in a month.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "usage_months")]
pub struct Model {
    /// Number of the month, such as 202601.
    #[sea_orm(primary_key, auto_increment = false)]
    pub month: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: i64,
    /// Name at the close of the month or at the owner's deletion. `None` before.
    pub owner: Option<String>,
    /// Requests that `usage_requests` no longer distinguishes by instance.
    pub requests: i64,
    /// Links created in the month, without those that the owner's row still counts.
    pub links_created: i64,
    /// Number of links at the end of the month or at the owner's deletion. `None` before.
    pub links: Option<i64>,
    /// Clicks of the closed days, and those of deleted links.
    pub clicks: i64,
    /// Links deleted in the month. `None` if the month was closed by a version that did not count them, or
    /// if it is open and no link was deleted.
    pub links_deleted: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
