//! The schema of Terse's database, one migration per file, in the order in which they are applied.
//!
//! A migration's name begins with the major version of the schema: `m1_0001_initial_schema`. Within
//! a major version migrations only add, so that an older instance works next to a newer one. A
//! program refuses a database with a migration of a later major version.

mod m1_0001_initial_schema;

pub use sea_orm_migration::prelude::MigratorTrait;
use sea_orm_migration::prelude::{DbErr, MigrationTrait, async_trait};
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend, Statement};

/// The major version of the schema that this program knows.
pub const MAJOR_VERSION: u32 = 1;

/// All migrations.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m1_0001_initial_schema::Migration)]
    }
}

/// The schema of a database compared with the one that this program knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaStatus {
    /// Migrations are missing, perhaps all.
    Outdated,
    /// It has exactly the migrations that this program knows.
    Current,
    /// It also has later migrations of the same major version.
    Newer,
    /// It has migrations of this later major version.
    Incompatible(u32),
}

/// Reads which migrations a database has; writes nothing.
///
/// # Errors
/// If the database cannot be read.
pub async fn schema_status<C: ConnectionTrait>(db: &C) -> Result<SchemaStatus, DbErr> {
    let backend = db.get_database_backend();
    let exists = if backend == DbBackend::Postgres {
        "SELECT 1 AS found WHERE to_regclass('seaql_migrations') IS NOT NULL"
    } else {
        "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'"
    };
    if db.query_one_raw(Statement::from_string(backend, exists)).await?.is_none() {
        return Ok(SchemaStatus::Outdated);
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

fn compare(applied: &[String]) -> SchemaStatus {
    let newest = applied.iter().filter_map(|name| major_version(name)).max().unwrap_or(0);
    if newest > MAJOR_VERSION {
        return SchemaStatus::Incompatible(newest);
    }
    let known = Migrator::migrations();
    if !known.iter().all(|step| applied.iter().any(|name| name == step.name())) {
        return SchemaStatus::Outdated;
    }
    if applied.iter().all(|name| known.iter().any(|step| name == step.name())) {
        SchemaStatus::Current
    } else {
        SchemaStatus::Newer
    }
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
        assert_eq!(compare(&[]), SchemaStatus::Outdated);
        assert_eq!(compare(&applied), SchemaStatus::Current);
        applied.push("m1_9999_later".to_owned());
        assert_eq!(compare(&applied), SchemaStatus::Newer);
        applied.push("m2_0001_other".to_owned());
        assert_eq!(compare(&applied), SchemaStatus::Incompatible(2));
    }
}
