//! The log of a server, on stderr.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::str::FromStr as _;
use std::sync::Arc;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::error::CommandError;
use crate::config::{LogFormat, Settings};

/// Starts the log, which goes to stderr.
pub(super) fn start(settings: &Settings) -> Result<(), CommandError> {
    // Hides messages of the drivers and of poem that do not help operators.
    let quiet = "sqlx=error,sea_orm=warn,sea_orm_migration=warn,poem=warn";
    check(&settings.log)?;
    let filter = EnvFilter::try_new(format!("{quiet},{}", settings.log))
        .map_err(|error| CommandError::Usage(format!("the log filter is not valid: {error}")))?;
    let pretty = match settings.log_format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Pretty => true,
        LogFormat::Json => false,
    };
    // Each line is written with one system call and without a lock, so that no thread waits for the
    // line of another. A pipe accepts up to 4 KiB at once.
    let writer = io::stderr().as_fd().try_clone_to_owned().map(File::from);
    let writer =
        writer.map_err(|error| CommandError::Other(format!("cannot open the log: {error}")))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(Arc::new(writer));
    // Lines that cannot be written are dropped. An error message about them on stderr would fail
    // too, and end the program.
    let builder = builder.with_ansi(io::stderr().is_terminal()).log_internal_errors(false);
    if pretty {
        builder.with_target(false).init();
    } else {
        builder.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    }
    Ok(())
}

/// Rejects words that are not levels. The filter would take such a word for the name of a module,
/// and log nothing.
fn check(filter: &str) -> Result<(), CommandError> {
    let mut words = filter.split(',').map(str::trim).filter(|directive| !directive.contains('='));
    if filter.split(',').all(|directive| directive.trim().is_empty()) {
        let reason = "the log filter (--log, TERSE_LOG) is empty; `off` is how to log nothing";
        return Err(CommandError::Usage(reason.to_owned()));
    }
    match words.find(|word| !word.is_empty() && LevelFilter::from_str(word).is_err()) {
        Some(word) => Err(CommandError::Usage(format!(
            "the log filter is not valid: {word} is not a level; levels are error, warn, info, \
             debug, trace and off"
        ))),
        None => Ok(()),
    }
}
