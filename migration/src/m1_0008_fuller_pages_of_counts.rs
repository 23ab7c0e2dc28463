//! Less room left free among counts, on PostgreSQL.

use sea_orm_migration::prelude::*;

use crate::{execute, is_postgres, lock};

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

/// Leaves so many percent of each page free that is filled from now on. A changed count is written
/// beside the old one where its page has room, and otherwise into another page, with an entry of its
/// own in the index; the old one's place is free then.
async fn leave_free(manager: &SchemaManager<'_>, percent: u8) -> Result<(), DbErr> {
    if is_postgres(manager) {
        let filled = 100 - percent;
        let change = format!("ALTER TABLE click_counts SET (fillfactor = {filled})");
        execute(manager, &[&lock("click_counts", "SHARE UPDATE EXCLUSIVE"), &change]).await?;
    }
    Ok(())
}
