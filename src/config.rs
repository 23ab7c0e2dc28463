//! All settings. Each has a flag, a `TERSE_…` variable and a default.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, ValueEnum};
use ipnet::IpNet;
use url::Url;

use crate::domain::rate_limits::ClientLimit;
use crate::store::{DatabaseUrl, Limits};
use crate::values::{
    BaseUrl, ClientHeader, Contact, ListenAddress, Rate, RateLimit, RequestLimit, ServiceUrls,
    TimeOfDay, TrustedProxies, TrustedProxy, ValidationError, WebhookTargets,
};

/// Default listen address.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
/// Base URL of a server with the default listen address.
pub const DEFAULT_BASE_URL: &str = "http://127.0.0.1:8080";

/// Default of a command's connections. A command may use a second one during a transaction.
const COMMAND_CONNECTIONS: u32 = 2;
/// Minimum time that a command waits for the database, and minimum timeout of its statements.
const MIN_COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum time in which a client's limit refills, soon after which the server forgets the client.
const MAX_CLIENT_WINDOW: Duration = Duration::from_secs(60);

const DATABASE: &str = "Database";
const SERVER: &str = "Server";
const BACKUPS: &str = "Backups";
const CLIENTS: &str = "Clients";
const WEBHOOKS: &str = "Webhooks";
const LOG: &str = "Log";

