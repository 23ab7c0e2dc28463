//! Processes and directories that go with this process, however it ends.
//!
//! A shell watches over each: its standard input is a pipe that this process holds and never writes
//! to. When the pipe closes, by intent or because this process was killed, the shell clears up.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;

/// What it began with is on its first line of output; it ends when its input does.
struct Guard {
    shell: Child,
    first_line: String,
}

impl Guard {
    /// Runs a script as a user who may run a database server. Signals from a terminal do not keep
    /// it from clearing up.
    #[track_caller]
    fn start(script: &str, arguments: &[&str]) -> Self {
        let mut shell = unprivileged("sh")
            .args(["-c", &format!("trap '' HUP INT TERM\n{script}"), "sh"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be run");
        let mut first_line = String::new();
        let output = shell.stdout.take().expect("a pipe for stdout");
        BufReader::new(output).read_line(&mut first_line).expect("the shell says something");
        assert!(first_line.ends_with('\n'), "{arguments:?} cannot begin");
        first_line.pop();
        Self { shell, first_line }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        drop(self.shell.wait());
    }
}

/// A command that runs as somebody else if this process is root's: PostgreSQL and `PgBouncer` refuse
/// to be root's.
pub(super) fn unprivileged(program: &str) -> Command {
    let mut command = match somebody() {
        None => Command::new(program),
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command.args([format!("--reuid={user}"), format!("--regid={group}")]);
            command.args(["--clear-groups", program]);
            command
        }
    };
    // They look at where they are, which need not be theirs to see.
    command.current_dir("/");
    command
}

fn somebody() -> Option<(String, String)> {
    static SOMEBODY: OnceLock<Option<(String, String)>> = OnceLock::new();
    let id = |option: &str, user: &str| {
        let output = Command::new("id").args([option, user]).output().expect("id can be run");
        let number = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(number)
    };
    let find = || {
        let me = std::fs::metadata("/proc/self").expect("there is /proc");
        let users = ["postgres", "nobody"];
        let other = users.into_iter().find_map(|user| Some((id("-u", user)?, id("-g", user)?)));
        (me.uid() == 0).then(|| other.expect("there is a user nobody"))
    };
    SOMEBODY.get_or_init(find).clone()
}

/// An empty directory of the unprivileged user's.
pub(super) struct Directory(Guard);

impl Directory {
    /// Makes it where temporary files go.
    pub(super) fn new() -> Self {
        // What still runs in it may write while it ends.
        Self(Guard::start(
            "directory=$(mktemp --directory --tmpdir terse-test.XXXXXX) || exit
             echo \"$directory\"
             cat
             tries=100
             until rm -rf \"$directory\" 2>/dev/null || [ $((tries -= 1)) -eq 0 ]; do
                 sleep 0.1
             done",
            &[],
        ))
    }

    /// Where it is.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(&self.0.first_line)
    }
}

/// A running program.
pub(super) struct Process(Guard);

impl Process {
    /// Runs a program as the unprivileged user, its output added to `log`. It ends by this signal,
    /// even where it was stopped by another.
    pub(super) fn start(signal: &str, log: &Path, program: &str, arguments: &[String]) -> Self {
        let mut all = vec![signal, log.to_str().unwrap(), program];
        all.extend(arguments.iter().map(String::as_str));
        Self(Guard::start(
            "signal=$1 log=$2
             shift 2
             (trap - HUP INT TERM; exec \"$@\") >>\"$log\" 2>&1 &
             echo $!
             cat
             exec 2>/dev/null
             kill -s \"$signal\" $!
             kill -s CONT $!
             wait $!",
            &all,
        ))
    }

    /// Its number.
    pub(super) fn id(&self) -> u32 {
        self.0.first_line.parse().expect("the shell says the number of its child")
    }
}

/// Whether a process of that number has not ended.
pub(super) fn process_exists(id: u32) -> bool {
    status_of(id).is_some_and(|(state, _)| state != "Z")
}

/// Sends a signal to a process and all of its children.
pub(super) fn signal_all_of(process: &Process, signal: &str) {
    // The parent first: when it is stopped there are no more children.
    send(signal, &[process.id()]);
    let all = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |&id: &u32| status_of(id).is_some_and(|(_, parent)| parent == process.id());
    // One of them may have ended in between.
    send(signal, &ids.filter(is_child).collect::<Vec<_>>());
}

/// Sends a signal to a process that nobody has waited for yet.
#[track_caller]
pub(crate) fn signal(process: &Child, signal: &str) {
    assert!(send(signal, &[process.id()]).success(), "{signal} can be sent");
}

/// Sends a signal to processes, of which some may have ended.
pub(super) fn send(signal: &str, ids: &[u32]) -> ExitStatus {
    let mut kill = Command::new("kill");
    kill.args(["-s", signal]).args(ids.iter().map(ToString::to_string));
    kill.stderr(Stdio::null()).status().expect("kill can be run")
}

/// A process's state and its parent.
fn status_of(id: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // Behind the name, which is in brackets and may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
