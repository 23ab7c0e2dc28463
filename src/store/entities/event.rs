//! Events: what operators changed.

use sea_orm::entity::prelude::*;

/// A row of an event.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Time of the event, in milliseconds since the Unix epoch.
    pub at: i64,
    pub actor: String,
    pub action: String,
    pub subject: String,
    pub owner_id: Option<i64>,
    /// Name of the owner, which stays after the owner is deleted.
    pub owner: Option<String>,
    pub reason: String,
    pub note: Option<String>,
    pub case_id: Option<String>,
    /// Number of links, owners, keys, plans or patterns that changed.
    pub changed: i64,
    /// Type of the actor. `None`: a command.
    pub actor_type: Option<String>,
    /// Identifier of the key, if the actor is a key.
    pub actor_id: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
