//! `terse migrate`

use clap::Args;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde_json::json;

use super::database;
use super::error::{CommandError, Result};
use super::output::{ADVICE_ON_LOST_KEY, Output, eprint_line, pluralize, warn};
use crate::config::Settings;
use crate::domain::{keys, owners};
use crate::store::{IfMissing, Store};
use crate::values::{ApiKey, Name};

/// Name of the first owner.
pub(super) const FIRST_OWNER: &str = "default";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Create a missing SQLite file even with mode=rw; also create the first owner and print the owner's key
    #[arg(long)]
    pub(super) create: bool,
}

pub(super) async fn run(
    Arguments { create }: Arguments,
    settings: &Settings,
    output: Output,
) -> Result {
    let mut url = database::url(settings)?;
    if create {
        if url.is_read_only() {
            let text = "--create needs a database without mode=ro";
            return Err(CommandError::usage(text));
        }
        url = url.with_creation();
    }
    let limits = settings.command_limits();
    let store = database::open_at(&url, "--database-url", IfMissing::Create, &limits).await?;
    let applied = store.migrate().await?;
    let key = if create { add_first_owner(&store).await? } else { None };
    let widened = keys::count_widened(&store, applied).await?;
    let confirmed = store.check_confirmed();
    store.close().await?;
    let database = url.location();
    let text = match applied {
        0 => format!("the schema of {database} is up to date"),
        _ => format!("applied {} to {database}", pluralize(applied as i128, "migration")),
    };
    let mut members = json!({ "database": database, "applied": applied, "edit_keys": widened });
    if let Some(key) = key {
        let key = key.reveal();
        eprint_line(&format!("{text}; created owner '{FIRST_OWNER}' on plan 'unlimited'"));
        members["owner"] = FIRST_OWNER.into();
        members["key"] = key.into();
        output.show_key(key, &members, ADVICE_ON_LOST_KEY)?;
    } else {
        output.print_confirmation(&text, &members)?;
    }
    if widened > 0 {
        warn(&format!(
            "{} of the scope 'full', which is called 'edit' now, may also change links from now on; \
             `terse key list OWNER` shows them",
            pluralize(widened, "key")
        ));
    }
    Ok(confirmed?)
}

/// Creates the first owner if the database has none, and returns the owner's key.
pub(super) async fn add_first_owner(store: &Store) -> Result<Option<ApiKey>> {
    let name = Name::parse(FIRST_OWNER).map_err(CommandError::other)?;
    Ok(owners::add_first(store, &name, store.now(), &mut UnwrapErr(SysRng)).await?)
}
