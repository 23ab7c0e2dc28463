//! Whether all is well, in one look, and the servers that share a database.

use std::time::Duration;

use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use strum_macros::{IntoStaticStr, VariantNames};

use super::Error;
use super::periodic_task::PeriodicTask;
use crate::store::installation::Overview;
use crate::store::{Durability, Store, StoreError, installation};
use crate::values::Timestamp;

/// Age from which a daily backup is overdue, as in the alerts of `deploy/prometheus/rules.yaml`.
const MAX_BACKUP_AGE: Duration = Duration::from_secs(36 * 60 * 60);
/// Free space in bytes below which the disk is nearly full, as in the same alerts.
const MIN_FREE: u64 = 1_000_000_000;
/// Time between two signs of life, of which a busy database may lose some.
const INTERVAL: Duration = Duration::from_secs(10);

/// This server.
#[derive(Debug, Clone, Copy)]
pub struct Instance {
    /// Distinguishes it from others.
    pub id: i64,
    /// When it started.
    pub started_at: Timestamp,
}

impl Instance {
    /// Returns a server that starts now.
    pub fn new(now: Timestamp) -> Self {
        Self { id: UnwrapErr(SysRng).random(), started_at: now }
    }

    /// Gives signs of life, by which others count this server. It runs until it is dropped.
    pub async fn run(self, store: Store) {
        let warning = "the server cannot be counted as running";
        let mut task = PeriodicTask::new(INTERVAL, "instances", warning);
        loop {
            task.tick().await;
            task.report(self.give_sign(&store).await);
        }
    }

    async fn give_sign(self, store: &Store) -> Result<(), StoreError> {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        installation::note_server(&transaction, self.id, self.started_at, store.now()).await?;
        transaction.commit().await
    }

    /// Lets others stop counting this server at once, because it stops.
    ///
    /// # Errors
    /// If the database fails. They stop counting it later.
    pub async fn end(self, store: &Store) -> Result<(), StoreError> {
        let transaction = store.begin(Durability::ProcessDeath).await?;
        installation::delete_server(&transaction, self.id).await?;
        transaction.commit().await
    }
}

/// What an operator looks at first.
#[derive(Debug, Clone)]
pub struct Status {
    /// What the database has.
    pub overview: Overview,
    /// Kind of the database, one of [`Store::KINDS`].
    pub database_kind: &'static str,
    /// Size of the database in bytes.
    pub size_bytes: u64,
    /// Free space in bytes of the disk of an SQLite database.
    pub free_bytes: Option<u64>,
    /// Whether there are clicks that the database does not have yet.
    pub are_clicks_waiting: bool,
    /// The server that was asked, if one was.
    pub server: Option<ServerStatus>,
    /// What needs attention.
    pub warnings: Vec<Warning>,
}

/// What a server knows of itself.
#[derive(Debug, Clone, Copy)]
pub struct ServerStatus {
    /// The server.
    pub instance: Instance,
    /// Number of requests that failed since it started.
    pub failed_requests: u64,
    /// Whether the database accepts changes, or is a standby, which never does.
    pub can_commit: bool,
}

/// What needs attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum Warning {
    /// The database accepts no changes.
    DatabaseReadOnly,
    /// Clicks are not in the database yet.
    ClicksWaiting,
    /// The disk of the database is nearly full.
    DiskFull,
    /// The last backup is old.
    BackupOverdue,
}

impl Warning {
    /// Returns what is wrong, and what the operator can do.
    pub const fn detail(self) -> &'static str {
        match self {
            Self::DatabaseReadOnly => {
                "the database accepts no changes: find the reason in the server's log, and correct it"
            }
            Self::ClicksWaiting => {
                "clicks wait in the spool directory until the database takes them: find the reason in the \
                 server's log"
            }
            Self::DiskFull => {
                "the disk of the database has less than 1 GB left: delete what is not needed, or enlarge it"
            }
            Self::BackupOverdue => {
                "the last backup is older than 36 hours: make one with `terse backup`, and let the server or \
                 a timer repeat that daily"
            }
        }
    }
}

impl Status {
    /// Reads the status of a database. `server` is the server that reads it, and `None` a command.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn read(
        store: &Store,
        are_clicks_waiting: bool,
        server: Option<ServerStatus>,
    ) -> Result<Self, Error> {
        let (now, id) = (store.now(), server.map(|server| server.instance.id));
        let mut status = Self {
            overview: installation::overview(store.reader(), id, now).await?,
            database_kind: store.kind(),
            size_bytes: store.size().await?,
            free_bytes: store.free_space().await,
            are_clicks_waiting,
            server,
            warnings: Vec::new(),
        };
        status.warnings = status.find_warnings(now);
        Ok(status)
    }

    fn find_warnings(&self, now: Timestamp) -> Vec<Warning> {
        let is_overdue = |backup: Timestamp| backup.plus(MAX_BACKUP_AGE) < now;
        let found = [
            (Warning::DatabaseReadOnly, self.server.is_some_and(|server| !server.can_commit)),
            (Warning::ClicksWaiting, self.are_clicks_waiting),
            (Warning::DiskFull, self.free_bytes.is_some_and(|free| free < MIN_FREE)),
            (Warning::BackupOverdue, self.overview.last_backup_at.is_some_and(is_overdue)),
        ];
        found.into_iter().filter_map(|(warning, is_true)| is_true.then_some(warning)).collect()
    }
}
