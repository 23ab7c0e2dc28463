//! Progress of a long command on a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Time between two updates of the line.
const INTERVAL: Duration = Duration::from_millis(200);

/// A line on stderr that the command overwrites with its progress. It shows nothing if stderr is
/// not a terminal.
pub(super) struct ProgressLine {
    is_shown: bool,
    begun: Instant,
    last: Option<Instant>,
}

/// Progress of a command at one point in time.
pub(super) struct ProgressState {
    pub(super) count: u64,
    /// Unit of `count`, such as `rows` or `links`.
    pub(super) what: &'static str,
    /// Number of completed units and their total, if the total is known.
    pub(super) part: Option<(u64, u64)>,
}

impl ProgressLine {
    pub(super) fn new() -> Self {
        Self { is_shown: io::stderr().is_terminal(), begun: Instant::now(), last: None }
    }

    pub(super) fn show(&mut self, done: &ProgressState) {
        let now = Instant::now();
        if !self.is_shown || self.last.is_some_and(|last| now - last < INTERVAL) {
            return;
        }
        self.last = Some(now);
        // Errors are ignored, so that a closed terminal does not stop the command.
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[K{}", format_progress(done, now - self.begun));
        let _ = stderr.flush();
    }

    /// Removes the line, so that other lines can be written.
    pub(super) fn clear(&mut self) {
        if self.last.take().is_some() {
            let _ = io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

fn format_progress(done: &ProgressState, took: Duration) -> String {
    let seconds = took.as_secs_f64().max(0.001);
    let rate = done.count as f64 / seconds;
    let mut line = format!("{} {}, {rate:.0} per second", done.count, done.what);
    if let Some((part, whole)) = done.part.filter(|(part, whole)| *part > 0 && *whole > 0) {
        let share = part as f64 / whole as f64;
        let left = (seconds / share - seconds).max(0.0).ceil();
        line.push_str(&format!(", {:.0} %, {left:.0} s left", share.min(1.0) * 100.0));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_contains_rate_and_time_left() {
        let done = ProgressState { count: 1_000, what: "rows", part: Some((250, 1_000)) };
        assert_eq!(
            format_progress(&done, Duration::from_secs(2)),
            "1000 rows, 500 per second, 25 %, 6 s left"
        );
        let done = ProgressState { count: 7, what: "links", part: None };
        assert_eq!(format_progress(&done, Duration::from_secs(7)), "7 links, 1 per second");
    }
}
