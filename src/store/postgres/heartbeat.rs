//! The heartbeat: periodic health checks. Only they begin and end an outage.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use sea_orm::sqlx::{self, PgConnection};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::commits::Commits;
use super::connector::PgConnector;
use super::health::{Availability, Health, HealthRecheck};
use super::lease::Lease;
use super::pool::{CONNECT_TIMEOUT, LivePools};
use super::server_info::Access;
use crate::store::error::StoreError;

/// Interval between two health checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Connects, adapts the connector to the server, and returns it with what the session may do.
pub(super) async fn probe(connector: PgConnector) -> Result<(PgConnector, Access), StoreError> {
    let probed = timeout(CONNECT_TIMEOUT, connector.adapted_to_server())
        .await
        .map_err(|_| StoreError::Unavailable)?;
    probed.map_err(StoreError::Unreachable)
}

/// Health checks on a connection that nothing else uses.
#[derive(Debug)]
pub(super) struct Heartbeat {
    connector: PgConnector,
    connection: Option<PgConnection>,
    /// Since when it tries to open a connection.
    connecting_since: Option<Instant>,
    /// The commit that shows whether the database can commit.
    probe: Option<JoinHandle<()>>,
    /// Maximum time of a check.
    timeout: Duration,
    /// Whether this process serves a standby.
    serves_standby: bool,
}

/// Error of a failed health check.
#[derive(Debug, thiserror::Error)]
enum HealthCheckError {
    #[error("the health check took longer than {0:?}")]
    Timeout(Duration),
    /// Its data may lack confirmed changes until it is promoted, and this process has begun on a
    /// primary.
    #[error("the server is a standby")]
    Standby,
    #[error(transparent)]
    Driver(#[from] sqlx::Error),
}

impl Heartbeat {
    /// Creates a heartbeat of a database whose first session had this access; does not connect.
    pub(super) fn new(connector: &PgConnector, timeout: Duration, access: Access) -> Self {
        let connector = connector.clone();
        let serves_standby = connector.limits.serves_standby || access == Access::Standby;
        let (connection, connecting_since, probe) = (None, None, None);
        Self { connector, connection, connecting_since, probe, timeout, serves_standby }
    }

    /// Checks the database until this process closes or drops its handle.
    pub(super) async fn run(mut self, health: Weak<Health>, recheck: Arc<HealthRecheck>) {
        loop {
            tokio::select! {
                () = sleep(CHECK_INTERVAL) => {}
                () = recheck.requested.notified() => {}
            }
            if recheck.needs_new_session.swap(false, Ordering::Relaxed) {
                self.connection = None;
            }
            let Some(commits) = health.upgrade().map(|health| Arc::clone(&health.commits)) else {
                return;
            };
            let result = self.check_and_reconnect(&commits).await;
            let Some(health) = health.upgrade() else { return };
            let is_up = match health.watch().0 {
                Availability::Up(_) => true,
                Availability::Down => false,
                Availability::Closed => return,
            };
            match result {
                // On an overloaded machine, a check may exceed its timeout although statements
                // succeed.
                Err(HealthCheckError::Timeout(_))
                    if health.last_response.happened_within(self.timeout / 2)
                        && !self.cannot_connect() => {}
                Err(reason) => report_outage(&health, &reason),
                Ok(Access::ReadWrite) if is_up && !commits.is_read_only() => {
                    self.probe_commits(&health);
                }
                Ok(Access::ReadOnly) if is_up => commits.note_access(Access::ReadOnly),
                Ok(Access::Standby) if is_up && commits.is_standby() => {}
                Ok(access) => self.resume(&health, access).await,
            }
            recheck.completed.send_modify(|checks| *checks = checks.wrapping_add(1));
        }
    }

    /// Returns whether a second attempt to connect has failed, so that only sessions that are open
    /// already are of use.
    fn cannot_connect(&self) -> bool {
        self.connecting_since.is_some_and(|since| since.elapsed() > self.timeout * 2)
    }

    /// Checks the database. If the current connection is broken, it repeats the check on a new one.
    async fn check_and_reconnect(&mut self, commits: &Commits) -> Result<Access, HealthCheckError> {
        let (limit, was_connected) = (self.timeout, self.connection.is_some());
        let check = async {
            match self.check(commits).await {
                Err(HealthCheckError::Driver(_)) if was_connected => self.check(commits).await,
                result => result,
            }
        };
        timeout(limit, check).await.unwrap_or(Err(HealthCheckError::Timeout(limit)))
    }

    async fn check(&mut self, commits: &Commits) -> Result<Access, HealthCheckError> {
        // The connection is taken out, so that it is not used again after an error.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                self.connecting_since.get_or_insert_with(Instant::now);
                self.connector.connect().await?
            }
        };
        self.connecting_since = None;
        let access = self.connector.clock.synchronize(&mut connection).await?;
        match access {
            Access::ReadWrite => {
                commits.observe(&mut connection).await?;
                self.connection = Some(connection);
            }
            Access::Standby if !self.serves_standby => return Err(HealthCheckError::Standby),
            // The session may stay read-only, unlike later ones, which may also lead to another
            // server.
            Access::ReadOnly | Access::Standby => {}
        }
        Ok(access)
    }

    /// Commits if nothing else has shown recently that the database can. The state of an idle server
    /// is thus known.
    fn probe_commits(&mut self, health: &Arc<Health>) {
        let is_probing = self.probe.as_ref().is_some_and(|probe| !probe.is_finished());
        if is_probing || !health.commits.is_probe_due() {
            return;
        }
        let Ok(lease) = Lease::new(health) else { return };
        self.probe = Some(tokio::spawn(async move {
            if let Err(error) = lease.probe().await {
                tracing::debug!(%error, "a commit to test the database failed");
            }
        }));
    }

    /// Ends an outage, or begins or ends the time in which the database is read-only, with new pools:
    /// connections of the old ones may hang, stay read-only or lead to another server.
    async fn resume(&mut self, health: &Health, access: Access) {
        match probe(self.connector.clone()).await {
            Ok((connector, _)) => {
                self.connector = connector.clone();
                if access != Access::ReadWrite {
                    health.commits.note_access(access);
                }
                let before = health.replace(Availability::Up(LivePools::new(connector)));
                if access == Access::ReadWrite {
                    health.commits.note_access(access);
                }
                match before {
                    Some(Availability::Up(pools)) => drop(tokio::spawn(async move {
                        pools.close().await;
                    })),
                    Some(Availability::Down) => tracing::info!("the database responds again"),
                    Some(Availability::Closed) | None => {}
                }
            }
            Err(error) => tracing::warn!(%error, "the database responds, but cannot be used yet"),
        }
    }
}

/// Begins an outage, unless an outage is in progress.
fn report_outage(health: &Health, reason: &HealthCheckError) {
    if let Some(Availability::Up(pools)) = health.replace(Availability::Down) {
        tracing::error!(
            %reason,
            "the database does not respond; cached links keep redirecting and clicks wait in memory"
        );
        tokio::spawn(async move { pools.close().await });
    }
}
