//! Connections to a database that bypass Terse.

use std::path::Path;
use std::time::Duration;

use sea_orm::{ConnectOptions, ConnectionTrait as _, DatabaseConnection, Statement};

/// A connection to a database that bypasses Terse.
#[derive(Debug)]
pub enum DirectConnection {
    /// A connection to an SQLite file.
    Sqlite(rusqlite::Connection),
    /// A connection to a database on PostgreSQL.
    Postgres(DatabaseConnection),
}

impl DirectConnection {
    pub(crate) fn open_file(file: &Path) -> Self {
        let connection = rusqlite::Connection::open(file).expect("the file is a database");
        connection.busy_timeout(Duration::from_secs(5)).expect("SQLite accepts a timeout");
        connection.pragma_update(None, "foreign_keys", true).expect("SQLite has foreign keys");
        Self::Sqlite(connection)
    }

    pub(crate) async fn open_url(url: &str) -> Self {
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false);
        let connection = sea_orm::Database::connect(options).await;
        Self::Postgres(connection.expect("PostgreSQL accepts a connection"))
    }

    /// Runs SQL statements.
    ///
    /// # Errors
    /// The database's message if it refuses one.
    pub async fn execute(&self, statements: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(db) => db.execute_batch(statements).map_err(|error| error.to_string()),
            Self::Postgres(db) => {
                let result = db.execute_unprepared(statements).await;
                result.map(drop).map_err(|error| error.to_string())
            }
        }
    }

    /// Returns the first column of the first row of a query, or `None` if there is no row.
    ///
    /// # Errors
    /// The database's message if it refuses the query, or the value is not a number.
    pub async fn find_number(&self, query: &str) -> Result<Option<i64>, String> {
        match self {
            Self::Sqlite(db) => {
                let mut statement = db.prepare(query).map_err(|error| error.to_string())?;
                let mut rows = statement.query([]).map_err(|error| error.to_string())?;
                let row = rows.next().map_err(|error| error.to_string())?;
                row.map(|row| row.get(0)).transpose().map_err(|error| error.to_string())
            }
            Self::Postgres(db) => {
                let query = Statement::from_string(db.get_database_backend(), query);
                let row = db.query_one_raw(query).await.map_err(|error| error.to_string())?;
                let number = row.map(|row| row.try_get_by_index(0)).transpose();
                number.map_err(|error| error.to_string())
            }
        }
    }

    /// Closes the connection.
    ///
    /// # Panics
    /// If it is broken.
    pub async fn close(self) {
        match self {
            Self::Sqlite(db) => db.close().expect("the connection was open"),
            Self::Postgres(db) => db.close().await.expect("the connection was open"),
        }
    }
}
