//! Owners' domains.

use std::cmp::Reverse;

use sea_orm::entity::prelude::*;

/// A row of a domain.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "domains")]
pub struct Model {
    /// The host in normal form, with a port if the domain is for that port only.
    #[sea_orm(primary_key, auto_increment = false)]
    pub host: String,
    pub owner_id: i64,
    /// Where visitors of the domain's start page go. `None`: they see a page.
    pub home_url: Option<String>,
    /// Time at which the domain became the owner's default, in milliseconds since the Unix epoch.
    /// `None`: it was never chosen. The default is the domain that was chosen last or, if none was,
    /// the oldest.
    pub default_at: Option<i64>,
    /// Time of creation, in milliseconds since the Unix epoch.
    pub created_at: i64,
}

impl Model {
    /// Returns the rank of the domain among those of its owner. The lowest one is the default.
    #[must_use]
    pub fn rank(&self) -> (Reverse<Option<i64>>, i64, &str) {
        (Reverse(self.default_at), self.created_at, &self.host)
    }
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::owner::Entity",
        from = "Column::OwnerId",
        to = "super::owner::Column::Id"
    )]
    Owner,
}

impl Related<super::owner::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Owner.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
