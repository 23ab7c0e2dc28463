use std::sync::{Arc, Weak};
use std::time::Duration;

use sea_orm::sqlx::{self, PgConnection, Row as _};
use tokio::time::{sleep, timeout};

use super::pool::Route;
use super::{Doubts, Shared, State, Up};
use crate::store::StoreError;

/// How often the database is asked whether it answers.
const INTERVAL: Duration = Duration::from_millis(250);
/// How long a program waits for the database when it starts.
const FIRST_TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the database whether it answers, on a connection of its own.
#[derive(Debug)]
pub(super) struct Heartbeat {
    /// As it was given, before anything was found out about it.
    route: Route,
    connection: Option<PgConnection>,
}

/// Why the database counts as away.
#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error("it took longer than {0:?}")]
    Late(Duration),
    /// A standby that takes over is writable when it is promoted.
    #[error("it is read-only")]
    ReadOnly,
    #[error(transparent)]
    Driver(#[from] sqlx::Error),
}

impl Heartbeat {
    pub(super) fn new(route: Route) -> Self {
        Self { route, connection: None }
    }

    /// Asks for the first time, and finds out how the database is reached.
    pub(super) async fn begin(mut self) -> Result<(Self, Route), StoreError> {
        let first = async {
            let route = self.route.clone().explore().await?;
            match self.ask().await {
                // Commands that only read are welcome on a standby.
                Ok(()) | Err(NoAnswer::ReadOnly | NoAnswer::Late(_)) => Ok(route),
                Err(NoAnswer::Driver(error)) => Err(error),
            }
        };
        let explored = timeout(FIRST_TIMEOUT, first).await.map_err(|_| StoreError::Away)?;
        Ok((self, explored.map_err(StoreError::Unreachable)?))
    }

    /// Asks for as long as there is somebody who wants to know.
    pub(super) async fn run(mut self, shared: Weak<Shared>, doubts: Arc<Doubts>) {
        loop {
            tokio::select! {
                () = sleep(INTERVAL) => {}
                () = doubts.raised.notified() => {}
            }
            let answer = self.beat().await;
            let Some(shared) = shared.upgrade() else { return };
            let is_up = matches!(*shared.state.borrow(), State::Up(_));
            match answer {
                Ok(()) if !is_up => self.resume(&shared).await,
                Ok(()) => {}
                Err(reason) => give_up(&shared, &reason),
            }
            doubts.settled.send_modify(|times| *times = times.wrapping_add(1));
        }
    }

    async fn beat(&mut self) -> Result<(), NoAnswer> {
        let patience = self.route.limits.outage_timeout;
        let was_connected = self.connection.is_some();
        let asked = async {
            match self.ask().await {
                // Only this connection may have broken.
                Err(NoAnswer::Driver(_)) if was_connected => self.ask().await,
                answer => answer,
            }
        };
        match timeout(patience, asked).await {
            Ok(answer) => answer,
            Err(_) => {
                self.connection = None;
                Err(NoAnswer::Late(patience))
            }
        }
    }

    async fn ask(&mut self) -> Result<(), NoAnswer> {
        // Taken out, so that a connection on which it fails is not used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.route.connect().await?,
        };
        let query = sqlx::raw_sql("SELECT current_setting('transaction_read_only')");
        let read_only: String = query.fetch_one(&mut connection).await?.try_get(0)?;
        if read_only == "on" {
            return Err(NoAnswer::ReadOnly);
        }
        self.connection = Some(connection);
        Ok(())
    }

    /// Makes new pools: what was under way on the old ones may hang for as long as it likes.
    async fn resume(&self, shared: &Shared) {
        let explored = timeout(FIRST_TIMEOUT, self.route.clone().explore()).await;
        let Ok(Ok(route)) = explored else { return };
        let up = Up { pool: route.pool(), route };
        shared.state.send_replace(State::Up(Arc::new(up)));
        tracing::info!("the database answers again");
    }
}

fn give_up(shared: &Shared, reason: &NoAnswer) {
    let before = shared.state.send_replace(State::Away);
    if let State::Up(up) = before {
        tracing::error!(
            %reason,
            "the database does not answer; cached links redirect on and clicks wait in memory"
        );
        let pool = up.pool.clone();
        tokio::spawn(pool.close());
    }
}
