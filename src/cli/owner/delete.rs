//! `terse owner delete`

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::change::ChangeOptions;
use crate::cli::error::CommandError;
use crate::cli::output::{Output, eprint_line, pluralize};
use crate::cli::progress::{ProgressLine, ProgressState};
use crate::domain::events::ChangeResult;
use crate::domain::export::{self, Encoding, ExportError};
use crate::domain::owner_deletion::{DeletedRows, OwnerDeletion, count_rows};
use crate::store::Store;

/// Time in which every instance stops redirecting the owner's links, so that the export has the last
/// clicks.
const SUSPENSION_DELAY: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(in crate::cli) struct DeleteArguments {
    /// The owner's name
    name: String,
    /// The owner's name again, to confirm the deletion
    #[arg(long, value_name = "NAME")]
    confirm: String,
    /// New file to which the command exports the owner's links first: JSON Lines if its name ends in .jsonl, otherwise CSV
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
    let context = change.context(store.now());
    if context.is_dry_run {
        if let Some(file) = export.filter(|file| file.symlink_metadata().is_ok()) {
            return Err(cannot_export(&file, io::ErrorKind::AlreadyExists.into()));
        }
        let result = ChangeResult { event: None, changed: rows.changed() };
        return report(&change, output, &name, result, rows);
    }
    // Before anything changes: the file must be new.
    let file = export.as_deref().map(create_new).transpose()?;
    let deletion = match OwnerDeletion::begin(store, &name, &context).await {
        Ok(deletion) => deletion,
        Err(error) => {
            if let Some(path) = &export {
                let _ = std::fs::remove_file(path);
            }
            return Err(error.into());
        }
    };
    if let Some((path, file)) = export.as_deref().zip(file)
        && let Err(error) = export_to(store, &name, path, file).await
    {
        // The file is incomplete, and nothing was deleted.
        let _ = std::fs::remove_file(path);
        return Err(error);
    }
    let mut progress = ProgressLine::new();
    let deleted = deletion
        .run(store, |deleted| {
            let part = Some((deleted.links, rows.links));
            progress.show(&ProgressState { count: deleted.links, what: "links", part });
        })
        .await;
    progress.clear();
    let deleted = deleted?;
    let result = ChangeResult { event: Some(deletion.event_id()), changed: deleted.changed() };
    report(&change, output, &name, result, deleted)
}

/// Confirms the deletion: the last line lists the rows of each table.
fn report(
    change: &ChangeOptions,
    output: Output,
    name: &str,
    result: ChangeResult,
    rows: DeletedRows,
) -> Result<(), CommandError> {
    let DeletedRows { links, click_counts, keys, responses, owners } = rows;
    let counts = [
        pluralize(links, "link"),
        pluralize(click_counts, "click count"),
        pluralize(keys, "key"),
        pluralize(responses, "stored response"),
        pluralize(owners, "owner"),
    ];
    let text = format!("deleted owner '{name}': {}", counts.join(", "));
    change.report(output, &text, result, json!({ "name": name, "deleted": rows }))
}

fn create_new(path: &Path) -> Result<File, CommandError> {
    let mut options = OpenOptions::new();
    // Others need not read what an owner stored.
    let options = options.write(true).create_new(true).mode(0o600);
    options.open(path).map_err(|error| cannot_export(path, error))
}

fn cannot_export(path: &Path, error: io::Error) -> CommandError {
    CommandError::Other(format!("cannot export to {}: {error}", path.display()))
}

/// Writes all links of the owner. When it returns, the file survives a power loss.
async fn export_to(
    store: &Store,
    owner: &str,
    path: &Path,
    file: File,
) -> Result<(), CommandError> {
    tokio::time::sleep(SUSPENSION_DELAY).await;
    let is_jsonl = path.extension().is_some_and(|extension| extension == "jsonl");
    let encoding = if is_jsonl { Encoding::Json } else { Encoding::Csv };
    let mut file = BufWriter::with_capacity(256 << 10, file);
    let mut progress = ProgressLine::new();
    let written = export::run(store, Some(owner), encoding, &mut file, |count, total| {
        progress.show(&ProgressState { count, what: "links", part: Some((count, total)) });
    })
    .await;
    progress.clear();
    let written = written.map_err(|error| match error {
        ExportError::Admin(error) => error.into(),
        ExportError::Store(error) => error.into(),
        ExportError::Output(error) => cannot_export(path, error),
    });
    let written = match written {
        Ok(written) => written,
        Err(error) => {
            // Dropping the writer would try to write the rest again.
            drop(file.into_parts());
            return Err(error);
        }
    };
    flush(path, file).map_err(|error| cannot_export(path, error))?;
    let links = pluralize(i128::from(written), "link");
    eprint_line(&format!("exported {links} to {}", path.display()));
    Ok(())
}

fn flush(path: &Path, mut file: BufWriter<File>) -> io::Result<()> {
    file.flush()?;
    file.get_ref().sync_all()?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}
