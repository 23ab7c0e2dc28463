//! The schema of Terse's database, one migration per file, in the order in which they are applied.
//!
//! Migrations are added, never edited, because databases exist to which they were applied.
//! The name of a migration begins with a major version of the schema, as in
//! `m1_0001_initial_schema`. Within a major version, migrations only add to the schema or relax its
//! constraints, so that older and newer instances can use it together. Terse refuses a database
//! with a migration of a newer major version.

mod m1_0001_initial_schema;
mod m1_0002_link_fallback;
mod m1_0003_codes_queries_actors;
mod m1_0004_link_pauses;
mod m1_0005_derived_keys;
mod m1_0006_events_of_owner_keys;
mod m1_0007_operator_keys;
mod m1_0008_usage;
mod m1_0009_domains;
mod m1_0010_deleted_links;
mod m1_0011_contract;
mod m1_0012_report_days;
mod m1_0013_webhooks;
mod m1_0014_external_ids;
mod m1_0015_plans_and_events;
mod step;

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use self::step::Step;

/// Major version of the schema that this version of Terse supports.
pub const MAJOR_VERSION: u32 = 1;

/// All migrations of this version of Terse.
const STEPS: [Step; 15] = [
    m1_0001_initial_schema::STEP,
    m1_0002_link_fallback::STEP,
    m1_0003_codes_queries_actors::STEP,
    m1_0004_link_pauses::STEP,
    m1_0005_derived_keys::STEP,
    m1_0006_events_of_owner_keys::STEP,
    m1_0007_operator_keys::STEP,
    m1_0008_usage::STEP,
    m1_0009_domains::STEP,
    m1_0010_deleted_links::STEP,
    m1_0011_contract::STEP,
    m1_0012_report_days::STEP,
    m1_0013_webhooks::STEP,
    m1_0014_external_ids::STEP,
    m1_0015_plans_and_events::STEP,
];

/// Applies the missing migrations in the transaction `db` at the time `now`, in seconds since 1970. The
/// caller keeps other processes from migrating meanwhile.
///
/// # Errors
/// If the database has a migration that is unknown here, or fails.
pub async fn apply<C: ConnectionTrait>(db: &C, now: i64) -> Result<(), DbErr> {
    let backend = db.get_database_backend();
    let time = if backend == DbBackend::Postgres { "bigint" } else { "integer" };
    // As SeaORM's migrator did in earlier versions.
    db.execute_unprepared(&format!(
        "CREATE TABLE IF NOT EXISTS \"seaql_migrations\" \
         ( \"version\" varchar NOT NULL PRIMARY KEY, \"applied_at\" {time} NOT NULL )"
    ))
    .await?;
    let applied = applied(db).await?;
    if let Some(name) = applied.iter().find(|name| !is_known(name)) {
        return Err(DbErr::Custom(format!(
            "Migration file of version '{name}' is missing, this migration has been applied but its file is missing"
        )));
    }
    for step in STEPS.iter().filter(|step| !applied.iter().any(|name| name == step.name)) {
        for statement in step.statements(backend) {
            db.execute_unprepared(&statement).await?;
        }
        db.execute_unprepared(&format!(
            "INSERT INTO seaql_migrations (version, applied_at) VALUES ('{}', {now})",
            step.name
        ))
        .await?;
    }
    Ok(())
}

/// Status of a database's schema, compared with the migrations of this version of Terse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaStatus {
    /// This number of the migrations is missing.
    Outdated(usize),
    /// Exactly these migrations are applied.
    Current,
    /// All of these migrations are applied, and newer ones of the same major version too.
    Newer,
    /// A migration of this newer major version is applied.
    Incompatible(u32),
}

/// Returns the status of a database's schema. Writes nothing to the database.
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
    match db.query_one_raw(Statement::from_string(backend, exists)).await? {
        Some(_) => Ok(compare(&applied(db).await?)),
        None => Ok(compare(&[])),
    }
}

/// Returns the names of the applied migrations.
async fn applied<C: ConnectionTrait>(db: &C) -> Result<Vec<String>, DbErr> {
    let sql = "SELECT version FROM seaql_migrations";
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    rows.iter().map(|row| row.try_get("", "version")).collect()
}

/// Returns whether this version of Terse has a migration of this name.
pub fn is_known(name: &str) -> bool {
    STEPS.iter().any(|step| step.name == name)
}

/// Returns whether the last `applied` migrations of this version of Terse include the one of this name.
pub fn includes(applied: usize, name: &str) -> bool {
    STEPS.iter().rev().take(applied).any(|step| step.name == name)
}

/// Compares the names of the applied migrations with those of this version of Terse.
fn compare(applied: &[String]) -> SchemaStatus {
    let newest = applied.iter().filter_map(|name| major_version(name)).max().unwrap_or(0);
    if newest > MAJOR_VERSION {
        return SchemaStatus::Incompatible(newest);
    }
    let missing = STEPS.iter().filter(|step| !applied.iter().any(|name| name == step.name)).count();
    if missing > 0 {
        return SchemaStatus::Outdated(missing);
    }
    if applied.iter().all(|name| is_known(name)) {
        SchemaStatus::Current
    } else {
        SchemaStatus::Newer
    }
}

/// Returns the major version in the name of a migration, or `None` if the name has none.
fn major_version(step: &str) -> Option<u32> {
    step.strip_prefix('m')?.split('_').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_the_major_version() {
        for step in STEPS {
            assert_eq!(major_version(step.name), Some(MAJOR_VERSION), "{}", step.name);
        }
    }

    #[test]
    fn only_a_later_major_version_is_incompatible() {
        let mut applied: Vec<String> = STEPS.iter().map(|step| step.name.to_owned()).collect();
        assert_eq!(compare(&[]), SchemaStatus::Outdated(applied.len()));
        assert_eq!(compare(&applied), SchemaStatus::Current);
        applied.push("m1_9999_later".to_owned());
        assert_eq!(compare(&applied), SchemaStatus::Newer);
        applied.push("m2_0001_other".to_owned());
        assert_eq!(compare(&applied), SchemaStatus::Incompatible(2));
    }
}
