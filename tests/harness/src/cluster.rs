//! Throwaway PostgreSQL servers.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::directory::Directory;
use crate::port::free_port;
use crate::process::{Process, send_to, unprivileged};
use crate::waiting::{TIMEOUT, until};

/// Application name of a standby's connection to its primary.
const STANDBY: &str = "standby";
/// Options of `initdb` for a collation that differs from SQLite's, as on most servers.
const TEST_LOCALE: [&str; 3] = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
/// Settings that omit flushes to disk, because test data need not survive a power loss.
const WITHOUT_FLUSHES: [&str; 2] = ["fsync=off", "full_page_writes=off"];
/// Settings of the shared cluster. Autovacuum would start a process for each of the many databases
/// every minute. Without statistics of new tables, PostgreSQL would compile statements for longer
/// than they run.
const SHARED_SETTINGS: [&str; 3] = ["max_connections=500", "autovacuum=off", "jit=off"];
/// The cluster that tests without settings of their own share.
static SHARED: OnceLock<Arc<Cluster>> = OnceLock::new();
/// Contents of `pg_hba.conf`. The superuser, who can run programs, needs a password, because other
/// users of the machine reach the port as well.
const ACCESS: &str = "
    host all,replication postgres 127.0.0.1/32 scram-sha-256
    host all all 127.0.0.1/32 trust
";

/// A PostgreSQL server with any number of databases, on a free port of loopback.
///
/// Its superuser is `postgres`. The role `terse` owns the databases.
#[derive(Debug)]
pub struct Cluster {
    /// Declared before the directory, so that the server ends before its files are removed.
    postmaster: Mutex<Option<Process>>,
    directory: Directory,
    port: u16,
    settings: Vec<String>,
    password: String,
    databases: AtomicU32,
}

impl Cluster {
    /// Returns the cluster that all tests without settings of their own share.
    ///
    /// It is never dropped; its watchdog stops it when this process ends.
    pub fn shared() -> Arc<Self> {
        Arc::clone(SHARED.get_or_init(|| Self::private(&SHARED_SETTINGS)))
    }

    /// Returns whether this is the cluster of [`Cluster::shared`].
    pub(crate) fn is_shared(&self) -> bool {
        SHARED.get().is_some_and(|shared| std::ptr::eq(self, &**shared))
    }

    /// Starts a cluster with these settings, and without flushes to disk.
    #[track_caller]
    pub fn private(settings: &[&str]) -> Arc<Self> {
        // A copy takes a tenth of the time.
        static TEMPLATE: OnceLock<DataDirectory> = OnceLock::new();
        let template =
            TEMPLATE.get_or_init(|| DataDirectory::new(Directory::volatile(), &TEST_LOCALE));
        Self::create(template.copy(), &[&WITHOUT_FLUSHES, settings].concat())
    }

    /// Starts a cluster with PostgreSQL's default settings, so that commits are flushed to disk.
    #[track_caller]
    pub fn durable() -> Arc<Self> {
        Self::create(DataDirectory::new(Directory::unprivileged(), &["--no-locale"]), &[])
    }

    /// Returns whether PostgreSQL is installed.
    #[must_use]
    pub fn is_available() -> bool {
        Command::new(tool("initdb")).arg("--version").output().is_ok()
    }

    #[track_caller]
    fn create(data: DataDirectory, settings: &[&str]) -> Arc<Self> {
        let settings = settings.iter().map(ToString::to_string).collect();
        let cluster = Self::in_directory(data.parent, settings, data.password);
        cluster.sql("CREATE ROLE terse LOGIN");
        cluster
    }

    /// Starts the cluster in the directory on a free port.
    fn in_directory(directory: Directory, settings: Vec<String>, password: String) -> Arc<Self> {
        let (postmaster, databases) = (Mutex::default(), AtomicU32::new(0));
        let port = free_port();
        let mut cluster = Self { postmaster, directory, port, settings, password, databases };
        while !cluster.try_start() {
            let log = cluster.log();
            let is_in_use = log.lines().any(|line| line.contains("Address already in use"));
            assert!(is_in_use, "PostgreSQL does not start:\n{log}");
            cluster.port = free_port();
        }
        Arc::new(cluster)
    }

