//! SIGKILL during commands.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{Database, Outcome};

/// Kills runs of a command, each a little later than the one before, until the command would have
/// ended. If a run has ended before its kill, the next kills come sooner.
pub(crate) struct CommandKills {
    /// Time that a run takes.
    duration: Duration,
    kills: u32,
    number: u32,
    interrupted: u32,
}

impl CommandKills {
    /// Runs a command to its end, and prepares this number of kills.
    pub(crate) fn new(kills: u32, run: impl FnOnce() -> Outcome) -> Self {
        let begun = Instant::now();
        run().done();
        Self { duration: begun.elapsed(), kills, number: 0, interrupted: 0 }
    }

    /// Runs the command on the database, and kills it. Returns whether it had not ended before.
    pub(crate) fn kill(&mut self, database: &Database, arguments: &[&str]) -> bool {
        let mut command = database.command();
        let command = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().expect("terse starts");
        let delay = self.duration * self.number / self.kills;
        self.number += 1;
        thread::sleep(delay);
        let has_ended = process.try_wait().unwrap().is_some();
        process.kill().unwrap();
        process.wait().unwrap();
        if has_ended {
            self.duration = delay;
        } else {
            self.interrupted += 1;
        }
        !has_ended
    }

    /// Returns the number of runs that had not ended before their kills.
    pub(crate) fn interrupted(&self) -> u32 {
        self.interrupted
    }
}
