//! The schema of Terse's database, one step a file, in the order in which they are applied.
//!
//! A step's name begins with the major version of the schema: `m1_0001_start`. Within a major
//! version steps only add, or ask for less, so that an older instance goes on beside a newer one; a
//! program refuses a database that holds a step of a major version above its own.

mod m1_0001_start;
mod m1_0002_click_writers;
mod m1_0003_idempotency_keys;
mod m1_0004_recent_counts;
mod m1_0005_filtered_lists;
mod m1_0006_owners_stay;
mod m1_0007_narrow_lists;
mod m1_0008_fuller_pages_of_counts;

pub use sea_orm_migration::prelude::MigratorTrait;
use sea_orm_migration::prelude::{DbErr, MigrationTrait, SchemaManager, async_trait};
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

/// The major version of the schema that this program knows.
pub const MAJOR_VERSION: u32 = 1;

/// All steps.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m1_0001_start::Migration),
            Box::new(m1_0002_click_writers::Migration),
            Box::new(m1_0003_idempotency_keys::Migration),
            Box::new(m1_0004_recent_counts::Migration),
            Box::new(m1_0005_filtered_lists::Migration),
            Box::new(m1_0006_owners_stay::Migration),
            Box::new(m1_0007_narrow_lists::Migration),
            Box::new(m1_0008_fuller_pages_of_counts::Migration),
        ]
    }
}

/// How a database stands to this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Steps are missing, perhaps all.
    Behind,
    /// It has the steps that this program knows, and no others.
    Ready,
    /// It has later steps of the same major version as well.
    Ahead,
    /// It has steps of this later major version.
    TooNew(u32),
}

/// Compares a database's steps with this program's, changing nothing.
///
/// # Errors
/// When the database cannot be read.
pub async fn standing<C: ConnectionTrait>(db: &C) -> Result<Standing, DbErr> {
    let backend = db.get_database_backend();
    let exists = if backend == DbBackend::Postgres {
        "SELECT 1 AS found WHERE to_regclass('seaql_migrations') IS NOT NULL"
    } else {
        "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'"
    };
    if db.query_one_raw(Statement::from_string(backend, exists)).await?.is_none() {
        return Ok(Standing::Behind);
    }
    let rows = db
        .query_all_raw(Statement::from_string(backend, "SELECT version FROM seaql_migrations"))
        .await?;
    let mut applied = Vec::with_capacity(rows.len());
    for row in rows {
        applied.push(row.try_get::<String>("", "version")?);
    }
    Ok(compare(&applied))
}

fn compare(applied: &[String]) -> Standing {
    let newest = applied.iter().filter_map(|name| major_version(name)).max().unwrap_or(0);
    if newest > MAJOR_VERSION {
        return Standing::TooNew(newest);
    }
    let known = Migrator::migrations();
    if !known.iter().all(|step| applied.iter().any(|name| name == step.name())) {
        return Standing::Behind;
    }
    if applied.iter().all(|name| known.iter().any(|step| name == step.name())) {
        Standing::Ready
    } else {
        Standing::Ahead
    }
}

fn is_postgres(manager: &SchemaManager) -> bool {
    manager.get_database_backend() == DbBackend::Postgres
}

/// Locks tables on PostgreSQL. Requests queue behind whoever waits for such a lock, so it is waited for
/// a second at a time. `pg_dump` has its locks until it ends.
fn lock(tables: &str, mode: &str) -> String {
    format!(
        "DO $$
         BEGIN
             FOR attempt IN 1..20 LOOP
                 BEGIN
                     SET LOCAL lock_timeout = '1s';
                     LOCK TABLE {tables} IN {mode} MODE;
                     RETURN;
                 EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                     PERFORM pg_sleep(2);
                 END;
             END LOOP;
             RAISE EXCEPTION
                 'others hold the tables, such as a backup or a vacuum: try again when it has ended';
         END
         $$"
    )
}

/// Executes them one after the other.
async fn execute(manager: &SchemaManager<'_>, statements: &[&str]) -> Result<(), DbErr> {
    for statement in statements {
        manager.get_connection().execute_unprepared(statement).await?;
    }
    Ok(())
}

fn major_version(step: &str) -> Option<u32> {
    step.strip_prefix('m')?.split('_').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_names_its_major_version() {
        for step in Migrator::migrations() {
            assert_eq!(major_version(step.name()), Some(MAJOR_VERSION), "{}", step.name());
        }
    }

    #[test]
    fn a_later_step_is_fine_and_a_later_major_version_is_not() {
        let mut applied: Vec<String> =
            Migrator::migrations().iter().map(|step| step.name().to_owned()).collect();
        assert_eq!(compare(&[]), Standing::Behind);
        assert_eq!(compare(&applied), Standing::Ready);
        applied.push("m1_9999_later".to_owned());
        assert_eq!(compare(&applied), Standing::Ahead);
        applied.push("m2_0001_other".to_owned());
        assert_eq!(compare(&applied), Standing::TooNew(2));
    }
}
