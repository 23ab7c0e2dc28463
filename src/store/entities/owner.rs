//! Owners.

use sea_orm::entity::prelude::*;

use crate::values::{Reason, Timestamp};

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
    pub suspended_reason: Option<Reason>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Where visitors of the owner's expired links go that have no such destination of their own.
    pub fallback_url: Option<String>,
    /// Time of the suspension, which [`Model::suspended`] returns.
    pub suspended_at: Option<Timestamp>,
    /// The operator's own identifier of the owner, unique among the owners.
    pub external_id: Option<String>,
}

impl Model {
    /// Returns the reason and the time of the suspension. The time is `None` if an earlier version
    /// suspended the owner. Such a version also leaves the time when it resumes an owner.
    #[must_use]
    pub fn suspended(&self) -> Option<(Reason, Option<Timestamp>)> {
        self.suspended_reason.map(|reason| (reason, self.suspended_at))
    }
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
