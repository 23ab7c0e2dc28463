//! The open connections of a server, their progress, and the choice of connections to close if
//! there are too many.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use ipnet::IpNet;
use parking_lot::Mutex;
use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use tokio::sync::Notify;
use tokio::time::{Duration, Instant};

/// Number of connections from which the table chooses one to close. A sample costs the same however
/// many connections there are, and its worst member is nearly the worst of all.
const SAMPLE: usize = 32;

/// Number of bytes whose write counts as progress. A client must read this much within the idle
/// timeout, so that it cannot keep a response in memory by reading single bytes.
const PROGRESS_BYTES: usize = 64 * 1024;

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    /// Network of the peer, if the number of its connections is limited.
    client: Option<IpNet>,
    opened: Instant,
    /// Milliseconds from `opened` to the last progress.
    progress: AtomicU64,
    /// Number of bytes written since the last progress.
    written: AtomicUsize,
    /// Number of requests that the client has sent.
    requests: AtomicU64,
    /// Number of requests to which the server has responded.
    responses: AtomicU64,
    /// Number of bytes of the requests in progress and the unread responses. It changes only under
    /// the lock of [`OpenConnections`].
    held: AtomicUsize,
    is_closing: AtomicBool,
    close: Notify,
    /// Positions in the lists of [`OpenConnections`], which only the owner of their lock uses.
    positions: [AtomicUsize; 2],
}

impl Connection {
    pub(super) fn new(client: Option<IpNet>) -> Self {
        Self {
            client,
            opened: Instant::now(),
            progress: AtomicU64::new(0),
            written: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
            responses: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            is_closing: AtomicBool::new(false),
            close: Notify::new(),
            positions: Default::default(),
        }
    }

    /// Notes that the client has sent the head of a request.
    pub(super) fn begin_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.note_progress();
    }

    /// Notes that the response to a request begins.
    pub(super) fn begin_response(&self) {
        self.responses.fetch_add(1, Ordering::Relaxed);
        self.note_progress();
    }

    /// Notes progress that keeps the connection open for another idle timeout.
    pub(super) fn note_progress(&self) {
        let elapsed = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.progress.store(elapsed, Ordering::Relaxed);
        self.written.store(0, Ordering::Relaxed);
    }

    /// Notes that bytes were written. [`PROGRESS_BYTES`] of them count as progress.
    pub(super) fn add_written(&self, bytes: usize) {
        if self.written.fetch_add(bytes, Ordering::Relaxed) + bytes >= PROGRESS_BYTES {
            self.note_progress();
        }
    }

    /// Returns the number of requests that the client has sent.
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns whether a request has no response yet.
    pub(super) fn has_pending_request(&self) -> bool {
        self.requests() > self.responses.load(Ordering::Relaxed)
    }

    /// Returns the time of the last progress, or of the opening if there was none.
    pub(super) fn last_progress(&self) -> Instant {
        self.opened + Duration::from_millis(self.progress.load(Ordering::Relaxed))
    }

    /// Waits until the table closes the connection.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }

    /// Closes the connection, and subtracts its bytes from the total `held`, because they are free
    /// soon.
    fn close(&self, held: &mut usize) {
        if !self.is_closing.swap(true, Ordering::Relaxed) {
            *held -= self.held.load(Ordering::Relaxed);
        }
        self.close.notify_one();
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Returns the sort key for the choice of a connection to close. Connections without a request
    /// come first, and connections that are closing already come last. Within each group, the one
    /// without progress for longest comes first.
    fn close_order(&self) -> (bool, bool, Instant) {
        (self.is_closing(), self.requests() > 0, self.last_progress())
    }
}

/// Maximum numbers of connections, and of bytes that they hold in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableLimits {
    /// Connections in total.
    pub(super) connections: usize,
    /// Connections of one client.
    pub(super) client_connections: usize,
    /// Bytes that the requests in progress and the unread responses of all connections take.
    pub(super) held: usize,
}

/// The open connections of a server. If there are too many, the table closes the ones that use the
/// server least.
#[derive(Debug)]
pub(super) struct ConnectionTable {
    maxima: TableLimits,
    members: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    all: Vec<Arc<Connection>>,
    by_client: HashMap<IpNet, Vec<Arc<Connection>>>,
    /// Bytes that the connections hold, except for connections that are closing.
    held: usize,
}

impl ConnectionTable {
    pub(super) fn new(maxima: TableLimits) -> Self {
        Self { maxima, members: Mutex::default() }
    }

    /// Adds a connection until the returned value is dropped. If the client has too many, the table
    /// closes another one of this client; if the server has too many, one of any client.
    pub(super) fn register(self: &Arc<Self>, connection: Arc<Connection>) -> Registration {
        self.add(&connection);
        Registration { table: Arc::clone(self), connection }
    }

    fn add(&self, connection: &Arc<Connection>) {
        let mut members = self.members.lock();
        let OpenConnections { all, by_client, held } = &mut *members;
        if let Some(client) = connection.client {
            let own = by_client.entry(client).or_default();
            if own.len() >= self.maxima.client_connections {
                close_one(own, held);
            }
            push(own, 1, connection);
        }
        if all.len() >= self.maxima.connections {
            close_one(all, held);
        }
        push(all, 0, connection);
    }

