//! What the command says about a file besides its links, and how it words failures.

use std::collections::BTreeMap;
use std::io;

use crate::cli::error::CommandError;
use crate::cli::output::pluralize;
use crate::domain::import::{DomainChoice, FileNotices, FormatError, ImportError};
use crate::domain::{Error, domains};
use crate::store::Store;
use crate::values::DomainHost;

/// Maximum number of ignored columns that are named.
const MAX_NAMED: usize = 20;

/// Names domains with the numbers of their links.
pub(super) fn domains(domains: &BTreeMap<Option<String>, u64>) -> String {
    let named = domains.iter().take(MAX_NAMED).map(|(domain, links)| {
        format!("{} ({links})", domain.as_deref().unwrap_or("default").escape_debug())
    });
    let more = domains.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more"));
    named.chain(more).collect::<Vec<_>>().join(", ")
}

/// Returns a warning if the chosen domain of a file is one of another owner, where the imported links
/// would not answer.
pub(super) async fn domain_of_another(
    store: &Store,
    choice: Option<&DomainChoice>,
    owner: &str,
) -> Result<Option<String>, Error> {
    let host = match choice {
        Some(DomainChoice::Host(host)) => DomainHost::parse(host).ok(),
        Some(DomainChoice::Default) | None => None,
    };
    let Some(host) = host else { return Ok(None) };
    match domains::find(store, host.as_str()).await {
        Ok(domain) if domain.owner != owner => Ok(Some(format!(
            "warning: {host} is a domain of owner '{}', where links of '{owner}' do not answer",
            domain.owner
        ))),
        Ok(_) | Err(Error::DomainNotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns a line for each notice.
pub(super) fn lines(notices: &FileNotices) -> Vec<String> {
    let FileNotices {
        partial,
        ignored,
        overlooked,
        skipped_lists,
        other_domains: _,
        names_of_others: _,
        not_utf8,
        nulls,
    } = notices;
    let mut lines = Vec::new();
    if !ignored.is_empty() {
        // The name of a column may contain control sequences for the terminal.
        let named = ignored.iter().take(MAX_NAMED).map(|(name, count)| {
            format!("'{}' ({})", name.trim().escape_debug(), pluralize(*count, "value"))
        });
        let more = ignored.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
        let more = more.map(|more| format!("and {more} more"));
        let named: Vec<String> = named.chain(more).collect();
        lines.push(format!("ignored columns: {}", named.join(", ")));
    }
    for (name, count) in nulls {
        let words = pluralize(*count, "word");
        let name = name.trim().escape_debug();
        lines.push(format!("column '{name}': {words} such as null read as a missing value"));
    }
    if !overlooked.is_empty() {
        let named: Vec<String> =
            overlooked.iter().map(|name| format!("'{}'", name.escape_debug())).collect();
        lines.push(format!(
            "warning: {} may have clicks or titles, which a later import of the same links cannot add",
            named.join(", ")
        ));
    }
    if !skipped_lists.is_empty() {
        let named: Vec<String> = skipped_lists
            .iter()
            .take(MAX_NAMED)
            .map(|name| name.escape_debug().to_string())
            .collect();
        lines.push(format!("only the first list of links is read, and not: {}", named.join(", ")));
    }
    if *not_utf8 > 0 {
        let rows = pluralize(*not_utf8, "row");
        lines.push(format!(
            "{rows} not in UTF-8; --encoding names another encoding, such as windows-1252"
        ));
    }
    if let Some(partial) = partial {
        let links = match partial.total {
            Some(total) => format!("{} of {}", partial.records, pluralize(total, "link")),
            None => pluralize(partial.records, "link"),
        };
        lines.push(format!(
            "the file is not all: it has {links}; export and import the other pages, too"
        ));
    }
    lines
}

pub(super) fn cannot_read(name: &str, error: &io::Error) -> CommandError {
    CommandError::Other(format!("{name} cannot be read: {error}"))
}

pub(super) fn cannot_write(name: &str, error: &io::Error) -> CommandError {
    CommandError::Other(format!("{name} cannot be written: {error}"))
}

/// Returns the error of the command. `name` is that of the imported file.
pub(super) fn failure(name: &str, rejects_name: &str, error: ImportError) -> CommandError {
    match error {
        ImportError::File(FormatError::File(reason)) => {
            CommandError::Other(format!("{name}: {reason}"))
        }
        ImportError::File(FormatError::Read(error)) => cannot_read(name, &error),
        ImportError::Report(error) => cannot_write(rejects_name, &error),
        ImportError::Domain(error) => error.into(),
    }
}
