//! Grammar of the command line: commands and their arguments, and hints for names of commands that do not
//! exist.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use super::error::USAGE;
use super::output::{Output, eprint_line};
use super::settings::{check_settings, check_variables, is_empty, is_given, shows, takes};
use super::{
    backup, block, check, copy, domain, export, generated, health, history, import, key, link,
    migrate, operator, owner, plan, report, restore, usage, webhook,
};
use crate::config::Settings;

/// Hints. Each has a group of commands (`""` is the top level), words that are not commands of the
/// group, and a text.
const HINTS: &[(&str, &[&str], &str)] = &[
    ("", &["links", "list", "ls"], LIST_LINKS),
    ("link", &["links", "list", "ls"], LIST_LINKS),
    ("", &["add", "create", "new", "shorten"], CREATE_LINKS),
    ("link", &["add", "create", "new"], CREATE_LINKS),
    ("link", &["change", "set", "update"], "`terse link edit CODE` changes a link"),
    ("link", &["remove", "rm"], "`terse link delete CODE` deletes a link"),
    ("link", &["block", "suspend", "takedown"], "`terse link disable CODE` disables a link"),
    ("link", &["search"], "`terse link find --host HOST` finds links"),
    ("link", &["get", "info", "stats"], "`terse link show CODE` shows a link and its clicks"),
    ("", &["keys"], "`terse key list OWNER` lists an owner's keys"),
    ("key", &["ls", "show"], "`terse key list OWNER` lists an owner's keys"),
    ("key", &["create", "new"], "`terse key add OWNER` creates a key"),
    ("key", &["delete", "disable", "remove", "rm"], "`terse key revoke ID` revokes a key"),
    ("key", &["rotate"], "`terse key add OWNER` creates a key, `terse key revoke ID` ends another"),
    ("", &["owners", "user", "users"], "`terse owner list` lists the owners"),
    ("owner", &["disable", "block", "lock"], "`terse owner suspend NAME` suspends an owner"),
    ("owner", &["enable", "unlock", "unsuspend"], "`terse owner resume NAME` ends a suspension"),
    ("owner", &["remove", "rm"], "`terse owner delete NAME --confirm NAME` deletes an owner"),
    ("owner", &["ls"], "`terse owner list` lists the owners"),
    ("owner", &["get", "info"], "`terse owner show NAME` shows an owner"),
    ("owner", &["create", "new"], "`terse owner add NAME` creates an owner"),
    ("owner", &["change", "set", "set-plan"], "`terse owner edit NAME` changes an owner"),
    ("", &["operators", "admin"], "`terse operator list` lists the operator keys"),
    ("operator", &["ls", "show"], "`terse operator list` lists the operator keys"),
    ("operator", &["create", "new"], "`terse operator add NAME` creates an operator key"),
    ("operator", &["delete", "remove", "rm"], "`terse operator revoke NAME` revokes a key"),
    ("", &["plans"], "`terse plan list` lists the plans"),
    ("plan", &["ls", "show"], "`terse plan list` lists the plans"),
    ("plan", &["create", "new"], "`terse plan add NAME` creates a plan"),
    ("plan", &["delete", "rm"], "`terse plan remove NAME` removes a plan"),
    ("plan", &["change", "edit", "update"], "`terse plan set NAME` changes a plan"),
    ("block", &["delete", "rm", "unblock"], "`terse block remove PATTERN` removes a pattern"),
    ("block", &["ls", "show", "sources"], "`terse block list` lists the patterns"),
    ("", &["domains", "host", "hosts"], "`terse domain list` lists the domains of owners"),
    ("domain", &["create", "new"], "`terse domain add HOST --owner NAME` adds a domain"),
    ("domain", &["delete", "rm"], "`terse domain remove HOST` removes a domain"),
    ("domain", &["ls", "show"], "`terse domain list` lists the domains of owners"),
    ("domain", &["home", "set"], "`terse domain edit HOST` changes where its start page leads"),
    ("", &["audit", "events", "log"], "`terse history` shows who changed what"),
    ("", &["allow", "unblock"], "`terse block` blocks destinations and makes exceptions"),
    ("", &["disable", "takedown"], "`terse link disable CODE` disables a link"),
    ("", &["suspend"], "`terse owner suspend NAME` suspends an owner"),
    ("", &["run", "server", "start"], "`terse serve` serves"),
    ("", &["init", "upgrade"], "`terse migrate` creates or upgrades the schema"),
    ("", &["healthcheck", "live", "ping", "ready"], "`terse health` checks the running server"),
    ("", &["config", "settings"], "`terse help serve` shows all settings"),
    ("", &["version"], "`terse --version` prints the version"),
];

