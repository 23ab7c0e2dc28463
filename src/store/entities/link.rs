//! Links.
#![expect(missing_docs, reason = "derived items carry no documentation")]

use sea_orm::entity::prelude::*;

/// A link.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "links")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub owner_id: i64,
    pub short_code: String,
    pub destination_url: String,
    pub title: Option<String>,
    pub campaign: Option<String>,
    pub is_active: i32,
    pub has_qr: i32,
    pub qr_error_correction: Option<String>,
    pub qr_margin: Option<i32>,
    pub qr_foreground: Option<String>,
    pub qr_background: Option<String>,
    /// Milliseconds since the epoch.
    pub created_at: i64,
}

impl Entity {
    /// Selects the links of one owner: queries for an owner's request begin here.
    pub fn of(owner_id: i64) -> Select<Self> {
        Self::find().filter(Column::OwnerId.eq(owner_id))
    }
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
