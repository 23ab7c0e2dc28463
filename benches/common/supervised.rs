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
    keeper: Child,
    pub(crate) id: u32,
    files: TempDir,
}

impl Supervised {
    /// Runs `command` in the directory `files` until `signal` ends it. What it says goes to a file.
    pub(crate) fn start(command: &Command, signal: &str, files: TempDir) -> Result<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", KEEPER, "keeper", signal]);
        shell.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        // In a group of its own, which Ctrl-C does not reach.
        let mut keeper = shell
            .current_dir(files.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut id = String::new();
        let said = keeper.stdout.take().ok_or("the shell has no output")?;
        BufReader::new(said).read_line(&mut id)?;
        Ok(Self { keeper, id: id.trim().parse()?, files })
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
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// An address that nobody listened on a moment ago.
pub(crate) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