const LIST_LINKS: &str = "`terse link find --owner NAME` lists an owner's links, `terse export` all, \
    `terse link show CODE` one";
const CREATE_LINKS: &str = "clients create links with POST /api/v1/shorten; \
    `terse import FILE --owner NAME` creates those of a file";

/// A self-hosted URL shortener with a JSON API and exact click counts
///
/// Without a command, terse runs `terse serve`, whose options this help lists.
#[derive(Debug, Parser)]
#[command(name = "terse", version, after_help = "Example: terse --listen 127.0.0.1:8080")]
pub(super) struct CommandLine {
    /// Print results and errors as JSON
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) settings: Settings,

    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create or upgrade the database schema, and start the server
    #[command(after_help = "Example: terse serve --base-url https://go.example.org")]
    Serve,
    /// Manage owners: add, show, list, edit, assign plans, rename, suspend, resume, delete
    #[command(subcommand)]
    Owner(owner::Command),
    /// Manage API keys: add, list, find, expire, revoke
    #[command(subcommand)]
    Key(key::Command),
    /// Manage the keys of the operator's programs: add, list, revoke
    #[command(subcommand)]
    Operator(operator::Command),
    /// Manage plans: add, set, list, remove
    #[command(subcommand)]
    Plan(plan::Command),
    /// Manage links: find, show, show clicks, disable, enable, pause, unpause, edit, delete
    #[command(subcommand)]
    Link(link::Command),
    /// Manage owners' domains: add, list, edit, remove, choose the default one
    #[command(subcommand)]
    Domain(domain::Command),
    /// Manage owners' webhooks: list, disable, enable
    #[command(subcommand)]
    Webhook(webhook::Command),
    /// Show who changed what, when and why
    #[command(after_help = "Example: terse history --since 7d")]
    History(history::HistoryArguments),
    /// Revert an event, except values that have changed since
    #[command(after_help = "Example: terse undo 17 --yes")]
    Undo(history::UndoArguments),
    /// Block destinations, make exceptions, and import block lists
    #[command(subcommand)]
    Block(block::Command),
    /// Import links from a file of another service, or in Terse's own format
    #[command(after_help = "Example: terse import links.csv --owner acme --dry-run")]
    Import(import::Arguments),
    /// Print links in a format that `terse import` reads
    #[command(after_help = "Example: terse export --owner acme")]
    Export(export::Arguments),
    /// Sum up the clicks of a month
    #[command(after_help = "Example: terse report --month 2026-01 --by owner,campaign --csv")]
    Report(report::Arguments),
    /// Show what owners used in a month: requests, links and clicks
    #[command(after_help = "Example: terse usage --month 2026-01 --owner acme --json")]
    Usage(usage::Arguments),
    /// Copy a whole database into an empty one
    #[command(
        after_help = "Example: terse copy --from sqlite://terse.db --to postgres://terse@localhost/terse"
    )]
    Copy(copy::Arguments),
    /// Check the database: its structure, counts, file modes and disk space (exit code 0 or 1)
    #[command(after_help = "Example: terse check --repair")]
    Check(check::Arguments),
    /// Back up an SQLite database into a directory; its server may be running
    #[command(after_help = "Example: terse backup /var/backups/terse --keep 7")]
    Backup(backup::Arguments),
    /// Restore a backup into a new SQLite file, or into an empty PostgreSQL database
    #[command(
        after_help = "Example: terse restore /var/backups/terse/terse-20261125T030000.000Z.db --to sqlite://terse.db"
    )]
    Restore(restore::Arguments),
    /// Create or upgrade the database schema (on SQLite, also the file)
    #[command(after_help = "Example: terse migrate --create")]
    Migrate(migrate::Arguments),
    /// Show what the service has and does today, and what needs attention (exit code 0 or 1)
    #[command(after_help = "Example: terse status --json")]
    Status,
    /// Check whether the running server is ready or alive (exit code 0 or 1)
    #[command(after_help = "Example: terse health ready --listen 127.0.0.1:8080")]
    Health(health::Arguments),
    /// Print the OpenAPI document with the default base URL
    #[command(after_help = "Example: terse openapi --check openapi/openapi.json")]
    Openapi(generated::OpenapiArguments),
    /// Print docs/configuration.md
    #[command(
        hide = true,
        after_help = "Example: terse configuration --check docs/configuration.md"
    )]
    Configuration(generated::Arguments),
    /// Print the completions of this command line for a shell
    #[command(after_help = "Example: terse completions bash")]
    Completions(generated::CompletionArguments),
    /// Write the manual pages
    #[command(hide = true, after_help = "Example: terse man-pages target/man --date 2026-01-31")]
    ManPages(generated::ManPageArguments),
}

