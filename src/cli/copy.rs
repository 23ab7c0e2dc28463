//! `terse copy`

use std::path::PathBuf;

use clap::Args;

use super::database;
use super::error::Result;
use super::output::{Output, pluralize};
use super::stderr::ProgressLine;
use crate::config::Settings;
use crate::store::{
    self, CopyProgress, DatabaseCounts, DatabaseUrl, IfMissing, Limits, StoreError,
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Source: the database to copy; its server may be running
    #[arg(long, value_name = "URL", required_unless_present = "from_file")]
    from: Option<String>,
    /// File that contains the URL of the source
    #[arg(long, value_name = "PATH", conflicts_with = "from")]
    from_file: Option<PathBuf>,
    #[command(flatten)]
    target: TargetDatabase,
}

/// The database that a command fills.
#[derive(Debug, Args)]
pub(super) struct TargetDatabase {
    /// Target: a new SQLite file, or an existing database with no owners, no history and no running server
    #[arg(long, value_name = "URL", required_unless_present = "to_file")]
    to: Option<String>,
    /// File that contains the URL of the target
    #[arg(long, value_name = "PATH", conflicts_with = "to")]
    to_file: Option<PathBuf>,
}

impl TargetDatabase {
    /// Returns the address of the target.
    pub(super) fn url(&self) -> Result<DatabaseUrl> {
        database::url_or_file(self.to.as_deref(), self.to_file.as_deref())
    }
}

pub(super) async fn run(arguments: Arguments, settings: &Settings, output: Output) -> Result {
    let from = database::url_or_file(arguments.from.as_deref(), arguments.from_file.as_deref())?;
    let to = arguments.target.url()?;
    if from == to {
        return Err(StoreError::Copy("the two databases are the same".into()).into());
    }
    let copied = copy_database(&from, &to, settings).await?;
    let text = format!(
        "copied {}, {}, {}, {} and {}",
        pluralize(copied.plans, "plan"),
        pluralize(copied.owners, "owner"),
        pluralize(copied.keys, "key"),
        pluralize(copied.links, "link"),
        pluralize(copied.clicks.0, "click"),
    );
    Ok(output.show(&text, &copied)?)
}

/// Copies a database, and shows the progress.
pub(super) async fn copy_database(
    from: &DatabaseUrl,
    to: &DatabaseUrl,
    settings: &Settings,
) -> Result<DatabaseCounts> {
    // Without timeouts, because no request waits for the copy, and counting a large table takes
    // long.
    let limits =
        Limits { statement_timeout: None, pause_timeout: None, ..settings.command_limits() };
    let source = database::open_at(from, "--from", IfMissing::Fail, &limits).await?;
    source.check_schema().await?;
    let target = database::open_at(to, "--to", IfMissing::Create, &limits).await?;
    target.migrate().await?;
    let mut line = ProgressLine::new("");
    let show = |CopyProgress { table, done, total }| {
        // Each table has a rate of its own.
        if line.what != table {
            line.clear();
            line = ProgressLine::new(table);
        }
        line.show(done, done, total);
    };
    let copied = store::copy(&source, &target, show).await;
    line.clear();
    let copied = copied?;
    let confirmed = target.check_confirmed();
    target.close().await?;
    confirmed?;
    Ok(copied)
}
