//! A running `terse serve`.

use std::fs::DirEntry;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::guard::signal;
use super::log::Log;
use super::memory::{most_memory, own_memory};
use super::outcome::{Outcome, is_key};
use super::{Api, Connection, Database, Store, free_port, until};

/// Long enough for a machine that compiles something else at the same time.
const TO_START: Duration = Duration::from_secs(30);

/// What the drain of a server may take, and what a busy machine adds.
const TO_STOP: Duration = Duration::from_secs(30);

/// A server on a database of its own; it is killed when this goes.
pub(crate) struct Server {
    database: Arc<Database>,
    child: Child,
    origin: String,
    base_url: String,
    out: Log,
    log: Log,
}

/// What a server left when it had ended by itself.
pub(crate) struct Ended {
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// Everything it logged.
    pub(crate) log: String,
    /// The database, to be looked into or served again.
    pub(crate) database: Arc<Database>,
}

impl Server {
    /// Serves a new database.
    #[track_caller]
    pub(crate) fn start() -> Self {
        Self::on(&Arc::new(Database::new().with_default_owner()))
    }

    /// Serves this database beside whoever does already, on a port that the system chooses.
    #[track_caller]
    pub(crate) fn on(database: &Arc<Database>) -> Self {
        Self::with(database, &[])
    }

    /// Serves this database with these settings.
    #[track_caller]
    pub(crate) fn with(database: &Arc<Database>, settings: &[&str]) -> Self {
        let mut command = database.command();
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(settings);
        Self::run(database, command, None)
    }

    /// Serves a new database with the program's name alone, every setting being a variable.
    #[track_caller]
    pub(crate) fn by_variables() -> Self {
        let database = Arc::new(Database::new().with_default_owner());
        let mut command = database.command();
        command.env("TERSE_LISTEN", "127.0.0.1:0");
        Self::run(&database, command, None)
    }

    /// Serves a new database on SQLite whose files cannot grow beyond so many bytes, until
    /// [`Server::lift_limit`].
    #[track_caller]
    pub(crate) fn with_files_up_to(bytes: u64) -> Self {
        let database = Arc::new(Database::of(Store::Sqlite));
        let program = database.command();
        let mut command = Command::new("prlimit");
        command
            .arg(format!("--fsize={bytes}:unlimited"))
            .arg(program.get_program())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(database.directory());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Self::run(&database, command, None)
    }

