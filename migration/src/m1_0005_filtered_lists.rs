//! Lists of few of an owner's many links.

use sea_orm_migration::prelude::*;

use crate::{execute, is_postgres};

/// The fifth step.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let campaigns =
            if is_postgres(manager) { CAMPAIGNS_ON_POSTGRES } else { CAMPAIGNS_ON_SQLITE };
        execute(manager, &[campaigns, DISABLED]).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        execute(manager, &["DROP INDEX links_of_campaigns", "DROP INDEX links_disabled"]).await
    }
}

/// Each entry ends with the number of its row, which is the link's.
const CAMPAIGNS_ON_SQLITE: &str = "CREATE INDEX links_of_campaigns ON links (owner_id, campaign)
    WHERE campaign IS NOT NULL";

/// Entries that are equal are kept as one here, with a few bytes a row. With the whole number of the
/// link in it no two are equal, and it takes six times as much.
const CAMPAIGNS_ON_POSTGRES: &str =
    "CREATE INDEX links_of_campaigns ON links (owner_id, campaign, (id >> 10))
    WHERE campaign IS NOT NULL";

const DISABLED: &str = "CREATE INDEX links_disabled ON links (owner_id, id) WHERE is_active = 0";
