//! PostgreSQL servers of the tests' own: throwaway clusters on free ports of loopback.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::guard::{Directory, Process, process_exists, send, signal_all_of, unprivileged};
use super::{PATIENCE, free_port, until};

/// The name by which a standby is known to its primary.
const STANDBY: &str = "standby";

/// One PostgreSQL server, which holds any number of databases.
pub(crate) struct Cluster {
    /// Before the directory, so that it ends first.
    postmaster: Mutex<Option<Process>>,
    directory: Directory,
    port: u16,
    settings: Vec<String>,
    databases: AtomicU32,
}

impl Cluster {
    /// The one for all tests that want nothing special of it. It ends with this process.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: OnceLock<Arc<Cluster>> = OnceLock::new();
        let start = || Self::private(&["max_connections=500"]);
        Arc::clone(SHARED.get_or_init(start))
    }

    /// A running one of the caller's own, with these settings.
    #[track_caller]
    pub(crate) fn private(settings: &[&str]) -> Arc<Self> {
        let directory = Directory::new();
        // An order of texts that is not SQLite's, as most servers have it.
        let locale = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
        let user = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"];
        let mut initdb = unprivileged(&tool("initdb"));
        run(initdb.args(locale).args(user).arg("--pgdata").arg(directory.path().join("data")));
        let settings = settings.iter().map(ToString::to_string).collect();
        let cluster = Self::in_directory(directory, settings);
        cluster.sql("CREATE ROLE terse LOGIN");
        cluster
    }

    /// Starts what is in the directory on a port that is free.
    fn in_directory(directory: Directory, settings: Vec<String>) -> Arc<Self> {
        let (postmaster, databases) = (Mutex::default(), AtomicU32::new(0));
        let mut cluster = Self { postmaster, directory, port: free_port(), settings, databases };
        while !cluster.try_start() {
            let log = cluster.log();
            let is_taken = log.lines().any(|line| line.contains("Address already in use"));
            assert!(is_taken, "PostgreSQL does not start:\n{log}");
            cluster.port = free_port();
        }
        Arc::new(cluster)
    }

    /// The port that it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Makes an empty database, and gives its name.
    pub(crate) fn create_database(&self) -> String {
        self.create_database_with("")
    }

    /// Makes an empty database with these options.
    pub(crate) fn create_database_with(&self, options: &str) -> String {
        let name = format!("t{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql(&format!("CREATE DATABASE {name} OWNER terse {options}"));
        name
    }

    /// The address of a database for the one who may do anything.
    fn admin_url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs a statement as the one who may do anything, and gives the values of its rows, one row a
    /// line.
    #[track_caller]
    pub(crate) fn sql(&self, statement: &str) -> String {
        self.sql_in("postgres", statement)
    }

    /// The same in a database.
    #[track_caller]
    pub(crate) fn sql_in(&self, database: &str, statement: &str) -> String {
        sql(&self.admin_url(database), statement)
    }

    /// A session of that role which does nothing but be there; it ends at once where there is no
    /// room for it.
    pub(crate) fn idle_session(&self, role: &str) -> Child {
        let url = format!("postgres://{role}@127.0.0.1:{}/postgres", self.port);
        let mut psql = Command::new(tool("psql"));
        psql.env("PGAPPNAME", "idle").stdin(Stdio::piped()).stdout(Stdio::null());
        psql.stderr(Stdio::null()).arg(url).spawn().expect("psql can be run")
    }

    /// A database's contents as statements.
    #[track_caller]
    pub(crate) fn dump(&self, database: &str) -> String {
        let mut dump = Command::new(tool("pg_dump"));
        // Bytes that are letters are shown as letters.
        run(dump.env("PGOPTIONS", "-c bytea_output=escape").arg(self.admin_url(database)))
    }

    /// What the server has logged so far.
    pub(crate) fn log(&self) -> String {
        let bytes = std::fs::read(self.directory.path().join("log"));
        String::from_utf8_lossy(&bytes.expect("PostgreSQL has a log")).into_owned()
    }

    /// Ends it as a crash would: nobody is waited for, nothing is written.
    pub(crate) fn stop_immediately(&self) {
        let running = self.postmaster.lock().unwrap().take();
        drop(running.expect("PostgreSQL is running"));
    }

    /// Starts it again after [`Cluster::stop_immediately`], on the same port.
    #[track_caller]
    pub(crate) fn start(&self) {
        assert!(self.try_start(), "PostgreSQL does not start again:\n{}", self.log());
    }

    /// Halts all of its processes: connections stay, and nothing answers.
    pub(crate) fn pause(&self) {
        signal_all_of(self.postmaster.lock().unwrap().as_ref().expect("it is running"), "STOP");
    }

    /// Lets them go on.
    pub(crate) fn resume(&self) {
        signal_all_of(self.postmaster.lock().unwrap().as_ref().expect("it is running"), "CONT");
    }

    /// Halts the sessions that the condition names: to whom they belong it looks as if somebody
    /// between had forgotten their connections. Gives who they are.
    pub(crate) fn halt_sessions(&self, condition: &str) -> Vec<u32> {
        let pids = self.sql(&format!("SELECT pid FROM pg_stat_activity WHERE {condition}"));
        let pids: Vec<u32> = pids.lines().map(|pid| pid.parse().expect("a number")).collect();
        send("STOP", &pids);
        pids
    }

    pub(crate) fn resume_sessions(&self, pids: &[u32]) {
        send("CONT", pids);
    }

    /// From here on a standby sees no more of this one, which no longer waits for it.
    pub(crate) fn cut_off(&self, standby: &Self) {
        standby.sql("ALTER SYSTEM SET primary_conninfo = ''");
        standby.sql("SELECT pg_reload_conf()");
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
        self.sql("SELECT pg_reload_conf()");
        until(
            PATIENCE,
            || self.log(),
            || self.sql("SELECT count(*) FROM pg_stat_replication").eq("0").then_some(()),
        );
    }

    /// A copy that follows this one. From here on nothing is confirmed before the copy has it too.
    #[track_caller]
    pub(crate) fn synchronous_standby(&self) -> Arc<Self> {
        let directory = Directory::new();
        let source = format!("{}?application_name={STANDBY}", self.admin_url("postgres"));
        let mut backup = unprivileged(&tool("pg_basebackup"));
        backup.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
        run(backup.args(["--dbname", &source]).arg("--pgdata").arg(directory.path().join("data")));
        let standby = Self::in_directory(directory, self.settings.clone());
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'");
        self.sql(&set);
        self.sql("SELECT pg_reload_conf()");
        let told = || format!("a standby follows:\n{}", standby.log());
        until(PATIENCE, told, || {
            let state = self.sql("SELECT sync_state FROM pg_stat_replication");
            (state == "sync").then_some(())
        });
        standby
    }

    /// Makes a standby a server that writes.
    #[track_caller]
    pub(crate) fn promote(&self) {
        assert_eq!(self.sql("SELECT pg_promote()"), "t", "{}", self.log());
    }

    /// Starts it, and waits until it takes connections; false where it ended instead.
    fn try_start(&self) -> bool {
        let directory = self.directory.path();
        let data = directory.join("data");
        let mut arguments = vec!["-D".to_owned(), data.to_str().unwrap().to_owned()];
        let port = format!("port={}", self.port);
        let own = ["listen_addresses=127.0.0.1", "unix_socket_directories=", &port];
        // A machine that loses its power loses the tests as well.
        let own = own.into_iter().chain(["fsync=off", "full_page_writes=off"]);
        for setting in own.chain(self.settings.iter().map(String::as_str)) {
            arguments.extend(["-c".to_owned(), setting.to_owned()]);
        }
        let program = tool("postgres");
        let postmaster = Process::start("QUIT", &directory.join("log"), &program, &arguments);
        let told = || format!("PostgreSQL starts:\n{}", self.log());
        let has_started = until(PATIENCE, told, || {
            // Its number is the first line, its state the last.
            let state = std::fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
            let is_own = state.lines().next() == Some(&postmaster.id().to_string());
            let is_ready = is_own && state.trim_end().ends_with("ready");
            (is_ready || !process_exists(postmaster.id())).then_some(is_ready)
        });
        if has_started {
            *self.postmaster.lock().unwrap() = Some(postmaster);
        }
        has_started
    }
}

