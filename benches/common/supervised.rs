//! Processes that end with the benchmark, however it ends.

use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Result;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is asked whether it has started.
const INTERVAL: Duration = Duration::from_micros(200);

/// The shell's standard input is a pipe from the benchmark: it ends when the benchmark does.
const KEEPER: &str = r#"
signal=$1
shift
"$@" </dev/null >log 2>&1 &
echo $!
cat >/dev/null
kill -s "$signal" $!
wait
"#;

/// A process and its files, both gone when this is dropped.
pub(crate) struct Supervised {
    command: Command,
    signal: &'static str,
    files: TempDir,
    keeper: Option<Child>,
    pub(crate) id: u32,
}

impl Supervised {
    /// Runs `command` in the directory `files` until `signal` ends it. What it says goes to a file.
    pub(crate) fn start(command: Command, signal: &'static str, files: TempDir) -> Result<Self> {
        let mut process = Self { command, signal, files, keeper: None, id: 0 };
        process.begin()?;
        Ok(process)
    }

    /// Runs the command, which does not run.
    pub(crate) fn begin(&mut self) -> Result<()> {
        let mut shell = Command::new("sh");
        shell.args(["-c", KEEPER, "keeper", self.signal]);
        shell.arg(self.command.get_program()).args(self.command.get_args());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        // In a group of its own, which Ctrl-C does not reach.
        let keeper = shell
            .current_dir(self.files.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let said = self.keeper.insert(keeper).stdout.take().ok_or("the shell has no output")?;
        let mut id = String::new();
        BufReader::new(said).read_line(&mut id)?;
        self.id = id.trim().parse()?;
        Ok(())
    }

    /// Ends it as its signal has it, and waits until it has ended.
    pub(crate) fn end(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
        }
    }

    /// Waits until somebody listens there.
    pub(crate) fn wait_for(&self, address: SocketAddr) -> Result<()> {
        self.wait_until(|| Ok(TcpStream::connect(address).is_ok()))
    }

    /// Waits until it is ready; fails with what it said where it does not become so.
    pub(crate) fn wait_until(&self, mut is_ready: impl FnMut() -> Result<bool>) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !is_ready()? {
            let has_ended = !Path::new(&format!("/proc/{}", self.id)).exists();
            if has_ended || Instant::now() > deadline {
                let log = std::fs::read_to_string(self.files.path().join("log"))?;
                return Err(format!("a server did not start: {log}").into());
            }
            std::thread::sleep(INTERVAL);
        }
        Ok(())
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.end();
    }
}

/// An address that nobody listened on a moment ago.
pub(crate) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