/// Settings of a server, and of the commands that work on its database. Each command accepts only
/// some of them as options.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// The database: sqlite://PATH, or postgres://USER:PASSWORD@HOST/NAME
    #[arg(
        long,
        help_heading = DATABASE,
        env = "TERSE_DATABASE_URL",
        value_name = "URL",
        default_value = "sqlite://terse.db?mode=rwc",
        hide_env_values = true
    )]
    pub database_url: String,

    /// File that contains the database URL; keeps its password out of arguments and environment variables, and takes precedence over TERSE_DATABASE_URL
    #[arg(long, help_heading = DATABASE, env = "TERSE_DATABASE_URL_FILE", value_name = "PATH")]
    pub database_url_file: Option<PathBuf>,

    /// The primary to which the server delivers its clicks while its database is a standby: postgres://USER:PASSWORD@HOST/NAME. Without it, they wait until the standby is promoted
    #[arg(long, hide_short_help = true, help_heading = DATABASE, env = "TERSE_PRIMARY_URL", value_name = "URL", hide_env_values = true)]
    pub primary_url: Option<String>,

    /// File that contains the URL of the primary; takes precedence over TERSE_PRIMARY_URL
    #[arg(long, hide_short_help = true, help_heading = DATABASE, env = "TERSE_PRIMARY_URL_FILE", value_name = "PATH")]
    pub primary_url_file: Option<PathBuf>,

    /// Maximum connections for API requests [default: 10 on PostgreSQL, 4 on SQLite]. PostgreSQL needs 8 more for clicks, link creation, cache misses, health checks and background work
    #[arg(long, hide_short_help = true, help_heading = DATABASE, env = "TERSE_DATABASE_MAX_CONNECTIONS", value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub database_max_connections: Option<u32>,

    /// Maximum milliseconds that a request waits for a connection
    #[arg(long, hide_short_help = true, help_heading = DATABASE, env = "TERSE_DATABASE_ACQUIRE_TIMEOUT", value_name = "MS", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub database_acquire_timeout: u64,

    /// Maximum milliseconds that a statement may take on PostgreSQL
    #[arg(long, hide_short_help = true, help_heading = DATABASE, env = "TERSE_DATABASE_STATEMENT_TIMEOUT", value_name = "MS", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub database_statement_timeout: u64,

    /// Maximum milliseconds that PostgreSQL may take to respond to a health check; a slower database counts as down
    #[arg(long, hide_short_help = true, help_heading = DATABASE, env = "TERSE_DATABASE_HEALTH_CHECK_TIMEOUT", value_name = "MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub database_health_check_timeout: u64,

    /// Address and port to listen on, or unix:PATH; with port 0, the system chooses a free port
    #[arg(long, help_heading = SERVER, env = "TERSE_LISTEN", value_name = "ADDRESS", default_value = DEFAULT_LISTEN, value_parser = argument::<ListenAddress>)]
    pub listen: ListenAddress,

    /// Address for metrics, health checks and the operator interface; --listen then serves none of them
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_OPERATOR_LISTEN", value_name = "ADDRESS", value_parser = argument::<ListenAddress>)]
    pub operator_listen: Option<ListenAddress>,

    /// Public address of the service, with which short URLs begin [default: http://LISTEN]
    #[arg(long, help_heading = SERVER, env = "TERSE_BASE_URL", value_name = "URL", value_parser = base_url)]
    pub base_url: Option<BaseUrl>,

    /// Former public addresses, separated by commas; links to them count as links to the service itself
    #[arg(long, help_heading = SERVER, env = "TERSE_ALSO_AT", value_name = "URL", value_delimiter = ',', value_parser = base_url)]
    pub also_at: Vec<BaseUrl>,

    /// What requests for a host get that is neither an address of the service nor a domain
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_UNKNOWN_HOSTS", value_name = "WHAT", value_enum, default_value_t = UnknownHosts::Serve)]
    pub unknown_hosts: UnknownHosts,

    /// The operator's contact, which pages and the problem destination-blocked show: an email address, or the URL of a page
    #[arg(long, help_heading = SERVER, env = "TERSE_CONTACT", value_name = "CONTACT", value_parser = argument::<Contact>)]
    pub contact: Option<Contact>,

    /// Directory with templates that replace the pages for visitors: 404.html, 410.html, 451.html, home.html
    #[arg(long, help_heading = SERVER, env = "TERSE_PAGES", value_name = "DIRECTORY")]
    pub pages: Option<PathBuf>,

    /// Serve the consoles, graphical interfaces for owners of keys and for the operator, at /console
    #[arg(long, help_heading = SERVER, env = "TERSE_CONSOLE", value_name = "TRUE|FALSE", default_value_t = true, action = ArgAction::Set, value_parser = BoolishValueParser::new())]
    pub console: bool,

    /// Count the requests of robots (search engines, crawlers, monitors) as clicks too
    #[arg(long, help_heading = SERVER, env = "TERSE_COUNT_ROBOTS", value_parser = BoolishValueParser::new())]
    pub count_robots: bool,

    /// Cache for links and API keys, in MiB. SQLite's page cache takes another 1/32 of it
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_CACHE_SIZE", value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub cache_size: u32,

    /// Memory for queued link creations, in MiB. Buffered clicks may take as much again, or --cache-size if that is larger
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_QUEUE_SIZE", value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub queue_size: u32,

    /// Existing directory for clicks that the server cannot store: it saves them there every second in an outage and when it stops, and a running server or the next start stores them [default: the directory of the SQLite file; on PostgreSQL, the current directory]
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_SPOOL_DIRECTORY", value_name = "PATH")]
    pub spool_directory: Option<PathBuf>,

    /// Number of days for which clicks by day and the events of owners' keys are stored; the server adds older days to the link's opening balance
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_KEEP_DAYS", value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_days: u32,

    /// Time for which a clock must run without a leap before it closes anything, which tests shorten
    #[arg(
        long,
        hide = true,
        env = "TERSE_CLOSE_DELAY",
        value_name = "MS",
        default_value_t = 3_600_000
    )]
    pub close_delay: u64,

    /// Time after which a request does not wait any longer for the change that it makes, which tests shorten
    #[arg(
        long,
        hide = true,
        env = "TERSE_CHANGE_WAIT",
        value_name = "MS",
        default_value_t = 20_000
    )]
    pub change_wait: u64,

    /// File with one pattern of blocked destinations per line; the server reads it again when it changes
    #[arg(long, help_heading = SERVER, env = "TERSE_BLOCK_FILE", value_name = "PATH")]
    pub block_file: Option<PathBuf>,

    /// Maximum number of client connections. Above it, the server closes a connection that has sent no request, or else one of those that have been idle longest
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_MAX_CONNECTIONS", value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_connections: u32,

    /// Maximum seconds for the headers of a request to arrive
    #[arg(long, hide_short_help = true, help_heading = SERVER, env = "TERSE_HEADER_TIMEOUT", value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    pub header_timeout: u32,

    /// Maximum seconds for requests in progress after SIGTERM or SIGINT
    #[arg(
        long,
        hide_short_help = true,
        help_heading = SERVER,
        env = "TERSE_SHUTDOWN_TIMEOUT",
        value_name = "SECONDS",
        default_value_t = 10
    )]
    pub shutdown_timeout: u32,

    /// Existing directory into which the server backs up an SQLite database every day [default: no backups]
    #[arg(long, hide_short_help = true, help_heading = BACKUPS, env = "TERSE_BACKUP_DIRECTORY", value_name = "PATH")]
    pub backup_directory: Option<PathBuf>,

    /// Time of the daily backup, in UTC
    #[arg(long, hide_short_help = true, help_heading = BACKUPS, env = "TERSE_BACKUP_AT", value_name = "HH:MM", default_value = "03:00", value_parser = argument::<TimeOfDay>)]
    pub backup_at: TimeOfDay,

    /// Number of backups that stay in the directory; the server deletes older ones
    #[arg(long, hide_short_help = true, help_heading = BACKUPS, env = "TERSE_BACKUP_KEEP", value_name = "NUMBER", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    pub backup_keep: u32,

    /// Proxies whose header names the client: addresses, networks such as 10.0.0.0/8, and 'unix' for the peers of a Unix socket. The client is the last address in the header that is not one of them
    #[arg(long, help_heading = CLIENTS, env = "TERSE_TRUSTED_PROXIES", value_name = "CIDR,...", value_delimiter = ',', value_parser = argument::<TrustedProxy>)]
    pub trusted_proxies: Vec<TrustedProxy>,

    /// The header that names the client; all others are ignored
    #[arg(long, help_heading = CLIENTS, env = "TERSE_CLIENT_HEADER", value_name = "HEADER", value_enum, ignore_case = true, default_value = "X-Forwarded-For")]
    pub client_header: ClientHeader,

    /// Maximum rate at which a client requests codes that no link has, such as 60/min
    #[arg(long, help_heading = CLIENTS, env = "TERSE_UNKNOWN_CODES", value_name = "RATE", default_value = "unlimited", value_parser = client_limit)]
    pub unknown_codes: RequestLimit,

    /// Maximum rate at which a client sends API requests without a valid key
    #[arg(long, help_heading = CLIENTS, env = "TERSE_FAILED_KEYS", value_name = "RATE", default_value = "unlimited", value_parser = client_limit)]
    pub failed_keys: RequestLimit,

    /// Maximum rate at which a client requests QR images that the server has to draw
    #[arg(long, help_heading = CLIENTS, env = "TERSE_QR_IMAGES", value_name = "RATE", default_value = "unlimited", value_parser = client_limit)]
    pub qr_images: RequestLimit,

    /// Send webhooks, so that the server connects to the URLs that owners choose
    #[arg(long, help_heading = WEBHOOKS, env = "TERSE_WEBHOOKS", value_name = "FLAG", action = ArgAction::Set, num_args = 0..=1, default_missing_value = "true", default_value_t = false, value_parser = BoolishValueParser::new())]
    pub webhooks: bool,

    /// Also accept URLs with http:// for webhooks, whose deliveries anyone on the way can read
    #[arg(long, hide_short_help = true, help_heading = WEBHOOKS, env = "TERSE_WEBHOOK_INSECURE", value_parser = BoolishValueParser::new())]
    pub webhook_insecure: bool,

    /// Networks that webhooks may reach although they are not public, such as 10.1.0.0/16
    #[arg(long, hide_short_help = true, help_heading = WEBHOOKS, env = "TERSE_WEBHOOK_ALLOW", value_name = "CIDR,...", value_delimiter = ',', value_parser = network)]
    pub webhook_allow: Vec<IpNet>,

    /// Duration of a second of the schedule of webhooks, which tests shorten
    #[arg(
        long,
        hide = true,
        env = "TERSE_WEBHOOK_SECOND",
        value_name = "MS",
        default_value_t = 1_000
    )]
    pub webhook_second: u64,

    /// What to log: error, warn, info, debug or trace, or directives such as info,terse=debug
    #[arg(long, help_heading = LOG, env = "TERSE_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,

    /// Log format
    #[arg(long, hide_short_help = true, help_heading = LOG, env = "TERSE_LOG_FORMAT", value_name = "FORMAT", value_enum, default_value_t = LogFormat::Auto)]
    pub log_format: LogFormat,

    /// Which requests to log, at most 1000 lines per second. Redirects and successful health checks are logged at level debug
    #[arg(long, hide_short_help = true, help_heading = LOG, env = "TERSE_ACCESS_LOG", value_name = "WHICH", value_enum, default_value_t = AccessLog::All)]
    pub access_log: AccessLog,
}

