//! Processes that end with this process.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;

/// User and group of unprivileged commands if the user `postgres` does not exist.
const UNPRIVILEGED: (u32, u32) = (65_534, 65_534);

/// A shell that runs a script when its standard input ends, at the latest when this process ends.
///
/// Its input is a pipe that this process holds open and never writes to.
#[derive(Debug)]
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Starts the shell in a process group of its own, which Ctrl-C does not reach.
    pub(crate) fn start(script: &str, arguments: &[&str]) -> Self {
        let shell = Command::new("sh")
            .args(["-c", &format!("trap '' HUP INT TERM; cat >/dev/null; {script}"), "watchdog"])
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(shell.expect("sh is installed"))
    }

    /// Runs the script now and waits for its end.
    pub(crate) fn release(&mut self) {
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }

    /// Ends the shell without running the script.
    fn dismiss(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A child process, which ends when this value is dropped or this process ends.
#[derive(Debug)]
pub struct Process {
    child: Child,
    watchdog: Watchdog,
    signal: &'static str,
}

impl Process {
    /// Spawns the command in a process group of its own. `signal` ends it when this value is
    /// dropped or this process ends.
    #[track_caller]
    pub fn spawn(command: &mut Command, signal: &'static str) -> Self {
        let child = command.process_group(0).spawn();
        let child = child.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        // A stopped process handles a signal after it continues.
        let script = r#"kill -s "$1" "$2"; kill -s CONT "$2""#;
        let watchdog = Watchdog::start(script, &[signal, &child.id().to_string()]);
        Self { child, watchdog, signal }
    }

    /// Returns the process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the child, for example to take its output.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Returns whether the process has not ended.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the process can be waited for").is_none()
    }

    /// Sends a signal to the process.
    #[track_caller]
    pub fn send(&self, signal: &str) {
        send_signal(&self.child, signal);
    }

    /// Sends a signal to the process and to all of its children.
    pub(crate) fn send_to_family(&self, signal: &str) {
        // A stopped parent starts no more children.
        send_to(signal, &[self.id()]);
        let entries = fs::read_dir("/proc").expect("/proc is mounted").flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_child = |&id: &u32| parent_of(id) == Some(self.id());
        send_to(signal, &ids.filter(is_child).collect::<Vec<_>>());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The watchdog ends first, because the process id may belong to another process after the
        // wait.
        self.watchdog.dismiss();
        if self.is_running() {
            send_to(self.signal, &[self.id()]);
            send_to("CONT", &[self.id()]);
            drop(self.child.wait());
        }
    }
}

/// Sends a signal to a child process that has not been waited for.
///
/// # Panics
/// If the signal cannot be sent.
#[track_caller]
pub fn send_signal(process: &Child, signal: &str) {
    assert!(send_to(signal, &[process.id()]).success(), "{signal} cannot be sent");
}

/// Sends a signal to processes, some of which may have ended.
pub(crate) fn send_to(signal: &str, ids: &[u32]) -> ExitStatus {
    let mut kill = Command::new("kill");
    kill.args(["-s", signal]).args(ids.iter().map(ToString::to_string));
    kill.stderr(Stdio::null()).status().expect("kill is installed")
}

/// Returns a command that runs as another user if this process runs as root, because PostgreSQL and
/// `PgBouncer` refuse to run as root.
#[must_use]
pub fn unprivileged(program: &str) -> Command {
    let mut command = match unprivileged_user() {
        None => Command::new(program),
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command.args([format!("--reuid={user}"), format!("--regid={group}")]);
            command.args(["--clear-groups", program]);
            command
        }
    };
    // The other user may not be able to read the current directory.
    command.current_dir("/");
    command
}

/// Returns the user and group of unprivileged commands, or `None` if this process does not run as
/// root.
pub(crate) fn unprivileged_user() -> Option<(u32, u32)> {
    static USER: OnceLock<Option<(u32, u32)>> = OnceLock::new();
    let id = |option: &str, user: &str| -> Option<u32> {
        let output = Command::new("id").args([option, user]).output().expect("id is installed");
        String::from_utf8_lossy(&output.stdout).trim().parse().ok()
    };
    *USER.get_or_init(|| {
        let is_root = fs::metadata("/proc/self").expect("/proc is mounted").uid() == 0;
        let postgres = || Some((id("-u", "postgres")?, id("-g", "postgres")?));
        is_root.then(|| postgres().unwrap_or(UNPRIVILEGED))
    })
}

fn parent_of(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may contain spaces and parentheses.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
