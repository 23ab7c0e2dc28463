//! Operator keys.

use sea_orm::entity::prelude::*;

/// A row with the hash of an operator key, but not the key. Times are in milliseconds since the Unix
/// epoch.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operator_keys")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Name, which is unique among the keys that are not revoked.
    pub name: String,
    pub hash: Vec<u8>,
    pub role: String,
    pub created_at: i64,
    pub revoked_at: Option<i64>,
    pub last_used_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
