//! Plans.
#![expect(missing_docs, reason = "derived items carry no documentation")]

use sea_orm::entity::prelude::*;

/// A row of a plan.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "plans")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Maximum number of links per owner. `None`: no limit.
    pub max_links: Option<i64>,
    pub custom_codes: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