/// Parses an argument, which an error calls `it`.
pub(crate) fn argument<T: FromStr<Err = ValidationError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("it {error}"))
}

/// Parses a base URL. For a URL with a path or without a scheme, the error suggests the base URL
/// that the user may have meant.
fn base_url(text: &str) -> Result<BaseUrl, String> {
    let with_scheme = if text.contains("://") { text } else { &format!("https://{text}") };
    // `go.example.org:8080` would parse as a URL with the scheme `go.example.org`.
    let parsed = if with_scheme == text {
        BaseUrl::parse(text)
    } else {
        Err(ValidationError::because("must start with http:// or https://"))
    };
    parsed.map_err(|error| {
        let origin = Url::parse(with_scheme).map(|url| url.origin().ascii_serialization());
        match origin.ok().filter(|origin| BaseUrl::parse(origin).is_ok()) {
            Some(origin) => format!("it {error}; did you mean {origin}?"),
            None => format!("it {error}"),
        }
    })
}

fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
    let network = text.parse().ok().or_else(address);
    network.ok_or_else(|| "it must be a network such as 10.0.0.0/8 or fd00::/8".to_owned())
}

/// Parses the limit of a client. A rate per hour would keep addresses in memory for too long.
fn client_limit(text: &str) -> Result<RequestLimit, String> {
    let is_short = |limit: &RequestLimit| {
        limit.rate().is_none_or(|rate| RateLimit::new(rate, None).window() <= MAX_CLIENT_WINDOW)
    };
    text.parse().ok().filter(is_short).ok_or_else(|| {
        "it must be 'unlimited', or a number from 1 to 1000000 per s or min, such as 20/s or 600/min"
            .to_owned()
    })
}

