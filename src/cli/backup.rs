//! `terse backup`

use std::path::PathBuf;

use clap::Args;

use super::database;
use super::error::Result;
use super::output::{Output, eprint_line, pluralize, warn};
use super::stderr::ProgressLine;
use crate::config::Settings;
use crate::domain::backup::{self, Backup, BackupDirectory, BackupError};
use crate::domain::clicks::spool::Spool;
use crate::store::{DatabaseUrl, IfMissing, Store, StoreError, installation};

/// Niceness of the process, so that a server on the same CPU has priority.
const NICENESS: i32 = 10;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Existing directory for the backup and its manifest
    #[arg(value_name = "DIRECTORY")]
    directory: PathBuf,
    /// Number of backups to keep, the new one included; older ones are deleted afterwards [default: all]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
}

pub(super) async fn run(arguments: Arguments, settings: &Settings, output: Output) -> Result {
    let url = database::url(settings)?;
    if url.sqlite_file().is_none() {
        return Err(BackupError::NotSqlite.into());
    }
    let directory = BackupDirectory::open(&arguments.directory)?;
    let limits = settings.command_limits();
    let store = database::open_at(&url, "--database-url", IfMissing::Fail, &limits).await?;
    store.check_schema().await?;
    store_spooled_clicks(&store, settings, &url).await?;
    // This fails only if the process has a lower priority already.
    let _ = rustix::process::nice(NICENESS);
    let mut line = ProgressLine::new("pages");
    let progress = move |count, total| {
        line.show(count, count, total);
        if count == total {
            line.clear();
        }
    };
    let made = backup::create(&store, &directory, arguments.keep, store.now(), progress).await?;
    let &Backup { links, clicks, ref removed, .. } = &made;
    store.close().await?;
    let mut text =
        format!("backed up {} and {}", pluralize(links, "link"), pluralize(clicks, "click"));
    if !removed.is_empty() {
        text.push_str(&format!("; deleted {}", pluralize(removed.len() as i128, "older backup")));
    }
    eprint_line(&text);
    Ok(output.show(&made.backup.display().to_string(), &made)?)
}

/// Stores clicks that an earlier server has spooled, so that the backup has them.
async fn store_spooled_clicks(
    store: &Store,
    settings: &Settings,
    url: &DatabaseUrl,
) -> Result<(), StoreError> {
    let secret = installation::secret(store.reader()).await?;
    let spool = Spool::new(settings.spool_directory(url), &secret);
    let has_files = || spool.files().map(|files| !files.is_empty());
    let mut has_more = has_files();
    let mut reason = String::new();
    if let (Ok(true), false) = (&has_more, url.is_read_only()) {
        let restored = spool.restore(store).await;
        reason = restored.err().map(|error| format!(" ({error})")).unwrap_or_default();
        has_more = has_files();
    }
    // A backup without these clicks is better than none. A server will store them later.
    match has_more {
        Ok(false) => {}
        Ok(true) => {
            let directory = spool.directory().display();
            warn(&format!("the backup lacks the clicks of spool files in {directory}{reason}"));
        }
        Err(error) => warn(&format!("the backup may lack clicks of spool files: {error}")),
    }
    Ok(())
}
