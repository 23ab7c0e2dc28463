//! Lists by two properties at once.

use sea_orm_migration::prelude::*;

use crate::{execute, is_postgres, lock};

/// The seventh step.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if is_postgres(manager) {
            execute(manager, &[&lock("links", "SHARE")]).await?;
            execute(manager, LISTS_ON_POSTGRES).await
        } else {
            execute(manager, LISTS_ON_SQLITE).await
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let indexes =
            ["DROP INDEX links_with_qr_of_campaigns", "DROP INDEX links_disabled_of_campaigns"];
        execute(manager, &indexes).await
    }
}

/// Each entry ends with the number of its row, which is the link's. Without them a client who asks for
/// a campaign that none of its many links with QR codes is of, would have all of those read.
const LISTS_ON_SQLITE: &[&str] = &[
    "CREATE INDEX links_with_qr_of_campaigns ON links (owner_id, campaign) WHERE has_qr = 1",
    "CREATE INDEX links_disabled_of_campaigns ON links (owner_id, campaign) WHERE is_active = 0",
];

const LISTS_ON_POSTGRES: &[&str] = &[
    "CREATE INDEX links_with_qr_of_campaigns ON links (owner_id, campaign, id) WHERE has_qr = 1",
    "CREATE INDEX links_disabled_of_campaigns ON links (owner_id, campaign, id)
         WHERE is_active = 0",
];