impl Settings {
    /// Returns the limits of a server. Unlike those of a command, they include health checks and a
    /// larger page cache.
    pub fn server_limits(&self) -> Limits {
        let health_check_timeout = Some(Duration::from_millis(self.database_health_check_timeout));
        // For links beyond the link cache, the page cache has the upper levels of all indexes.
        let page_bytes = self.cache_bytes() as u64 / 32;
        // A server that has a primary knows that its own database may be a standby.
        let serves_standby = self.primary_url.is_some() || self.primary_url_file.is_some();
        Limits { health_check_timeout, serves_standby, page_bytes, ..self.request_limits() }
    }

    /// Returns the limits of a standby's connections to its primary.
    pub fn primary_limits(&self) -> Limits {
        Limits { connections: Some(1), ..self.request_limits() }
    }

    /// Returns the limits of a command. A command waits longer than a request, because its user
    /// would only run it again.
    pub fn command_limits(&self) -> Limits {
        let limits = self.request_limits();
        Limits {
            connections: limits.connections.or(Some(COMMAND_CONNECTIONS)),
            acquire_timeout: limits.acquire_timeout.max(MIN_COMMAND_TIMEOUT),
            statement_timeout: limits.statement_timeout.map(|limit| limit.max(MIN_COMMAND_TIMEOUT)),
            ..limits
        }
    }

