//! A benchmark's own connection to Terse's database.

use harness::DirectConnection;
use tokio::runtime::Runtime;

use super::Result;

/// A connection that bypasses the server.
pub struct Database {
    connection: DirectConnection,
    /// Drives the connection while a statement runs.
    runtime: Runtime,
    /// PostgreSQL's process for this connection.
    pub process: Option<u32>,
}

impl Database {
    pub fn open(location: &harness::Database) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let connection = runtime.block_on(location.connect_as_admin());
        let mut database = Self { connection, runtime, process: None };
        if database.is_postgres() {
            let process = database.number("SELECT CAST(pg_backend_pid() AS bigint)")?;
            database.process = process.map(u32::try_from).transpose()?;
        }
        Ok(database)
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.connection, DirectConnection::Postgres(_))
    }

    pub fn execute(&self, statements: &str) -> Result<()> {
        Ok(self.runtime.block_on(self.connection.execute(statements))?)
    }

    /// Returns the first column of the first row, if there is one.
    pub fn number(&self, query: &str) -> Result<Option<i64>> {
        Ok(self.runtime.block_on(self.connection.find_number(query))?)
    }
}
