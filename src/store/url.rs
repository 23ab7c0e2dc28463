//! Addresses of databases.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use sea_orm::sqlx::postgres::PgConnectOptions;
use url::{Url, form_urlencoded};

use crate::values::ValidationError;

/// Address of a database: `sqlite://PATH` or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(pub(super) Address);

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Address {
    Sqlite(SqliteUrl),
    Postgres { url: String },
}

/// Path and `mode` of an SQLite database (<https://www.sqlite.org/uri.html>). Without a `mode`,
/// Terse creates a missing file, as with `mode=rwc`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SqliteUrl {
    pub(super) path: PathBuf,
    pub(super) may_create: bool,
    pub(super) may_write: bool,
}

impl FromStr for DatabaseUrl {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let url = with_host(text);
            check_single_host(&url)?;
            // The driver's error does not show the password.
            let options = PgConnectOptions::from_str(&url).map_err(|error| {
                ValidationError::because(format!("is not valid: {error}{ENCODING_HINT}"))
            })?;
            // The driver takes from the environment what the address lacks.
            if options.get_host().contains(',') {
                return Err(ValidationError::because(format!(
                    "has no host, and PGHOST names several; {SINGLE_HOST}"
                )));
            }
            if let Ok(value) = std::env::var(SESSION_VARIABLE)
                && value != SESSION_PARAMETER.1
            {
                let reason =
                    format!("cannot be used while {SESSION_VARIABLE} chooses among several hosts");
                return Err(ValidationError::because(format!("{reason}; {SINGLE_HOST}")));
            }
            check_parameters(&url)?;
            return Ok(Self(Address::Postgres { url }));
        }
        if !text.starts_with("sqlite:") {
            return Err(ValidationError::because("must start with sqlite:// or postgres://"));
        }
        let rest = text.trim_start_matches("sqlite:");
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let (path, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let path = percent_decode_str(path)
            .decode_utf8()
            .map_err(|error| ValidationError::because(format!("is not valid: {error}")))?;
        if path.is_empty() {
            return Err(ValidationError::because("must name a file"));
        }
        if text.contains(":memory:") || text.contains("mode=memory") {
            // Each connection to an in-memory database would have a database of its own.
            return Err(ValidationError::because(
                "must name a file: an in-memory database cannot be used",
            ));
        }
        let (mut may_create, mut may_write) = (true, true);
        for (name, value) in form_urlencoded::parse(parameters.as_bytes()) {
            if name != "mode" {
                let reason = format!("has an unknown parameter, `{name}`; only `mode` is known");
                return Err(ValidationError::because(reason));
            }
            if !matches!(&*value, "rwc" | "rw" | "ro") {
                return Err(ValidationError::because(
                    "has an unknown `mode`; it may be rwc, rw or ro",
                ));
            }
            may_create &= value == "rwc";
            may_write &= value != "ro";
        }
        let path = PathBuf::from(&*path);
        Ok(Self(Address::Sqlite(SqliteUrl { path, may_create, may_write })))
    }
}

/// Hint for the most frequent fault of an address.
const ENCODING_HINT: &str =
    " (characters such as / and # in a name or password must be percent-encoded)";

/// Parameters that the driver supports. The driver ignores all others, even a misspelt
/// `sslmod=require`.
const SUPPORTED_PARAMETERS: [&str; 16] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
];

/// Parameters of other drivers that change no meaning, so that Terse ignores them.
const IGNORED_PARAMETERS: [&str; 9] = [
    "statement-cache-capacity",
    "connect_timeout",
    "client_encoding",
    "fallback_application_name",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
];

/// The parameter that chooses among several hosts. With `any`, which is the default, it chooses none.
const SESSION_PARAMETER: (&str, &str) = ("target_session_attrs", "any");

/// The same as a variable, which the driver ignores.
const SESSION_VARIABLE: &str = "PGTARGETSESSIONATTRS";

/// What to use instead of several hosts.
const SINGLE_HOST: &str = "Terse connects to one host: use the address of a proxy that leads to the \
    primary, such as HAProxy in docs/high-availability.md";

/// Appends a suffix to a path. SQLite names the files next to the database in this way.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns the paths of all files that the SQLite database at this path may have
/// (<https://www.sqlite.org/tempfiles.html>).
pub fn sqlite_files(path: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|suffix| with_suffix(path, suffix))
}

impl DatabaseUrl {
    /// Returns the address of an SQLite file to which this process does not write.
    pub fn read_only(file: &Path) -> Self {
        let path = file.to_owned();
        Self(Address::Sqlite(SqliteUrl { path, may_create: false, may_write: false }))
    }

    /// Returns the paths of all files that an SQLite database may have. Returns none for PostgreSQL.
    pub fn files(&self) -> Vec<PathBuf> {
        let Address::Sqlite(SqliteUrl { path, .. }) = &self.0 else { return Vec::new() };
        // SQLite creates these files next to the database file, not next to a symbolic link to it.
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        sqlite_files(&path).into()
    }
}

