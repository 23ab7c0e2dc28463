//! `terse serve`

use tokio::signal::unix::{SignalKind, signal};

use super::output::Output;
use super::{Failure, database, logging, randomness, signals};
use crate::config::Settings;
use crate::domain::owners;
use crate::server::{self, Bound};
use crate::store::{DatabaseUrl, IfMissing, Store};
use crate::values::{ApiKey, BaseUrl, Name};

/// The owner that a new database begins with.
const FIRST_OWNER: &str = "default";

pub(super) async fn run(settings: &Settings, output: Output) -> Result<(), Failure> {
    logging::start(settings)?;
    // Signals that come while the server starts are not to be missed.
    let stop = stop_signal()?;
    let mut stop = Box::pin(stop);
    let (bound, url, store) = tokio::select! {
        prepared = prepare(settings) => prepared?,
        // What is under way is a transaction, which is committed or rolled back.
        () = &mut stop => return Ok(()),
    };
    // Not to be interrupted: nobody would be shown the key of an owner that is there.
    if url.sqlite_file().is_some() {
        add_first_owner(&store, &bound.base_url, output).await?;
    }
    Ok(server::serve(bound, &url, store, settings, stop).await?)
}

/// Takes the address, and brings the database up to date.
async fn prepare(settings: &Settings) -> Result<(Bound, DatabaseUrl, Store), Failure> {
    let url = database(&settings.database_url)?;
    let bound = server::bind(settings).await?;
    let store = Store::open(&url, IfMissing::Create, &settings.server_limits()).await?;
    store.migrate().await?;
    if url.sqlite_file().is_none() && !owners::any(&store).await? {
        tracing::warn!(
            "there is no API key yet: `terse owner add NAME` creates an owner and prints one"
        );
    }
    Ok((bound, url, store))
}

/// Makes an owner where there is none yet, and shows its key.
async fn add_first_owner(store: &Store, base_url: &BaseUrl, output: Output) -> Result<(), Failure> {
    let name = Name::parse(FIRST_OWNER).map_err(|error| Failure::Other(error.to_string()))?;
    let key = owners::add_first(store, &name, store.now(), &mut randomness()).await?;
    key.map_or(Ok(()), |key| welcome(&key, base_url, output))
}

/// Ready when the process is told to stop: SIGTERM, or Ctrl-C.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    let mut terminate = signal(SignalKind::terminate()).map_err(signals::cannot_listen)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(signals::cannot_listen)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        // More of them change nothing: what passes a signal on often sends it twice.
        tracing::info!("stopping");
    })
}

/// Shows the first key, and lines to paste.
fn welcome(key: &ApiKey, base_url: &BaseUrl, output: Output) -> Result<(), Failure> {
    let key = key.reveal();
    let text = format!(
        "\
Terse has created its database and an owner, '{FIRST_OWNER}', on the plan 'unlimited'.
This is the owner's API key. It is shown only once:

  {key}

Paste this to shorten a URL, follow it, and read its clicks:

  export TERSE_KEY={key}
  curl -s -w '\\n' {base_url}/api/v1/shorten -H \"X-API-Key: $TERSE_KEY\" \\
       -H 'Content-Type: application/json' \\
       -d '{{\"url\":\"https://example.org/\",\"custom_code\":\"hello\"}}'
  curl -si {base_url}/hello
  curl -s -w '\\n' {base_url}/api/v1/stats/hello -H \"X-API-Key: $TERSE_KEY\"

Documentation: {base_url}/docs
"
    );
    let value =
        serde_json::json!({ "owner": FIRST_OWNER, "key": key, "base_url": base_url.as_str() });
    output.show_key(&text, &value)
}
