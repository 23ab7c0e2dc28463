//! A database of one test's own, and the command line on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sea_orm::{ConnectOptions, ConnectionTrait as _, DatabaseConnection, Statement};
use tempfile::TempDir;

use super::outcome::{Outcome, find_object};
use super::{Cluster, Store, postgres};

/// A database of either kind, and a directory for who works with it.
pub(crate) struct Database {
    place: Place,
    directory: TempDir,
    default_key: OnceLock<String>,
}

enum Place {
    /// A file in the directory, which may not exist yet.
    Sqlite,
    /// A database of that name, perhaps asked through somebody between on another port.
    Postgres { cluster: Arc<Cluster>, name: String, port: u16 },
}

impl Database {
    /// A place for a database on the chosen store; nothing is made in it.
    pub(crate) fn new() -> Self {
        Self::of(Store::chosen())
    }

    /// A place for a database of that kind; nothing is made in it.
    pub(crate) fn of(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::at(Place::Sqlite),
            Store::Postgres => Self::on(&Cluster::shared()),
        }
    }

    /// An empty database of that PostgreSQL server.
    pub(crate) fn on(cluster: &Arc<Cluster>) -> Self {
        let (cluster, name) = (Arc::clone(cluster), cluster.create_database());
        let port = cluster.port();
        Self::at(Place::Postgres { cluster, name, port })
    }

    /// An empty database on PostgreSQL that knows the letters of Western Europe alone.
    pub(crate) fn in_latin1() -> Self {
        let cluster = Cluster::shared();
        let options = "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0";
        let (name, port) = (cluster.create_database_with(options), cluster.port());
        Self::at(Place::Postgres { cluster, name, port })
    }

    /// The same database on PostgreSQL, asked through who listens on another port.
    pub(crate) fn through(&self, port: u16) -> Self {
        let Place::Postgres { cluster, name, .. } = &self.place else {
            panic!("nobody stands between a server and its file");
        };
        let (cluster, name) = (Arc::clone(cluster), name.clone());
        let database = Self::at(Place::Postgres { cluster, name, port });
        Self { default_key: self.default_key.clone(), ..database }
    }

    fn at(place: Place) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        Self { place, directory, default_key: OnceLock::new() }
    }

    /// Sees to it that a server finds the owner `default`, which it makes itself only on SQLite.
    #[track_caller]
    pub(crate) fn with_default_owner(self) -> Self {
        if self.store() == Store::Postgres {
            self.terse(&["migrate"]).done();
            self.learn_default_key(self.owner("default", "unlimited"));
        }
        self
    }

    /// Which kind it is.
    pub(crate) fn store(&self) -> Store {
        match self.place {
            Place::Sqlite => Store::Sqlite,
            Place::Postgres { .. } => Store::Postgres,
        }
    }

    /// Whether a server that starts now makes an owner and shows its key.
    pub(super) fn is_first_start(&self) -> bool {
        self.store() == Store::Sqlite && !self.file().exists()
    }

    /// Whether nobody has made anything of it yet.
    pub(crate) fn is_untouched(&self) -> bool {
        let mut left = std::fs::read_dir(self.directory()).expect("the directory is there");
        left.next().is_none() && (self.store() == Store::Sqlite || self.tables().is_empty())
    }

    fn tables(&self) -> String {
        self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    }

    /// Everything that is kept, as it is kept.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match &self.place {
            Place::Sqlite => {
                let files = std::fs::read_dir(self.directory()).expect("the directory is there");
                let read = |file: std::io::Result<std::fs::DirEntry>| std::fs::read(file?.path());
                files.flat_map(|file| read(file).expect("a file")).collect()
            }
            Place::Postgres { cluster, name, .. } => cluster.dump(name).into_bytes(),
        }
    }

    /// Runs a statement past Terse, on PostgreSQL.
    #[track_caller]
    pub(crate) fn sql(&self, statement: &str) -> String {
        assert_eq!(self.store(), Store::Postgres, "a file runs no statements");
        postgres::sql(&self.url(), statement)
    }

    /// The same as the one who may do anything.
    #[track_caller]
    pub(crate) fn admin_sql(&self, statement: &str) -> String {
        let Place::Postgres { cluster, name, .. } = &self.place else {
            panic!("a file runs no statements")
        };
        cluster.sql_in(name, statement)
    }

    /// Runs a statement past Terse, on either store.
    pub(crate) async fn execute(&self, statement: &str) {
        self.try_to_execute(statement).await.expect("it is a good statement");
    }

    /// Runs a statement past Terse that the database may refuse.
    pub(crate) async fn try_to_execute(&self, statement: &str) -> Result<(), String> {
        let connection = self.connect().await;
        let result = connection.execute(statement).await;
        connection.close().await;
        result
    }

    /// The one number that a query past Terse returns.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        let connection = self.connect().await;
        let number = connection.number(query).await;
        connection.close().await;
        number
    }

    /// A connection past Terse.
    pub(crate) async fn connect(&self) -> DirectConnection {
        if self.store() == Store::Sqlite {
            let connection = rusqlite::Connection::open(self.file()).expect("it can be opened");
            connection.busy_timeout(Duration::from_secs(5)).expect("a timeout");
            connection.pragma_update(None, "foreign_keys", true).expect("a setting");
            return DirectConnection::Sqlite(connection);
        }
        let mut options = ConnectOptions::new(self.url());
        options.max_connections(1).sqlx_logging(false);
        let connection = sea_orm::Database::connect(options).await.expect("it can be reached");
        DirectConnection::Postgres(connection)
    }

    /// Changes a setting for all connections to come, on PostgreSQL.
    #[track_caller]
    pub(crate) fn set(&self, setting: &str, value: &str) {
        self.sql(&format!("ALTER DATABASE {} SET {setting} = '{value}'", self.name()));
    }

    fn name(&self) -> &str {
        match &self.place {
            Place::Sqlite => panic!("a file has a path"),
            Place::Postgres { name, .. } => name,
        }
    }

    /// Whether nobody is connected to it. PostgreSQL finishes what a killed process has asked for; in
    /// a file nothing is under way then.
    pub(crate) fn is_left_alone(&self) -> bool {
        let others = "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()
             AND backend_type = 'client backend'";
        self.store() == Store::Sqlite || self.sql(others) == "0"
    }

    /// Whether a database on PostgreSQL answers within a second or two.
    pub(crate) fn answers(&self) -> bool {
        postgres::answers(&self.url())
    }

    /// The directory, which holds nothing but the file of a database on SQLite.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The database file on SQLite.
    pub(crate) fn file(&self) -> PathBuf {
        self.directory().join("t.db")
    }

    /// The database's URL, as `--database-url` takes it.
    pub(crate) fn url(&self) -> String {
        match &self.place {
            Place::Sqlite => format!("sqlite://{}?mode=rwc", self.file().display()),
            Place::Postgres { name, port, .. } => {
                format!("postgres://terse@127.0.0.1:{port}/{name}")
            }
        }
    }

    /// The key of the owner `default`.
    #[track_caller]
    pub(crate) fn default_key(&self) -> &str {
        self.default_key.get().expect("this database was made with the owner `default`")
    }

    #[track_caller]
    pub(super) fn learn_default_key(&self, key: String) {
        self.default_key.set(key).expect("it is made once");
    }

    /// `terse`, set to this database and to nothing else.
    pub(crate) fn command(&self) -> Command {
        let mut command = bare_command();
        command.current_dir(self.directory()).env("TERSE_DATABASE_URL", self.url());
        command
    }

    /// Runs `terse` with these arguments.
    pub(crate) fn terse(&self, arguments: &[&str]) -> Outcome {
        let output = self.command().args(arguments).output();
        Outcome::new(arguments, &output.expect("terse can be run"))
    }

    /// Adds an owner on that plan, and gives its key.
    #[track_caller]
    pub(crate) fn owner(&self, name: &str, plan: &str) -> String {
        self.terse(&["owner", "add", name, "--plan", plan]).key()
    }

    /// Creates a plan.
    #[track_caller]
    pub(crate) fn plan(&self, name: &str, max_links: &str, custom_codes: bool) {
        let custom_codes = custom_codes.to_string();
        self.terse(&[
            "plan",
            "add",
            name,
            "--max-links",
            max_links,
            "--custom-codes",
            &custom_codes,
        ])
        .done();
    }

    /// The id under which the command line lists the key with that label.
    #[track_caller]
    pub(crate) fn key_id(&self, owner: &str, label: &str) -> String {
        let listed = self.terse(&["key", "list", owner, "--json"]).json();
        let key = find_object(&listed, "label", label).expect("the key is listed");
        let id = &key["id"];
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    }
}

