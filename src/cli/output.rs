//! Results on stdout; confirmations and errors on stderr.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;

use super::error::{CommandError, Result};
use super::stderr;
use crate::values::{ApiKey, shorten};

/// Maximum number of characters of an error, which may quote an argument.
const MAX_ERROR: usize = 2_001;

/// Format of results and errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// Whether results and errors are JSON, for programs.
    pub(super) json: bool,
}

/// Format of a list of any length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ListFormat {
    #[default]
    Table,
    Jsonl,
}

/// Help of the option that takes a [`ListFormat`].
pub(super) const LIST_FORMAT_HELP: &str = "A table, or JSON Lines as with --json";

/// Writes a line to stderr, and redacts API keys that a user gave by mistake. Ignores errors, so
/// that the command does its work even if stderr cannot be written.
pub(super) fn eprint_line(text: &str) {
    stderr::write(&format!("{}\n", escape(&ApiKey::redact(text))));
}

/// Escapes characters that control a terminal or the direction of text, or that are invisible, so
/// that texts which differ look different. Joiners stay, because some scripts need them.
pub(super) fn escape(text: &str) -> String {
    let is_harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}')
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}')
    };
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmful(c) { escaped.extend(c.escape_default()) } else { escaped.push(c) }
    }
    escaped
}

/// Writes a line of JSON Lines.
pub(super) fn write_json_line(writer: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *writer, value)?;
    writeln!(writer)
}

/// Writes a warning to stderr, after the name of the program.
pub(super) fn warn(text: &str) {
    eprint_line(&format!("terse: {text}"));
}

/// Returns the number and the noun `one`, in the plural unless the number is 1.
pub(super) fn pluralize(count: impl Into<i128>, one: &str) -> String {
    let count = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {one}{plural}")
}

/// Returns the text of a value, or a dash if there is none.
pub(super) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// A column of a table: its name, and its text in a row.
pub(super) type Column<R> = (&'static str, fn(&R) -> String);

/// What to do if the key of an owner was lost.
pub(super) const ADVICE_ON_LOST_KEY: &str =
    "`terse key add OWNER` on the same database creates another";

impl Output {
    /// Returns the output for a list, for which `--format jsonl` has the same effect as `--json`.
    pub(super) fn of_list(self, format: ListFormat) -> Self {
        Self { json: self.json || format == ListFormat::Jsonl }
    }

    /// Prints a new API key. Terse cannot show it again, so an error says what to do.
    pub(super) fn show_key(self, text: &str, value: &impl Serialize, advice: &str) -> Result {
        self.show(text, value).map_err(|error| {
            let reason = "the key was created but could not be shown";
            CommandError::Other(format!("{reason}: {error}; {advice}"))
        })
    }

    /// Confirms what the command did: one line on stderr for people and, with `--json`, an object
    /// on stdout.
    pub(super) fn print_confirmation(self, text: &str, value: &impl Serialize) -> io::Result<()> {
        eprint_line(text);
        if self.json { self.show("", value) } else { Ok(()) }
    }

    /// Reports an error on stderr: a line for people or, with `--json`, an object.
    pub(super) fn report(self, text: &str, code: &str) {
        let text = shorten(text.replace('\n', " "), MAX_ERROR);
        if self.json {
            eprint_line(&serde_json::json!({ "error": text, "code": code }).to_string());
        } else {
            warn(&text);
        }
    }

    /// Prints a result: `text` for people, or `value` as JSON for programs.
    pub(super) fn show(self, text: &str, value: &impl Serialize) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        if self.json {
            write_json_line(&mut stdout, value)?;
        } else {
            text.lines().try_for_each(|line| writeln!(stdout, "{}", escape(line)))?;
        }
        stdout.flush()
    }

    /// Prints rows: a table with a headline for people, or an array of objects `T` for programs.
    pub(super) fn table<T: From<R> + Serialize, R>(
        self,
        columns: &[Column<R>],
        rows: Vec<R>,
    ) -> io::Result<()> {
        if self.json {
            let objects: Vec<T> = rows.into_iter().map(T::from).collect();
            return self.show("", &objects);
        }
        self.text_table(columns, &rows)
    }

    /// Prints rows as a table with a headline.
    pub(super) fn text_table<R>(self, columns: &[Column<R>], rows: &[R]) -> io::Result<()> {
        let headline = columns.iter().map(|(name, _)| name.to_uppercase()).collect();
        let cells = |row| columns.iter().map(|(_, text)| text(row)).collect();
        self.lines(headline, rows.iter().map(cells).collect())
    }

    /// Prints a row: a line for each column for people, or an object `T` for programs.
    pub(super) fn row<T: From<R> + Serialize, R>(
        self,
        columns: &[Column<R>],
        row: R,
    ) -> io::Result<()> {
        let width = columns.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let lines = columns.iter().map(|(name, text)| format!("{name:width$} {}", text(&row)));
        let text = lines.collect::<Vec<_>>().join("\n");
        self.show(&text, &T::from(row))
    }

    /// Prints the lines of a table, whose number of columns may vary, for people.
    pub(super) fn lines(self, headline: Vec<String>, lines: Vec<Vec<String>>) -> io::Result<()> {
        let escaped = |line: Vec<String>| line.iter().map(|cell| escape(cell)).collect();
        let lines: Vec<Vec<String>> = lines.into_iter().map(escaped).collect();
        let width = |column: usize| {
            let lines = std::iter::once(&headline).chain(&lines);
            lines.map(|line| line[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..headline.len()).map(width).collect();
        let mut stdout = io::stdout().lock();
        for line in std::iter::once(headline).chain(lines) {
            let padded: Vec<String> =
                line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            writeln!(stdout, "{}", padded.join("  ").trim_end())?;
        }
        stdout.flush()
    }
}
