//! `terse completions` and `terse man-pages`: files for shells and `man`, from the grammar of the
//! command line.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use super::error::CommandError;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Shell for which to print completions
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManPageArguments {
    /// Existing directory for the pages: terse.1, and one page per command
    directory: PathBuf,

    /// Date of the pages, such as 2026-01-31
    #[arg(long)]
    date: String,
}

/// Prints the completions for a shell.
pub(super) fn run(arguments: Arguments, mut parser: clap::Command) -> Result<(), CommandError> {
    let name = parser.get_name().to_owned();
    // The generator would panic if stdout were closed.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut parser, name, &mut script);
    let mut stdout = io::stdout().lock();
    stdout.write_all(&script)?;
    Ok(stdout.flush()?)
}

/// Writes the manual pages into a directory.
pub(super) fn write_man_pages(
    arguments: &ManPageArguments,
    parser: clap::Command,
) -> Result<(), CommandError> {
    let mut parser = parser.disable_help_subcommand(true);
    parser.build();
    write_pages_of(&parser, arguments).map_err(|error| {
        let directory = arguments.directory.display();
        CommandError::Other(format!("cannot write pages into {directory}: {error}"))
    })
}

/// Writes the page of a command, and the pages of its subcommands.
fn write_pages_of(command: &clap::Command, arguments: &ManPageArguments) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_pages_of(subcommand, arguments)?;
    }
    // Only the command `terse` itself has a version.
    let page = clap_mangen::Man::new(command.clone())
        .date(&arguments.date)
        .source(concat!("terse ", env!("CARGO_PKG_VERSION")))
        .manual("Terse");
    page.generate_to(&arguments.directory).map(drop)
}
