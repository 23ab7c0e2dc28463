//! `terse serve`

use tokio::signal::unix::{SignalKind, signal};

use super::error::CommandError;
use super::first_owner::{FIRST_OWNER, add_first_owner};
use super::output::Output;
use super::{database, logging, signals};
use crate::config::Settings;
use crate::metrics::Metrics;
use crate::server::{self, Bound, ServeError};
use crate::store::{DatabaseUrl, IfMissing, Store};
use crate::values::{ApiKey, BaseUrl};

pub(super) async fn run(settings: &Settings, output: Output) -> Result<(), CommandError> {
    let metrics = Metrics::new().map_err(ServeError::from)?;
    logging::start(settings, metrics.log_lines_dropped.clone())?;
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

/// Binds the listen address, opens the database and upgrades its schema.
async fn prepare(settings: &Settings) -> Result<(Bound, DatabaseUrl, Store), CommandError> {
    let url = database::url(settings)?;
    let bound = server::bind(settings, &url).await?;
    let limits = settings.server_limits();
    let store = database::open_at(&url, "--database-url", IfMissing::Create, &limits).await?;
    store.migrate().await?;
    Ok((bound, url, store))
}

/// Returns a future that completes at the first SIGTERM or SIGINT.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static, CommandError> {
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
fn welcome(
    key: &ApiKey,
    database: &str,
    base_url: &BaseUrl,
    output: Output,
) -> Result<(), CommandError> {
    let key = key.reveal();
    let text = format!(
        "\
Terse has created, in the database {database},
an owner, '{FIRST_OWNER}', on the plan 'unlimited'. This is the owner's API key:

  {key}

Terse cannot show this key again. If you lose it, create another one:

  terse key add {FIRST_OWNER} --database-url '{url}'

Paste this to shorten a URL, follow it, and read its clicks:

  export TERSE_KEY={key}
  curl -s -w '\\n' {base_url}/api/v1/shorten -H \"X-API-Key: $TERSE_KEY\" \\
       -H 'Content-Type: application/json' \\
       -d '{{\"url\":\"https://example.org/\",\"custom_code\":\"hello\"}}'
  curl -si {base_url}/hello
  curl -s -w '\\n' {base_url}/api/v1/stats/hello -H \"X-API-Key: $TERSE_KEY\"

Documentation: {base_url}/docs
",
        url = sqlite_url(database),
    );
    let value = serde_json::json!({
        "owner": FIRST_OWNER, "key": key, "base_url": base_url.as_str(), "database": database,
    });
    output.show_key(&text, &value)
}

/// Returns the database URL of a file. The URL contains no single quote, so that a shell accepts it
/// in single quotes.
fn sqlite_url(path: &str) -> String {
    let mut url = String::from("sqlite://");
    for letter in path.chars() {
        match letter {
            '%' => url.push_str("%25"),
            '?' => url.push_str("%3F"),
            '\'' => url.push_str("%27"),
            _ => url.push(letter),
        }
    }
    url
}
