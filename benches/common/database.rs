//! A benchmark's own way into Terse's database.

use sea_orm::{ConnectOptions, ConnectionTrait as _, Database as SeaOrm, DatabaseConnection};
use sea_orm::{DbBackend, Statement};
use tokio::runtime::Runtime;

use super::Result;

/// A connection that nobody else uses.
pub(crate) struct Database {
    connection: DatabaseConnection,
    /// Drives the connection, and only while it is asked something.
    runtime: Runtime,
    /// PostgreSQL's process for this connection.
    pub(crate) process: Option<u32>,
}

impl Database {
    pub(crate) fn open(url: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false);
        let connection = runtime.block_on(SeaOrm::connect(options))?;
        let mut database = Self { connection, runtime, process: None };
        if database.is_postgres() {
            let process = database.number("SELECT CAST(pg_backend_pid() AS bigint)")?;
            database.process = process.map(u32::try_from).transpose()?;
        }
        Ok(database)
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.connection.get_database_backend() == DbBackend::Postgres
    }

    pub(crate) fn execute(&self, statement: &str) -> Result<()> {
        self.runtime.block_on(self.connection.execute_unprepared(statement))?;
        Ok(())
    }

    /// The first column of the first row, if there is one.
    pub(crate) fn number(&self, query: &str) -> Result<Option<i64>> {
        let query = Statement::from_string(self.connection.get_database_backend(), query);
        let row = self.runtime.block_on(self.connection.query_one_raw(query))?;
        Ok(row.map(|row| row.try_get_by_index(0)).transpose()?)
    }
}
