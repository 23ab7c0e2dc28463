//! The changes of events.

use sea_orm::entity::prelude::*;

/// Row of one changed link, owner or pattern: its changed fields before and after the event, as
/// JSON objects. Both are `None` if the link or owner has been deleted since.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_changes")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub event_id: i64,
    pub kind: String,
    /// Identifier of the link or owner, or text of the pattern.
    pub subject: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
