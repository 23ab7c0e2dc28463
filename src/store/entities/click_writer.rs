//! Producers of click batches.

use sea_orm::entity::prelude::*;

/// Row of a producer, with the sequence number of its last batch.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "click_writers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub producer_id: i64,
    pub sequence: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
