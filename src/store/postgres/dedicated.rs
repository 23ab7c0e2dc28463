//! A connection that one kind of work has for itself, so that it never queues with requests.

use std::sync::Weak;
use std::time::{Duration, Instant};

use sea_orm::sqlx::{self, Connection as _, PgConnection};
use sea_orm::{DbErr, RuntimeErr};

use super::{Access, Up};

/// How long a connection may have done nothing before it is asked for a sign of life.
const REST: Duration = Duration::from_millis(100);

/// The connection, if there is one.
#[derive(Debug, Default)]
pub(super) struct Dedicated {
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    /// Since when the database was up when the connection was made.
    since: Weak<Up>,
    connection: PgConnection,
    used: Instant,
}

impl Dedicated {
    /// Takes the connection out, so that one on which something fails is not used again. One from
    /// before an outage may lead to a server that others have left: then it is made anew.
    pub(super) async fn take(&mut self, access: &Access) -> Result<PgConnection, DbErr> {
        Ok(match self.kept(access) {
            Some(kept) => kept.connection,
            None => access.up.route.connect().await.map_err(failed)?,
        })
    }

    /// The same, and sees that the connection has not ended: for what cannot be tried twice.
    pub(super) async fn take_alive(&mut self, access: &Access) -> Result<PgConnection, DbErr> {
        Ok(match self.kept(access) {
            Some(Kept { mut connection, used, .. }) => {
                if used.elapsed() > REST {
                    connection.ping().await.map_err(failed)?;
                }
                connection
            }
            None => access.up.route.connect().await.map_err(failed)?,
        })
    }

    /// Puts it back for the next time.
    pub(super) fn keep(&mut self, access: &Access, connection: PgConnection) {
        let since = std::sync::Arc::downgrade(&access.up);
        self.kept = Some(Kept { since, connection, used: Instant::now() });
    }

    fn kept(&mut self, access: &Access) -> Option<Kept> {
        let now = std::sync::Arc::downgrade(&access.up);
        self.kept.take().filter(|kept| kept.since.ptr_eq(&now))
    }
}

pub(super) fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}
