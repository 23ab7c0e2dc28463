//! A server with clients that check its responses.

use std::fs::DirEntry;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::{Api, Connection, Database, Ended, Store, free_port};

/// A server, which is killed when this value is dropped.
pub(crate) struct Server(::harness::Server);

impl Deref for Server {
    type Target = ::harness::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Server {
    /// Serves a new database.
    #[track_caller]
    pub(crate) fn start() -> Self {
        Self(::harness::Server::start())
    }

    /// Serves this database on a free port; other servers may serve it as well.
    #[track_caller]
    pub(crate) fn on(database: &Arc<Database>) -> Self {
        Self(::harness::Server::on(database))
    }

    /// Serves this database with these settings.
    #[track_caller]
    pub(crate) fn with(database: &Arc<Database>, settings: &[&str]) -> Self {
        Self(::harness::Server::with(database, settings))
    }

    /// Serves this database, which has an owner, unless the server ends instead.
    #[track_caller]
    pub(crate) fn try_on(database: &Arc<Database>) -> Result<Self, Ended> {
        ::harness::Server::try_on(database).map(Self)
    }

    /// Serves this database, which has an owner, with these settings, unless the server ends instead.
    #[track_caller]
    pub(crate) fn try_with(database: &Arc<Database>, settings: &[&str]) -> Result<Self, Ended> {
        ::harness::Server::try_with(database, settings).map(Self)
    }

    /// Runs a command that serves this database.
    #[track_caller]
    pub(crate) fn run(database: &Arc<Database>, command: Command) -> Self {
        Self(::harness::Server::run(database, command, None))
    }

    /// Serves a new database with `terse` without arguments; environment variables have all
    /// settings.
    #[track_caller]
    pub(crate) fn by_variables() -> Self {
        let database = Arc::new(Database::new().with_default_owner());
        let mut command = database.command();
        command.env("TERSE_LISTEN", "127.0.0.1:0");
        Self(::harness::Server::run(&database, command, None))
    }

    /// Serves a new SQLite database, with a maximum size of files until [`Server::lift_limit`].
    #[track_caller]
    pub(crate) fn with_files_up_to(bytes: u64) -> Self {
        Self::limited(&Arc::new(Database::of(Store::Sqlite)), &format!("--fsize={bytes}:unlimited"))
    }

    /// Serves this database with a limit of the operating system, which is an option of `prlimit`.
    #[track_caller]
    pub(crate) fn limited(database: &Arc<Database>, limit: &str) -> Self {
        let program = database.command();
        let mut command = Command::new("prlimit");
        command
            .arg(limit)
            .arg(program.get_program())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(database.directory());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Self(::harness::Server::run(database, command, None))
    }

    /// Serves this database with a clock that is off: `-2d` is two days slow.
    #[track_caller]
    pub(crate) fn with_clock_offset(database: &Arc<Database>, offset: &str) -> Self {
        Self::with_clock(database, offset, &[])
    }

    /// Serves this database with these settings and a clock that is off by `offset`.
    #[track_caller]
    pub(crate) fn with_clock(database: &Arc<Database>, offset: &str, settings: &[&str]) -> Self {
        let mut command = database.command();
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(settings);
        Self::set_clock(&mut command, offset);
        Self(::harness::Server::run(database, command, None))
    }

    /// Makes the clock of a command wrong.
    pub(crate) fn set_clock(command: &mut Command, offset: &str) {
        command.env("FAKETIME", offset);
        Self::fake_clock(command);
    }

    /// Makes the clock of a command wrong by what a file says, whenever the command looks at it.
    pub(crate) fn set_clock_by_file(command: &mut Command, file: &Path) {
        command.env("FAKETIME_TIMESTAMP_FILE", file).env("FAKETIME_NO_CACHE", "1");
        Self::fake_clock(command);
    }

    fn fake_clock(command: &mut Command) {
        // The monotonic clock measures timeouts.
        command.env("LD_PRELOAD", fake_clock()).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    /// Serves this database by a command that has its settings.
    #[track_caller]
    pub(crate) fn by_command(database: &Arc<Database>, command: Command) -> Self {
        Self(::harness::Server::run(database, command, None))
    }

    /// Serves a new database with a base URL that is not the address.
    #[track_caller]
    pub(crate) fn with_base_url(base_url: &str) -> Self {
        Self::on_with_base_url(&Arc::new(Database::new().with_default_owner()), base_url)
    }

    /// Serves this database with a base URL that is not the address.
    #[track_caller]
    pub(crate) fn on_with_base_url(database: &Arc<Database>, base_url: &str) -> Self {
        let mut command = database.command();
        // The port must be known, because the log contains only the base URL.
        let listen = format!("127.0.0.1:{}", free_port());
        command.args(["serve", "--listen", &listen]).env("TERSE_BASE_URL", base_url);
        Self(::harness::Server::run(database, command, Some(format!("http://{listen}"))))
    }

    /// Lifts the limit of [`Server::with_files_up_to`].
    pub(crate) fn lift_limit(&self) {
        let pid = self.id().to_string();
        let status = Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited"]).status();
        assert!(status.expect("prlimit is installed").success());
    }

    /// Runs a command on the same database.
    pub(crate) fn terse(&self, arguments: &[&str]) -> ::harness::Outcome {
        self.database().terse(arguments)
    }

    /// Returns a client without a key.
    pub(crate) fn anyone(&self) -> Api {
        Api::new(self.origin().to_owned(), self.base_url().to_owned())
    }

    /// Returns a client with this key.
    pub(crate) fn with_key(&self, key: &str) -> Api {
        self.anyone().with("X-API-Key", key)
    }

    /// Returns a client with the key of the owner `default`.
    pub(crate) fn api(&self) -> Api {
        self.with_key(self.key())
    }

    /// Returns a client of a new owner on that plan.
    #[track_caller]
    pub(crate) fn api_of(&self, owner: &str, plan: &str) -> Api {
        self.with_key(&self.database().owner(owner, plan))
    }

    /// Serves a new database, with a listener for the operator too.
    #[track_caller]
    pub(crate) fn with_operator() -> Self {
        Self::with_operator_on(&Arc::new(Database::new().with_default_owner()))
    }

    /// Serves this database, with a listener for the operator too.
    #[track_caller]
    pub(crate) fn with_operator_on(database: &Arc<Database>) -> Self {
        Self::with(database, &["--operator-listen", "127.0.0.1:0"])
    }

    /// Returns a client of the operator's listener without a key.
    pub(crate) fn operator_anyone(&self) -> Api {
        let origin = format!("http://{}", self.operator_authority());
        Api::new(origin, self.base_url().to_owned())
    }

    /// Returns a client of the operator's listener with this key.
    pub(crate) fn with_operator_key(&self, key: &str) -> Api {
        self.operator_anyone().with("X-API-Key", key)
    }

    /// Returns a client of the operator's listener with a new key of this role, by which it is named.
    #[track_caller]
    pub(crate) fn operator(&self, role: &str) -> Api {
        self.with_operator_key(&self.database().operator_key(role, role))
    }

    /// Opens a connection for requests that a client library cannot send.
    #[track_caller]
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.authority(), self.base_url())
    }

