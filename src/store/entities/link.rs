//! Links.
#![expect(missing_docs, reason = "derived items carry no documentation")]

use sea_orm::entity::prelude::*;

/// A row of a link. The QR settings are `None` until the QR code is enabled.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "links")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Identifier of the owner. `None`: the link is deleted.
    pub owner_id: Option<i64>,
    pub short_code: String,
    pub destination_url: String,
    /// Host of the destination in Punycode, without a trailing dot.
    pub destination_host: String,
    pub title: Option<String>,
    pub campaign: Option<String>,
    /// Reason for which the link is disabled. `None`: it is not.
    pub disabled_reason: Option<String>,
    /// Time from which the link no longer redirects, in milliseconds since the Unix epoch.
    pub expires_at: Option<i64>,
    pub has_qr: i32,
    pub qr_error_correction: Option<String>,
    pub qr_margin: Option<i32>,
    pub qr_foreground: Option<String>,
    pub qr_background: Option<String>,
    /// Identifier of the event that deleted the link.
    pub deleted_event: Option<i64>,
    /// Time of creation, in milliseconds since the Unix epoch.
    pub created_at: i64,
}

impl Entity {
    /// Selects the links of one owner. Queries for API requests begin with this selection, so that
    /// no owner sees the links of another.
    pub fn of(owner_id: i64) -> Select<Self> {
        Self::find().filter(Column::OwnerId.eq(owner_id))
    }
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
