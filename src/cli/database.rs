//! Opens the database that a command works on.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::error::{CommandError, Result};
use super::output::{Output, eprint_line};
use crate::config::Settings;
use crate::store::{DatabaseUrl, IfMissing, Limits, Store, StoreError};

/// What a command on the database works with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) settings: &'a Settings,
    pub(super) store: &'a Store,
    pub(super) output: Output,
}

/// Opens the database of a command. The database must exist, and its schema must be up to date.
pub(super) async fn open(settings: &Settings) -> Result<Store> {
    let url = url(settings)?;
    let limits = settings.command_limits();
    let store = open_at(&url, "--database-url", IfMissing::Fail, &limits).await?;
    store.check_schema().await?;
    Ok(store)
}

/// Opens the database at `url`, which `option` names. If it cannot be reached, the error says where
/// it should be.
pub(super) async fn open_at(
    url: &DatabaseUrl,
    option: &'static str,
    if_missing: IfMissing,
    limits: &Limits,
) -> Result<Store> {
    Store::open(url, if_missing, limits).await.map_err(|error| {
        if let StoreError::Unavailable | StoreError::Unreachable(_) = error {
            CommandError::NotReached { error, location: url.location(), option }
        } else {
            error.into()
        }
    })
}

/// Opens the database of a command and runs the command on it.
///
/// # Errors
/// The error of the command, or [`StoreError::Unconfirmed`] if it succeeded but no standby has
/// confirmed what it committed.
pub(super) async fn run_on<C>(
    run: impl AsyncFnOnce(C, Context<'_>) -> Result,
    command: C,
    settings: &Settings,
    output: Output,
) -> Result {
    let store = open(settings).await?;
    run(command, Context { settings, store: &store, output }).await?;
    Ok(store.check_confirmed()?)
}

/// Removes erased texts from the write-ahead log, or says that they stay there for now.
pub(super) async fn purge_log(store: &Store) {
    let reason = match store.truncate_log().await {
        Ok(true) => return,
        Ok(false) => "another program still reads it".to_owned(),
        Err(error) => error.to_string(),
    };
    eprint_line(&format!(
        "erased texts stay in the write-ahead log until a later checkpoint: {reason}"
    ));
}

/// Maximum size in bytes of a file with a database URL.
const MAX_URL_FILE: u64 = 64 << 10;

/// Returns the address of the database of a command, from the setting or from a file.
pub(super) fn url(settings: &Settings) -> Result<DatabaseUrl> {
    url_or_file(Some(&settings.database_url), settings.database_url_file.as_deref())
}

/// Reads the URL from the file or, if there is none, parses it.
pub(super) fn url_or_file(url: Option<&str>, file: Option<&Path>) -> Result<DatabaseUrl> {
    match file {
        Some(file) => read(file),
        None => parse(url.unwrap_or_default()),
    }
}

/// Returns the address of the primary of a server, if it has one.
pub(super) fn primary_url(settings: &Settings) -> Result<Option<DatabaseUrl>> {
    let (url, file) = (settings.primary_url.as_deref(), settings.primary_url_file.as_deref());
    if url.is_none() && file.is_none() {
        return Ok(None);
    }
    let url = url_or_file(url, file)?;
    if url.sqlite_file().is_some() {
        return Err(CommandError::usage("the primary must be a PostgreSQL database"));
    }
    Ok(Some(url))
}

/// Reads a database URL from a file, without the blanks and line breaks around it.
fn read(file: &Path) -> Result<DatabaseUrl> {
    let mut text = String::new();
    File::open(file).and_then(|open| open.take(MAX_URL_FILE).read_to_string(&mut text)).map_err(
        |error| {
            let file = file.display();
            CommandError::Other(format!("cannot read the database URL from {file}: {error}"))
        },
    )?;
    parse(text.trim())
}

/// Parses a database URL. The argument parser does not do this, because its errors would show the
/// password in the URL.
fn parse(url: &str) -> Result<DatabaseUrl> {
    url.parse().map_err(|reason| CommandError::Usage(format!("the database URL {reason}")))
}
