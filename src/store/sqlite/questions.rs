//! Who asks for a link while somebody has the connection, and is answered by them when they leave it.
//!
//! To wait would cost a wake of its own each, to ask on another connection all the pages that this one
//! remembers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{inline, lookup};
use crate::store::links::TargetRow;
use crate::values::ShortCode;

/// Questions that are answered together: clicks wait while they are.
const MOST: usize = 8;

/// What is found of a code.
pub(super) type Found = rusqlite::Result<Option<TargetRow>>;

/// Those who wait.
#[derive(Debug, Default)]
pub(super) struct Questions {
    waiting: Mutex<Vec<Question>>,
    /// Whoever has the connection, or is about to, has it for long.
    is_closed: AtomicBool,
}

#[derive(Debug)]
struct Question {
    code: ShortCode,
    answer: oneshot::Sender<Found>,
}

/// Questions that somebody has taken. Who is not told asks elsewhere.
#[derive(Debug)]
pub(super) struct Asked(Vec<Question>);

/// Answers for them.
#[derive(Debug)]
pub(super) struct Answers(Vec<(oneshot::Sender<Found>, Found)>);

impl Questions {
    /// Asks, unless it would take long.
    pub(super) fn ask(&self, code: &ShortCode) -> Option<oneshot::Receiver<Found>> {
        let mut waiting = self.waiting();
        if self.is_closed.load(Ordering::Relaxed) || waiting.len() == MOST {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        waiting.push(Question { code: code.clone(), answer });
        Some(answered)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    pub(super) fn take(&self) -> Asked {
        Asked(std::mem::take(&mut *self.waiting()))
    }

    /// Nobody is to wait from now on; who waits already is answered in the end.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn open(&self) {
        self.is_closed.store(false, Ordering::Relaxed);
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Question>> {
        // No code that panics runs under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asked {
    /// Looks for them in one transaction, which spares all but one the file's locks.
    pub(super) fn answer(self, connection: &Connection) -> Answers {
        let answer = |question: Question| {
            let found = lookup::find(connection, &question.code);
            (question.answer, found)
        };
        let together = |_: &Connection| Ok(self.0.into_iter().map(answer).collect());
        // Where it cannot begin or end they are asked elsewhere, and fail there if they must.
        Answers(inline::commit(connection, "BEGIN", together).unwrap_or_default())
    }
}

impl Answers {
    pub(super) fn tell(self) {
        for (answer, found) in self.0 {
            // The client is gone.
            let _ = answer.send(found);
        }
    }
}
