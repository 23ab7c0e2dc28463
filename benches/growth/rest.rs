//! What a server and its database are while nobody asks for anything.

use std::time::{Duration, Instant};

use crate::common::database::Database;
use crate::common::server::Server;
use crate::common::{Result, metrics};

/// How long a server has been idle whose memory is looked at.
const IDLE: Duration = Duration::from_secs(1);

/// Bytes of the database: of SQLite's file, of PostgreSQL's tables and indexes that grow with links.
/// Their logs are not among it.
pub(crate) fn disk(database: &Database) -> Result<i64> {
    let query = if database.is_postgres() {
        "SELECT pg_total_relation_size('links') + pg_total_relation_size('click_counts')"
    } else {
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    };
    Ok(database.number(query)?.ok_or("the database has no size")?)
}

/// Bytes of memory that a server's process has.
pub(crate) struct Memory {
    pub(crate) resident: u64,
    /// Without pages of files, which the system may take back.
    pub(crate) own: u64,
}

impl Memory {
    /// Once nobody has asked for anything for a while.
    pub(crate) fn of(server: &Server) -> Result<Self> {
        std::thread::sleep(IDLE);
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id))?;
        let bytes = |name: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kibibytes = line.and_then(|line| line.split_whitespace().next());
            Ok(kibibytes.ok_or_else(|| format!("no {name} in its status"))?.parse::<u64>()? << 10)
        };
        Ok(Self { resident: bytes("VmRSS:")?, own: bytes("RssAnon:")? })
    }
}

/// Ends it and starts it again; how long it takes until it says that it is ready.
pub(crate) fn start_again(server: &mut Server) -> Result<Duration> {
    server.process.end();
    let started = Instant::now();
    server.process.begin()?;
    let address = server.address;
    // Nobody listens at first.
    let is_ready =
        || Ok(metrics::get(address, "/health/ready").is_ok_and(|it| it.contains(" 200 ")));
    server.process.wait_until(is_ready)?;
    Ok(started.elapsed())
}
