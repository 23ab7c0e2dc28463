//! Hints for names of commands that do not exist.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};

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

/// Adds a hint to the error of an unknown command if [`HINTS`] has one for this command.
pub(super) fn add_hint(
    mut error: clap::Error,
    arguments: &[OsString],
    parser: &clap::Command,
) -> clap::Error {
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
pub(super) fn check_hints(parser: &mut clap::Command) {
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
