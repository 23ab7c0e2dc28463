//! Stored responses to requests with an idempotency key.

use sea_orm::entity::prelude::*;

/// Row of an idempotency key, with the data of its stored response.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Identifier of the owner, or 0 for the operator.
    pub owner_id: i64,
    pub key: String,
    /// Fingerprint of the request, a SHA-256 hash.
    pub fingerprint: Vec<u8>,
    /// Code of the link, or empty if the request created none.
    pub short_code: String,
    pub base_url: String,
    /// What stands before the code in the short URL. `None`: the base URL. Of a key or domain, what its
    /// response says that its request does not, as JSON.
    pub origin: Option<String>,
    /// Time at which the response was stored, in milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Identifier of the API key that the request created.
    pub api_key_id: Option<i64>,
    /// Nonce from which the secret of this key is derived.
    pub nonce: Option<Vec<u8>>,
}

impl Entity {
    /// Selects the rows of one owner.
    pub fn of(owner_id: i64) -> Select<Self> {
        Self::find().filter(Column::OwnerId.eq(owner_id))
    }
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