/// Builds the parser. Any setting may precede the command, but only settings that the command takes
/// may follow it.
pub(super) fn parser() -> clap::Command {
    parser_with(|setting| !is_empty(setting))
}

/// Builds the parser, which reads only the variables of the settings for which `reads` is true.
fn parser_with(reads: impl Fn(&Arg) -> bool) -> clap::Command {
    let parser = CommandLine::command().mut_args(|setting| {
        if reads(&setting) { setting } else { setting.env(None::<&'static str>) }
    });
    let settings: Vec<Arg> = parser.get_arguments().cloned().collect();
    parser.mut_subcommands(|command| {
        let group = command.get_name().to_owned();
        let taken = settings.iter().filter(|setting| takes(&group, setting));
        let taken: Vec<Arg> = taken.map(|setting| setting.clone().global(true)).collect();
        if group == "serve" {
            return command.args(taken);
        }
        let settings_of = |name: &str| -> Vec<Arg> {
            let shown = |setting: &Arg| {
                let is_hidden = !shows(&group, name, setting);
                setting.clone().help_heading("Global options").hide(is_hidden)
            };
            taken.iter().map(shown).collect()
        };
        let command = command.args(settings_of(""));
        command.mut_subcommands(|command| {
            let settings = settings_of(command.get_name());
            command.args(settings)
        })
    })
}

/// Parses the arguments of the process.
///
/// # Errors
/// The exit code, if the arguments are invalid or ask for help. The function has then printed the
/// reason or the help.
pub(super) fn parse() -> Result<CommandLine, u8> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    try_parse(&arguments).map_err(|error| {
        let mut options = arguments.iter().take_while(|argument| *argument != "--");
        if error.use_stderr() && options.any(|argument| argument == "--json") {
            Output { json: true }.report(&message(&error), USAGE);
        } else if error.use_stderr() {
            error.render().to_string().trim_end().lines().for_each(eprint_line);
        } else {
            // Help and versions; the exit code is 0 even if stdout cannot be written.
            let _ = error.print();
        }
        u8::from(error.use_stderr()) * 2
    })
}

fn try_parse(arguments: &[OsString]) -> Result<CommandLine, clap::Error> {
    let mut parser = parser();
    let matches = parser
        .try_get_matches_from_mut(arguments)
        .map_err(|error| without_variables(error, arguments))
        .map_err(|error| reveal_hidden_error(error, arguments, &parser))
        .map_err(|error| add_hint(error, arguments, &parser))?;
    check_settings(&mut parser, &matches)?;
    check_variables(&mut parser, &matches)?;
    let parsed = CommandLine::from_arg_matches(&matches);
    let mut parsed = parsed.map_err(|error| error.format(&mut parser))?;
    // An option takes precedence over any variable, and then the file over the URL.
    let Settings { database_url_file, primary_url_file, .. } = &mut parsed.settings;
    for (option, file) in [("database_url", database_url_file), ("primary_url", primary_url_file)] {
        if is_given(&matches, option) {
            *file = None;
        }
    }
    Ok(parsed)
}

/// Returns the same error of a parser that reads no variables, if it has one. clap lists settings whose
/// variables are set as if the command needed these options.
fn without_variables(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    match parser_with(|_| false).try_get_matches_from(arguments) {
        Err(other) if error.use_stderr() && other.kind() == error.kind() => other,
        Ok(_) | Err(_) => error,
    }
}

/// Returns the error that a request for help hides, if there is one.
///
/// clap shows the help as soon as it meets `-h`, even if it begins a code such as `-hello` or is
/// next to an unknown option. A script that disables such a link would take the help for success.
fn reveal_hidden_error(
    error: clap::Error,
    arguments: &[OsString],
    parser: &clap::Command,
) -> clap::Error {
    let is_help = |error: &clap::Error| {
        matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
    };
    if !is_help(&error) {
        return error;
    }
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let (options, operands) = arguments.split_at(end);
    let is_request = |argument: &OsString| {
        ["-h", "--help", "-V", "--version"].iter().any(|option| argument == option)
    };
    let options: Vec<&OsString> = options.iter().filter(|argument| !is_request(argument)).collect();
    let others = options.iter().copied().chain(operands);
    match parser.clone().try_get_matches_from(others) {
        Err(other) if other.kind() == ErrorKind::UnknownArgument => other,
        Err(other) if is_help(&other) => {
            let begins = |argument: &str| argument.starts_with("-h") || argument.starts_with("-V");
            let mut texts = options.iter().map(|argument| argument.to_string_lossy());
            match texts.find(|argument| begins(argument)) {
                Some(unknown) => {
                    let message = format!(
                        "unexpected argument '{unknown}'\n\n  tip: to pass '{unknown}' as a value, use \
                         '-- {unknown}'"
                    );
                    parser.clone().error(ErrorKind::UnknownArgument, message)
                }
                None => error,
            }
        }
        Ok(_) | Err(_) => error,
    }
}

/// Returns the message and tips of a parser error on one line, without the usage.
fn message(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "the command is incomplete; `terse help` shows all commands".to_owned();
    }
    let text = error.render().to_string();
    let is_message = |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more");
    let lines = text.lines().take_while(is_message).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

/// Adds a hint to the error of an unknown command if [`HINTS`] has one for this command.
fn add_hint(mut error: clap::Error, arguments: &[OsString], parser: &clap::Command) -> clap::Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let words = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let before = words.take_while(|word| word != unknown);
    let group = before.filter(|word| parser.find_subcommand(word).is_some()).last();
    let group = group.filter(|group| *group != "help").unwrap_or_default();
    let hint = HINTS.iter().find(|(g, words, _)| *g == group && words.contains(&unknown.as_str()));
    if let Some((_, _, text)) = hint {
        let texts = ContextValue::StyledStrs(vec![(*text).into()]);
        error.insert(ContextKind::Suggested, texts);
    }
    error
}

