//! What a [`Store`] can do now: the state of its database.

use super::database::{Backend, Store};
use super::error::StoreError;
use super::query::scalar;
use super::state::DatabaseState;

impl Store {
    /// Checks that the database responds and completes commits.
    ///
    /// # Errors
    /// If the database fails or does not respond.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.check_commits()?;
        match &self.0.0 {
            Backend::Sqlite(db) => db.ping().await,
            // The heartbeat checks PostgreSQL several times per second.
            Backend::Postgres(db) if db.is_up() => Ok(()),
            Backend::Postgres(_) => Err(StoreError::Unavailable),
        }
    }

    /// Returns the state of the database. On PostgreSQL, it is the result of the last health check.
    #[must_use]
    pub fn state(&self) -> DatabaseState {
        match &self.0.0 {
            Backend::Postgres(db) if !db.is_up() => DatabaseState::Down,
            Backend::Postgres(_) | Backend::Sqlite(_) => match self.check_commits() {
                Ok(()) => DatabaseState::Up,
                Err(_) => DatabaseState::CannotCommit,
            },
        }
    }

    /// Returns whether the database is a standby of PostgreSQL, or was one when it last responded.
    #[must_use]
    pub fn is_standby(&self) -> bool {
        match &self.0.0 {
            Backend::Sqlite(_) => false,
            Backend::Postgres(db) => db.is_standby(),
        }
    }

    /// Queries whether the database is a standby of PostgreSQL, which a handle without health checks
    /// does not know.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn query_standby(&self) -> Result<bool, StoreError> {
        match &self.0.0 {
            Backend::Sqlite(_) => Ok(false),
            Backend::Postgres(_) => {
                let found = scalar(self.reader(), "SELECT pg_is_in_recovery()", []).await?;
                Ok(found.unwrap_or_default())
            }
        }
    }

    /// Checks that a commit would not stall.
    ///
    /// # Errors
    /// [`StoreError::CannotCommit`], or [`StoreError::Unconfirmed`] after such a commit.
    pub fn check_commits(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Sqlite(db) => db.check_commits(),
            Backend::Postgres(db) => db.check_commits(),
        }
    }

    /// Waits until PostgreSQL does not complete commits. On SQLite, it waits for ever.
    pub async fn stalled(&self) {
        match &self.0.0 {
            Backend::Sqlite(_) => std::future::pending().await,
            Backend::Postgres(db) => db.stalled().await,
        }
    }

    /// Checks that a synchronous standby, if there is one, has confirmed all commits of a command.
    ///
    /// # Errors
    /// [`StoreError::Unconfirmed`]
    pub fn check_confirmed(&self) -> Result<(), StoreError> {
        match &self.0.0 {
            Backend::Postgres(db) if db.is_unconfirmed() => Err(StoreError::Unconfirmed),
            Backend::Postgres(_) | Backend::Sqlite(_) => Ok(()),
        }
    }
}
