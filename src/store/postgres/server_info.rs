//! What Terse finds out about a PostgreSQL server before it uses it.

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, ConnectOptions as _, PgConnection, Row as _};

use super::clock::Clock;

/// The timeline of the server's write-ahead log, which a promotion changes; empty on a standby.
pub(super) const TIMELINE: &str = "
    SELECT CASE WHEN pg_is_in_recovery() THEN ''
        ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";

/// Properties of a server and of the way to it.
pub(super) struct ServerInfo {
    pub(super) encoding: String,
    /// [`TIMELINE`] works, as it does on every PostgreSQL that is no imitation.
    pub(super) has_timelines: bool,
    /// A pooler assigns a server connection to each transaction, as PgBouncer's transaction mode.
    pub(super) is_pooled: bool,
}

impl ServerInfo {
    /// Queries a server, and sets the clock from it.
    pub(super) async fn probe(
        options: &PgConnectOptions,
        clock: &Clock,
    ) -> Result<Self, sqlx::Error> {
        let mut pair = [options.connect().await?, options.connect().await?];
        clock.synchronize(&mut pair[0]).await?;
        let encoding = query_text(&mut pair[0], "SHOW server_encoding").await?;
        let has_timelines = match sqlx::raw_sql(TIMELINE).fetch_one(&mut pair[0]).await {
            Ok(_) => true,
            Err(sqlx::Error::Database(_)) => false,
            Err(error) => return Err(error),
        };
        Ok(Self { encoding, has_timelines, is_pooled: is_pooled(pair).await? })
    }
}

/// Returns whether two open connections share server processes, or change theirs.
async fn is_pooled(mut pair: [PgConnection; 2]) -> Result<bool, sqlx::Error> {
    let processes = [process_id(&mut pair[0]).await?, process_id(&mut pair[1]).await?];
    // A pooler that alternates between two servers does not follow this sequence by chance.
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