/// Returns the position of the hosts and ports in an address, between the user and the path.
fn hosts(url: &str) -> Range<usize> {
    let start = url.find("://").map_or(0, |colon| colon + "://".len());
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |length| start + length);
    let user = url[start..end].rfind('@').map_or(0, |at| at + 1);
    start + user..end
}

fn parameters(url: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    form_urlencoded::parse(query.split('#').next().unwrap_or_default().as_bytes())
}

/// Completes an address whose host is a parameter, as in `postgres://terse@/terse?host=/run/postgresql`,
/// which libpq accepts and the URL standard does not.
fn with_host(url: &str) -> String {
    let hosts = hosts(url);
    let is_parameter = parameters(url).any(|(name, _)| matches!(&*name, "host" | "hostaddr"));
    let mut url = url.to_owned();
    if is_parameter && (hosts.is_empty() || url[hosts.clone()].starts_with(':')) {
        url.insert_str(hosts.start, "localhost");
    }
    url
}

/// Checks that an address names one host, and has no parameter that chooses among several.
fn check_single_host(url: &str) -> Result<(), ValidationError> {
    let is_list = |(name, value): (Cow<str>, Cow<str>)| {
        matches!(&*name, "host" | "hostaddr" | "port") && value.contains(',')
    };
    let hosts = hosts(url);
    // A reserved character in the password ends the hosts before the `@`.
    if url[hosts.clone()].contains(',') && url[hosts.end..].contains('@') {
        return Err(ValidationError::because(format!("is not valid{ENCODING_HINT}")));
    }
    let reason = if url[hosts].contains(',') || parameters(url).any(is_list) {
        "names several hosts".to_owned()
    } else if let Some((name, _)) = parameters(url)
        .find(|(name, value)| *name == SESSION_PARAMETER.0 && *value != SESSION_PARAMETER.1)
    {
        format!("has the parameter `{name}`, which chooses among several hosts")
    } else {
        return Ok(());
    };
    Err(ValidationError::because(format!("{reason}; {SINGLE_HOST}")))
}

/// Checks the names of an address's parameters. Errors do not show values, which may be passwords.
fn check_parameters(text: &str) -> Result<(), ValidationError> {
    let url = Url::parse(text)
        .map_err(|error| ValidationError::because(format!("is not valid: {error}")))?;
    let is_known = |name: &str| {
        SUPPORTED_PARAMETERS.contains(&name)
            || IGNORED_PARAMETERS.contains(&name)
            || name == SESSION_PARAMETER.0
            || name == "options"
            || name.starts_with("options[")
    };
    match url.query_pairs().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => {
            Err(ValidationError::because(format!("has an unknown parameter, `{name}`")))
        }
        None => Ok(()),
    }
}

/// Formats the address without user, password and parameters, for logs and messages.
impl std::fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Address::Sqlite(SqliteUrl { path, .. }) => write!(f, "sqlite://{}", path.display()),
            Address::Postgres { url } => match PgConnectOptions::from_str(url) {
                Ok(options) => {
                    let (host, port) = (options.get_host(), options.get_port());
                    let name = options.get_database().unwrap_or_default();
                    match options.get_socket() {
                        Some(socket) => {
                            write!(f, "postgres:///{name}?host={}&port={port}", socket.display())
                        }
                        None => write!(f, "postgres://{host}:{port}/{name}"),
                    }
                }
                Err(_) => f.write_str("postgres://…"),
            },
        }
    }
}

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

impl DatabaseUrl {
    /// Returns the address under which Terse creates a missing SQLite file, unless it has `mode=ro`.
    #[must_use]
    pub fn with_creation(self) -> Self {
        match self.0 {
            Address::Sqlite(SqliteUrl { path, may_create: _, may_write }) => {
                Self(Address::Sqlite(SqliteUrl { path, may_create: may_write, may_write }))
            }
            Address::Postgres { url } => Self(Address::Postgres { url }),
        }
    }

    /// Returns whether the address has `mode=ro`.
    pub fn is_read_only(&self) -> bool {
        matches!(&self.0, Address::Sqlite(SqliteUrl { may_write: false, .. }))
    }

    /// Returns the absolute path of an SQLite file, or the address of PostgreSQL without the
    /// password.
    pub fn location(&self) -> String {
        match self.sqlite_file().and_then(|file| std::path::absolute(file).ok()) {
            Some(file) => file.display().to_string(),
            None => self.to_string(),
        }
    }

