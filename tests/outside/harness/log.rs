//! What a server has written so far, read by a thread so that its pipe never fills.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Written {
    text: String,
    ended: bool,
}

/// A stream of lines that grows while its writer lives.
pub(crate) struct Log {
    shared: Arc<(Mutex<Written>, Condvar)>,
    reader: Option<JoinHandle<()>>,
}

impl Log {
    /// Starts to read `source` to its end.
    pub(crate) fn of(source: impl Read + Send + 'static) -> Self {
        let shared = Arc::new((Mutex::new(Written::default()), Condvar::new()));
        let writer = Arc::clone(&shared);
        let reader = thread::spawn(move || {
            let mut source = BufReader::new(source);
            let mut line = Vec::new();
            loop {
                line.clear();
                let ended = matches!(source.read_until(b'\n', &mut line), Ok(0) | Err(_));
                let (written, changed) = &*writer;
                let mut written = written.lock().unwrap();
                written.text.push_str(&String::from_utf8_lossy(&line));
                written.ended = ended;
                changed.notify_all();
                if ended {
                    return;
                }
            }
        });
        Self { shared, reader: Some(reader) }
    }

    /// Everything read so far.
    pub(crate) fn text(&self) -> String {
        self.shared.0.lock().unwrap().text.clone()
    }

    /// The first thing that `find` sees in the text, once it does; `None` when the stream ends
    /// or the time is over before.
    pub(crate) fn wait_for<T>(
        &self,
        within: Duration,
        find: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let deadline = Instant::now() + within;
        let (written, changed) = &*self.shared;
        let mut written = written.lock().unwrap();
        loop {
            if let Some(found) = find(&written.text) {
                return Some(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if written.ended || left.is_zero() {
                return None;
            }
            written = changed.wait_timeout(written, left).unwrap().0;
        }
    }

    /// Waits for the end of the stream, and gives all of it.
    pub(crate) fn finish(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reader of a log does not fail");
        }
        self.text()
    }
}
