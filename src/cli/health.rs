//! `terse health`, which checks the running server, for containers and proxies, and `terse status`, which
//! shows whether all is well.

use std::io;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use strum_macros::IntoStaticStr;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::database::{self, Context};
use super::error::{CommandError, Result};
use super::output::{Column, Output, or_dash};
use crate::config::Settings;
use crate::domain::clicks::spool::Spool;
use crate::domain::status::{Status, Warning};
use crate::http::objects::status;
use crate::store::installation;
use crate::values::ListenAddress;

/// Maximum time for the server's response. A readiness check takes up to a second while the
/// database is unavailable.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of bytes of a response that the command reads.
const MAX_RESPONSE: u64 = 64 * 1024;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// What to check
    #[arg(value_enum, default_value_t = Check::Ready)]
    check: Check,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "kebab-case")]
enum Check {
    /// Whether the server responds
    Live,
    /// Whether the server responds, reaches its database and stores clicks
    Ready,
}

pub(super) async fn run(arguments: Arguments, settings: &Settings, output: Output) -> Result {
    let address = settings.health_address();
    if matches!(address, ListenAddress::Tcp(address) if address.port() == 0) {
        let option =
            if settings.operator_listen.is_some() { "--operator-listen" } else { "--listen" };
        return Err(CommandError::Usage(format!(
            "{option} has port 0, with which only the server knows its port"
        )));
    }
    let check = arguments.check.into_str();
    let asked = timeout(HEALTH_TIMEOUT, request_health(&address, check)).await;
    let late = || Err(format!("{address} does not respond within {} s", HEALTH_TIMEOUT.as_secs()));
    let detail = asked.unwrap_or_else(|_| late());
    let healthy = detail.is_ok();
    let (Ok(text) | Err(text)) = &detail;
    if healthy || output.json {
        let value = json!({ "check": check, "healthy": healthy, "detail": text });
        output.show(&format!("{check}: {text}"), &value)?;
    }
    detail.map(drop).map_err(|reason| CommandError::Unhealthy(format!("not {check}: {reason}")))
}

/// Requests a health check and returns its result. The error is the reason why the server is
/// unhealthy.
async fn request_health(address: &ListenAddress, check: &str) -> Result<String, String> {
    let response = match address {
        ListenAddress::Tcp(tcp) => {
            let stream = TcpStream::connect(tcp).await;
            exchange(stream, &tcp.to_string(), check).await
        }
        ListenAddress::Unix(path) => {
            exchange(UnixStream::connect(path).await, "localhost", check).await
        }
    };
    let response = response.map_err(|error| format!("cannot ask {address}: {error}"))?;
    parse(&String::from_utf8_lossy(&response)).unwrap_or_else(|| {
        Err(format!(
            "the server at {address} is not a Terse server, or answers health checks only on its \
             operator's listener, which --operator-listen names"
        ))
    })
}

/// Requests a health check on a connection, and returns the response.
async fn exchange(
    stream: io::Result<impl AsyncRead + AsyncWrite + Unpin>,
    host: &str,
    check: &str,
) -> io::Result<Vec<u8>> {
    let mut stream = stream?;
    // In HTTP/1.0, the connection carries one response and ends with it.
    let request = format!("GET /health/{check} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.take(MAX_RESPONSE).read_to_end(&mut response).await?;
    Ok(response)
}

/// Returns the result that a response reports, or `None` if another program sent the response.
fn parse(response: &str) -> Option<Result<String, String>> {
    let (head, body) = response.split_once("\r\n\r\n")?;
    let mut status_line = head.lines().next()?.split(' ');
    status_line.next().filter(|version| version.starts_with("HTTP/1."))?;
    let status = status_line.next()?;
    let body: Value = serde_json::from_str(body).ok()?;
    let text = body.get("status")?.as_str()?.to_owned();
    Some(if status == "200" { Ok(text) } else { Err(text) })
}

pub(super) async fn run_status((): (), Context { settings, store, output }: Context<'_>) -> Result {
    let secret = installation::secret(store.reader()).await?;
    let spool = Spool::new(settings.spool_directory(&database::url(settings)?), &secret);
    let files = spool.all_files().map_err(CommandError::other)?;
    let status = Status::read(store, !files.is_empty(), None).await?;
    let warnings: Vec<_> = status.warnings.iter().copied().map(Warning::detail).collect();
    output.row::<status::Status, _>(&COLUMNS, status)?;
    if warnings.is_empty() { Ok(()) } else { Err(CommandError::Unhealthy(warnings.join("; "))) }
}

const COLUMNS: [Column<Status>; 11] = [
    ("version", |_| env!("CARGO_PKG_VERSION").to_owned()),
    ("schema", |status| status.overview.schema.clone()),
    ("database", |status| status.database_kind.to_owned()),
    ("size", |status| size(status.size_bytes)),
    ("free", |status| or_dash(status.free_bytes.map(size))),
    ("last backup", |status| or_dash(status.overview.last_backup_at)),
    ("instances", |status| status.overview.instances.to_string()),
    ("links", |status| {
        format!("{} ({} today)", status.overview.links, status.overview.links_today)
    }),
    ("owners", |status| status.overview.owners.to_string()),
    ("clicks today", |status| status.overview.clicks_today.to_string()),
    ("clicks wait", |status| if status.are_clicks_waiting { "yes" } else { "no" }.to_owned()),
];

fn size(bytes: u64) -> String {
    let (unit, name) =
        if bytes < 1_000_000_000 { (1_000_000, "MB") } else { (1_000_000_000, "GB") };
    format!("{}.{} {name}", bytes / unit, bytes / (unit / 10) % 10)
}
