use std::io::{self, Write as _};

use serde::Serialize;

use super::Failure;

/// How results are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// As JSON, for machines.
    pub(super) json: bool,
}

/// Tells people something on stderr. Where nobody can read it, the command does its work all the same.
pub(super) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The same, in the program's name.
pub(super) fn remark(text: &str) {
    tell(&format!("terse: {text}"));
}

/// So many of them.
pub(super) fn so_many(count: impl Into<i128>, one: &str) -> String {
    let count = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {one}{plural}")
}

/// A text that there may not be.
pub(super) fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

impl Output {
    /// An owner's key, which cannot be shown again.
    pub(super) fn show_key(self, text: &str, value: &impl Serialize) -> Result<(), Failure> {
        self.show(text, value).map_err(|error| {
            Failure::Other(format!(
                "the key was created but could not be shown: {error}; `terse key add OWNER` on the \
                 same database creates another"
            ))
        })
    }

    /// What was done, for machines; people learn nothing from it that they have not said.
    pub(super) fn confirm(self, value: &impl Serialize) -> io::Result<()> {
        if self.json { self.show("", value) } else { Ok(()) }
    }

    /// One value: `text` for people, `value` as JSON for machines.
    pub(super) fn show(self, text: &str, value: &impl Serialize) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        if self.json {
            serde_json::to_writer(&mut stdout, value)?;
            writeln!(stdout)?;
        } else {
            writeln!(stdout, "{text}")?;
        }
        stdout.flush()
    }

    /// Rows with a headline for people, an array of objects for machines.
    pub(super) fn table<R: Serialize, const N: usize>(
        self,
        headline: [&str; N],
        rows: &[R],
        cells: impl Fn(&R) -> [String; N],
    ) -> io::Result<()> {
        if self.json {
            return self.show("", &rows);
        }
        let lines: Vec<[String; N]> = rows.iter().map(cells).collect();
        let widths: [usize; N] = std::array::from_fn(|column| {
            let cells = lines.iter().map(|line| line[column].chars().count());
            cells.chain([headline[column].len()]).max().unwrap_or(0)
        });
        let mut stdout = io::stdout().lock();
        for line in std::iter::once(headline.map(str::to_owned)).chain(lines) {
            let padded: Vec<String> =
                line.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            writeln!(stdout, "{}", padded.join("  ").trim_end())?;
        }
        stdout.flush()
    }
}
