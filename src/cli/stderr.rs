//! Standard error. A server writes to it through a queue, so that none of its threads waits for the
//! reader of a pipe or for a stopped terminal. Commands write to it directly, and show their progress on it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::os::fd::AsFd as _;
use std::sync::{Arc, OnceLock};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use prometheus::IntCounter;

/// Maximum number of bytes of queued lines: about two seconds of a flood of requests.
const MAX_QUEUED: usize = 512 << 10;
/// Maximum time that the end of the process waits for queued lines.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);
/// Pause before the next attempt to write to a non-blocking file that is full.
const FULL_PAUSE: Duration = Duration::from_millis(10);

/// The queue of the server, if this process serves.
static QUEUE: OnceLock<Arc<LineQueue>> = OnceLock::new();
/// Time between two updates of the line.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Writes a line, whose last byte is a newline, after all queued lines. Ignores errors.
pub(super) fn write(line: &str) {
    match QUEUE.get() {
        Some(queue) => queue.push(line.as_bytes()),
        None => drop(io::stderr().write_all(line.as_bytes())),
    }
}

/// Waits until all queued lines are written, but for no longer than [`FLUSH_TIMEOUT`].
pub(super) fn flush() {
    let Some(queue) = QUEUE.get() else { return };
    let is_busy = |state: &mut State| state.is_writing || !state.lines.is_empty();
    // The result says whether lines remain, which cannot be reported anywhere.
    let _ = queue.written.wait_while_for(&mut queue.state.lock(), is_busy, FLUSH_TIMEOUT);
}

/// Starts a thread that writes queued lines to stderr, and returns the queue. `dropped` counts the
/// lines that the queue or stderr does not accept.
///
/// # Errors
/// If the operating system refuses a file descriptor or a thread.
pub(super) fn start_queue(dropped: IntCounter) -> io::Result<Arc<LineQueue>> {
    // Not `io::Stderr`, whose lock belongs to a thread for as long as it waits for the reader.
    let file = File::from(io::stderr().as_fd().try_clone_to_owned()?);
    let queue = Arc::new(LineQueue {
        state: Mutex::default(),
        pushed: Condvar::new(),
        written: Condvar::new(),
        dropped,
    });
    let (writer, lines) = (LineWriter { file, is_torn: false }, Arc::clone(&queue));
    Builder::new().name("log".to_owned()).spawn(move || lines.run(writer))?;
    Ok(Arc::clone(QUEUE.get_or_init(|| queue)))
}

/// Queue of lines for stderr. It drops a line for which it has no room.
#[derive(Debug)]
pub(super) struct LineQueue {
    state: Mutex<State>,
    pushed: Condvar,
    written: Condvar,
    dropped: IntCounter,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<Box<[u8]>>,
    bytes: usize,
    /// Whether the thread is writing a line, which is no longer in `lines`.
    is_writing: bool,
    /// Number of lines dropped since the log last reported it.
    unreported: u64,
}

impl LineQueue {
    fn push(&self, line: &[u8]) {
        let mut state = self.state.lock();
        if state.bytes + line.len() > MAX_QUEUED {
            state.unreported += 1;
            self.dropped.inc();
            return;
        }
        state.bytes += line.len();
        state.lines.push_back(line.into());
        drop(state);
        self.pushed.notify_one();
    }

    fn run(&self, mut writer: LineWriter) {
        loop {
            let line = self.take();
            let is_written = writer.write(&line);
            let dropped = self.complete(is_written);
            if dropped > 0 {
                tracing::warn!(lines = dropped, "log lines dropped, because stderr accepted none");
            }
        }
    }

    /// Waits for a line, and removes it from the queue.
    fn take(&self) -> Box<[u8]> {
        let is_empty = |state: &mut State| state.lines.is_empty();
        let mut state = self.state.lock();
        self.pushed.wait_while(&mut state, is_empty);
        let line = state.lines.pop_front().unwrap_or_default();
        state.bytes -= line.len();
        state.is_writing = true;
        line
    }

    /// Ends the write of a line. Returns the number of dropped lines to report, which is 0 until
    /// stderr accepts lines again and the queue has room for the report.
    fn complete(&self, is_written: bool) -> u64 {
        let mut state = self.state.lock();
        state.is_writing = false;
        self.written.notify_all();
        if !is_written {
            state.unreported += 1;
            self.dropped.inc();
            return 0;
        }
        if state.bytes > MAX_QUEUED / 2 { 0 } else { std::mem::take(&mut state.unreported) }
    }
}

/// Writer for `tracing_subscriber`, which writes each event with one call.
impl Write for &LineQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writer that writes each line with one system call, if the file accepts all of it. A pipe accepts
/// up to 4 KiB at once.
struct LineWriter {
    file: File,
    /// Whether the file ends in the middle of a line.
    is_torn: bool,
}

impl LineWriter {
    /// Writes a line, and returns whether the file has accepted all of it.
    fn write(&mut self, line: &[u8]) -> bool {
        if !self.is_torn {
            return self.write_all(line);
        }
        self.write_all(&[b"\n", line].concat())
    }

    fn write_all(&mut self, line: &[u8]) -> bool {
        let mut rest = line;
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(length) if length > 0 => {
                    rest = &rest[length..];
                    self.is_torn = !rest.is_empty();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Another process has made the terminal non-blocking.
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(FULL_PAUSE),
                Ok(_) | Err(_) => return false,
            }
        }
        true
    }
}

/// A line on stderr that the command overwrites with its progress. It shows nothing if stderr is
/// not a terminal.
pub(super) struct ProgressLine {
    /// What the command counts, such as `rows` or `links`.
    pub(super) what: &'static str,
    is_shown: bool,
    begun: Instant,
    last: Option<Instant>,
}

impl ProgressLine {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, is_shown: io::stderr().is_terminal(), begun: Instant::now(), last: None }
    }

    /// Shows a count, and which part of the whole is done. The whole is 0 if it is unknown.
    pub(super) fn show(&mut self, count: u64, part: u64, whole: u64) {
        let now = Instant::now();
        if !self.is_shown || self.last.is_some_and(|last| now - last < PROGRESS_INTERVAL) {
            return;
        }
        self.last = Some(now);
        // Errors are ignored, so that a closed terminal does not stop the command.
        let mut stderr = io::stderr().lock();
        let progress = format_progress(count, self.what, (part, whole), now - self.begun);
        let _ = write!(stderr, "\r\x1b[K{progress}");
        let _ = stderr.flush();
    }

    /// Removes the line, so that other lines can be written.
    pub(super) fn clear(&mut self) {
        if self.last.take().is_some() {
            let _ = io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

fn format_progress(count: u64, what: &str, (part, whole): (u64, u64), took: Duration) -> String {
    let seconds = took.as_secs_f64().max(0.001);
    let rate = count as f64 / seconds;
    let mut line = format!("{count} {what}, {rate:.0} per second");
    if part > 0 && whole > 0 {
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
        assert_eq!(
            format_progress(1_000, "rows", (250, 1_000), Duration::from_secs(2)),
            "1000 rows, 500 per second, 25 %, 6 s left"
        );
        assert_eq!(
            format_progress(7, "links", (7, 0), Duration::from_secs(7)),
            "7 links, 1 per second"
        );
    }
}