/// Whether the database of that address answers within a second or two.
pub(super) fn answers(url: &str) -> bool {
    let mut psql = Command::new("timeout");
    psql.arg("2").arg(tool("psql")).args(["--no-psqlrc", "--command", "SELECT 1", url]);
    psql.output().expect("timeout can be run").status.success()
}

/// Runs a statement in the database of that address, and gives the values of its rows, one row a
/// line.
#[track_caller]
pub(super) fn sql(url: &str, statement: &str) -> String {
    let mut psql = Command::new(tool("psql"));
    psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
    psql.args(["--set", "ON_ERROR_STOP=1", "--command", statement]);
    run(psql.arg(url)).trim_end().to_owned()
}

/// One of PostgreSQL's programs: Debian's newest, else the one in the path.
fn tool(name: &str) -> String {
    static PROGRAMS: OnceLock<Option<PathBuf>> = OnceLock::new();
    let programs = PROGRAMS.get_or_init(|| {
        let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
        let number = |name: &str| name.parse::<u32>().ok();
        let newest = versions.filter_map(|version| number(version.file_name().to_str()?)).max()?;
        Some(PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin")))
    });
    match programs {
        Some(programs) => programs.join(name).to_str().expect("a plain path").to_owned(),
        None => name.to_owned(),
    }
}

/// Runs a program that must do its work, and gives what it printed.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.env("PGCONNECT_TIMEOUT", "20").output();
    let output = output.unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}