/// Runs `terse` with these arguments and no other setting.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let output = bare_command().args(arguments).stdin(Stdio::null()).output();
    Outcome::new(arguments, &output.expect("terse can be run"))
}

/// `terse` without any setting of the surroundings.
fn bare_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terse"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("TERSE_") || text.starts_with("PG") || text == "RUST_LOG" {
            command.env_remove(name);
        }
    }
    command
}

/// A connection that Terse knows nothing of.
pub(crate) enum DirectConnection {
    Sqlite(rusqlite::Connection),
    Postgres(DatabaseConnection),
}

impl DirectConnection {
    pub(crate) async fn execute(&self, statement: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(db) => db.execute_batch(statement).map_err(|error| error.to_string()),
            Self::Postgres(db) => {
                db.execute_unprepared(statement).await.map(drop).map_err(|error| error.to_string())
            }
        }
    }

    async fn number(&self, query: &str) -> i64 {
        match self {
            Self::Sqlite(db) => db.query_row(query, [], |row| row.get(0)).expect("a number"),
            Self::Postgres(db) => {
                let query = Statement::from_string(db.get_database_backend(), query);
                let row = db.query_one_raw(query).await.expect("a good query").expect("a row");
                row.try_get_by_index(0).expect("a number")
            }
        }
    }

    pub(crate) async fn close(self) {
        match self {
            Self::Sqlite(db) => db.close().expect("it was open"),
            Self::Postgres(db) => db.close().await.expect("it was open"),
        }
    }
}
