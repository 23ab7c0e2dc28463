//! `terse owner`

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde_json::json;

use super::change::ChangeOptions;
use super::database::{Context, purge_log};
use super::error::{CommandError, Result};
use super::key::{NewKeyOptions, show_new_key, warn_if_past};
use super::link::{NewValue, parse_fallback, parse_new_value};
use super::output::{ADVICE_ON_LOST_KEY, Column, Output, eprint_line, or_dash, pluralize};
use super::signals;
use super::stderr::ProgressLine;
use crate::domain::changes::Changed;
use crate::domain::export::{self, Encoding, ExportError};
use crate::domain::owner_deletion::{DeletedRows, OwnerDeletion, count_rows};
use crate::domain::owners::{self, NewOwner, OwnerEdit, OwnerInfo};
use crate::domain::partial_file::PartialFile;
use crate::domain::plans;
use crate::http::objects::owner as objects;
use crate::store::Store;
use crate::values::{Destination, ExternalId, Name};

/// Time after which every instance has stopped redirecting the owner's links, so that the export
/// contains the last clicks.
const WAIT_FOR_SUSPENSION: Duration = Duration::from_secs(1);

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an owner and print the owner's first API key; Terse cannot show it again
    #[command(after_help = "Example: terse owner add acme --plan pro")]
    Add {
        /// The owner's name
        name: Name,
        /// The owner's plan
        #[arg(long, default_value = plans::DEFAULT)]
        plan: String,
        /// Your own identifier of the owner
        #[arg(long, value_name = "TEXT")]
        external_id: Option<ExternalId>,
        #[command(flatten)]
        key: NewKeyOptions,
        /// Create no API key, and print none
        #[arg(long, conflicts_with_all = ["label", "scope", "expires"])]
        no_key: bool,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Show an owner: ID, plan, links, suspension and fallback
    #[command(after_help = "Example: terse owner show acme")]
    Show {
        /// The owner's name
        name: String,
    },
    /// List all owners
    #[command(after_help = "Example: terse owner list")]
    List,
    /// Assign another plan to an owner
    #[command(after_help = "Example: terse owner plan acme unlimited")]
    Plan {
        /// The owner's name
        name: String,
        /// The plan's name
        plan: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Change an owner's plan, external identifier, or where visitors of the owner's expired links go
    #[command(after_help = "Example: terse owner edit acme --fallback https://example.org/ended")]
    Edit {
        /// The owner's name
        name: String,
        /// The plan's name
        #[arg(long)]
        plan: Option<String>,
        /// Your own identifier of the owner; an empty text removes it
        #[arg(long, value_name = "TEXT", value_parser = parse_new_value::<ExternalId>)]
        external_id: Option<NewValue<ExternalId>>,
        /// Where visitors of expired links go that have no fallback of their own; none removes it
        #[arg(long, value_name = "URL|none", value_parser = parse_fallback)]
        fallback: Option<NewValue<Destination>>,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Rename an owner; keys and links stay, and the history shows the new name
    #[command(after_help = "Example: terse owner rename acme globex")]
    Rename {
        /// The owner's name
        name: String,
        /// The new name
        new: Name,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Reject an owner's API keys and stop all of the owner's links, until `owner resume`
    #[command(after_help = "Example: terse owner suspend acme --reason phishing --case 4711")]
    Suspend {
        /// The owner's name
        name: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// End a suspension; the owner's keys and links work as before
    #[command(after_help = "Example: terse owner resume acme")]
    Resume {
        /// The owner's name
        name: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Delete an owner with all links and keys for good; the codes are never used again
    #[command(after_help = "Example: terse owner delete acme --confirm acme --export acme.jsonl")]
    Delete(DeleteArguments),
}

#[derive(Debug, Args)]
pub(super) struct DeleteArguments {
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

const COLUMNS: [Column<OwnerInfo>; 10] = [
    ("id", |row| row.owner.id.to_string()),
    ("name", |row| row.owner.name.clone()),
    ("plan", |row| row.owner.plan.clone()),
    ("links", |row| row.owner.link_count.to_string()),
    ("suspended", |row| or_dash(row.owner.suspended_reason)),
    ("since", |row| or_dash(row.owner.suspended_at)),
    ("created", |row| row.owner.created_at.to_string()),
    ("active", |row| or_dash(row.last_active_on)),
    ("external ID", |row| or_dash(row.owner.external_id.as_deref())),
    ("fallback", |row| or_dash(row.owner.fallback_url.as_deref())),
];

pub(super) async fn run(command: Command, context: Context<'_>) -> Result {
    let Context { settings, store, output } = context;
    let now = store.now();
    match command {
        Command::Add { name, plan, external_id, key, no_key, change } => {
            let (key, rng) = ((!no_key).then(|| key.at(now)), &mut UnwrapErr(SysRng));
            let change_now = change.at(now)?;
            let new = NewOwner { name, plan, external_id, key };
            let added = owners::create(store, &new, None, &change_now, rng).await?;
            let NewOwner { name, plan, external_id: _, key } = new;
            let name = name.as_str();
            let text = format!("created owner '{name}' on plan '{plan}'");
            warn_if_past(key.and_then(|key| key.expires_at), now);
            let secret = added.value.key.as_ref().map(|key| key.secret.reveal().to_owned());
            let created = |created| json!(objects::CreatedOwner::from(created));
            show_new_key(&change, output, &text, added, (secret, created), ADVICE_ON_LOST_KEY)
        }
        Command::Show { name } => {
            let owner = owners::get(store, name.as_str().into()).await?;
            Ok(output.row::<objects::Owner, _>(&COLUMNS, owners::describe(store, owner).await?)?)
        }
        Command::List => {
            let [_id, listed @ .., _external_id, _fallback] = COLUMNS;
            Ok(output.table::<objects::Owner, _>(&listed, owners::list(store).await?)?)
        }
        Command::Plan { name, plan, change } => {
            let changed = owners::set_plan(store, &name, &plan, &change.at(now)?).await?;
            let done = format!("moved owner '{name}' to plan '{plan}'");
            let already = format!("owner '{name}' is on plan '{plan}'");
            let members = json!({ "name": name, "plan_name": plan });
            change.report_either(output, [&done, &already], &changed, members)
        }
        Command::Edit { name, plan, external_id, fallback, change } => {
            if plan.is_none() && external_id.is_none() && fallback.is_none() {
                let usage = "give --plan, --external-id or --fallback";
                return Err(CommandError::usage(usage));
            }
            let rules = super::link::rules(settings, store).await?;
            let fallback = fallback.map(|NewValue(url)| url);
            let edit = OwnerEdit {
                name: None,
                plan,
                external_id: external_id.map(|NewValue(id)| id),
                fallback,
            };
            let changed = owners::edit(store, &name, &edit, &rules, &change.at(now)?).await?;
            let done = format!("edited owner '{name}'");
            let already = format!("owner '{name}' has these values");
            change.report_either(output, [&done, &already], &changed, json!({ "name": name }))
        }
        Command::Rename { name, new, change } => {
            let changed = owners::rename(store, &name, &new, &change.at(now)?).await?;
            let new = new.as_str();
            let done = format!("renamed owner '{name}' to '{new}'");
            let already = format!("owner '{name}' has this name");
            let members = json!({ "name": new, "renamed_from": name });
            change.report_either(output, [&done, &already], &changed, members)
        }
        Command::Suspend { name, change } => {
            let changed = owners::suspend(store, &name, &change.at(now)?).await?;
            let reason = changed.value;
            let done = format!("suspended owner '{name}': {reason}");
            let already = format!("owner '{name}' is suspended: {reason}");
            let members = json!({
                "name": name, "is_suspended": true, "suspended_reason": reason.into_str()
            });
            change.report_either(output, [&done, &already], &changed, members)
        }
        Command::Resume { name, change } => {
            let changed = owners::resume(store, &name, &change.at(now)?).await?;
            let done = format!("resumed owner '{name}'");
            let already = format!("owner '{name}' is not suspended");
            let members = json!({ "name": name, "is_suspended": false, "suspended_reason": null });
            change.report_either(output, [&done, &already], &changed, members)
        }
        Command::Delete(arguments) => delete(arguments, context).await,
    }
}

async fn delete(arguments: DeleteArguments, Context { store, output, .. }: Context<'_>) -> Result {
    let DeleteArguments { name, confirm, export, change } = arguments;
    if confirm != name {
        return Err(CommandError::usage(
            "--confirm must repeat the name of the owner; nothing was changed",
        ));
    }
    let rows = count_rows(store, &name).await?;
    let deletion = change.at(store.now())?;
    if deletion.is_dry_run {
        if let Some(file) = export {
            check_new(&file)?;
        }
        return report_deletion(&change, output, &name, None, rows);
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
    let mut progress = ProgressLine::new("links");
    let show = |deleted: DeletedRows| progress.show(deleted.links, deleted.links, rows.links);
    let deleted = deletion.run(store, show).await;
    progress.clear();
    let deleted = deleted.map_err(|error| stopped.convert_error(error))?;
    report_deletion(&change, output, &name, Some(deletion.event_id()), deleted)?;
    purge_log(store).await;
    Ok(())
}

/// Confirms the deletion, with the numbers of deleted rows.
fn report_deletion(
    change: &ChangeOptions,
    output: Output,
    name: &str,
    event: Option<i64>,
    rows: DeletedRows,
) -> Result {
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
    let changed = Changed { event, changed: rows.changed(), ..Changed::<()>::default() };
    change.report(output, &text, &changed, json!({ "name": name, "deleted": rows }))
}

/// Creates the export file, which gets its final name only when it is complete.
fn create_export(path: PathBuf) -> Result<PartialFile> {
    check_new(&path)?;
    PartialFile::create(path.clone()).map_err(|error| cannot_export(&path, error))
}

/// Fails if the file exists.
fn check_new(path: &Path) -> Result {
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
async fn export_to(store: &Store, owner: &str, export: PartialFile) -> Result {
    tokio::time::sleep(WAIT_FOR_SUSPENSION).await;
    let path = export.path().to_owned();
    let is_jsonl = path.extension().is_some_and(|extension| extension == "jsonl");
    let encoding = if is_jsonl { Encoding::Json } else { Encoding::Csv };
    let mut writer = BufWriter::with_capacity(256 << 10, export.file());
    let mut progress = ProgressLine::new("links");
    let show = |done, total| progress.show(done, done, total);
    let written = export::run(store, Some(owner), encoding, &mut writer, show).await;
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
