//! Opens the database that a command works on.

use super::error::CommandError;
use crate::config::Settings;
use crate::store::{DatabaseUrl, IfMissing, Store};

/// Opens the database of a command. It must exist, and its schema must be up to date.
pub(super) async fn open(settings: &Settings) -> Result<Store, CommandError> {
    let url = parse(&settings.database_url)?;
    let store = Store::open(&url, IfMissing::Fail, &settings.command_limits()).await?;
    store.check_schema().await?;
    Ok(store)
}

/// Parses a database URL. It is not parsed by the argument parser, whose errors would show a
/// password in it.
pub(super) fn parse(url: &str) -> Result<DatabaseUrl, CommandError> {
    url.parse().map_err(|reason| CommandError::Usage(format!("the database URL {reason}")))
}
