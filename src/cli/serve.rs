//! `terse serve`

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _};
use std::str::FromStr as _;

use prometheus::IntCounter;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::error::{CommandError, Result};
use super::migrate::{FIRST_OWNER, add_first_owner};
use super::output::{ADVICE_ON_LOST_KEY, Output};
use super::{database, signals, stderr};
use crate::config::{LogFormat, Settings};
use crate::domain::keys;
use crate::metrics::Metrics;
use crate::server::{self, Bound, ServeError};
use crate::store::{DatabaseUrl, IfMissing, Store};
use crate::values::{ApiKey, BaseUrl};

pub(super) async fn run(settings: &Settings, output: Output) -> Result {
    let metrics = Metrics::new().map_err(ServeError::from)?;
    start_log(settings, metrics.log_lines_dropped.clone())?;
    let primary = database::primary_url(settings)?;
    // Created first, so that the server misses no signal.
    let stop = stop_signal()?;
    let mut stop = Box::pin(stop);
    let (bound, url, store) = tokio::select! {
        prepared = prepare(settings) => prepared?,
        // Dropping the other future commits the transaction in progress or rolls it back.
        () = &mut stop => return Ok(()),
    };
    // A signal does not cancel this, because an owner whose key was not printed would be useless.
    if url.sqlite_file().is_some()
        && let Some(key) = add_first_owner(&store).await?
    {
        welcome(&key, &url.location(), &bound.base_url, output)?;
    }
    Ok(server::serve(bound, &url, primary, store, settings, metrics, stop).await?)
}

/// Starts the log, which goes to stderr. `dropped` counts the lines that stderr does not accept.
fn start_log(settings: &Settings, dropped: IntCounter) -> Result {
    // Hides messages of the drivers and of poem that do not help operators.
    let quiet = "sqlx=error,sea_orm=warn,poem=warn";
    check_filter(&settings.log)?;
    let filter = EnvFilter::try_new(format!("{quiet},{}", settings.log))
        .map_err(|error| CommandError::Usage(format!("the log filter is not valid: {error}")))?;
    let pretty = match settings.log_format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Pretty => true,
        LogFormat::Json => false,
    };
    let queue = stderr::start_queue(dropped)
        .map_err(|error| CommandError::Other(format!("cannot open the log: {error}")))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(queue);
    let builder = builder.with_ansi(io::stderr().is_terminal()).log_internal_errors(false);
    if pretty {
        builder.with_target(false).init();
    } else {
        builder.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    }
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace = (backtrace.status() == BacktraceStatus::Captured).then_some(&backtrace);
        let backtrace = backtrace.map(tracing::field::display);
        // The default hook would wait for stderr.
        tracing::error!(%panic, backtrace, "a thread panicked");
    }));
    Ok(())
}

/// Rejects words that are not levels. The filter would take such a word for the name of a module,
/// and log nothing.
fn check_filter(filter: &str) -> Result {
    let mut words = filter.split(',').map(str::trim).filter(|directive| !directive.contains('='));
    if filter.split(',').all(|directive| directive.trim().is_empty()) {
        let reason = "the log filter (--log, TERSE_LOG) is empty; `off` is how to log nothing";
        return Err(CommandError::usage(reason));
    }
    match words.find(|word| !word.is_empty() && LevelFilter::from_str(word).is_err()) {
        Some(word) => Err(CommandError::Usage(format!(
            "the log filter is not valid: {word} is not a level; levels are error, warn, info, \
             debug, trace and off"
        ))),
        None => Ok(()),
    }
}

/// Binds the listen address, opens the database and upgrades its schema.
async fn prepare(settings: &Settings) -> Result<(Bound, DatabaseUrl, Store)> {
    let url = database::url(settings)?;
    let bound = server::bind(settings, &url).await?;
    let limits = settings.server_limits();
    let store = database::open_at(&url, "--database-url", IfMissing::Create, &limits).await?;
    let applied = store.migrate().await?;
    let widened = keys::count_widened(&store, applied).await?;
    if widened > 0 {
        tracing::warn!(keys = widened, "keys of the former scope full may also change links");
    }
    Ok((bound, url, store))
}

/// Returns a future that completes at the first SIGTERM or SIGINT.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate()).map_err(signals::cannot_listen)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(signals::cannot_listen)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        // Further signals have no effect, because process managers often send a signal twice.
        tracing::info!("stopping");
    })
}

/// Prints the first API key, and example commands.
fn welcome(key: &ApiKey, database: &str, base_url: &BaseUrl, output: Output) -> Result {
    let key = key.reveal();
    let text = format!(
        "\
Terse has created, in the database {database},
an owner, '{FIRST_OWNER}', on the plan 'unlimited'. This is the owner's API key:

  {key}

Terse cannot show this key again. If you lose it, create another one:

  {program} key add {FIRST_OWNER} --database-url '{url}'

Paste this to shorten a URL, follow it, and read its clicks:

  export TERSE_KEY={key}
  curl -s -w '\\n' {base_url}/api/v1/shorten -H \"X-API-Key: $TERSE_KEY\" \\
       -H 'Content-Type: application/json' \\
       -d '{{\"url\":\"https://example.org/\",\"custom_code\":\"hello\"}}'
  curl -si {base_url}/hello
  curl -s -w '\\n' {base_url}/api/v1/stats/hello -H \"X-API-Key: $TERSE_KEY\"

Documentation: {base_url}/docs
",
        program = program(),
        url = sqlite_url(database),
    );
    let value = serde_json::json!({
        "owner": FIRST_OWNER, "key": key, "base_url": base_url.as_str(), "database": database,
    });
    output.show_key(&text, &value, ADVICE_ON_LOST_KEY)
}

/// Returns the program as this process was called, which a shell in the same directory finds: `cargo run`
/// installs no `terse`.
fn program() -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    let called = std::env::args_os().next().and_then(|program| program.into_string().ok());
    called.filter(|program| program.chars().all(is_plain)).unwrap_or_else(|| "terse".to_owned())
}

/// Returns the database URL of a file. The URL contains no single quote, so that a shell accepts it
/// in single quotes.
fn sqlite_url(path: &str) -> String {
    format!("sqlite://{}", path.replace('%', "%25").replace('?', "%3F").replace('\'', "%27"))
}
