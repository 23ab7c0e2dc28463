//! The summary of an import that has ended.

use std::io;

use super::notices::{self, cannot_write, failure};
use crate::cli::error::CommandError;
use crate::cli::output::{Output, pluralize};
use crate::domain::import::{FileNotices, ImportCounts, ImportError};

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
    pub(super) fn report(
        self,
        ended: io::Result<()>,
        status: u8,
        output: Output,
    ) -> Result<(), CommandError> {
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
            let domains = notices::domains(&self.notices.names_of_others);
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
