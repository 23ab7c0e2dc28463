//! `terse export`

use std::io::{self, BufWriter};

use clap::{Args, ValueEnum};

use super::output::Output;
use super::progress::{Done, Progress};
use super::{Failure, open};
use crate::config::Settings;
use crate::domain::export::{self, ExportError, Form};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Whose links; everybody's unless given
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// As what: csv unless given; --json is jsonl
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A line of names, then a line a link
    Csv,
    /// A JSON object a line
    Jsonl,
}

pub(super) async fn run(
    arguments: Arguments,
    settings: &Settings,
    output: Output,
) -> Result<(), Failure> {
    let form = match (arguments.format, output.json) {
        (Some(Format::Csv), true) => {
            return Err(Failure::Usage("--json is --format jsonl, and not csv".to_owned()));
        }
        (Some(Format::Jsonl), _) | (None, true) => Form::JsonLines,
        (Some(Format::Csv) | None, false) => Form::Csv,
    };
    let store = open(settings).await?;
    let mut stdout = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut progress = Progress::begin();
    let written =
        export::run(&store, arguments.owner.as_deref(), form, &mut stdout, |done, total| {
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
