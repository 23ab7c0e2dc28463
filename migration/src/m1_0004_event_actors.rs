//! Actors of events that are not people or programs at a shell.

use sea_orm_migration::prelude::*;

/// Migration that adds the type and the identifier of the actor to events.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Both are null for commands. The identifier is that of the key.
        for column in ["actor_type text", "actor_id bigint"] {
            let statement = format!("ALTER TABLE events ADD COLUMN {column}");
            manager.get_connection().execute_unprepared(&statement).await?;
        }
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration("reverting this migration would drop the actors of events".into()))
    }
}
