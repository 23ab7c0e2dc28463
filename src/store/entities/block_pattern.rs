//! The operator's own patterns of destinations.

use sea_orm::entity::prelude::*;

/// Row of one of the operator's own patterns.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "block_patterns")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub pattern: String,
    /// `block` or `allow`.
    pub action: String,
    pub reason: String,
    /// Time from which the pattern no longer counts, in milliseconds since the Unix epoch. `None`:
    /// it does not expire.
    pub until: Option<i64>,
    /// Identifier of the event that stored the row.
    pub event_id: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
