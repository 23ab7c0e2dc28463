//! Hints for commands that do not exist.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};

/// Adds a hint to the error of an unknown command, if another one does what the user meant.
pub(super) fn add_hint(
    mut error: clap::Error,
    arguments: &[OsString],
    parser: &clap::Command,
) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let mut words = arguments.iter().filter_map(|argument| argument.to_str());
    let before = words.by_ref().skip(1).take_while(|argument| argument != word);
    let group = before.filter(|word| parser.find_subcommand(word).is_some()).last();
    if let Some(hint) = hint(group.unwrap_or_default(), word) {
        let hints = ContextValue::StyledStrs(vec![hint.into()]);
        error.insert(ContextKind::Suggested, hints);
    }
    error
}

/// Returns a hint for `terse GROUP WORD`; the group may be empty.
fn hint(group: &str, word: &str) -> Option<&'static str> {
    Some(match (group, word) {
        ("" | "link", "links" | "list" | "ls") => {
            "`terse export` prints all links, `terse link show CODE` one of them"
        }
        ("" | "link", "add" | "create" | "new" | "shorten") => {
            "clients create links with POST /api/v1/shorten; `terse import FILE --owner NAME` \
             creates those of a file"
        }
        ("link", "get" | "info" | "stats") => "`terse link show CODE` shows a link and its clicks",
        ("", "keys") => "`terse key list OWNER` lists an owner's keys",
        ("key", "create" | "new") => "`terse key add OWNER` creates a key",
        ("key", "delete" | "remove" | "rm" | "disable") => "`terse key revoke ID` revokes a key",
        ("key", "ls" | "show") => "`terse key list OWNER` lists an owner's keys",
        ("", "owners" | "user" | "users") => "`terse owner list` lists the owners",
        ("owner", "create" | "new") => "`terse owner add NAME` creates an owner",
        ("owner", "ls" | "show") => "`terse owner list` lists the owners",
        ("owner", "set" | "set-plan") => "`terse owner plan NAME PLAN` assigns a plan",
        ("", "plans") => "`terse plan list` lists the plans",
        ("plan", "create" | "new") => "`terse plan add NAME` creates a plan",
        ("plan", "change" | "edit" | "update") => "`terse plan set NAME` changes a plan",
        ("plan", "ls" | "show") => "`terse plan list` lists the plans",
        ("", "run" | "server" | "start") => "`terse serve` serves",
        ("", "init" | "upgrade") => "`terse migrate` creates or upgrades the schema",
        ("", "config" | "settings") => "`terse help serve` shows all settings",
        ("", "version") => "`terse --version` prints the version",
        _ => return None,
    })
}
