//! How far something is, for whoever sits before a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How often the line is written anew.
const INTERVAL: Duration = Duration::from_millis(200);

/// One line on stderr that is written over; nothing where that is no terminal.
pub(super) struct Progress {
    is_shown: bool,
    begun: Instant,
    last: Option<Instant>,
}

/// How much is done.
pub(super) struct Done {
    pub(super) count: u64,
    /// What is counted: rows, links.
    pub(super) what: &'static str,
    /// Of what the end is known of, and that end.
    pub(super) part: Option<(u64, u64)>,
}

impl Progress {
    pub(super) fn begin() -> Self {
        Self { is_shown: io::stderr().is_terminal(), begun: Instant::now(), last: None }
    }

    pub(super) fn show(&mut self, done: &Done) {
        let now = Instant::now();
        if !self.is_shown || self.last.is_some_and(|last| now - last < INTERVAL) {
            return;
        }
        self.last = Some(now);
        // A terminal that went away is no reason to stop.
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[K{}", line(done, now - self.begun));
        let _ = stderr.flush();
    }

    /// Takes the line away, for other lines to be written.
    pub(super) fn clear(&mut self) {
        if self.last.take().is_some() {
            let _ = io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

fn line(done: &Done, took: Duration) -> String {
    let seconds = took.as_secs_f64().max(0.001);
    let rate = done.count as f64 / seconds;
    let mut line = format!("{} {}, {rate:.0} a second", done.count, done.what);
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
    fn the_line_tells_rate_and_time_left() {
        let done = Done { count: 1_000, what: "rows", part: Some((250, 1_000)) };
        assert_eq!(line(&done, Duration::from_secs(2)), "1000 rows, 500 a second, 25 %, 6 s left");
        let done = Done { count: 7, what: "links", part: None };
        assert_eq!(line(&done, Duration::from_secs(7)), "7 links, 1 a second");
    }
}
