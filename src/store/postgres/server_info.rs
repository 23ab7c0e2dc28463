//! Properties of a PostgreSQL server, which Terse queries when it connects.

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, ConnectOptions as _, PgConnection, Row as _};

use super::clock::{Access, Clock};

/// Query for the timeline of the server's write-ahead log, which a promotion changes. The result is
/// an empty text on a standby.
pub(super) const TIMELINE: &str = "
    SELECT CASE WHEN pg_is_in_recovery() THEN ''
        ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";

/// Properties of a server and of the connection to it.
pub(super) struct ServerInfo {
    /// What the first session may do.
    pub(super) access: Access,
    /// Encoding of the database, such as `UTF8`.
    pub(super) encoding: String,
    /// Whether the server supports [`TIMELINE`]. Databases that are compatible with PostgreSQL may
    /// not.
    pub(super) has_timelines: bool,
    /// Whether a pooler may use another server connection for each transaction, as PgBouncer does
    /// in transaction mode.
    pub(super) is_pooled: bool,
}

impl ServerInfo {
    /// Queries the properties of a server, and sets the clock to its time. Does not search for a
    /// pooler if `is_pooled` is true.
    pub(super) async fn probe(
        options: &PgConnectOptions,
        clock: &Clock,
        is_pooled: bool,
    ) -> Result<Self, sqlx::Error> {
        let mut connection = options.connect().await?;
        let access = clock.synchronize(&mut connection).await?;
        let encoding = encoding(&mut connection).await?;
        let has_timelines = match sqlx::raw_sql(TIMELINE).fetch_one(&mut connection).await {
            Ok(_) => true,
            Err(sqlx::Error::Database(_)) => false,
            Err(error) => return Err(error),
        };
        let is_pooled =
            is_pooled || shares_processes([connection, options.connect().await?]).await?;
        Ok(Self { access, encoding, has_timelines, is_pooled })
    }
}

/// Returns the encoding of the database.
pub(super) async fn encoding(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    query_text(connection, "SHOW server_encoding").await
}

/// Returns whether a pooler shares server processes: whether the two open connections use the same
/// process, or one of them changes its process.
async fn shares_processes(mut pair: [PgConnection; 2]) -> Result<bool, sqlx::Error> {
    let processes = [process_id(&mut pair[0]).await?, process_id(&mut pair[1]).await?];
    // The order of the queries is irregular, so that a pooler that alternates between two processes
    // does not match it by chance.
    for which in [1, 0, 0, 0, 1, 0, 1, 1] {
        let process = process_id(&mut pair[which]).await?;
        if processes[0] == processes[1] || process != processes[which] {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn process_id(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    query_text(connection, "SELECT pg_backend_pid()::text").await
}

async fn query_text(
    connection: &mut PgConnection,
    sql: &'static str,
) -> Result<String, sqlx::Error> {
    sqlx::raw_sql(sql).fetch_one(connection).await?.try_get(0)
}
