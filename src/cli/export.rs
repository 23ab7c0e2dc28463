//! `terse export`

use std::io::{self, BufWriter};

use clap::{Args, ValueEnum};

use super::database::open;
use super::error::{CommandError, Result};
use super::output::Output;
use super::stderr::ProgressLine;
use crate::config::Settings;
use crate::domain::export::{self, Encoding, ExportError};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Only links of this owner [default: all links]
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Output format [default: csv, or jsonl with --json]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<ExportFormat>,
    /// Print the clicks of the links by day instead
    #[arg(long)]
    days: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExportFormat {
    /// A header line, then one line per record
    Csv,
    /// One JSON object per line
    Jsonl,
}

pub(super) async fn run(arguments: Arguments, settings: &Settings, output: Output) -> Result {
    let encoding = match (arguments.format, output.json) {
        (Some(ExportFormat::Csv), true) => {
            return Err(CommandError::usage(
                "--json means --format jsonl, and cannot be combined with csv",
            ));
        }
        (Some(ExportFormat::Jsonl), _) | (None, true) => Encoding::Json,
        (Some(ExportFormat::Csv) | None, false) => Encoding::Csv,
    };
    let store = open(settings).await?;
    let mut stdout = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut progress = ProgressLine::new("links");
    let show = |done, total| progress.show(done, done, total);
    let owner = arguments.owner.as_deref();
    let written = if arguments.days {
        export::run_days(&store, owner, encoding, &mut stdout, show).await
    } else {
        export::run(&store, owner, encoding, &mut stdout, show).await.map(drop)
    };
    progress.clear();
    match written {
        Ok(()) => Ok(store.close().await?),
        Err(ExportError::Domain(error)) => Err(error.into()),
        Err(ExportError::Output(error)) => {
            // Takes the writer apart, because dropping it would try again to write its buffer.
            drop(stdout.into_parts());
            Err(error.into())
        }
    }
}
