//! The log of a server, on stderr.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _};
use std::str::FromStr as _;

use prometheus::IntCounter;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::error::CommandError;
use super::stderr;
use crate::config::{LogFormat, Settings};

/// Starts the log, which goes to stderr. `dropped` counts the lines that stderr does not accept.
pub(super) fn start(settings: &Settings, dropped: IntCounter) -> Result<(), CommandError> {
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
    let queue = stderr::start_queue(dropped)
        .map_err(|error| CommandError::Other(format!("cannot open the log: {error}")))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(queue);
    let builder = builder.with_ansi(io::stderr().is_terminal()).log_internal_errors(false);
    if pretty {
        builder.with_target(false).init();
    } else {
        builder.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    }
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace = (backtrace.status() == BacktraceStatus::Captured).then_some(&backtrace);
        let backtrace = backtrace.map(tracing::field::display);
        // The default hook would wait for stderr.
        tracing::error!(%panic, backtrace, "a thread panicked");
    }));
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
