//! The close of days.

use sea_orm::entity::prelude::*;

/// The only row, with the last closed day and the progress of the next close.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "day_close")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Last day to which a close added clicks, as a number since the Unix epoch.
    pub closed_day: i64,
    /// Last closed day. It is later than `closed_day` if there was no server on the days between.
    pub closed_until: i64,
    /// Identifier of the last link that the next close has already passed.
    pub position: i64,
    /// The number of the first month that is not closed, such as 202601.
    pub open_month: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
