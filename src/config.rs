//! Every setting, once: a flag, a `TERSE_…` variable, and a default.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::store::{DatabaseUrl, Limits};
use crate::values::{BaseUrl, ValidationError};

/// Where a server listens unless told otherwise.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
/// The public address of a server that listens there.
pub const DEFAULT_BASE_URL: &str = "http://127.0.0.1:8080";
/// What no command needs but the one that serves.
const OF_THE_SERVER: &str = "Settings of the server";

/// The settings of a server and of the commands that work on its database.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Settings")]
pub struct Settings {
    /// The database: sqlite://PATH, or postgres://USER:PASSWORD@HOST/NAME
    #[arg(
        long,
        global = true,
        env = "TERSE_DATABASE_URL",
        value_name = "URL",
        default_value = "sqlite://terse.db?mode=rwc",
        hide_env_values = true
    )]
    pub database_url: String,

    /// Connections for requests: to PostgreSQL [default: 10, and 8 for clicks, creations, links that are not in the cache, health checks and background work], or readers
    /// of an SQLite file [default: 4]
    #[arg(long, global = true, env = "TERSE_DATABASE_MAX_CONNECTIONS", value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub database_max_connections: Option<u32>,

    /// Milliseconds that a request waits for a connection
    #[arg(long, global = true, env = "TERSE_DATABASE_ACQUIRE_TIMEOUT", value_name = "MS", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub database_acquire_timeout: u64,

    /// Milliseconds that a statement may take on PostgreSQL
    #[arg(long, global = true, env = "TERSE_DATABASE_STATEMENT_TIMEOUT", value_name = "MS", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub database_statement_timeout: u64,

    /// Milliseconds that PostgreSQL may take to answer a health check before it counts as down
    #[arg(long, global = true, help_heading = OF_THE_SERVER, env = "TERSE_DATABASE_HEALTH_CHECK_TIMEOUT", value_name = "MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub database_health_check_timeout: u64,

    /// Directory to save clicks in that cannot be stored when the server stops; the next start
    /// stores them [default: the SQLite file's directory; with PostgreSQL the current one]
    #[arg(long, global = true, help_heading = OF_THE_SERVER, env = "TERSE_SPOOL_DIRECTORY", value_name = "PATH")]
    pub spool_directory: Option<PathBuf>,

    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, global = true, help_heading = OF_THE_SERVER, env = "TERSE_LISTEN", value_name = "ADDRESS", default_value = DEFAULT_LISTEN)]
    pub listen: SocketAddr,

    /// The service's public address, which short URLs begin with [default: http://LISTEN]
    #[arg(long, global = true, env = "TERSE_BASE_URL", value_name = "URL")]
    pub base_url: Option<BaseUrl>,

    /// Memory for cached links and keys, in MiB; a 32nd of it more for cached pages of an SQLite file
    #[arg(long, global = true, help_heading = OF_THE_SERVER, env = "TERSE_CACHE_SIZE", value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub cache_size: u32,

    /// Memory for new links waiting for the database, in MiB; waiting clicks may take the same
    /// again, or as much as --cache-size if that is more
    #[arg(long, global = true, help_heading = OF_THE_SERVER, env = "TERSE_QUEUE_SIZE", value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub queue_size: u32,

    /// Seconds that requests in progress have to finish when the server is told to stop
    #[arg(
        long,
        global = true,
        help_heading = OF_THE_SERVER,
        env = "TERSE_SHUTDOWN_TIMEOUT",
        value_name = "SECONDS",
        default_value_t = 10
    )]
    pub shutdown_timeout: u32,

    /// What to log: error, warn, info, debug or trace, or directives such as info,terse=debug
    #[arg(long, global = true, env = "TERSE_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,

    /// How to log
    #[arg(long, global = true, env = "TERSE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Auto)]
    pub log_format: LogFormat,
}

impl Settings {
    /// The same for a server, which has to know when the database is away.
    #[must_use]
    pub fn server_limits(&self) -> Limits {
        let health_check_timeout = Some(Duration::from_millis(self.database_health_check_timeout));
        // Enough for the way to any link, where those that are asked for do not all fit the cache.
        let page_bytes = self.cache_bytes() as u64 / 32;
        Limits { health_check_timeout, page_bytes, ..self.limits() }
    }

    /// How much of the database a command takes, and how long it waits for it.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            connections: self.database_max_connections,
            acquire_timeout: Duration::from_millis(self.database_acquire_timeout),
            statement_timeout: Some(Duration::from_millis(self.database_statement_timeout)),
            pause_timeout: Some(Duration::from_millis(self.database_statement_timeout)),
            ..Limits::default()
        }
    }

    /// The public address of a server that listens there.
    ///
    /// # Errors
    /// When none was given and that makes none.
    pub fn base_url_at(&self, address: SocketAddr) -> Result<BaseUrl, ValidationError> {
        match &self.base_url {
            Some(base_url) => Ok(base_url.clone()),
            None => BaseUrl::parse(&format!("http://{address}")),
        }
    }

    /// Bytes for what was looked up.
    #[must_use]
    pub fn cache_bytes(&self) -> usize {
        mebibytes(self.cache_size)
    }

    /// Bytes that links may take while they wait; clicks may take as many, or as many as the
    /// cache if that is more.
    #[must_use]
    pub fn queue_bytes(&self) -> usize {
        mebibytes(self.queue_size)
    }

    /// Where clicks wait for the next start.
    #[must_use]
    pub fn spool_directory(&self, database: &DatabaseUrl) -> PathBuf {
        let beside = database.sqlite_file().and_then(Path::parent);
        let directory = self.spool_directory.as_deref().or(beside).unwrap_or(Path::new(""));
        // Of a file that is named without a directory, and where there is none.
        if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory.to_owned() }
    }
}

fn mebibytes(number: u32) -> usize {
    usize::try_from(u64::from(number) << 20).unwrap_or(usize::MAX)
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Pretty on a terminal, JSON otherwise
    Auto,
    /// For people
    Pretty,
    /// One JSON object per line
    Json,
}
