//! The changes of events.
#![expect(missing_docs, reason = "derived items carry no documentation")]

use sea_orm::entity::prelude::*;

/// A row with the changed fields of one link, owner or pattern, as JSON objects before and after
/// the event. Both are `None` if the link was deleted since.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_changes")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub event_id: i64,
    pub kind: String,
    /// Identifier of the link or owner, or the pattern.
    pub subject: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
