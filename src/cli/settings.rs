//! Which settings each command takes, shows and checks.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args as _};

use crate::config::Settings;

/// Identifiers of the settings for connections and timeouts. Every command that opens a database
/// takes them.
const LIMITS: [&str; 3] =
    ["database_max_connections", "database_acquire_timeout", "database_statement_timeout"];

/// Identifiers of the settings whose variables must not be empty. Without them, a server would use
/// another database, lose a protection or delete more than the operator wants. Any other empty variable
/// means that its setting is not set: without trusted proxies, for example, no header is trusted.
pub(super) const NEVER_EMPTY: [&str; 17] = [
    "database_url",
    "database_url_file",
    "primary_url",
    "primary_url_file",
    "base_url",
    "also_at",
    "spool_directory",
    "operator_listen",
    "unknown_hosts",
    "block_file",
    "keep_days",
    "backup_directory",
    "backup_keep",
    "client_header",
    "unknown_codes",
    "failed_keys",
    "qr_images",
];

/// Returns whether a command takes a setting as an option.
pub(super) fn takes(command: &str, setting: &Arg) -> bool {
    let id = setting.get_id().as_str();
    match command {
        "serve" => true,
        "openapi" | "configuration" | "completions" | "man-pages" => false,
        "health" => matches!(id, "json" | "listen" | "operator_listen"),
        // Imports and edits reject links to the service itself and to blocked destinations.
        "import" | "link" | "domain"
            if matches!(id, "listen" | "base_url" | "also_at" | "block_file") =>
        {
            true
        }
        "owner" if matches!(id, "base_url" | "also_at" | "block_file") => true,
        "block" if id == "block_file" => true,
        // A check finds domains that are addresses of the service, and an undo restores none and no
        // links to the service.
        "check" | "undo" if matches!(id, "listen" | "base_url" | "also_at") => true,
        "copy" | "restore" if matches!(id, "database_url" | "database_url_file") => false,
        // A backup contains spooled clicks, a check includes the spool files, and a status the clicks in them.
        "backup" | "check" | "status" if id == "spool_directory" => true,
        _ => matches!(id, "json" | "database_url" | "database_url_file") || LIMITS.contains(&id),
    }
}

/// Returns whether the help of a command shows a setting. The help of `serve` shows all settings.
/// Other commands hide settings that few operators need, or that only other commands of their group
/// use.
pub(super) fn shows(group: &str, command: &str, setting: &Arg) -> bool {
    match setting.get_id().as_str() {
        "listen" | "operator_listen" => group == "health",
        "base_url" => matches!(
            (group, command),
            ("import" | "undo", _) | ("link" | "owner", "edit") | ("domain", "add" | "edit")
        ),
        // Few services have former addresses, so only the help of `serve` shows them.
        "also_at" => false,
        "block_file" => matches!(
            (group, command),
            ("import", _)
                | ("link", "find" | "show" | "edit")
                | ("owner", "edit")
                | ("domain", "add" | "edit")
                | ("block", "list" | "check")
        ),
        id => !LIMITS.contains(&id),
    }
}

/// Returns whether the variable of a setting is set to an empty value.
pub(super) fn is_empty(setting: &Arg) -> bool {
    setting.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty())
}

/// Returns whether a setting is an option on the command line.
pub(super) fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// Rejects empty variables of settings that the command takes and that must not be empty.
pub(super) fn check_variables(
    parser: &mut clap::Command,
    matches: &ArgMatches,
) -> Result<(), clap::Error> {
    let command = matches.subcommand_name().unwrap_or("serve");
    let settings = Settings::augment_args(clap::Command::new("terse"));
    let empty = settings.get_arguments().find(|setting| {
        let id = setting.get_id().as_str();
        NEVER_EMPTY.contains(&id)
            && takes(command, setting)
            && is_empty(setting)
            && !is_given(matches, id)
    });
    let Some(variable) = empty.and_then(Arg::get_env) else { return Ok(()) };
    let message = format!("the variable {} must not be empty", variable.display());
    Err(parser.error(ErrorKind::ValueValidation, message))
}

/// Rejects settings before a command that does not take them, and a URL together with a file that
/// contains it.
pub(super) fn check_settings(
    parser: &mut clap::Command,
    matches: &ArgMatches,
) -> Result<(), clap::Error> {
    for (id, option) in [("database_url", "--database-url"), ("primary_url", "--primary-url")] {
        if is_given(matches, id) && is_given(matches, &format!("{id}_file")) {
            let message = format!("{option} and {option}-file cannot be used together");
            return Err(parser.error(ErrorKind::ArgumentConflict, message));
        }
    }
    let Some(command) = matches.subcommand_name() else { return Ok(()) };
    let misplaced = parser
        .get_arguments()
        .find(|setting| is_given(matches, setting.get_id().as_str()) && !takes(command, setting));
    let Some(option) = misplaced.map(|setting| setting.get_long().unwrap_or_default()) else {
        return Ok(());
    };
    let message = format!("unexpected argument '--{option}': `terse {command}` does not take it");
    Err(parser.error(ErrorKind::UnknownArgument, message))
}
