//! Click counts.

use sea_orm::entity::prelude::*;

/// Row with the click count of a link, without pending clicks and recent counts.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "click_counts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: i64,
    pub count: i64,
    /// Imported clicks, and clicks of days that are no longer stored.
    pub opening: i64,
    /// Part of `count` that belongs to a closed day or to the opening balance.
    pub closed: i64,
    /// Whether `count` may exceed `closed`.
    pub is_open: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
