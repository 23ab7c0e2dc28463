//! `terse check`

use clap::Args;

use super::database;
use super::error::{CommandError, Result};
use super::output::{Column, Output, eprint_line, pluralize};
use crate::config::Settings;
use crate::domain::check::{self, Finding, Repairs};
use crate::domain::clicks::spool::Spool;
use crate::store::{IfMissing, Limits, backup, check as queries, installation};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Correct counts, clicks by day and checksums of links changed by hand, delete clicks without links, and make files private
    #[arg(long)]
    repair: bool,
    /// Accept links that do not match their checksums as they are; compare their destinations with a backup first
    #[arg(long)]
    accept_damaged_links: bool,
}

pub(super) async fn run(
    Arguments { repair, accept_damaged_links }: Arguments,
    settings: &Settings,
    output: Output,
) -> Result {
    let url = database::url(settings)?;
    if (repair || accept_damaged_links) && url.is_read_only() {
        return Err(CommandError::usage("a repair needs a database without mode=ro"));
    }
    // Without timeouts, because counting a large table takes long.
    let limits = Limits { statement_timeout: None, ..settings.command_limits() };
    let store = database::open_at(&url, "--database-url", IfMissing::Fail, &limits).await?;
    let repairs = Repairs { faults: repair, damaged_links: accept_damaged_links };
    let service = settings.service_urls().ok();
    let mut findings = check::database(&store, service.as_ref(), repairs).await?;
    let is_damaged = findings.iter().any(|finding| finding.check == "integrity");
    let mut summary = format!("checked {}", url.location());
    let mut spool = Vec::new();
    if !is_damaged {
        store.check_schema().await?;
        let content = backup::content(store.reader()).await?;
        let pending = queries::pending(store.reader()).await?;
        summary.push_str(&format!(
            ": {}, {}, {pending} of them pending",
            pluralize(content.links, "link"),
            pluralize(content.clicks.0, "click"),
        ));
        let secret = installation::secret(store.reader()).await?;
        let directory = Spool::new(settings.spool_directory(&url), &secret);
        spool = directory.all_files().map_err(CommandError::other)?;
    }
    if !spool.is_empty() {
        summary.push_str(&format!(", {}", pluralize(spool.len() as i128, "spool file")));
    }
    let files = check::files(url.sqlite_file(), &spool, repair);
    findings.extend(files.map_err(CommandError::other)?);
    store.close().await?;
    let (count, open) = (
        findings.len() as i128,
        findings.iter().filter(|finding| !finding.repaired && !finding.is_note).count(),
    );
    if count > 0 || output.json {
        output.table::<Finding, _>(&COLUMNS, findings)?;
    }
    eprint_line(&format!("{summary}; {}", pluralize(count, "finding")));
    if open == 0 {
        return Ok(());
    }
    Err(CommandError::Unhealthy(format!("{} not repaired", pluralize(open as i128, "finding"))))
}

const COLUMNS: [Column<Finding>; 4] = [
    ("check", |finding| finding.check.to_owned()),
    ("subject", |finding| finding.subject.clone()),
    ("finding", |finding| finding.detail.clone()),
    ("repaired", |finding| {
        let unrepaired = if finding.is_note { "note" } else { "no" };
        if finding.repaired { "yes" } else { unrepaired }.to_owned()
    }),
];