    /// Returns the path of an SQLite database, or `None` for PostgreSQL.
    pub fn sqlite_file(&self) -> Option<&std::path::Path> {
        match &self.0 {
            Address::Sqlite(SqliteUrl { path, .. }) => Some(path),
            Address::Postgres { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_is_not_displayed() {
        let url: DatabaseUrl = "postgres://terse:secret@db.example/terse".parse().unwrap();
        assert_eq!(
            format!("{url} {url:?}"),
            "postgres://db.example:5432/terse DatabaseUrl(postgres://db.example:5432/terse)"
        );
    }

    #[test]
    fn unknown_parameter_is_rejected() {
        for query in ["sslmod=require", "sslmode=require&pasword=secret", "channel_binding=require"]
        {
            let text = format!("postgres://terse@db.example/terse?{query}");
            let Err(ValidationError { reason, .. }) = text.parse::<DatabaseUrl>() else {
                panic!("{query}")
            };
            assert!(reason.contains("parameter") && !reason.contains("secret"), "{reason}");
        }
        let text =
            "postgres:///terse?host=/run&sslmode=disable&options[search_path]=x&connect_timeout=3";
        assert!(text.parse::<DatabaseUrl>().is_ok());
    }

    #[test]
    fn several_hosts_are_rejected_with_an_alternative() {
        for (url, expected) in [
            ("postgres://u:p@a:5432,b:5432/db", "several hosts"),
            ("postgresql://u:p@a,b/db?target_session_attrs=read-write", "several hosts"),
            ("postgres://u:p@[::1]:5432,[::2]:5432/db", "several hosts"),
            ("postgres:///db?host=a,b", "several hosts"),
            ("postgres://u@a/db?port=5432%2C5433", "several hosts"),
            ("postgres://u:p@a/db?target_session_attrs=read-write", "`target_session_attrs`"),
            ("postgres://u:p@a/db?target_session_attrs=primary", "`target_session_attrs`"),
        ] {
            let Err(ValidationError { reason, .. }) = url.parse::<DatabaseUrl>() else {
                panic!("{url}")
            };
            assert!(reason.contains(expected) && reason.contains("HAProxy"), "{url}: {reason}");
        }
        for url in ["postgres://u:p,w@a/d,b", "postgres://u@a/db?target_session_attrs=any"] {
            assert!(url.parse::<DatabaseUrl>().is_ok(), "{url}");
        }
    }

    #[test]
    fn reserved_characters_in_a_password_are_no_hosts() {
        for password in ["a,b#c", "a#b,c", "a,b/c", "a,b?c", "a@b,c#d"] {
            let url = format!("postgres://u:{password}@h/db");
            let Err(ValidationError { reason, .. }) = url.parse::<DatabaseUrl>() else {
                panic!("{url}")
            };
            assert!(reason.contains("# in a name or password must be percent-encoded"), "{reason}");
        }
    }

    #[test]
    fn host_may_be_a_parameter() {
        for (url, expected) in [
            ("postgres://u:p@/db?host=/run/postgresql", Some("/run/postgresql")),
            ("postgres://u@:5433/db?host=%2Frun%2Fpostgresql", Some("/run/postgresql")),
            ("postgres:///db?host=/run/postgresql", Some("/run/postgresql")),
            ("postgres://?host=/run/postgresql&dbname=db", Some("/run/postgresql")),
        ] {
            let parsed = url.parse::<DatabaseUrl>().map(|DatabaseUrl(address)| address);
            let Ok(Address::Postgres { url: completed }) = parsed else { panic!("{url}") };
            let options = PgConnectOptions::from_str(&completed).unwrap();
            assert_eq!(options.get_socket().and_then(|path| path.to_str()), expected, "{url}");
            assert_eq!(options.get_database(), Some("db"), "{url}");
        }
    }

    #[test]
    fn in_memory_and_unknown_databases_are_rejected() {
        for text in ["sqlite::memory:", "sqlite://", "mysql://x/y", "terse.db", ""] {
            assert!(text.parse::<DatabaseUrl>().is_err(), "{text}");
        }
        assert!("sqlite://terse.db?mode=rwc".parse::<DatabaseUrl>().is_ok());
    }

    #[test]
    fn sqlite_url_has_no_parameter_besides_mode() {
        for (query, expected) in [
            ("", Some((true, true))),
            ("?mode=rwc", Some((true, true))),
            ("?mode=rw", Some((false, true))),
            ("?mode=ro", Some((false, false))),
            ("?mode=wo", None),
            ("?immutable=1", None),
            ("?mode=rw&vfs=unix-none", None),
        ] {
            let url = format!("sqlite://terse.db{query}").parse::<DatabaseUrl>();
            let may = url.ok().map(|DatabaseUrl(address)| match address {
                Address::Sqlite(SqliteUrl { may_create, may_write, .. }) => (may_create, may_write),
                Address::Postgres { .. } => panic!("{query}"),
            });
            assert_eq!(may, expected, "{query}");
        }
    }
}
