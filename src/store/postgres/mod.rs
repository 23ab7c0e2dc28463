//! PostgreSQL: pools that are given up when the database is found to be away, and made anew when it
//! is back.
//!
//! One task asks the database a few times a second whether it answers ([`heartbeat`]). While it does
//! not, nobody waits for it: what is under way is broken off and what comes is refused at once.

mod clicks;
mod clock;
mod creations;
mod dedicated;
mod heartbeat;
mod import;
mod last_time;
mod lookup;
mod pool;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sea_orm::{ConnAcquireErr, ConnectionTrait as _, DatabaseTransaction, DbBackend, DbErr};
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::timeout;

use self::clicks::Pace;
use self::clock::Clock;
use self::dedicated::Dedicated;
use self::heartbeat::Heartbeat;
pub(super) use self::import::Importer;
use self::last_time::LastTime;
use self::lookup::Lookups;
pub(super) use self::pool::Isolation;
use self::pool::{CONNECTIONS, Pool, Route};
use super::error::Fault;
use super::request::{Reply, Request, runs_statements};
use super::{Limits, StoreError, scalar};
use crate::values::Moment;

/// How often something is tried whose connection broke while the database answers, beside once for each
/// connection of the pool: all of them may have broken in the same moment.
const ATTEMPTS: u32 = 6;
/// How long somebody waits to learn whether the database is away, who has no other bound.
const DOUBT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long connections have to be closed in order.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The number is of no meaning but that it is Terse's own. The lock goes with the transaction.
const LOCK_MIGRATION: &str = "SELECT pg_advisory_xact_lock(7305234870123)";

/// A PostgreSQL database. Cloning it is cheap and shares its connections.
#[derive(Debug, Clone)]
pub(super) struct Postgres {
    shared: Arc<Shared>,
    lane: Lane,
}

#[derive(Debug)]
struct Shared {
    state: watch::Sender<State>,
    doubts: Arc<Doubts>,
    /// When the database last answered anything at all.
    signs: Arc<LastTime>,
    clock: Arc<Clock>,
    /// What clicks go through.
    clicks: Mutex<Dedicated>,
    /// What creations go through.
    creations: Mutex<Dedicated>,
    /// Who waits for links that are not in the cache.
    lookups: Lookups,
    /// How often something is tried whose connection broke.
    attempts: u32,
    /// Of how much is folded at once.
    folding: Pace,
}

/// Whether the database answers.
#[derive(Debug, Clone)]
enum State {
    Up(Arc<Up>),
    Away,
    /// For good: nobody is to ask any more.
    Closed,
}

#[derive(Debug)]
struct Up {
    route: Route,
    pool: Pool,
    /// For redirects, which must not queue with what anybody else asks for.
    lookups: Pool,
    /// For what is done beside requests, which must not queue with them.
    aside: Pool,
}

impl Up {
    fn new(route: Route) -> Arc<Self> {
        let (pool, lookups, aside) = (route.pool(), route.lookups(), route.aside());
        Arc::new(Self { route, pool, lookups, aside })
    }

    async fn close(&self) {
        // Connections that hang are closed by the system when the process ends.
        let all = async {
            tokio::join!(self.pool.close(), self.lookups.close(), self.aside.close());
        };
        let _ = timeout(CLOSE_TIMEOUT, all).await;
    }
}

/// Which of the pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lane {
    Requests,
    Lookups,
    Aside,
}

/// How those whose connection broke learn whether the database is away.
#[derive(Debug, Default)]
struct Doubts {
    raised: Notify,
    /// Some session may not write, and the heartbeat's may be from before that was so.
    read_only: AtomicBool,
    /// How often the database was asked.
    settled: watch::Sender<u64>,
}

impl Doubts {
    /// Asks anew, on a session that knows whether it may write.
    fn whether_to_write(&self) {
        self.read_only.store(true, Ordering::Relaxed);
        self.raised.notify_one();
    }
}

/// The database as it is while something is under way.
#[derive(Debug)]
struct Access {
    up: Arc<Up>,
    state: watch::Receiver<State>,
    signs: Arc<LastTime>,
    doubts: Arc<Doubts>,
    /// How long each thing may take.
    patience: Duration,
}

impl Postgres {
    pub(super) async fn open(url: &str, limits: &Limits) -> Result<Self, StoreError> {
        let route = heartbeat::first(Route::new(url, limits)?).await?;
        let heartbeat = limits.outage_timeout.map(|patience| Heartbeat::new(&route, patience));
        let shared = Arc::new(Shared {
            clock: Arc::clone(&route.clock),
            state: watch::Sender::new(State::Up(Up::new(route))),
            doubts: Arc::default(),
            signs: Arc::default(),
            clicks: Mutex::default(),
            creations: Mutex::default(),
            lookups: Lookups::default(),
            attempts: limits.connections.unwrap_or(CONNECTIONS) + ATTEMPTS,
            folding: Pace::default(),
        });
        if let Some(heartbeat) = heartbeat {
            tokio::spawn(heartbeat.run(Arc::downgrade(&shared), Arc::clone(&shared.doubts)));
        }
        Ok(Self { shared, lane: Lane::Requests })
    }

    /// The same for what is done beside requests.
    pub(super) fn aside(&self) -> Self {
        self.in_lane(Lane::Aside)
    }

