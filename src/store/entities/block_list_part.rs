//! The parts of imported lists.

use sea_orm::entity::prelude::*;

/// Row of a part: many patterns, one per line, in the order of their bytes.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "block_list_parts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub import_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub part: i32,
    pub patterns: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
