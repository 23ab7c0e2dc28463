//! The command line: results on stdout, everything else on stderr.
//!
//! Exit codes: 0 success; 1 failure, explained in one line on stderr; 2 invalid usage; 3
//! stored, but not confirmed by a synchronous standby; 130 or 143 import or change stopped by SIGINT
//! or SIGTERM.

mod backup;
mod block;
mod change;
mod check;
mod command_line;
mod copy;
mod database;
mod domain;
mod error;
mod export;
mod generated;
mod health;
mod history;
mod import;
mod key;
mod link;
mod migrate;
mod operator;
mod output;
mod owner;
mod plan;
mod report;
mod restore;
mod serve;
mod settings;
mod signals;
mod stderr;
mod usage;
mod webhook;
mod when;

use std::num::NonZero;
use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

use self::command_line::{Command, CommandLine};
use self::database::run_on;
use self::error::{CommandError, Result};
use self::output::Output;
use crate::config::Settings;

/// Parses the arguments, runs the command and reports its result.
pub fn main() -> ExitCode {
    let CommandLine { json, settings, command } = match command_line::parse() {
        Ok(command_line) => command_line,
        Err(exit_code) => return ExitCode::from(exit_code),
    };
    let output = Output { json };
    let shows_key = command.as_ref().is_some_and(shows_key);
    let result = runtime()
        .map_err(|error| CommandError::Other(format!("cannot start: {error}")))
        .and_then(|runtime| runtime.block_on(run(command, &settings, output)));
    let exit_code = result.as_ref().map_or_else(CommandError::exit_code, |()| 0);
    if let Err(error) = result
        && exit_code != 0
    {
        output.report(&error.text(shows_key), error.code());
    }
    stderr::flush();
    ExitCode::from(exit_code)
}

/// Returns whether a command creates a key and prints it.
fn shows_key(command: &Command) -> bool {
    matches!(
        command,
        Command::Owner(owner::Command::Add { no_key: false, .. })
            | Command::Key(key::Command::Add(_))
            | Command::Operator(operator::Command::Add { .. })
            | Command::Migrate(migrate::Arguments { create: true })
    )
}

/// Builds a runtime with one thread per CPU, and one more for a task that blocks on SQLite.
fn runtime() -> std::io::Result<Runtime> {
    let cpus = std::thread::available_parallelism().map_or(1, NonZero::get);
    Builder::new_multi_thread().worker_threads(cpus + 1).enable_all().build()
}

async fn run(command: Option<Command>, settings: &Settings, output: Output) -> Result {
    signals::ignore_file_size_signal()?;
    match command.unwrap_or(Command::Serve) {
        Command::Serve => serve::run(settings, output).await,
        Command::Owner(command) => run_on(owner::run, command, settings, output).await,
        Command::Key(command) => run_on(key::run, command, settings, output).await,
        Command::Operator(command) => run_on(operator::run, command, settings, output).await,
        Command::Plan(command) => run_on(plan::run, command, settings, output).await,
        Command::Link(command) => run_on(link::run, command, settings, output).await,
        Command::Domain(command) => run_on(domain::run, command, settings, output).await,
        Command::Webhook(command) => run_on(webhook::run, command, settings, output).await,
        Command::Block(command) => block::run(command, settings, output).await,
        Command::History(arguments) => run_on(history::run, arguments, settings, output).await,
        Command::Undo(arguments) => run_on(history::undo, arguments, settings, output).await,
        Command::Import(arguments) => import::run(arguments, settings, output).await,
        Command::Export(arguments) => export::run(arguments, settings, output).await,
        Command::Report(arguments) => report::run(arguments, settings, output).await,
        Command::Usage(arguments) => run_on(usage::run, arguments, settings, output).await,
        Command::Copy(arguments) => copy::run(arguments, settings, output).await,
        Command::Check(arguments) => check::run(arguments, settings, output).await,
        Command::Backup(arguments) => backup::run(arguments, settings, output).await,
        Command::Restore(arguments) => restore::run(arguments, settings, output).await,
        Command::Migrate(arguments) => migrate::run(arguments, settings, output).await,
        Command::Status => run_on(health::run_status, (), settings, output).await,
        Command::Health(arguments) => health::run(arguments, settings, output).await,
        Command::Openapi(arguments) => generated::print_openapi(arguments),
        Command::Configuration(arguments) => generated::print_configuration(arguments),
        Command::Completions(arguments) => {
            generated::print_completions(arguments, command_line::parser())
        }
        Command::ManPages(arguments) => {
            generated::write_man_pages(&arguments, command_line::parser())
        }
    }
}
