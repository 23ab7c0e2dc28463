//! Database size, memory and start time of an idle server.

use std::time::{Duration, Instant};

use harness::TIMEOUT;

use bench_common::database::Database;
use bench_common::server::{Program, Server};
use bench_common::{Result, metrics};

/// Idle time before the memory is measured.
const IDLE: Duration = Duration::from_secs(1);

/// Returns the size of the database in bytes, without logs: of SQLite's file, or of PostgreSQL's
/// tables and indexes that grow with links.
pub(crate) fn database_size(database: &Database) -> Result<i64> {
    let query = if database.is_postgres() {
        "SELECT pg_total_relation_size('links') + pg_total_relation_size('click_counts')"
    } else {
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    };
    Ok(database.number(query)?.ok_or("the database has no size")?)
}

/// Memory of a server's process in bytes.
pub(crate) struct Memory {
    pub(crate) resident: u64,
    /// Memory without pages of files, which the system may reclaim.
    pub(crate) own: u64,
}

impl Memory {
    /// Measures an idle server.
    pub(crate) fn measure(server: &Server) -> Result<Self> {
        std::thread::sleep(IDLE);
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.id()))?;
        let bytes = |name: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kibibytes = line.and_then(|line| line.split_whitespace().next());
            Ok(kibibytes.ok_or_else(|| format!("no {name} in its status"))?.parse::<u64>()? << 10)
        };
        Ok(Self { resident: bytes("VmRSS:")?, own: bytes("RssAnon:")? })
    }
}

/// Stops the server and starts it again; returns the time until it is ready.
pub(crate) fn start_again(server: &mut Server) -> Result<Duration> {
    let Program::Terse(terse) = &mut server.program else {
        return Err("the baseline is not restarted".into());
    };
    terse.stop();
    let started = Instant::now();
    terse.start_again();
    let address = server.address()?;
    while !metrics::get(address, "/health/ready")?.contains(" 200 ") {
        if started.elapsed() > TIMEOUT {
            return Err("the server does not become ready".into());
        }
    }
    Ok(started.elapsed())
}
