//! Imported lists of patterns.

use sea_orm::entity::prelude::*;

/// Row of an imported list that is in force.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "block_lists")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub source: String,
    /// Identifier of the import that stored the list's parts.
    pub import_id: i64,
    pub reason: String,
    /// Number of patterns in all parts.
    pub patterns: i64,
    pub event_id: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
