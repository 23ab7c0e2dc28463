//! That each link has an owner, on PostgreSQL: seen to when an owner goes, not when a link comes.

use sea_orm_migration::prelude::*;

use crate::{execute, is_postgres, lock};

/// The sixth step.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, UP).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, DOWN).await
    }
}

async fn run(manager: &SchemaManager<'_>, statements: &[&str]) -> Result<(), DbErr> {
    if is_postgres(manager) {
        // In the order in which those who make links lock them.
        let tables = "owners, links, idempotency_keys";
        execute(manager, &[&lock(tables, "ACCESS EXCLUSIVE")]).await?;
        execute(manager, statements).await?;
    }
    Ok(())
}

/// For a foreign key PostgreSQL runs a query for each row. Whoever makes links has locked their owner's
/// row in the same transaction, to hold the plan's limit against it, and so there is one. The program
/// deletes no owner; who does so by hand is refused as before.
const UP: &[&str] = &[
    "ALTER TABLE links DROP CONSTRAINT IF EXISTS links_owner_id_fkey",
    "ALTER TABLE idempotency_keys DROP CONSTRAINT IF EXISTS idempotency_keys_owner_id_fkey",
    // Whoever deletes may have another search path. What is kept under keys is of links.
    "CREATE FUNCTION refuse_owner_of_links() RETURNS trigger LANGUAGE plpgsql AS $$
     DECLARE
         has_links boolean;
     BEGIN
         EXECUTE format('SELECT EXISTS (SELECT FROM %I.links WHERE owner_id = $1)', TG_TABLE_SCHEMA)
             INTO has_links USING OLD.id;
         IF has_links THEN
             RAISE foreign_key_violation USING MESSAGE = format('owner %s has links', OLD.id);
         END IF;
         RETURN OLD;
     END
     $$",
    "CREATE TRIGGER owners_with_links_stay BEFORE DELETE ON owners
     FOR EACH ROW EXECUTE FUNCTION refuse_owner_of_links()",
];

const DOWN: &[&str] = &[
    "DROP TRIGGER owners_with_links_stay ON owners",
    "DROP FUNCTION refuse_owner_of_links()",
    "ALTER TABLE links ADD FOREIGN KEY (owner_id) REFERENCES owners (id)",
    "ALTER TABLE idempotency_keys ADD FOREIGN KEY (owner_id) REFERENCES owners (id)",
];