/// Checks that each hint is for commands that do not exist, and that its text names commands that
/// do.
#[cfg(test)]
fn check_hints(parser: &mut clap::Command) {
    parser.build();
    for (group, words, text) in HINTS {
        let commands = parser.find_subcommand(group).unwrap_or(parser);
        assert!(words.iter().all(|word| commands.find_subcommand(word).is_none()), "{text}");
        for call in text.split('`').filter_map(|part| part.strip_prefix("terse ")) {
            let names = call.split(' ').take_while(|word| word.starts_with(char::is_lowercase));
            let mut command = &*parser;
            for name in names {
                command = command.find_subcommand(name).unwrap_or_else(|| panic!("{text}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parser_definition_is_consistent() {
        parser().debug_assert();
    }

    #[test]
    fn hints_name_commands_that_exist() {
        check_hints(&mut parser());
    }

    /// Calls `check` with each command that has no subcommands.
    fn for_each_command(
        command: &clap::Command,
        path: &str,
        check: &mut dyn FnMut(&clap::Command, &str),
    ) {
        for command in command.get_subcommands() {
            let path = format!("{path} {}", command.get_name());
            if command.has_subcommands() {
                for_each_command(command, &path, check);
            } else {
                check(command, &path);
            }
        }
    }

    #[test]
    fn every_example_is_a_valid_call_of_its_command() {
        for_each_command(&parser(), "terse", &mut |command, path| {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = help.strip_prefix("Example: ").unwrap_or_else(|| panic!("{path}"));
            assert!(example.starts_with(path), "{path}: {example}");
            let arguments: Vec<OsString> = example.split(' ').map(OsString::from).collect();
            assert!(try_parse(&arguments).is_ok(), "{example}");
        });
    }
}
