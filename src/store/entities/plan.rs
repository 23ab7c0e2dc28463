//! Plans.

use sea_orm::entity::prelude::*;

/// A plan: limits that apply to every owner with this plan.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "plans")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    /// Name of the plan.
    pub name: String,
    /// Maximum number of links per owner. `None`: no limit.
    pub max_links: Option<i64>,
    /// Whether an owner may request custom codes.
    pub custom_codes: bool,
    /// Rate of an owner's requests, such as `20/s`. `None`: no limit.
    pub requests: Option<String>,
    /// Number of requests that an owner may send at once. `None`: as many as the rate allows per
    /// period.
    pub burst: Option<i64>,
    /// Maximum number of links that an owner may create per day in UTC. `None`: no limit.
    pub links_per_day: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
