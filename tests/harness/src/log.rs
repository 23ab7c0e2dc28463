//! Output of a process, read by a thread so that its pipe never fills.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
struct Output {
    text: String,
    is_complete: bool,
}

/// The text that a process has written so far.
#[derive(Debug)]
pub struct Log {
    shared: Arc<(Mutex<Output>, Condvar)>,
    reader: Option<JoinHandle<()>>,
}

impl Log {
    /// Starts to read `source` to its end.
    #[must_use]
    pub fn new(source: impl Read + Send + 'static) -> Self {
        let shared = Arc::new((Mutex::new(Output::default()), Condvar::new()));
        let writer = Arc::clone(&shared);
        let reader = thread::spawn(move || {
            let mut source = BufReader::new(source);
            let mut line = Vec::new();
            loop {
                line.clear();
                let is_complete = matches!(source.read_until(b'\n', &mut line), Ok(0) | Err(_));
                let (output, changed) = &*writer;
                let mut output = output.lock().unwrap();
                output.text.push_str(&String::from_utf8_lossy(&line));
                output.is_complete = is_complete;
                changed.notify_all();
                if is_complete {
                    return;
                }
            }
        });
        Self { shared, reader: Some(reader) }
    }

    /// Returns the text so far.
    ///
    /// # Panics
    /// If the reader has panicked.
    #[must_use]
    pub fn text(&self) -> String {
        self.shared.0.lock().unwrap().text.clone()
    }

    /// Waits until `find` finds something in the text, and returns it. Returns `None` at the end of
    /// the text and after the timeout.
    ///
    /// # Panics
    /// If the reader has panicked.
    pub fn wait_for<T>(&self, timeout: Duration, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + timeout;
        let (output, changed) = &*self.shared;
        let mut output = output.lock().unwrap();
        loop {
            if let Some(found) = find(&output.text) {
                return Some(found);
            }
            let remaining = deadline.saturating_duration_since(Instant::now());
            if output.is_complete || remaining.is_zero() {
                return None;
            }
            output = changed.wait_timeout(output, remaining).unwrap().0;
        }
    }

    /// Waits for the end of the text, and returns all of it.
    ///
    /// # Panics
    /// If the reader has panicked.
    pub fn finish(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reader does not panic");
        }
        self.text()
    }
}
