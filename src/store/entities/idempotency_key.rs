//! What was answered to a request with an idempotency key.
#![expect(missing_docs, reason = "derived items carry no documentation")]

use sea_orm::entity::prelude::*;

/// A key, and its answer.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub owner_id: i64,
    pub name: String,
    /// SHA-256 of what was asked for.
    pub fingerprint: Vec<u8>,
    pub status: i32,
    pub location: String,
    pub body: String,
    /// Milliseconds since the epoch.
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
