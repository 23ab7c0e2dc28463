//! PostgreSQL: pools that are given up when the database is found to be away, and made anew when it
//! is back.
//!
//! One task asks the database a few times a second whether it answers ([`heartbeat`]). While it does
//! not, nobody waits for it: what is under way is broken off and what comes is refused at once.

mod clicks;
mod heartbeat;
mod pool;

use std::sync::Arc;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait as _, DatabaseTransaction, DbBackend, DbErr, TransactionOptions,
};
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::timeout;

use self::heartbeat::Heartbeat;
use self::pool::{Pool, Route};
use super::error::Fault;
use super::request::{Reply, Request, runs_statements};
use super::{Limits, StoreError};

/// How often something is tried whose connection broke while the database answers.
const ATTEMPTS: u32 = 3;

/// The number is of no meaning but that it is Terse's own. The lock goes with the transaction.
const LOCK_MIGRATION: &str = "SELECT pg_advisory_xact_lock(7305234870123)";

/// A PostgreSQL database. Cloning it is cheap and shares its connections.
#[derive(Debug, Clone)]
pub(super) struct Postgres(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: watch::Sender<State>,
    doubts: Arc<Doubts>,
    /// What clicks go through, so that they do not queue with requests.
    clicks: Mutex<clicks::Lane>,
}

/// Whether the database answers.
#[derive(Debug, Clone)]
enum State {
    Up(Arc<Up>),
    Away,
}

#[derive(Debug)]
struct Up {
    route: Route,
    pool: Pool,
}

/// How those whose connection broke learn whether the database is away.
#[derive(Debug, Default)]
struct Doubts {
    raised: Notify,
    /// How often the database was asked because of doubts.
    settled: watch::Sender<u64>,
}

/// The database as it is while something is under way.
#[derive(Debug)]
struct Access {
    up: Arc<Up>,
    state: watch::Receiver<State>,
}

impl Postgres {
    pub(super) async fn open(url: &str, limits: &Limits) -> Result<Self, StoreError> {
        let heartbeat = Heartbeat::new(Route::new(url, limits)?);
        let (heartbeat, route) = heartbeat.begin().await?;
        let up = Up { pool: route.pool(), route };
        let shared = Arc::new(Shared {
            state: watch::Sender::new(State::Up(Arc::new(up))),
            doubts: Arc::default(),
            clicks: Mutex::default(),
        });
        tokio::spawn(heartbeat.run(Arc::downgrade(&shared), Arc::clone(&shared.doubts)));
        Ok(Self(shared))
    }

    /// Whether the database answered when it was last asked, which is less than a second ago.
    pub(super) fn is_up(&self) -> bool {
        matches!(*self.0.state.borrow(), State::Up(_))
    }

    pub(super) async fn begin(&self, options: TransactionOptions) -> Result<Transaction, DbErr> {
        let mut attempt = 1;
        loop {
            let access = self.access()?;
            match access.guard(access.up.pool.begin(options)).await {
                Ok(inner) => return Ok(Transaction { inner, access }),
                Err(error) if self.is_worth_retrying(&error, attempt).await => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Instances that start together wait here for one of them, however long it takes.
    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        let access = self.access()?;
        let pool = access.up.route.clone().without_timeouts().pool();
        let transaction = pool.begin(TransactionOptions::default()).await?;
        transaction.execute_unprepared(LOCK_MIGRATION).await?;
        super::migrate(transaction).await?;
        pool.close().await;
        Ok(())
    }

    pub(super) async fn close(self) {
        let up = self.access().map(|access| access.up);
        self.0.state.send_replace(State::Away);
        if let Ok(up) = up {
            up.pool.clone().close().await;
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
            match access.guard(request.clone().run(&access.up.pool)).await {
                Err(error) if self.is_worth_retrying(&error, attempt).await => attempt += 1,
                result => return result,
            }
        }
    }

    fn access(&self) -> Result<Access, DbErr> {
        let mut state = self.0.state.subscribe();
        let up = match &*state.borrow_and_update() {
            State::Up(up) => Arc::clone(up),
            State::Away => return Err(away()),
        };
        Ok(Access { up, state })
    }

    /// Whether something that failed so is to be tried again: its connection broke, and the
    /// database answers.
    async fn is_worth_retrying(&self, error: &DbErr, attempt: u32) -> bool {
        if Fault::of(error) != Fault::Connection || attempt >= ATTEMPTS {
            return false;
        }
        let mut settled = self.0.doubts.settled.subscribe();
        self.0.doubts.raised.notify_one();
        // It fails where the task has gone, with everything else.
        settled.changed().await.is_ok() && self.is_up()
    }
}

runs_statements!(Postgres);

impl Access {
    /// Waits for `work`, but not longer than a statement may take, and not when the database is
    /// found to be away.
    async fn guard<T>(&self, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let mut state = self.state.clone();
        tokio::select! {
            biased;
            result = timeout(self.up.route.patience(), work) => {
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
