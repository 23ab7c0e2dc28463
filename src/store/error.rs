use sea_orm::{DbErr, SqlErr};

/// What can go wrong with the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A row of that name is there already.
    #[error("it exists already")]
    Conflict,
    /// The database lacks steps of the schema.
    #[error("the database is not up to date; run `terse migrate` or start the server")]
    Behind,
    /// The database was made for a later program.
    #[error(
        "the database has a schema of major version {major}, and this program knows version {}; \
         use a newer terse",
        migration::MAJOR_VERSION
    )]
    TooNew {
        /// The database's major version.
        major: u32,
    },
    /// The database that a command was to work on is not there.
    #[error("there is no database at {path}; `terse serve` or `terse migrate` makes one")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// The file under a running server is another now.
    #[error(
        "the database file {path} was deleted or replaced while it was in use; restart the server"
    )]
    Replaced {
        /// Where it was.
        path: String,
    },
    /// Both databases of a copy must be as one expects them.
    #[error("{0}")]
    Copy(String),
    /// Too many wait to write.
    #[error("too many wait to write to the database")]
    Busy,
    /// It cannot be reached, is busy past its timeout, full or read-only, or holds what it should not.
    #[error("the database failed: {0}")]
    Database(DbErr),
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Self::Conflict,
            _ => Self::Database(error),
        }
    }
}
