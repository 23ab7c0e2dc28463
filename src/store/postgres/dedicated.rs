//! A connection for one kind of work, so that this work does not queue behind requests.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use sea_orm::sqlx::PgConnection;
use sea_orm::{ConnAcquireErr, DbErr};
use tokio::time::timeout;

use super::connector::{PING_TIMEOUT, ping, statement_error};
use super::lease::Lease;
use super::pool::LivePools;
use super::server_info::process_id;

/// Slot for a connection outside the pools, which holds the connection while it is idle.
#[derive(Debug, Default)]
pub(super) struct DedicatedConnection(Option<IdleConnection>);

/// A connection outside the pools.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) connection: PgConnection,
    /// The server process of the connection. Behind a pooler, each transaction has its own.
    pub(super) process_id: i32,
}

#[derive(Debug)]
struct IdleConnection {
    /// The pools that were in use when the connection was opened.
    pools: Weak<LivePools>,
    session: Session,
    last_used: Instant,
}

impl DedicatedConnection {
    /// Takes the idle connection out of the slot, or opens a new one. Callers put the connection
    /// back only after success, so that no connection is used again after an error.
    ///
    /// It opens a new connection if an outage began after the idle one was opened. It also does so
    /// if the idle one does not respond to a ping, which is sent after an idle time of
    /// `ping_after_idle`.
    pub(super) async fn take(
        &mut self,
        lease: &Lease,
        ping_after_idle: Duration,
    ) -> Result<Session, DbErr> {
        // The ping may take only a part of the time, so that most remains for a new connection and
        // its work.
        let limit = PING_TIMEOUT.min(lease.timeout / 4);
        if let Some(IdleConnection { pools, mut session, last_used }) = self.0.take()
            && pools.as_ptr() == Arc::as_ptr(&lease.pools)
            && (last_used.elapsed() <= ping_after_idle
                || ping(&mut session.connection, limit).await.is_ok())
        {
            return Ok(session);
        }
        let connector = &lease.pools.connector;
        let open = async {
            let mut connection = connector.connect().await?;
            let process_id = process_id(&mut connection).await?;
            Ok(Session { connection, process_id })
        };
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        timeout(connector.limits.acquire_timeout, open)
            .await
            .map_err(late)?
            .map_err(statement_error)
    }

    /// Puts the connection back after work that succeeded.
    pub(super) fn put_back(&mut self, lease: &Lease, session: Session) {
        let pools = Arc::downgrade(&lease.pools);
        self.0 = Some(IdleConnection { pools, session, last_used: Instant::now() });
    }
}
