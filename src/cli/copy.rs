//! `terse copy`

use clap::Args;

use super::database;
use super::error::CommandError;
use super::output::{Output, pluralize};
use super::progress::{ProgressLine, ProgressState};
use crate::config::Settings;
use crate::store::{self, CopyProgress, IfMissing, Limits, Store, StoreError};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Source: the database to copy; its server may be running
    #[arg(long, value_name = "URL")]
    from: String,
    /// Target: a new SQLite file, or an existing database with no owners, no history and no running server
    #[arg(long, value_name = "URL")]
    to: String,
}

pub(super) async fn run(
    arguments: Arguments,
    settings: &Settings,
    output: Output,
) -> Result<(), CommandError> {
    // Without timeouts, because no request waits for the copy, and counting a large table takes
    // long.
    let limits =
        Limits { statement_timeout: None, pause_timeout: None, ..settings.command_limits() };
    let (from, to) = (database::parse(&arguments.from)?, database::parse(&arguments.to)?);
    if from == to {
        return Err(StoreError::Copy("the two databases are the same".into()).into());
    }
    let source = Store::open(&from, IfMissing::Fail, &limits).await?;
    source.check_schema().await?;
    let target = Store::open(&to, IfMissing::Create, &limits).await?;
    target.migrate().await?;
    let mut reporter = CopyReporter { table: "", line: ProgressLine::new() };
    let copied = store::copy(&source, &target, |progress| reporter.show(progress)).await;
    reporter.line.clear();
    let copied = copied?;
    target.close().await?;
    let text = format!(
        "copied {}, {}, {}, {} and {}",
        pluralize(copied.plans, "plan"),
        pluralize(copied.owners, "owner"),
        pluralize(copied.keys, "key"),
        pluralize(copied.links, "link"),
        pluralize(copied.clicks, "click"),
    );
    Ok(output.show(&text, &copied)?)
}

/// Shows the progress of the table in progress.
struct CopyReporter {
    table: &'static str,
    line: ProgressLine,
}

impl CopyReporter {
    fn show(&mut self, CopyProgress { table, done, total }: CopyProgress) {
        if self.table != table {
            self.line.clear();
            *self = Self { table, line: ProgressLine::new() };
        }
        self.line.show(&ProgressState { count: done, what: table, part: Some((done, total)) });
    }
}