    /// Returns the port on which the server listens.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the process id of the postmaster.
    ///
    /// # Panics
    /// If the server does not run.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.postmaster.lock().unwrap().as_ref().expect("PostgreSQL is running").id()
    }

    /// Creates an empty database with these SQL options, and returns its name.
    #[track_caller]
    pub fn create_database(&self, options: &str) -> String {
        let name = format!("t{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql(&format!("CREATE DATABASE {name} OWNER terse {options}"));
        name
    }

    /// Returns the superuser's URL of a database, with the password.
    #[must_use]
    pub fn admin_url(&self, database: &str) -> String {
        format!("postgres://postgres:{}@127.0.0.1:{}/{database}", self.password, self.port)
    }

    /// Returns the same URL without the password, for arguments that all users can read.
    fn public_admin_url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs a statement as the superuser, and returns its rows, one per line.
    #[track_caller]
    pub fn sql(&self, statement: &str) -> String {
        self.sql_in("postgres", statement)
    }

    /// Runs a statement as the superuser in a database, and returns its rows, one per line.
    #[track_caller]
    pub fn sql_in(&self, database: &str, statement: &str) -> String {
        sql_with_password(&self.public_admin_url(database), statement, &self.password)
    }

    /// Opens an idle session of a role. It ends at once if the server has no free connection.
    ///
    /// # Panics
    /// If psql does not start.
    #[must_use]
    pub fn idle_session(&self, role: &str) -> Child {
        let url = format!("postgres://{role}@127.0.0.1:{}/postgres", self.port);
        let mut psql = Command::new(tool("psql"));
        psql.env("PGAPPNAME", "idle").stdin(Stdio::piped()).stdout(Stdio::null());
        psql.stderr(Stdio::null()).arg(url).spawn().expect("psql starts")
    }

    /// Returns the contents of a database as SQL statements. `options` are those of `pg_dump`.
    #[track_caller]
    pub fn dump(&self, database: &str, options: &[&str]) -> String {
        let mut dump = Command::new(tool("pg_dump"));
        // Prints letters in binary columns as letters.
        dump.env("PGOPTIONS", "-c bytea_output=escape");
        output(dump.args(options).arg(self.public_admin_url(database)), &self.password)
    }

    /// Returns the log of the server.
    ///
    /// # Panics
    /// If the server was never started.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.directory.path().join("log"));
        String::from_utf8_lossy(&bytes.expect("PostgreSQL has a log")).into_owned()
    }

    /// Stops the server as a crash would: sessions end at once and no data is flushed.
    ///
    /// # Panics
    /// If the server does not run.
    pub fn stop_immediately(&self) {
        let running = self.postmaster.lock().unwrap().take();
        drop(running.expect("PostgreSQL is running"));
    }

    /// Starts the server again after [`Cluster::stop_immediately`], on the same port.
    #[track_caller]
    pub fn start(&self) {
        assert!(self.try_start(), "PostgreSQL does not start again:\n{}", self.log());
    }

    /// Suspends all processes of the server: connections stay open, and statements hang.
    ///
    /// # Panics
    /// If the server does not run.
    pub fn pause(&self) {
        self.postmaster.lock().unwrap().as_ref().expect("it is running").send_to_family("STOP");
    }

    /// Resumes all processes after [`Cluster::pause`] or [`Cluster::pause_accepting`].
    ///
    /// # Panics
    /// If the server does not run.
    pub fn resume(&self) {
        self.postmaster.lock().unwrap().as_ref().expect("it is running").send_to_family("CONT");
    }

    /// Suspends the postmaster: open sessions go on, and no other one can be opened.
    ///
    /// # Panics
    /// If the server does not run.
    pub fn pause_accepting(&self) {
        self.postmaster.lock().unwrap().as_ref().expect("it is running").send("STOP");
    }

    /// Suspends the sessions that match an SQL condition, as if a firewall had forgotten their
    /// connections. Returns their process ids.
    ///
    /// # Panics
    /// If the condition is invalid.
    pub fn pause_sessions(&self, condition: &str) -> Vec<u32> {
        let pids = self.sql(&format!("SELECT pid FROM pg_stat_activity WHERE {condition}"));
        let pids: Vec<u32> = pids.lines().map(|pid| pid.parse().expect("a number")).collect();
        send_to("STOP", &pids);
        pids
    }

    /// Resumes sessions after [`Cluster::pause_sessions`].
    pub fn resume_sessions(&self, pids: &[u32]) {
        send_to("CONT", pids);
    }

    /// Ends the replication to a standby, so that commits no longer wait for it.
    ///
    /// # Panics
    /// If the standby stays connected.
    pub fn disconnect_standby(&self, standby: &Self) {
        standby.sql("ALTER SYSTEM SET primary_conninfo = ''");
        standby.sql("SELECT pg_reload_conf()");
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
        self.sql("SELECT pg_reload_conf()");
        until(
            TIMEOUT,
            || self.log(),
            || self.sql("SELECT count(*) FROM pg_stat_replication").eq("0").then_some(()),
        );
    }

    /// Starts a standby, which may lag behind.
    #[track_caller]
    pub fn standby(&self) -> Arc<Self> {
        let directory = Directory::volatile();
        let source = format!("{}?application_name={STANDBY}", self.public_admin_url("postgres"));
        let mut backup = unprivileged(&tool("pg_basebackup"));
        backup.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
        backup.args(["--dbname", &source]).arg("--pgdata").arg(directory.path().join("data"));
        output(&mut backup, &self.password);
        Self::in_directory(directory, self.settings.clone(), self.password.clone())
    }

    /// Starts a standby. From then on, a commit returns only after the standby has it too.
    #[track_caller]
    pub fn synchronous_standby(&self) -> Arc<Self> {
        let standby = self.standby();
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'");
        self.sql(&set);
        self.sql("SELECT pg_reload_conf()");
        let description = || format!("the standby is synchronous:\n{}", standby.log());
        until(TIMEOUT, description, || {
            let state = self.sql("SELECT sync_state FROM pg_stat_replication");
            (state == "sync").then_some(())
        });
        standby
    }

    /// Promotes a standby to a primary.
    #[track_caller]
    pub fn promote(&self) {
        assert_eq!(self.sql("SELECT pg_promote()"), "t", "{}", self.log());
    }

    /// Starts the server and waits until it accepts connections; returns `false` if it ends
    /// instead.
    fn try_start(&self) -> bool {
        let directory = self.directory.path();
        let data = directory.join("data");
        let log = fs::OpenOptions::new().create(true).append(true).open(directory.join("log"));
        let log = log.expect("the directory is writable");
        let mut postgres = unprivileged(&tool("postgres"));
        postgres.arg("-D").arg(&data);
        let port = format!("port={}", self.port);
        let own = ["listen_addresses=127.0.0.1", "unix_socket_directories=", &port];
        for setting in own.into_iter().chain(self.settings.iter().map(String::as_str)) {
            postgres.args(["-c", setting]);
        }
        let stdout = log.try_clone().expect("a file descriptor is free");
        postgres.stdin(Stdio::null()).stdout(stdout).stderr(log);
        let mut postmaster = Process::spawn(&mut postgres, "QUIT");
        let id = postmaster.id().to_string();
        let description = || format!("PostgreSQL starts:\n{}", self.log());
        let is_started = until(TIMEOUT, description, || {
            // The first line is the process id, the last one the state.
            let state = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
            let is_own = state.lines().next() == Some(&id);
            let is_ready = is_own && state.trim_end().ends_with("ready");
            (is_ready || !postmaster.is_running()).then_some(is_ready)
        });
        if is_started {
            *self.postmaster.lock().unwrap() = Some(postmaster);
        }
        is_started
    }
}