    /// Returns the server's private memory in bytes, without the pages of mapped files.
    pub(crate) fn private_memory(&self) -> u64 {
        ::harness::private_memory(self.id())
    }

    /// Returns the maximum of the server's private memory in bytes.
    pub(crate) fn max_private_memory(&self) -> u64 {
        ::harness::max_private_memory(self.id())
    }

    /// Kills the server with SIGKILL.
    pub(crate) fn kill9(self) -> Arc<Database> {
        self.0.kill9()
    }

    /// Waits until the server has ended by itself.
    #[track_caller]
    pub(crate) fn wait_for_end(self) -> Ended {
        self.0.wait_for_end()
    }

    /// Sends SIGTERM, and waits for the end.
    #[track_caller]
    pub(crate) fn terminate(self) -> Ended {
        self.0.terminate()
    }
}

/// Returns the path of libfaketime, which is in a directory of the architecture.
fn fake_clock() -> PathBuf {
    let libraries = std::fs::read_dir("/usr/lib").expect("/usr/lib exists");
    let path =
        |entry: io::Result<DirEntry>| Some(entry.ok()?.path().join("faketime/libfaketime.so.1"));
    let found = libraries.filter_map(path).find(|path| path.exists());
    found.expect("Debian's package libfaketime is installed")
}
