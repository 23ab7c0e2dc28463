//! The columns of a link that describe its QR code.

use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::store::entities::link::{Column, Entity, Model};
use crate::store::error::StoreError;

/// Settings of a link's QR code. `None`: never set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredQrSettings {
    /// Error correction level: `L`, `M`, `Q` or `H`.
    pub error_correction: Option<String>,
    /// Margin in modules.
    pub margin: Option<i32>,
    /// Foreground colour as `#rrggbb`.
    pub foreground: Option<String>,
    /// Background colour as `#rrggbb`.
    pub background: Option<String>,
}

impl From<Model> for StoredQrSettings {
    fn from(link: Model) -> Self {
        Self {
            error_correction: link.qr_error_correction,
            margin: link.qr_margin,
            foreground: link.qr_foreground,
            background: link.qr_background,
        }
    }
}

impl From<QrColumns> for StoredQrSettings {
    fn from(columns: QrColumns) -> Self {
        let QrColumns { error_correction, margin, foreground, background } = columns;
        Self {
            error_correction: Some(error_correction.to_owned()),
            margin: Some(margin),
            foreground: Some(foreground),
            background: Some(background),
        }
    }
}

/// Values of the columns that hold a link's QR settings.
#[derive(Debug)]
pub struct QrColumns {
    /// Error correction level: `L`, `M`, `Q` or `H`.
    pub error_correction: &'static str,
    /// Margin in modules.
    pub margin: i32,
    /// Foreground colour as `#rrggbb`.
    pub foreground: String,
    /// Background colour as `#rrggbb`.
    pub background: String,
}

/// Enables a link's QR code and stores its settings.
pub async fn enable_qr(
    db: &impl ConnectionTrait,
    link_id: i64,
    columns: QrColumns,
) -> Result<(), StoreError> {
    let QrColumns { error_correction, margin, foreground, background } = columns;
    Entity::update_many()
        .col_expr(Column::HasQr, Expr::value(1))
        .col_expr(Column::QrErrorCorrection, Expr::value(error_correction))
        .col_expr(Column::QrMargin, Expr::value(margin))
        .col_expr(Column::QrForeground, Expr::value(foreground))
        .col_expr(Column::QrBackground, Expr::value(background))
        .filter(Column::Id.eq(link_id))
        .exec(db)
        .await?;
    Ok(())
}
