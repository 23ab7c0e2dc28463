use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use sea_orm::sqlx::{self, PgConnection};
use tokio::time::{sleep, timeout};

use super::last_time::LastTime;
use super::pool::Route;
use super::{Doubts, Shared, State, Up};
use crate::store::StoreError;

/// How often the database is asked whether it answers.
const INTERVAL: Duration = Duration::from_millis(250);
/// How long a program waits for the database when it starts, and to find out how it is reached.
const EXPLORE_TIMEOUT: Duration = Duration::from_secs(5);

/// Asks for the first time, and finds out how the database is reached. It may be read-only:
/// commands that only read are welcome on a standby.
pub(super) async fn first(route: Route) -> Result<Route, StoreError> {
    let explored = timeout(EXPLORE_TIMEOUT, route.explore()).await.map_err(|_| StoreError::Away)?;
    explored.map_err(StoreError::Unreachable)
}

/// Asks the database whether it answers, on a connection of its own.
#[derive(Debug)]
pub(super) struct Heartbeat {
    route: Route,
    connection: Option<PgConnection>,
    /// How long an answer may take.
    patience: Duration,
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
    pub(super) fn new(route: &Route, patience: Duration) -> Self {
        Self { route: route.clone(), connection: None, patience }
    }

    /// Asks for as long as there is somebody who wants to know.
    pub(super) async fn run(mut self, shared: Weak<Shared>, doubts: Arc<Doubts>) {
        loop {
            tokio::select! {
                () = sleep(INTERVAL) => {}
                () = doubts.raised.notified() => {}
            }
            if doubts.read_only.swap(false, Ordering::Relaxed) {
                self.connection = None;
            }
            let answer = self.beat().await;
            let Some(shared) = shared.upgrade() else { return };
            let answer = self.in_doubt(answer, &shared.signs);
            let is_away = match *shared.state.borrow() {
                State::Up(_) => false,
                State::Away => true,
                State::Closed => return,
            };
            match answer {
                Ok(()) if is_away => self.resume(&shared).await,
                Ok(()) => {}
                Err(reason) => give_up(&shared, &reason),
            }
            doubts.settled.send_modify(|times| *times = times.wrapping_add(1));
        }
    }

    /// On a machine with too much to do a check may be late beside statements that are answered.
    fn in_doubt(&self, answer: Result<(), NoAnswer>, signs: &LastTime) -> Result<(), NoAnswer> {
        match answer {
            Err(NoAnswer::Late(_)) if signs.within(self.patience / 2) => Ok(()),
            answer => answer,
        }
    }

    async fn beat(&mut self) -> Result<(), NoAnswer> {
        let (patience, was_connected) = (self.patience, self.connection.is_some());
        let asked = async {
            match self.ask().await {
                // Only this connection may have broken.
                Err(NoAnswer::Driver(_)) if was_connected => self.ask().await,
                answer => answer,
            }
        };
        timeout(patience, asked).await.unwrap_or(Err(NoAnswer::Late(patience)))
    }

    async fn ask(&mut self) -> Result<(), NoAnswer> {
        // Taken out, so that a connection on which it fails is not used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.route.connect().await?,
        };
        if self.route.clock.ask(&mut connection).await? {
            return Err(NoAnswer::ReadOnly);
        }
        self.connection = Some(connection);
        Ok(())
    }

    /// Makes new pools: what was under way on the old ones may hang for as long as it likes.
    async fn resume(&mut self, shared: &Shared) {
        match first(self.route.clone()).await {
            Ok(route) => {
                self.route = route.clone();
                let up = State::Up(Up::new(route));
                if replace(shared, up).is_some() {
                    tracing::info!("the database answers again");
                }
            }
            Err(error) => tracing::warn!(%error, "the database answers, but cannot be used yet"),
        }
    }
}

/// What was there before; none where the store was closed meanwhile, which is not to be opened again.
fn replace(shared: &Shared, state: State) -> Option<State> {
    let mut before = None;
    shared.state.send_if_modified(|current| {
        let is_open = !matches!(current, State::Closed);
        if is_open {
            before = Some(std::mem::replace(current, state));
        }
        is_open
    });
    before
}

fn give_up(shared: &Shared, reason: &NoAnswer) {
    if let Some(State::Up(up)) = replace(shared, State::Away) {
        tracing::error!(
            %reason,
            "the database does not answer; cached links keep redirecting and clicks wait in memory"
        );
        tokio::spawn(async move { up.close().await });
    }
}
