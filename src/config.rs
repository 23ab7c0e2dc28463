//! Every setting, once: a flag, a `TERSE_…` variable, and a default.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};

use crate::values::BaseUrl;

/// Where a server listens unless told otherwise.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
/// The public address of a server that listens there.
pub const DEFAULT_BASE_URL: &str = "http://127.0.0.1:8080";

/// The settings of a server and of the commands that work on its database.
#[derive(Debug, Clone, Args)]
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

    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, global = true, env = "TERSE_LISTEN", value_name = "ADDRESS", default_value = DEFAULT_LISTEN)]
    pub listen: SocketAddr,

    /// The service's public address, which short URLs begin with [default: http://LISTEN]
    #[arg(long, global = true, env = "TERSE_BASE_URL", value_name = "URL")]
    pub base_url: Option<BaseUrl>,

    /// Memory for links and keys that were looked up, in MiB
    #[arg(long, global = true, env = "TERSE_CACHE_SIZE", value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub cache_size: u32,

    /// Seconds that requests under way have to finish when the server is told to stop
    #[arg(
        long,
        global = true,
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

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Pretty on a terminal, JSON otherwise
    Auto,
    /// For people
    Pretty,
    /// One JSON object a line
    Json,
}
