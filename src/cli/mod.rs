//! The command line: results on stdout, everything else on stderr.
//!
//! Exit status 0: done; 1: failed, with one line that says why; 2: wrong usage; 130 and 143: brought
//! to an end by Ctrl-C and SIGTERM.

mod copy;
mod export;
mod import;
mod key;
mod link;
mod logging;
mod migrate;
mod openapi;
mod output;
mod owner;
mod plan;
mod progress;
mod serve;
mod signals;

use std::num::NonZero;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use tokio::runtime::{Builder, Runtime};

use self::output::Output;
use crate::config::Settings;
use crate::domain;
use crate::store::{DatabaseUrl, IfMissing, Store, StoreError};

/// A link shortening service to build on
///
/// Without a command it serves, like `terse serve`.
#[derive(Debug, Parser)]
#[command(name = "terse", version, infer_subcommands = false)]
struct Arguments {
    /// Print results as JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(flatten)]
    settings: Settings,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bring the database up to date and serve
    Serve,
    /// Create and list owners, and assign plans to them
    #[command(subcommand)]
    Owner(owner::Command),
    /// Create, list and revoke API keys
    #[command(subcommand)]
    Key(key::Command),
    /// Create, change and list plans
    #[command(subcommand)]
    Plan(plan::Command),
    /// Show, disable and enable links
    #[command(subcommand)]
    Link(link::Command),
    /// Create links from a file: Terse's own export, or one of Shlink, YOURLS, Kutt or Bitly
    Import(import::Arguments),
    /// Print links as a file that `terse import` reads
    Export(export::Arguments),
    /// Copy a whole database into an empty one
    Copy(copy::Arguments),
    /// Create the database, or bring it up to date
    Migrate,
    /// Print the OpenAPI document as it is published, with the default address
    Openapi(openapi::Arguments),
}

/// Why a command failed: one line for people.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Admin(#[from] domain::AdminError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Serve(#[from] crate::server::ServeError),
    #[error("cannot write the result: {0}")]
    Output(#[from] std::io::Error),
    /// A setting that cannot be right.
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Other(String),
    /// It was told to stop, and has.
    #[error("{text}")]
    Interrupted { text: String, status: u8 },
}

/// Parses the arguments, runs the command and reports how it went.
#[must_use]
pub fn main() -> ExitCode {
    let Arguments { settings, json, command } = Arguments::parse();
    let output = Output { json };
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return report(&Failure::Other(format!("cannot start: {error}"))),
    };
    match runtime.block_on(run(command.unwrap_or(Command::Serve), &settings, output)) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the result has seen enough of it.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => report(&failure),
    }
}

/// With a thread more than there are processors, for one that reads an SQLite file or writes to it.
fn runtime() -> std::io::Result<Runtime> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    Builder::new_multi_thread().worker_threads(processors + 1).enable_all().build()
}

async fn run(command: Command, settings: &Settings, output: Output) -> Result<(), Failure> {
    signals::outlive_large_files()?;
    match command {
        Command::Serve => serve::run(settings, output).await,
        Command::Owner(command) => owner::run(command, &open(settings).await?, output).await,
        Command::Key(command) => key::run(command, &open(settings).await?, output).await,
        Command::Plan(command) => plan::run(command, &open(settings).await?, output).await,
        Command::Link(command) => link::run(command, &open(settings).await?, output).await,
        Command::Import(arguments) => import::run(arguments, settings, output).await,
        Command::Export(arguments) => export::run(arguments, settings, output).await,
        Command::Copy(arguments) => copy::run(arguments, settings, output).await,
        Command::Migrate => migrate::run(settings).await,
        Command::Openapi(arguments) => openapi::run(arguments),
    }
}

/// The database of a command, which must exist and be up to date.
async fn open(settings: &Settings) -> Result<Store, Failure> {
    let url = database(&settings.database_url)?;
    let store = Store::open(&url, IfMissing::Fail, &settings.limits()).await?;
    store.check_schema().await?;
    Ok(store)
}

/// Takes the address of a database. It may hold a password, which the parser of arguments would show.
fn database(url: &str) -> Result<DatabaseUrl, Failure> {
    url.parse().map_err(|reason| Failure::Usage(format!("the database URL {reason}")))
}

/// The operating system's randomness.
fn randomness() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

fn report(failure: &Failure) -> ExitCode {
    output::remark(&failure.to_string().replace('\n', " "));
    match failure {
        Failure::Usage(_) => ExitCode::from(2),
        Failure::Interrupted { status, .. } => ExitCode::from(*status),
        Failure::Admin(_)
        | Failure::Store(_)
        | Failure::Serve(_)
        | Failure::Output(_)
        | Failure::Other(_) => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Arguments;

    #[test]
    fn the_arguments_fit_together() {
        Arguments::command().debug_assert();
    }
}
