//! Less room left free among counts, on PostgreSQL.

use sea_orm_migration::prelude::*;

use crate::{execute, is_postgres};

/// The eighth step.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        leave_free(manager, 10).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        leave_free(manager, 20).await
    }
}

/// So many percent of each page that is filled from now on. A link that is often clicked needs room
/// for the next versions of its count; where a page has not enough, some of its links move to another,
/// and have left it then.
async fn leave_free(manager: &SchemaManager<'_>, percent: u8) -> Result<(), DbErr> {
    if is_postgres(manager) {
        let filled = 100 - percent;
        let statement = format!("ALTER TABLE click_counts SET (fillfactor = {filled})");
        execute(manager, &[&statement]).await?;
    }
    Ok(())
}