    fn remove(&self, connection: &Connection) {
        let mut members = self.members.lock();
        swap_remove(&mut members.all, 0, connection);
        if let Some(client) = connection.client
            && let Some(own) = members.by_client.get_mut(&client)
        {
            swap_remove(own, 1, connection);
            if own.is_empty() {
                members.by_client.remove(&client);
            }
        }
    }

    /// Adds the bytes of a request or response. If the connections hold too many bytes together,
    /// the table closes one that holds more than its share.
    pub(super) fn add_held(&self, connection: &Connection, bytes: usize) {
        let mut members = self.members.lock();
        let OpenConnections { all, held, .. } = &mut *members;
        connection.held.fetch_add(bytes, Ordering::Relaxed);
        if connection.is_closing() {
            return;
        }
        *held += bytes;
        if *held > self.maxima.held {
            // Closing a connection that holds little would free little.
            let share = self.maxima.held / all.len().max(1);
            let bytes = |member: &&Arc<Connection>| member.held.load(Ordering::Relaxed);
            let is_worthwhile =
                |member: &&Arc<Connection>| !member.is_closing() && bytes(member) >= share;
            if let Some(worst) = sample(all).filter(is_worthwhile).max_by_key(bytes) {
                worst.close(held);
            }
        }
    }

    /// Subtracts the bytes of a request that has its response, or of a response that was read or
    /// dropped.
    pub(super) fn subtract_held(&self, connection: &Connection, bytes: usize) {
        let mut members = self.members.lock();
        connection.held.fetch_sub(bytes, Ordering::Relaxed);
        if !connection.is_closing() {
            members.held -= bytes;
        }
    }
}

/// A connection's membership in the table, which ends when this is dropped.
pub(super) struct Registration {
    table: Arc<ConnectionTable>,
    pub(super) connection: Arc<Connection>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.table.remove(&self.connection);
    }
}

/// Returns all connections of a short list, or a random sample, with repetition, of a long one.
fn sample(list: &[Arc<Connection>]) -> impl Iterator<Item = &Arc<Connection>> {
    let is_short = list.len() <= SAMPLE;
    (0..list.len().min(SAMPLE)).map(move |index| {
        let index = if is_short { index } else { UnwrapErr(SysRng).random_range(0..list.len()) };
        &list[index]
    })
}

fn close_one(list: &[Arc<Connection>], held: &mut usize) {
    if let Some(connection) = sample(list).min_by_key(|connection| connection.close_order()) {
        connection.close(held);
    }
}

fn push(list: &mut Vec<Arc<Connection>>, which: usize, connection: &Arc<Connection>) {
    connection.positions[which].store(list.len(), Ordering::Relaxed);
    list.push(Arc::clone(connection));
}

fn swap_remove(list: &mut Vec<Arc<Connection>>, which: usize, connection: &Connection) {
    let position = connection.positions[which].load(Ordering::Relaxed);
    list.swap_remove(position);
    if let Some(moved) = list.get(position) {
        moved.positions[which].store(position, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAXIMA: TableLimits = TableLimits { connections: 10, client_connections: 3, held: 1_000 };

    fn register(table: &Arc<ConnectionTable>, client: Option<IpNet>) -> Registration {
        ConnectionTable::register(table, Arc::new(Connection::new(client)))
    }

    fn closing(registrations: &[Registration]) -> Vec<bool> {
        let is_closing = |member: &Registration| member.connection.is_closing();
        registrations.iter().map(is_closing).collect()
    }

    #[test]
    fn client_with_too_many_connections_loses_its_own() {
        let table = Arc::new(ConnectionTable::new(MAXIMA));
        let other = [register(&table, None)];
        let client = Some("192.0.2.1/32".parse().unwrap());
        let own: Vec<_> = (0..5).map(|_| register(&table, client)).collect();
        assert_eq!(closing(&own), [true, true, false, false, false]);
        assert_eq!(closing(&other), [false]);
        drop(own);
        assert!(table.members.lock().by_client.is_empty());
        assert_eq!(table.members.lock().all.len(), 1);
    }

    #[test]
    fn connections_with_requests_close_last() {
        let table = Arc::new(ConnectionTable::new(MAXIMA));
        let members: Vec<_> = (0..10).map(|_| register(&table, None)).collect();
        for member in &members[..8] {
            member.connection.begin_request();
        }
        let _new: Vec<_> = (0..2).map(|_| register(&table, None)).collect();
        let expected: Vec<_> = (0..10).map(|index| index >= 8).collect();
        assert_eq!(closing(&members), expected);
    }

    #[test]
    fn connection_that_holds_the_most_closes_if_too_much_is_held() {
        let table = Arc::new(ConnectionTable::new(MAXIMA));
        let members: Vec<_> = (0..3).map(|_| register(&table, None)).collect();
        for (member, bytes) in members.iter().zip([300, 500, 200]) {
            table.add_held(&member.connection, bytes);
        }
        assert_eq!(closing(&members), [false; 3]);
        table.add_held(&members[0].connection, 1);
        assert_eq!(closing(&members), [false, true, false]);
        // The bytes of the closing connection no longer count.
        table.add_held(&members[2].connection, 400);
        assert_eq!(closing(&members), [false, true, false]);
        for (member, bytes) in members.iter().zip([301, 500, 600]) {
            table.subtract_held(&member.connection, bytes);
        }
        table.add_held(&members[2].connection, 1_000);
        assert_eq!(closing(&members), [false, true, false]);
    }
}