/// The files of a cluster that has not been started.
#[derive(Debug)]
struct DataDirectory {
    parent: Directory,
    password: String,
}

impl DataDirectory {
    #[track_caller]
    fn new(parent: Directory, locale: &[&str]) -> Self {
        let (data, password_file) = (parent.path().join("data"), parent.path().join("password"));
        let random = fs::read_to_string("/proc/sys/kernel/random/uuid").expect("/proc is mounted");
        let password = random.trim().to_owned();
        fs::write(&password_file, &password).expect("the directory is writable");
        parent.hand_over(&password_file);
        let mut initdb = unprivileged(&tool("initdb"));
        initdb.args(locale).args(["--username=postgres", "--encoding=UTF8", "--no-sync"]);
        initdb.args(["--auth=scram-sha-256", "--pwfile"]).arg(password_file);
        output(initdb.arg("--pgdata").arg(&data), &password);
        fs::write(data.join("pg_hba.conf"), ACCESS).expect("the directory is writable");
        Self { parent, password }
    }

    /// Copies the files. The superuser's password stays the same.
    #[track_caller]
    fn copy(&self) -> Self {
        let (parent, password) = (Directory::volatile(), self.password.clone());
        let mut copy = unprivileged("cp");
        copy.arg("--archive").arg(self.parent.path().join("data")).arg(parent.path());
        output(&mut copy, &password);
        Self { parent, password }
    }
}

/// Returns whether the database of that URL responds within 2 seconds.
pub(crate) fn responds(url: &str) -> bool {
    let mut psql = Command::new("timeout");
    psql.arg("2").arg(tool("psql")).args(["--no-psqlrc", "--command", "SELECT 1", url]);
    psql.output().expect("timeout is installed").status.success()
}

/// Runs a statement in the database of that URL, and returns its rows, one per line.
#[track_caller]
pub(crate) fn sql(url: &str, statement: &str) -> String {
    sql_with_password(url, statement, "")
}

#[track_caller]
fn sql_with_password(url: &str, statement: &str, password: &str) -> String {
    let mut psql = Command::new(tool("psql"));
    psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
    psql.args(["--set", "ON_ERROR_STOP=1", "--command", statement]);
    output(psql.arg(url), password).trim_end().to_owned()
}

/// Returns the path of one of PostgreSQL's programs: Debian's newest, otherwise the one in `PATH`.
fn tool(name: &str) -> String {
    static PROGRAMS: OnceLock<Option<PathBuf>> = OnceLock::new();
    let programs = PROGRAMS.get_or_init(|| {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
        let number = |name: &str| name.parse::<u32>().ok();
        let newest = versions.filter_map(|version| number(version.file_name().to_str()?)).max()?;
        Some(PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin")))
    });
    match programs {
        Some(programs) => programs.join(name).to_str().expect("a UTF-8 path").to_owned(),
        None => name.to_owned(),
    }
}

/// Runs a program that must succeed, and returns its output.
#[track_caller]
fn output(command: &mut Command, password: &str) -> String {
    let output = command.env("PGCONNECT_TIMEOUT", "20").env("PGPASSWORD", password).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}
