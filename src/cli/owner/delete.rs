//! `terse owner delete`

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::change::ChangeOptions;
use crate::cli::database::purge_log;
use crate::cli::error::CommandError;
use crate::cli::output::{Output, eprint_line, pluralize};
use crate::cli::progress::{ProgressLine, ProgressState};
use crate::cli::signals;
use crate::domain::changes::Changed;
use crate::domain::export::{self, Encoding, ExportError};
use crate::domain::owner_deletion::{DeletedRows, OwnerDeletion, count_rows};
use crate::domain::partial_file::PartialFile;
use crate::store::Store;

/// Time after which every instance has stopped redirecting the owner's links, so that the export
/// contains the last clicks.
const WAIT_FOR_SUSPENSION: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(in crate::cli) struct DeleteArguments {
    /// The owner's name
    name: String,
    /// The owner's name again, to confirm the deletion
    #[arg(long, value_name = "NAME")]
    confirm: String,
    /// Export the owner's links to this new file first: JSON Lines if its name ends in .jsonl, otherwise CSV
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    #[command(flatten)]
    change: ChangeOptions,
}

pub(super) async fn run(
    arguments: DeleteArguments,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let DeleteArguments { name, confirm, export, change } = arguments;
    if confirm != name {
        return Err(CommandError::Usage(
            "--confirm must repeat the name of the owner; nothing was changed".into(),
        ));
    }
    let rows = count_rows(store, &name).await?;
    let deletion = change.at(store.now())?;
    if deletion.is_dry_run {
        if let Some(file) = export {
            check_new(&file)?;
        }
        return report(&change, output, &name, None, rows);
    }
    let stopped = signals::request_stop(&deletion.stop)?;
    // Created before anything changes, because the file must be new.
    let export = export.map(create_export).transpose()?;
    let deletion = OwnerDeletion::begin(store, &name, &deletion).await?;
    if let Some(export) = export {
        // The file is incomplete until the export ends, and nothing is deleted before.
        tokio::select! {
            written = export_to(store, &name, export) => written?,
            () = stopped.wait() => return Err(stopped.interrupted("stopped by a signal; nothing was deleted, and the owner stays suspended")),
        }
    }
    let mut progress = ProgressLine::new();
    let deleted = deletion
        .run(store, |deleted| {
            let part = Some((deleted.links, rows.links));
            progress.show(&ProgressState { count: deleted.links, what: "links", part });
        })
        .await;
    progress.clear();
    let deleted = deleted.map_err(|error| stopped.convert_error(error))?;
    report(&change, output, &name, Some(deletion.event_id()), deleted)?;
    purge_log(store).await;
    Ok(())
}

/// Confirms the deletion, with the numbers of deleted rows.
fn report(
    change: &ChangeOptions,
    output: Output,
    name: &str,
    event: Option<i64>,
    rows: DeletedRows,
) -> Result<(), CommandError> {
    let DeletedRows { links, click_counts, click_days, keys, responses, domains, owners } = rows;
    let counts = [
        pluralize(links, "link"),
        pluralize(click_counts, "click count"),
        pluralize(click_days, "click day"),
        pluralize(keys, "key"),
        pluralize(responses, "stored response"),
        pluralize(domains, "domain"),
        pluralize(owners, "owner"),
    ];
    let text = format!("deleted owner '{name}': {}", counts.join(", "));
    let changed = Changed { event, changed: rows.changed(), value: () };
    change.report(output, &text, &changed, json!({ "name": name, "deleted": rows }))
}

/// Creates the export file, which gets its final name only when it is complete.
fn create_export(path: PathBuf) -> Result<PartialFile, CommandError> {
    check_new(&path)?;
    PartialFile::create(path.clone()).map_err(|error| cannot_export(&path, error))
}

/// Fails if the file exists.
fn check_new(path: &Path) -> Result<(), CommandError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot_export(path, error)),
        Ok(_) => Err(CommandError::Other(format!(
            "cannot export to {}: it exists; if an interrupted run of this command has completed \
             it, repeat the command without --export",
            path.display()
        ))),
    }
}

fn cannot_export(path: &Path, error: io::Error) -> CommandError {
    CommandError::Other(format!("cannot export to {}: {error}", path.display()))
}

/// Writes all links of the owner to the file. When this function returns, the file is durable
/// across a power loss.
async fn export_to(store: &Store, owner: &str, export: PartialFile) -> Result<(), CommandError> {
    tokio::time::sleep(WAIT_FOR_SUSPENSION).await;
    let path = export.path().to_owned();
    let is_jsonl = path.extension().is_some_and(|extension| extension == "jsonl");
    let encoding = if is_jsonl { Encoding::Json } else { Encoding::Csv };
    let mut writer = BufWriter::with_capacity(256 << 10, export.file());
    let mut progress = ProgressLine::new();
    let written = export::run(store, Some(owner), encoding, &mut writer, |count, total| {
        progress.show(&ProgressState { count, what: "links", part: Some((count, total)) });
    })
    .await;
    progress.clear();
    let written = written.map_err(|error| match error {
        ExportError::Domain(error) => error.into(),
        ExportError::Output(error) => cannot_export(&path, error),
    })?;
    let flushed = writer.flush();
    drop(writer);
    flushed.and_then(|()| export.complete()).map_err(|error| cannot_export(&path, error))?;
    let links = pluralize(i128::from(written), "link");
    eprint_line(&format!("exported {links} to {}", path.display()));
    Ok(())
}
