//! `terse restore`

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::copy::{TargetDatabase, copy_database};
use super::database;
use super::error::{CommandError, Result};
use super::output::{Output, eprint_line, pluralize};
use crate::config::Settings;
use crate::domain::backup::{self, BackupError};
use crate::domain::webhooks::deliver as webhooks;
use crate::store::{IfMissing, StoreError};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The backup, with its manifest next to it
    #[arg(value_name = "BACKUP")]
    backup: PathBuf,
    #[command(flatten)]
    target: TargetDatabase,
}

pub(super) async fn run(arguments: Arguments, settings: &Settings, output: Output) -> Result {
    let to = arguments.target.url()?;
    let backup = backup::verify(&arguments.backup).await?;
    match to.sqlite_file() {
        Some(_) if to.is_read_only() => {
            return Err(CommandError::usage("the target must not have mode=ro"));
        }
        Some(file) => backup.write_to(file).await?,
        None => {
            let copied = copy_database(&backup.url(), &to, settings).await;
            if let Err(CommandError::Store(StoreError::SchemaOutdated)) = copied {
                return Err(BackupError::SchemaOutdated { path: arguments.backup }.into());
            }
            copied?;
        }
    }
    let limits = settings.command_limits();
    let store = database::open_at(&to, "--to", IfMissing::Fail, &limits).await?;
    // A backup of an earlier version has no deliveries.
    if store.check_schema().await.is_ok() {
        webhooks::end_old(&store).await?;
    }
    store.close().await?;
    report(&arguments.backup, &backup, &to.location(), output)
}

/// Confirms the restoration, and reminds the operator to repeat changes made since the backup.
fn report(path: &Path, backup: &backup::VerifiedBackup, database: &str, output: Output) -> Result {
    let (links, clicks) = (backup.links(), backup.clicks());
    eprint_line(&format!(
        "restored {} and {} of {} to {database}",
        pluralize(links, "link"),
        pluralize(clicks, "click"),
        path.display(),
    ));
    let text = format!(
        "links and owners deleted after {} are back, and must be deleted again; other changes since \
         then, such as suspended owners, disabled links, revoked keys and blocked destinations, must \
         be repeated",
        backup.created_at(),
    );
    let value = json!({ "database": database, "links": links, "clicks": clicks });
    Ok(output.print_confirmation(&text, &value)?)
}
