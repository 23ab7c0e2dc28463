//! `terse migrate`

use super::database;
use super::error::CommandError;
use super::output::Output;
use crate::config::Settings;
use crate::store::{IfMissing, Store};

pub(super) async fn run(settings: &Settings, output: Output) -> Result<(), CommandError> {
    let url = database::parse(&settings.database_url)?;
    let store = Store::open(&url, IfMissing::Create, &settings.command_limits()).await?;
    store.migrate().await?;
    store.close().await?;
    let database = url.location();
    let value = serde_json::json!({ "database": database });
    Ok(output.print_confirmation(&format!("the schema of {database} is up to date"), &value)?)
}
