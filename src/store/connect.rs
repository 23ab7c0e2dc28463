use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::{ConnectOptions, Database};

use super::writer::Writer;
use super::{Store, StoreError, sqlite};
use crate::values::Invalid;

/// How long a writer waits for another process that is writing to the same SQLite file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// Readers of an SQLite file: they do not hinder each other or the writer.
const SQLITE_READERS: u32 = 4;
/// Connections to PostgreSQL.
const POSTGRES_CONNECTIONS: u32 = 10;

/// What to do where the database does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Make it.
    Create,
    /// Say so.
    Fail,
}

/// The address of a database: `sqlite://PATH` or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(Kind);

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Sqlite { url: String, path: PathBuf },
    Postgres { url: String },
}

impl FromStr for DatabaseUrl {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            // Checked here, where the reason does not show the password.
            url::Url::parse(text)
                .map_err(|error| Invalid(format!("is not valid: {error}").into()))?;
            return Ok(Self(Kind::Postgres { url: text.to_owned() }));
        }
        if !text.starts_with("sqlite:") {
            return Err(Invalid("must start with sqlite:// or postgres://".into()));
        }
        let options = SqliteConnectOptions::from_str(text)
            .map_err(|error| Invalid(format!("is not valid: {error}").into()))?;
        let path = options.get_filename().to_owned();
        if path.as_os_str().is_empty() || text.contains(":memory:") || text.contains("mode=memory")
        {
            // Each connection would have a database of its own.
            return Err(Invalid("must name a file: a database in memory is of no use here".into()));
        }
        Ok(Self(Kind::Sqlite { url: text.to_owned(), path }))
    }
}

/// The address without a password, for logs and messages.
impl std::fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Kind::Sqlite { path, .. } => write!(f, "sqlite://{}", path.display()),
            Kind::Postgres { url } => match url::Url::parse(url) {
                Ok(url) => {
                    let host = url.host_str().unwrap_or("localhost");
                    write!(f, "postgres://{host}{}", url.path())
                }
                Err(_) => f.write_str("postgres://…"),
            },
        }
    }
}

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

impl DatabaseUrl {
    /// Whether the database lives in a file of this machine, which is this program's alone to set up.
    #[must_use]
    pub fn is_sqlite(&self) -> bool {
        matches!(self.0, Kind::Sqlite { .. })
    }
}

pub(super) async fn open(url: &DatabaseUrl, missing: Missing) -> Result<Store, StoreError> {
    match &url.0 {
        Kind::Sqlite { url, path } => open_sqlite(url, path, missing).await,
        Kind::Postgres { url } => {
            let mut options = quiet(url);
            options.max_connections(POSTGRES_CONNECTIONS);
            let db = Database::connect(options).await?;
            Ok(Store { readers: db.clone(), writer: Writer::shared(db), file: None })
        }
    }
}

async fn open_sqlite(url: &str, path: &Path, missing: Missing) -> Result<Store, StoreError> {
    if missing == Missing::Fail && !path.exists() {
        return Err(StoreError::Missing { path: path.display().to_string() });
    }
    let mut writer = quiet(url);
    // The one connection is kept for good: another would know nothing of its transaction.
    writer
        .max_connections(1)
        .min_connections(1)
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>);
    writer.map_sqlx_sqlite_opts(move |options| {
        let options = sqlite::configure(options, BUSY_TIMEOUT);
        sqlite::without_checkpoints(options).create_if_missing(missing == Missing::Create)
    });
    // The writer comes first: it makes the file and sets its journal mode.
    let writer = Database::connect(writer).await?;
    let mut readers = quiet(url);
    readers.max_connections(SQLITE_READERS).map_sqlx_sqlite_opts(|options| {
        sqlite::configure(options, BUSY_TIMEOUT).create_if_missing(false)
    });
    let readers = Database::connect(readers).await?;
    let file = Some(sqlite::OpenFile::at(path));
    Ok(Store { readers, writer: Writer::single(writer), file })
}

/// Without what costs time at every statement: logging them and asking a connection whether it
/// still lives before each use.
fn quiet(url: &str) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options.sqlx_logging(false).test_before_acquire(false).acquire_timeout(ACQUIRE_TIMEOUT);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        let url: DatabaseUrl = "postgres://terse:secret@db.example/terse".parse().unwrap();
        assert_eq!(
            format!("{url} {url:?}"),
            "postgres://db.example/terse DatabaseUrl(postgres://db.example/terse)"
        );
    }

    #[test]
    fn memory_and_other_databases_are_refused() {
        for text in ["sqlite::memory:", "sqlite://", "mysql://x/y", "terse.db", ""] {
            assert!(text.parse::<DatabaseUrl>().is_err(), "{text}");
        }
        assert!("sqlite://terse.db?mode=rwc".parse::<DatabaseUrl>().is_ok());
    }
}
