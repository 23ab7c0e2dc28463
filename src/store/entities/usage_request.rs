//! Requests of owners, as instances have counted them.

use sea_orm::entity::prelude::*;

/// Row with the requests of an owner that an instance has counted in a month.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "usage_requests")]
pub struct Model {
    /// Number of the month, such as 202601.
    #[sea_orm(primary_key, auto_increment = false)]
    pub month: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub instance_id: i64,
    pub requests: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
