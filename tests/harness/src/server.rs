//! A running `terse serve`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::database::Database;
use crate::log::Log;
use crate::outcome::is_key;
use crate::process::Process;
use crate::waiting::{TIMEOUT, until};

/// What the server logs if another program has overwritten its database file.
const OVERWRITTEN: &str = "another program has overwritten or truncated it";

/// A server, which is killed when this value is dropped.
#[derive(Debug)]
pub struct Server {
    database: Arc<Database>,
    command: Command,
    process: Process,
    origin: Option<String>,
    base_url: String,
    stdout: Log,
    log: Log,
    is_overwritten: AtomicBool,
}

/// The exit code, log and database of a server whose process has exited.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Everything that the server logged.
    pub log: String,
    /// The database, which can be inspected or served again.
    pub database: Arc<Database>,
}

impl Server {
    /// Serves a new database with the owner `default`.
    #[track_caller]
    pub fn start() -> Self {
        Self::on(&Arc::new(Database::new().with_default_owner()))
    }

    /// Serves this database on a free port.
    #[track_caller]
    pub fn on(database: &Arc<Database>) -> Self {
        Self::with(database, &[])
    }

    /// Serves this database on a free port with these settings.
    #[track_caller]
    pub fn with(database: &Arc<Database>, settings: &[&str]) -> Self {
        Self::run(database, serve(database, settings), None)
    }

    /// Runs a command that serves this database. `origin` is the URL at which the server listens,
    /// if the base URL is another.
    ///
    /// # Panics
    /// If the server does not listen within a minute.
    #[track_caller]
    pub fn run(database: &Arc<Database>, command: Command, origin: Option<String>) -> Self {
        let is_first_start = database.is_first_start();
        let mut server = Self::spawn(database, command, origin);
        server.wait_until_listening();
        if is_first_start {
            let key = server.stdout.wait_for(TIMEOUT, first_key);
            let key = key.unwrap_or_else(|| panic!("no key in:\n{}", server.stdout.text()));
            server.database.set_default_key(key);
        }
        server
    }

    /// Serves this database, which has an owner, on a free port.
    ///
    /// # Errors
    /// If the server ends instead.
    #[track_caller]
    pub fn try_on(database: &Arc<Database>) -> Result<Self, Ended> {
        Self::try_with(database, &[])
    }

    /// Does the same with these settings.
    ///
    /// # Errors
    /// If the server ends before it listens.
    pub fn try_with(database: &Arc<Database>, settings: &[&str]) -> Result<Self, Ended> {
        let mut server = Self::spawn(database, serve(database, settings), None);
        match server.log.wait_for(TIMEOUT, listening_url) {
            Some(url) => server.base_url = url,
            None => return Err(server.wait_for_end()),
        }
        Ok(server)
    }

