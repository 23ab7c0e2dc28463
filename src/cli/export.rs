//! `terse export`

use std::io::{self, BufWriter};

use clap::{Args, ValueEnum};

use super::output::Output;
use super::progress::{Done, Progress};
use super::{Failure, open};
use crate::config::Settings;
use crate::domain::export::{self, Encoding, ExportError};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Only links of this owner; all links unless given
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// The output format: csv unless given; --json means jsonl
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A header line, then one line per link
    Csv,
    /// One JSON object per line
    Jsonl,
}

pub(super) async fn run(
    arguments: Arguments,
    settings: &Settings,
    output: Output,
) -> Result<(), Failure> {
    let encoding = match (arguments.format, output.json) {
        (Some(Format::Csv), true) => {
            return Err(Failure::Usage(
                "--json means --format jsonl, and cannot be combined with csv".to_owned(),
            ));
        }
        (Some(Format::Jsonl), _) | (None, true) => Encoding::Json,
        (Some(Format::Csv) | None, false) => Encoding::Csv,
    };
    let store = open(settings).await?;
    let mut stdout = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut progress = Progress::begin();
    let written =
        export::run(&store, arguments.owner.as_deref(), encoding, &mut stdout, |done, total| {
            progress.show(&Done { count: done, what: "links", part: Some((done, total)) });
        })
        .await;
    progress.clear();
    match written {
        Ok(_) => Ok(store.close().await?),
        Err(ExportError::Admin(error)) => Err(error.into()),
        Err(ExportError::Store(error)) => Err(error.into()),
        Err(ExportError::Output(error)) => {
            // What cannot be written now is not to be tried again when this goes.
            drop(stdout.into_parts());
            Err(error.into())
        }
    }
}