    fn in_lane(&self, lane: Lane) -> Self {
        Self { shared: Arc::clone(&self.shared), lane }
    }

    /// Whether the database answered when it was last asked. Where nobody asks, it counts as up.
    pub(super) fn is_up(&self) -> bool {
        matches!(*self.shared.state.borrow(), State::Up(_))
    }

    /// What its clock says, also while it is away.
    pub(super) fn now(&self) -> Moment {
        self.shared.clock.now()
    }

    /// Which of its histories the database goes on with; none where it does not say.
    pub(super) async fn timeline(&self) -> Result<Option<String>, StoreError> {
        if !self.access()?.up.route.has_timelines {
            return Ok(None);
        }
        match scalar(self, pool::TIMELINE, []).await {
            // It may say no more what it said before.
            Err(StoreError::Database(error)) if Fault::is_denied(&error) => Ok(None),
            timeline => timeline,
        }
    }

    pub(super) async fn begin(&self, isolation: Isolation) -> Result<Transaction, DbErr> {
        let mut attempt = 1;
        loop {
            let access = self.access()?;
            match access.guard(self.pool(&access).begin(isolation)).await {
                Ok(inner) => {
                    let patience = access.up.route.statement_patience();
                    return Ok(Transaction { inner, access: Access { patience, ..access } });
                }
                Err(error) if self.is_worth_retrying(&error, attempt).await => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Instances that start together wait here for one of them, however long it takes.
    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        let access = self.access()?;
        let pool = access.up.route.clone().without_timeouts().single();
        let transaction = pool.begin(Isolation::ReadCommitted).await?;
        transaction.execute_unprepared(LOCK_MIGRATION).await?;
        super::migrate(transaction).await?;
        let _ = timeout(CLOSE_TIMEOUT, pool.close()).await;
        Ok(())
    }

    pub(super) async fn close(self) {
        let up = self.access().map(|access| access.up);
        self.shared.state.send_replace(State::Closed);
        if let Ok(up) = up {
            up.close().await;
        }
    }

    fn pool<'a>(&self, access: &'a Access) -> &'a Pool {
        match self.lane {
            Lane::Requests => &access.up.pool,
            Lane::Lookups => &access.up.lookups,
            Lane::Aside => &access.up.aside,
        }
    }

    fn backend(&self) -> DbBackend {
        DbBackend::Postgres
    }

    /// Asks outside of transactions, for what may be asked twice.
    async fn ask(&self, request: Request) -> Result<Reply, DbErr> {
        let mut attempt = 1;
        loop {
            let access = self.access()?;
            match access.guard(request.clone().run(self.pool(&access))).await {
                Err(error) if self.is_worth_retrying(&error, attempt).await => attempt += 1,
                result => return result,
            }
        }
    }

    fn access(&self) -> Result<Access, DbErr> {
        let mut state = self.shared.state.subscribe();
        let up = match &*state.borrow_and_update() {
            State::Up(up) => Arc::clone(up),
            State::Away | State::Closed => return Err(away()),
        };
        let patience = up.route.patience();
        let signs = Arc::clone(&self.shared.signs);
        let doubts = Arc::clone(&self.shared.doubts);
        Ok(Access { up, state, signs, doubts, patience })
    }

    /// Whether something that failed so is to be tried again: its connection broke, and the
    /// database answers.
    async fn is_worth_retrying(&self, error: &DbErr, attempt: u32) -> bool {
        if Fault::of(error) != Fault::Connection {
            return false;
        }
        if attempt >= self.shared.attempts {
            tracing::warn!(%error, "the database answers, but this keeps failing");
            return false;
        }
        let mut settled = self.shared.doubts.settled.subscribe();
        // Asked after that, so that an answer which comes between is not waited for twice.
        if !self.is_up() {
            return false;
        }
        self.shared.doubts.raised.notify_one();
        let answer = timeout(DOUBT_TIMEOUT, settled.changed()).await;
        matches!(answer, Ok(Ok(()))) && self.is_up()
    }
}

runs_statements!(Postgres);

impl Access {
    /// Waits for `work`, but not longer than a statement may take, and not when the database is
    /// found to be away.
    async fn guard<T>(&self, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let mut state = self.state.clone();
        // Its connection goes back to the pool at the end, where suspicion is to be before it.
        let mut work = pin!(work);
        tokio::select! {
            biased;
            result = timeout(self.patience, &mut work) => {
                match &result {
                    Ok(Ok(_)) => self.signs.note(),
                    Ok(Err(error)) if Fault::is_read_only(error) => self.doubts.whether_to_write(),
                    Ok(Err(_)) => {}
                    Err(_) => self.up.route.suspect(),
                }
                result.unwrap_or(Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)))
            }
            _ = state.changed() => Err(away()),
        }
    }
}

fn away() -> DbErr {
    DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)
}

/// A transaction. Dropped without a commit, it is rolled back.
#[derive(Debug)]
pub(super) struct Transaction {
    inner: DatabaseTransaction,
    access: Access,
}

impl Transaction {
    pub(super) async fn commit(self) -> Result<(), DbErr> {
        let Self { inner, access } = self;
        access.guard(inner.commit()).await
    }

    fn backend(&self) -> DbBackend {
        DbBackend::Postgres
    }

    async fn ask(&self, request: Request) -> Result<Reply, DbErr> {
        self.access.guard(request.run(&self.inner)).await
    }
}

runs_statements!(Transaction);