    /// Serves this database by a clock that is so far off: `-2d` is two days slow.
    #[track_caller]
    pub(crate) fn by_another_clock(database: &Arc<Database>, offset: &str) -> Self {
        let mut command = database.command();
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs([
            ("LD_PRELOAD", fake_clock()),
            ("FAKETIME", offset.into()),
            // Timeouts are measured by the other one.
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()),
        ]);
        Self::run(database, command, None)
    }

    /// Lets the files of this server grow again.
    pub(crate) fn lift_limit(&self) {
        let pid = self.child.id().to_string();
        let status = Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited"]).status();
        assert!(status.expect("prlimit can be run").success());
    }

    /// Serves a new database under another name than the address that it listens on.
    #[track_caller]
    pub(crate) fn known_as(base_url: &str) -> Self {
        Self::renamed(&Arc::new(Database::new().with_default_owner()), base_url)
    }

    /// Serves this database under another name than the address that it listens on.
    #[track_caller]
    pub(crate) fn renamed(database: &Arc<Database>, base_url: &str) -> Self {
        let mut command = database.command();
        // The log tells the base URL, so the port must be known beforehand.
        let listen = format!("127.0.0.1:{}", free_port());
        command.args(["serve", "--listen", &listen]).env("TERSE_BASE_URL", base_url);
        Self::run(database, command, Some(format!("http://{listen}")))
    }

    #[track_caller]
    fn run(database: &Arc<Database>, mut command: Command, origin: Option<String>) -> Self {
        let is_first_start = database.is_first_start();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("terse can be started");
        let out = Log::of(child.stdout.take().expect("a pipe for stdout"));
        let log = Log::of(child.stderr.take().expect("a pipe for stderr"));
        let mut server = Self {
            database: Arc::clone(database),
            child,
            origin: String::new(),
            base_url: String::new(),
            out,
            log,
        };
        let Some(url) = server.log.wait_for(TO_START, listening_url) else {
            panic!("terse does not listen; it says:\n{}", server.log.text());
        };
        server.origin = origin.unwrap_or_else(|| url.clone());
        server.base_url = url;
        if is_first_start {
            let key = server.out.wait_for(TO_START, first_key);
            let key = key.unwrap_or_else(|| panic!("no key in:\n{}", server.out.text()));
            database.learn_default_key(key);
        }
        server
    }

    /// The database that is served.
    pub(crate) fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Runs a command on the same database.
    pub(crate) fn terse(&self, arguments: &[&str]) -> Outcome {
        self.database.terse(arguments)
    }

    /// The URL under which the server knows itself.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The address that the server listens on.
    pub(crate) fn authority(&self) -> &str {
        self.origin.trim_start_matches("http://")
    }

    /// The port that the server listens on.
    pub(crate) fn port(&self) -> u16 {
        let port = self.authority().rsplit(':').next();
        port.and_then(|port| port.parse().ok()).expect("a port")
    }

    /// The key of the owner `default`.
    pub(crate) fn key(&self) -> &str {
        self.database.default_key()
    }

    /// A client without a key.
    pub(crate) fn anyone(&self) -> Api {
        Api::new(self.origin.clone(), self.base_url.clone())
    }

    /// A client with this key.
    pub(crate) fn with_key(&self, key: &str) -> Api {
        self.anyone().with("X-API-Key", key)
    }

    /// A client with the key of the owner `default`.
    pub(crate) fn api(&self) -> Api {
        self.with_key(self.key())
    }

    /// A client of a new owner on that plan.
    #[track_caller]
    pub(crate) fn api_of(&self, owner: &str, plan: &str) -> Api {
        self.with_key(&self.database.owner(owner, plan))
    }

    /// A bare connection, for what a client library would not send.
    #[track_caller]
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.authority(), &self.base_url)
    }

    /// What the server has written to standard output so far.
    pub(crate) fn stdout(&self) -> String {
        self.out.text()
    }

    /// What the server has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// What the log says of the request that was answered under this `X-Request-Id`, beside that it
    /// was answered.
    pub(crate) fn log_of(&self, request_id: &str) -> Vec<Value> {
        let found = self.log.wait_for(TO_START, |log| {
            let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let mut lines: Vec<_> = lines.filter(|line| line["request_id"] == request_id).collect();
            // The last of them.
            lines.pop_if(|line| line["message"] == "request completed").map(|_| lines)
        });
        found.unwrap_or_else(|| panic!("no {request_id} in:\n{}", self.log.text()))
    }

    /// Bytes of memory that are the process's own: not the pages of files that it has mapped.
    pub(crate) fn resident_memory(&self) -> u64 {
        own_memory(self.child.id())
    }

    /// The most that the server has had of it.
    pub(crate) fn most_memory(&self) -> u64 {
        most_memory(self.child.id())
    }

    /// SIGKILL, as a power cut would do it to the process.
    pub(crate) fn kill9(mut self) -> Arc<Database> {
        self.child.kill().expect("the server can be killed");
        self.child.wait().expect("the server has ended");
        Arc::clone(&self.database)
    }

    /// Sends SIGTERM, and does not wait.
    pub(crate) fn ask_to_stop(&self) {
        signal(&self.child, "TERM");
    }

    /// Waits until the server has ended by itself.
    #[track_caller]
    pub(crate) fn wait_for_end(mut self) -> Ended {
        let told = || format!("terse ends:\n{}", self.log.text());
        let ended = || self.child.try_wait().expect("the server can be waited for");
        let status = until(TO_STOP, told, ended);
        Ended { code: status.code(), log: self.log.finish(), database: Arc::clone(&self.database) }
    }

    /// Sends SIGTERM, and waits for the end.
    #[track_caller]
    pub(crate) fn terminate(self) -> Ended {
        self.ask_to_stop();
        self.wait_for_end()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to kill.
        drop(self.child.kill());
        drop(self.child.wait());
        let log = self.log.finish();
        assert!(
            thread::panicking() || !log.contains("panicked at"),
            "something in the server panicked:\n{log}"
        );
    }
}

/// The library that puts another clock before the system's; each architecture has its own directory.
fn fake_clock() -> PathBuf {
    let libraries = std::fs::read_dir("/usr/lib").expect("a directory of libraries");
    let path =
        |entry: io::Result<DirEntry>| Some(entry.ok()?.path().join("faketime/libfaketime.so.1"));
    let found = libraries.filter_map(path).find(|path| path.exists());
    found.expect("Debian's package libfaketime is installed")
}

fn listening_url(log: &str) -> Option<String> {
    log.lines().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        let says = event["message"] == "listening";
        says.then(|| event["url"].as_str().map(str::to_owned))?
    })
}

fn first_key(out: &str) -> Option<String> {
    // Only whole lines, so that no key is cut short.
    let (whole_lines, _) = out.rsplit_once('\n')?;
    let is_no_part = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    let mut words = whole_lines.split(is_no_part);
    words.find(|word| is_key(word)).map(str::to_owned)
}
