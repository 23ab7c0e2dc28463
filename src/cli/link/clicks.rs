//! `terse link clicks`

use std::io::{self, IsTerminal as _};

use rustix::termios::tcgetwinsize;

use super::super::error::CommandError;
use super::super::output::Output;
use crate::domain::click_report::{self, ClickDay};
use crate::store::Store;

/// Width of a terminal that does not report its own.
const DEFAULT_WIDTH: usize = 80;

/// Prints the clicks of a link by day: a chart on a terminal, otherwise a table.
pub(super) async fn clicks(
    code: &str,
    days: u32,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let days = click_report::of_link(store, code, days).await?;
    if !output.json && io::stdout().is_terminal() {
        return Ok(output.show(&chart(&days, width()), &days)?);
    }
    Ok(output
        .table(["DAY", "CLICKS"], &days, |day| [day.day.to_string(), day.clicks.to_string()])?)
}

fn width() -> usize {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 => size.ws_col.into(),
        Ok(_) | Err(_) => DEFAULT_WIDTH,
    }
}

/// Draws a bar for each day. The longest one ends at the edge of the terminal, and every day with
/// clicks has at least a block.
fn chart(days: &[ClickDay], width: usize) -> String {
    let max = days.iter().map(|day| day.clicks).max().unwrap_or(0).max(1);
    let digits = max.to_string().len();
    let space = width.saturating_sub("2026-01-31".len() + 2 + digits + 2).max(1);
    let lines = days.iter().map(|ClickDay { day, clicks }| {
        let length = i128::from(*clicks) * space as i128 / i128::from(max);
        let length = usize::try_from(length).unwrap_or(0).max(usize::from(*clicks > 0));
        let line = format!("{day}  {clicks:>digits$}  {}", "█".repeat(length));
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Day;

    #[test]
    fn bars_fit_the_width() {
        let day = |number, clicks| ClickDay { day: Day::from_number(number), clicks };
        let drawn = chart(&[day(0, 0), day(1, 1), day(2, 50), day(3, 100)], 27);
        let lines = [
            "1970-01-01    0",
            "1970-01-02    1  █",
            "1970-01-03   50  █████",
            "1970-01-04  100  ██████████",
        ];
        assert_eq!(drawn, lines.join("\n"));
        assert_eq!(chart(&[day(0, i64::MAX)], 3), format!("1970-01-01  {}  █", i64::MAX));
    }
}