    fn request_limits(&self) -> Limits {
        Limits {
            connections: self.database_max_connections,
            acquire_timeout: Duration::from_millis(self.database_acquire_timeout),
            statement_timeout: Some(Duration::from_millis(self.database_statement_timeout)),
            pause_timeout: Some(Duration::from_millis(self.database_statement_timeout)),
            ..Limits::default()
        }
    }

    /// Returns the address at which programs on the same machine reach the server for health
    /// checks.
    pub fn health_address(&self) -> ListenAddress {
        self.operator_listen.as_ref().unwrap_or(&self.listen).to_local()
    }

    /// Returns the proxies whose header names the client.
    pub fn trusted_proxies(&self) -> TrustedProxies {
        TrustedProxies(self.trusted_proxies.clone())
    }

    /// Returns the rate of a limit on clients.
    pub const fn client_rate(&self, limit: ClientLimit) -> Option<Rate> {
        match limit {
            ClientLimit::UnknownCodes => self.unknown_codes.rate(),
            ClientLimit::FailedKeys => self.failed_keys.rate(),
            ClientLimit::QrImages => self.qr_images.rate(),
        }
    }

    /// Returns which addresses webhooks may reach.
    pub fn webhook_targets(&self) -> WebhookTargets {
        let allowed = self.webhook_allow.clone();
        WebhookTargets { is_insecure: self.webhook_insecure, allowed }
    }

    /// Returns the addresses of the service that these settings describe.
    ///
    /// # Errors
    /// If no base URL is set, and the listen address has none.
    pub fn service_urls(&self) -> Result<ServiceUrls, ValidationError> {
        let base_url = self.base_url_at(match self.listen {
            ListenAddress::Tcp(address) => Some(address),
            ListenAddress::Unix(_) => None,
        })?;
        Ok(ServiceUrls::new(base_url, &self.also_at))
    }

    /// Returns the base URL of a server that listens on `address`, or only on Unix sockets.
    ///
    /// # Errors
    /// If no base URL is set, and `http://ADDRESS` is not a valid base URL.
    pub fn base_url_at(&self, address: Option<SocketAddr>) -> Result<BaseUrl, ValidationError> {
        match (&self.base_url, address) {
            (Some(base_url), _) => Ok(base_url.clone()),
            (None, Some(address)) => BaseUrl::parse(&format!("http://{address}")),
            (None, None) => Err(ValidationError::because(
                "must be set (--base-url, TERSE_BASE_URL), because a Unix socket has none",
            )),
        }
    }

    /// Returns the size in bytes of the cache for links and API keys.
    pub fn cache_bytes(&self) -> usize {
        mebibytes(self.cache_size)
    }

    /// Returns the size in bytes of the queue of link creations.
    pub fn queue_bytes(&self) -> usize {
        mebibytes(self.queue_size)
    }

    /// Returns the directory of spool files. The default is the directory of the SQLite file or,
    /// with PostgreSQL, the current directory.
    pub fn spool_directory(&self, database: &DatabaseUrl) -> PathBuf {
        let default = database.sqlite_file().and_then(Path::parent);
        let directory = self.spool_directory.as_deref().or(default).unwrap_or(Path::new(""));
        // The path is empty if that of the SQLite file has no directory, and by default on
        // PostgreSQL.
        if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory.to_owned() }
    }
}

fn mebibytes(number: u32) -> usize {
    usize::try_from(u64::from(number) << 20).unwrap_or(usize::MAX)
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Pretty on a terminal, JSON otherwise
    Auto,
    /// For people
    Pretty,
    /// One JSON object per line
    Json,
}

/// What requests for an unknown host get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UnknownHosts {
    /// The same as at the base URL
    Serve,
    /// 404, except for health checks
    Reject,
}

/// Requests that the log contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AccessLog {
    /// All requests
    All,
    /// Those whose response has status 400 or above
    Errors,
    /// None
    Off,
}
