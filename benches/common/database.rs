//! A benchmark's own way into Terse's database.

use sea_orm::{ConnectOptions, ConnectionTrait as _, Database as SeaOrm, DatabaseConnection};
use sea_orm::{DbBackend, Statement};
use tokio::runtime::Runtime;

use super::Result;

/// A connection that the server does not know of.
pub(crate) struct Database {
    connection: Connection,
    /// PostgreSQL's process for this connection.
    pub(crate) process: Option<u32>,
}

enum Connection {
    Sqlite(rusqlite::Connection),
    /// The runtime drives the connection while a statement runs.
    Postgres(DatabaseConnection, Runtime),
}

impl Database {
    pub(crate) fn open(url: &str) -> Result<Self> {
        if let Some(path) = url.strip_prefix("sqlite://") {
            let path = path.split('?').next().unwrap_or(path);
            let connection = Connection::Sqlite(rusqlite::Connection::open(path)?);
            return Ok(Self { connection, process: None });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false);
        let connection = runtime.block_on(SeaOrm::connect(options))?;
        let connection = Connection::Postgres(connection, runtime);
        let mut database = Self { connection, process: None };
        let process = database.number("SELECT CAST(pg_backend_pid() AS bigint)")?;
        database.process = process.map(u32::try_from).transpose()?;
        Ok(database)
    }

    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self.connection, Connection::Postgres(..))
    }

    pub(crate) fn execute(&self, statement: &str) -> Result<()> {
        match &self.connection {
            Connection::Sqlite(db) => db.execute_batch(statement)?,
            Connection::Postgres(db, runtime) => {
                runtime.block_on(db.execute_unprepared(statement))?;
            }
        }
        Ok(())
    }

    /// The first column of the first row, if there is one.
    pub(crate) fn number(&self, query: &str) -> Result<Option<i64>> {
        match &self.connection {
            Connection::Sqlite(db) => {
                let mut statement = db.prepare(query)?;
                let mut rows = statement.query([])?;
                Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
            }
            Connection::Postgres(db, runtime) => {
                let query = Statement::from_string(DbBackend::Postgres, query);
                let row = runtime.block_on(db.query_one_raw(query))?;
                Ok(row.map(|row| row.try_get_by_index(0)).transpose()?)
            }
        }
    }
}
