//! A connection that one kind of work has for itself, so that it never queues with requests.

use std::sync::Weak;
use std::time::{Duration, Instant};

use sea_orm::sqlx::{self, PgConnection};
use sea_orm::{DbErr, RuntimeErr};

use super::pool::{PING_TIMEOUT, ping};
use super::{Access, Up};

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
    /// before an outage may lead to a server that others have left, and one that has done nothing for
    /// longer than `rest` may lead nowhere: then it is made anew.
    pub(super) async fn take(
        &mut self,
        access: &Access,
        rest: Duration,
    ) -> Result<PgConnection, DbErr> {
        // Most of the time is for a new connection and what is to be done on it.
        let within = PING_TIMEOUT.min(access.patience / 4);
        if let Some(Kept { mut connection, used, .. }) = self.kept(access)
            && (used.elapsed() <= rest || ping(&mut connection, within).await.is_ok())
        {
            return Ok(connection);
        }
        access.up.route.connect().await.map_err(failed)
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