    #[track_caller]
    fn spawn(database: &Arc<Database>, mut command: Command, origin: Option<String>) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (process, stdout, log) = spawn(&mut command);
        Self {
            database: Arc::clone(database),
            command,
            process,
            origin,
            base_url: String::new(),
            stdout,
            log,
            is_overwritten: AtomicBool::new(false),
        }
    }

    #[track_caller]
    fn wait_until_listening(&mut self) {
        let Some(url) = self.log.wait_for(TIMEOUT, listening_url) else {
            panic!("terse does not listen; its log:\n{}", self.log.text());
        };
        self.base_url = url;
    }

    /// Sends SIGTERM and waits for the exit. [`Server::start_again`] can then run the command
    /// again.
    #[track_caller]
    pub fn stop(&mut self) {
        self.request_stop();
        self.wait_for_exit_code();
    }

    /// Runs the command again after [`Server::stop`]; the port may change.
    #[track_caller]
    pub fn start_again(&mut self) {
        (self.process, self.stdout, self.log) = spawn(&mut self.command);
        self.wait_until_listening();
    }

    /// Returns the database that is served.
    #[must_use]
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Returns the process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the base URL of the server's responses.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns the URL at which the server listens.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.origin.as_deref().unwrap_or(&self.base_url)
    }

    /// Returns the address at which the server listens.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.origin().trim_start_matches("http://")
    }

    /// Returns the address of the operator's listener.
    ///
    /// # Panics
    /// If the server has none.
    #[must_use]
    pub fn operator_authority(&self) -> String {
        let address = listening(&self.log.text(), "operator_address");
        address.expect("the server has a listener for the operator")
    }

    /// Returns the port on which the server listens.
    #[must_use]
    pub fn port(&self) -> u16 {
        let port = self.authority().rsplit(':').next();
        port.and_then(|port| port.parse().ok()).expect("the address has a port")
    }

    /// Returns the key of the owner `default`.
    #[must_use]
    pub fn key(&self) -> &str {
        self.database.default_key()
    }

    /// Returns what the server has written to standard output.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// Returns what the server has logged.
    #[must_use]
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Waits until the server has logged this text, and returns the log.
    ///
    /// The log is written by a thread of its own, and the line of a request follows its response.
    ///
    /// # Panics
    /// If the text is not logged.
    #[track_caller]
    pub fn wait_for_log(&self, text: &str) -> String {
        let found = self.log.wait_for(TIMEOUT, |log| log.contains(text).then(|| log.to_owned()));
        found.unwrap_or_else(|| panic!("no {text:?} in:\n{}", self.log.text()))
    }

    /// Waits until the request with this `X-Request-Id` is completed, and returns the events that
    /// it logged before.
    ///
    /// # Panics
    /// If no event completes the request.
    #[must_use]
    pub fn log_of(&self, request_id: &str) -> Vec<Value> {
        let found = self.log.wait_for(TIMEOUT, |log| {
            let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let mut lines: Vec<_> = lines.filter(|line| line["request_id"] == request_id).collect();
            lines.pop_if(|line| line["message"] == "request completed").map(|_| lines)
        });
        found.unwrap_or_else(|| panic!("no {request_id} in:\n{}", self.log.text()))
    }

    /// Copies a file over the database file, as `cp` does. Without that, the server must not say that
    /// another program has overwritten it.
    ///
    /// # Panics
    /// If the file cannot be copied.
    pub fn overwrite_database(&self, from: &Path) {
        self.is_overwritten.store(true, Ordering::Relaxed);
        fs::copy(from, self.database.file()).expect("the file can be copied");
    }

    /// Kills the server with SIGKILL.
    ///
    /// # Panics
    /// If the process cannot be killed or waited for.
    pub fn kill9(mut self) -> Arc<Database> {
        self.kill();
        Arc::clone(&self.database)
    }

    fn kill(&mut self) {
        self.process.child().kill().expect("the server can be killed");
        self.process.child().wait().expect("the server can be waited for");
    }

    /// Sends SIGTERM, and does not wait.
    pub fn request_stop(&self) {
        self.process.send("TERM");
    }

    /// Waits until the server exits by itself.
    #[track_caller]
    pub fn wait_for_end(mut self) -> Ended {
        let code = self.wait_for_exit_code();
        Ended { code, log: self.log.finish(), database: Arc::clone(&self.database) }
    }

    #[track_caller]
    fn wait_for_exit_code(&mut self) -> Option<i32> {
        let description = || format!("terse ends:\n{}", self.log.text());
        let child = self.process.child();
        until(TIMEOUT, description, || child.try_wait().expect("the server can be waited for"))
            .code()
    }

    /// Sends SIGTERM, and waits until the server exits.
    #[track_caller]
    pub fn terminate(self) -> Ended {
        self.request_stop();
        self.wait_for_end()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let log = self.log.finish();
        assert!(thread::panicking() || !log.contains("panicked at"), "the server panicked:\n{log}");
        let is_wrong = !self.is_overwritten.load(Ordering::Relaxed) && log.contains(OVERWRITTEN);
        assert!(thread::panicking() || !is_wrong, "the server is wrong:\n{log}");
    }
}

/// Returns the command that serves the database on a free port with these settings.
fn serve(database: &Database, settings: &[&str]) -> Command {
    let mut command = database.command();
    command.args(["serve", "--listen", "127.0.0.1:0"]).args(settings);
    command
}

#[track_caller]
fn spawn(command: &mut Command) -> (Process, Log, Log) {
    let mut process = Process::spawn(command, "KILL");
    let stdout = Log::new(process.child().stdout.take().expect("stdout is a pipe"));
    let log = Log::new(process.child().stderr.take().expect("stderr is a pipe"));
    (process, stdout, log)
}

fn listening_url(log: &str) -> Option<String> {
    listening(log, "url")
}

/// Returns a field of the event by which a server says that it listens.
fn listening(log: &str, field: &str) -> Option<String> {
    log.lines().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        let is_listening = event["message"] == "listening";
        is_listening.then(|| event[field].as_str().map(str::to_owned))?
    })
}

fn first_key(stdout: &str) -> Option<String> {
    // The last line may be incomplete.
    let (complete_lines, _) = stdout.rsplit_once('\n')?;
    let is_separator = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    let mut words = complete_lines.split(is_separator);
    words.find(|word| is_key(word)).map(str::to_owned)
}
