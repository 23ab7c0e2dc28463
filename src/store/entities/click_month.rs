//! Clicks of links by month.

use sea_orm::entity::prelude::*;

/// Row with the clicks of a link on the closed days of a month.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "click_months")]
pub struct Model {
    /// Number of the month, such as 202601.
    #[sea_orm(primary_key, auto_increment = false)]
    pub month: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: i64,
    pub count: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
