//! Owners.

use sea_orm::entity::prelude::*;

/// A row of an owner.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "owners")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub name: String,
    pub plan: String,
    /// Number of the owner's links. Every transaction that creates or deletes links updates it.
    pub link_count: i64,
    /// Day in UTC on which the owner last created a link, as a number since the Unix epoch.
    pub created_day: i64,
    /// Number of links that the owner created on that day, deleted ones included.
    pub created_today: i64,
    /// The number of the month to which `created_in_month` belongs, such as 202601.
    pub created_month: i64,
    /// Number of links that the owner created in that month, without those in `usage_months`.
    pub created_in_month: i64,
    /// Reason of the suspension. `None`: the owner is not suspended.
    pub suspended_reason: Option<String>,
    /// Time of creation, in milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Where visitors of the owner's expired links go that have no such destination of their own.
    pub fallback_url: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::plan::Entity",
        from = "Column::Plan",
        to = "super::plan::Column::Name"
    )]
    Plan,
}

impl Related<super::plan::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Plan.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
