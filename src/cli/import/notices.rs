//! What the command says about a file besides its links.

use crate::cli::output::pluralize;
use crate::domain::import::FileNotices;

/// Maximum number of ignored columns that are named.
const MAX_NAMED: usize = 20;

/// Returns a line for each notice.
pub(super) fn lines(notices: &FileNotices) -> Vec<String> {
    let FileNotices { partial, ignored, skipped_lists, other_domains: _, not_utf8 } = notices;
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
    if !skipped_lists.is_empty() {
        let named: Vec<String> = skipped_lists
            .iter()
            .take(MAX_NAMED)
            .map(|name| name.escape_debug().to_string())
            .collect();
        lines.push(format!("only the first list is read, and not: {}", named.join(", ")));
    }
    if *not_utf8 > 0 {
        let rows = pluralize(*not_utf8, "row");
        lines.push(format!(
            "{rows} not in UTF-8; --encoding names another encoding, such as windows-1252"
        ));
    }
    if let Some(partial) = partial {
        let of = partial.total.map_or_else(String::new, |total| format!(" of {total}"));
        let records = partial.records;
        lines.push(format!(
            "the file is not all: it has {records}{of} links; export and import the other pages, too"
        ));
    }
    lines
}
