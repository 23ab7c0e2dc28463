//! Codes in any letter case.

use sea_orm::entity::prelude::*;

/// A row of a link that answers in any letter case.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "folded_codes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_id: i64,
    /// The short code without its letter case.
    pub folded: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
