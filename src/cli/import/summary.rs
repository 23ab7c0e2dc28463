//! What the command says about a file besides its links, about an import that has ended, and about failures.

use std::collections::BTreeMap;
use std::io;

use crate::cli::error::{CommandError, Result};
use crate::cli::output::{Output, pluralize};
use crate::domain::import::{DomainChoice, FileNotices, FormatError, ImportCounts, ImportError};
use crate::domain::{Error, domains};
use crate::store::Store;
use crate::values::DomainHost;

/// Maximum number of ignored columns that are named.
const MAX_NAMED: usize = 20;

/// Data for the summary of an import that has ended.
pub(super) struct ImportSummary {
    pub(super) counts: ImportCounts,
    /// Format of the file. `None` if the import did not begin.
    pub(super) format: Option<&'static str>,
    /// What the file has beyond links.
    pub(super) notices: FileNotices,
    /// Name of the imported file.
    pub(super) name: String,
    /// Name of the rejects file; empty if there is none.
    pub(super) rejects_name: String,
    pub(super) is_dry_run: bool,
    /// Whether the import has read the beginning of the file.
    pub(super) has_begun: bool,
}

impl ImportSummary {
    /// Prints the summary of an import that failed, and returns the error of the command.
    pub(super) fn into_error(self, error: ImportError, output: Output) -> CommandError {
        let failure = failure(&self.name, &self.rejects_name, error);
        if !self.has_begun {
            return failure;
        }
        let _ = self.show(output);
        let progress = if self.counts.is_interrupted {
            self.interruption_text()
        } else {
            let (read, they_are) = match self.counts.rows {
                1 => ("the only row was read".to_owned(), "it is"),
                rows => (format!("all {rows} rows were read"), "they are"),
            };
            format!(
                "{}: {read}; import the file again to be sure that {they_are} stored",
                self.name
            )
        };
        CommandError::Other(format!("{failure}; {progress}"))
    }

    /// Prints the summary of an import that reached the end of its file, or that a signal stopped.
    /// `status` is the exit code of the signal.
    pub(super) fn report(self, ended: io::Result<()>, status: u8, output: Output) -> Result {
        // The exit code does not depend on whether the summary can be written.
        let shown = self.show(output);
        ended.map_err(|error| cannot_write(&self.rejects_name, &error))?;
        if self.counts.is_interrupted {
            return Err(CommandError::Interrupted { text: self.interruption_text(), status });
        }
        if let Err(error) = shown
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            return Err(error.into());
        }
        let ImportCounts { rejected, rows, .. } = self.counts;
        if rejected > 0 {
            let text = match (rejected, rows) {
                (_, 1) => "the only row was rejected".to_owned(),
                (1, _) => format!("1 of {rows} rows was rejected"),
                (_, _) => format!("{rejected} of {rows} rows were rejected"),
            };
            return Err(CommandError::Other(text));
        }
        if rows == 0 && self.notices.other_domains > 0 {
            let domains = name_domains(&self.notices.names_of_others);
            let reason = format!("no link has the domain that --domain names; there are {domains}");
            return Err(CommandError::Other(format!("{}: {reason}", self.name)));
        }
        Ok(())
    }

    fn interruption_text(&self) -> String {
        let rows = pluralize(self.counts.rows, "row");
        let stays = if self.is_dry_run {
            ""
        } else {
            "; what was imported stays, and is recognised in the next run"
        };
        format!("{}: interrupted after {rows}{stays}", self.name)
    }

    fn show(&self, output: Output) -> io::Result<()> {
        let ImportCounts {
            rows,
            imported,
            existing,
            rejected,
            campaigns_dropped,
            titles_shortened,
            destinations_trimmed,
            codes_cleaned,
            queries_forwarded,
            without_case,
            case_added,
            rules_dropped,
            is_interrupted,
        } = self.counts;
        let would = if self.is_dry_run { "would be " } else { "" };
        let mut text = format!(
            "{}: {} {would}imported, {existing} existing, {rejected} rejected",
            pluralize(rows, "row"),
            pluralize(imported, "link"),
        );
        for (count, how) in [
            (campaigns_dropped, "without a campaign (more than one tag)"),
            (titles_shortened, "with a title on one line of 255 characters"),
            (destinations_trimmed, "without blanks or invisible characters around the destination"),
            (codes_cleaned, "without blanks or invisible characters of the code"),
            (
                queries_forwarded,
                "with forwarded queries, which never replace a value of the destination, unlike in Dub \
                 and Shlink",
            ),
            (rules_dropped, "without rules that lead some visitors elsewhere"),
        ] {
            if count > 0 {
                text.push_str(&format!("\n{} {would}imported {how}", pluralize(count, "link")));
            }
        }
        if without_case > 0 {
            let links = pluralize(without_case, "link");
            text.push_str(&format!(
                "\n{links} for the exact code only (another link has the code in any letter case or without \
                 invisible characters)"
            ));
        }
        if case_added > 0 {
            let (links, answer) = match case_added {
                1 => ("link", "answers"),
                _ => ("links", "answer"),
            };
            let answer = if self.is_dry_run { "would answer" } else { answer };
            text.push_str(&format!(
                "\n{case_added} existing {links} {answer} in any letter case from now on"
            ));
        }
        let FileNotices { partial, ignored, other_domains, .. } = &self.notices;
        if let Some(format) = self.format.filter(|format| !["csv", "jsonl"].contains(format)) {
            text.push_str(&format!("\nread as format {format}"));
        }
        if *other_domains > 0 {
            text.push_str(&format!("\n{} of other domains", pluralize(*other_domains, "row")));
        }
        let value = serde_json::json!({
            "format": self.format,
            "rows": rows,
            "imported": imported,
            "existing": existing,
            "rejected": rejected,
            "campaigns_dropped": campaigns_dropped,
            "titles_shortened": titles_shortened,
            "destinations_trimmed": destinations_trimmed,
            "codes_cleaned": codes_cleaned,
            "queries_forwarded": queries_forwarded,
            "without_case": without_case,
            "case_added": case_added,
            "rules_dropped": rules_dropped,
            "other_domains": other_domains,
            "ignored_columns": ignored,
            "is_partial": partial.is_some(),
            "dry_run": self.is_dry_run,
            "interrupted": is_interrupted,
        });
        output.show(&text, &value)
    }
}

/// Names domains with the numbers of their links.
fn name_domains(domains: &BTreeMap<Option<String>, u64>) -> String {
    list(domains.iter().map(|(domain, links)| {
        format!("{} ({links})", domain.as_deref().unwrap_or("default").escape_debug())
    }))
}

/// Lists the first names, and says how many more there are.
fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more"));
    names.take(MAX_NAMED).chain(more).collect::<Vec<_>>().join(", ")
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
pub(super) fn notice_lines(notices: &FileNotices) -> Vec<String> {
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
        let named = ignored.iter().map(|(name, count)| {
            format!("'{}' ({})", name.trim().escape_debug(), pluralize(*count, "value"))
        });
        lines.push(format!("ignored columns: {}", list(named)));
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
