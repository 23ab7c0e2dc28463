//! `terse status`

use super::database;
use super::error::CommandError;
use super::output::{Column, Output, or_dash};
use crate::config::Settings;
use crate::domain::clicks::spool::Spool;
use crate::domain::status::{Status, Warning};
use crate::http::objects::status;
use crate::store::{Store, installation};

pub(super) async fn run(
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let secret = installation::secret(store.reader()).await?;
    let spool = Spool::new(settings.spool_directory(&database::url(settings)?), &secret);
    let files = spool.all_files().map_err(|error| CommandError::Other(error.to_string()))?;
    let status = Status::read(store, !files.is_empty(), None).await?;
    let warnings: Vec<_> = status.warnings.iter().copied().map(Warning::detail).collect();
    output.row::<status::Status, _>(&COLUMNS, status)?;
    if warnings.is_empty() { Ok(()) } else { Err(CommandError::Unhealthy(warnings.join("; "))) }
}

const COLUMNS: [Column<Status>; 11] = [
    ("version", |_| env!("CARGO_PKG_VERSION").to_owned()),
    ("schema", |status| status.overview.schema.clone()),
    ("database", |status| status.database_kind.to_owned()),
    ("size", |status| size(status.size_bytes)),
    ("free", |status| or_dash(status.free_bytes.map(size))),
    ("last backup", |status| or_dash(status.overview.last_backup_at)),
    ("instances", |status| status.overview.instances.to_string()),
    ("links", |status| {
        format!("{} ({} today)", status.overview.links, status.overview.links_today)
    }),
    ("owners", |status| status.overview.owners.to_string()),
    ("clicks today", |status| status.overview.clicks_today.to_string()),
    ("clicks wait", |status| if status.are_clicks_waiting { "yes" } else { "no" }.to_owned()),
];

fn size(bytes: u64) -> String {
    let (unit, name) =
        if bytes < 1_000_000_000 { (1_000_000, "MB") } else { (1_000_000_000, "GB") };
    format!("{}.{} {name}", bytes / unit, bytes / (unit / 10) % 10)
}
