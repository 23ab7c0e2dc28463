//! `terse copy`

use clap::Args;

use super::output::{Output, so_many};
use super::progress::{Done, Progress};
use super::{Failure, database};
use crate::config::Settings;
use crate::store::{self, CopyProgress, IfMissing, Limits, Store, StoreError};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The database to copy
    #[arg(long, value_name = "URL")]
    from: String,
    /// The database to copy into; it must not exist yet, or have no owners and no server
    #[arg(long, value_name = "URL")]
    to: String,
}

pub(super) async fn run(
    arguments: Arguments,
    settings: &Settings,
    output: Output,
) -> Result<(), Failure> {
    // What it takes to count a large table is nobody's waiting.
    let limits = Limits { statement_timeout: None, pause_timeout: None, ..settings.limits() };
    let (from, to) = (database(&arguments.from)?, database(&arguments.to)?);
    if from == to {
        return Err(StoreError::Copy("the two databases are the same".into()).into());
    }
    let source = Store::open(&from, IfMissing::Fail, &limits).await?;
    source.check_schema().await?;
    let target = Store::open(&to, IfMissing::Create, &limits).await?;
    target.migrate().await?;
    let mut shown = Shown { table: "", progress: Progress::begin() };
    let copied = store::copy(&source, &target, |progress| shown.show(progress)).await;
    shown.progress.clear();
    let copied = copied?;
    target.close().await?;
    let text = format!(
        "copied {}, {}, {}, {} and {}",
        so_many(copied.plans, "plan"),
        so_many(copied.owners, "owner"),
        so_many(copied.keys, "key"),
        so_many(copied.links, "link"),
        so_many(copied.clicks, "click"),
    );
    Ok(output.show(&text, &copied)?)
}

/// How far the table is that is being copied.
struct Shown {
    table: &'static str,
    progress: Progress,
}

impl Shown {
    fn show(&mut self, CopyProgress { table, done, total }: CopyProgress) {
        if self.table != table {
            self.progress.clear();
            *self = Self { table, progress: Progress::begin() };
        }
        self.progress.show(&Done { count: done, what: table, part: Some((done, total)) });
    }
}
