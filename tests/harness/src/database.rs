//! Throwaway databases, and commands of Terse that use them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use crate::cluster::{self, Cluster};
use crate::connection::DirectConnection;
use crate::directory::Directory;
use crate::outcome::{Outcome, find_object};
use crate::program::terse;
use crate::store::Store;

/// A database on SQLite or PostgreSQL, and the working directory of its servers.
#[derive(Debug)]
pub struct Database {
    location: Location,
    directory: Directory,
    default_key: OnceLock<String>,
}

#[derive(Debug)]
enum Location {
    /// A file in the directory, which may not exist yet.
    Sqlite,
    /// A database of that name, which is created with these options when it is first used; the port
    /// may be that of a proxy.
    Postgres { cluster: Arc<Cluster>, name: OnceLock<String>, options: &'static str, port: u16 },
}

impl Database {
    /// Creates an empty database on the chosen store.
    #[expect(clippy::new_without_default, reason = "it creates a database")]
    #[must_use]
    pub fn new() -> Self {
        Self::of(Store::chosen())
    }

    /// Creates an empty database on that store.
    #[must_use]
    pub fn of(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::at(Location::Sqlite),
            Store::Postgres => Self::on(&Cluster::shared()),
        }
    }

    /// Creates an empty database on that PostgreSQL server.
    #[must_use]
    pub fn on(cluster: &Arc<Cluster>) -> Self {
        Self::with_options(cluster, "")
    }

    /// Creates an empty database on that PostgreSQL server with these options of `CREATE DATABASE`.
    #[must_use]
    pub fn with_options(cluster: &Arc<Cluster>, options: &'static str) -> Self {
        let (cluster, port) = (Arc::clone(cluster), cluster.port());
        Self::at(Location::Postgres { cluster, name: OnceLock::new(), options, port })
    }

    /// Creates an empty PostgreSQL database in Latin-1, which has only Western European letters.
    #[must_use]
    pub fn in_latin1() -> Self {
        let options = "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0";
        Self::with_options(&Cluster::shared(), options)
    }

    /// Returns the same PostgreSQL database through a proxy on another port.
    ///
    /// # Panics
    /// On SQLite.
    #[must_use]
    pub fn through(&self, port: u16) -> Self {
        let Location::Postgres { cluster, options, .. } = &self.location else {
            panic!("a file has no port");
        };
        let (cluster, name) = (Arc::clone(cluster), OnceLock::from(self.name().to_owned()));
        let database = Self::at(Location::Postgres { cluster, name, options, port });
        Self { default_key: self.default_key.clone(), ..database }
    }

    fn at(location: Location) -> Self {
        Self { location, directory: Directory::new(), default_key: OnceLock::new() }
    }

    /// Creates the schema.
    #[track_caller]
    #[must_use]
    pub fn migrated(self) -> Self {
        static TEMPLATE: OnceLock<Database> = OnceLock::new();
        let create = || Self::on(&Cluster::shared()).migrate();
        match self.copy_of(&TEMPLATE, create) {
            Some(_) => self,
            None => self.migrate(),
        }
    }

    /// Adds the owner `default` on PostgreSQL; on SQLite the first start of a server adds it.
    #[track_caller]
    #[must_use]
    pub fn with_default_owner(self) -> Self {
        static TEMPLATE: OnceLock<Database> = OnceLock::new();
        if self.store() == Store::Sqlite {
            return self;
        }
        let create = || Self::on(&Cluster::shared()).migrate().add_default_owner();
        match self.copy_of(&TEMPLATE, create) {
            Some(template) => {
                self.set_default_key(template.default_key().to_owned());
                self
            }
            None => self.migrate().add_default_owner(),
        }
    }

    /// Creates the database as a copy of `template`, and returns that. Returns `None` unless the
    /// database is one of the shared server, whose options are the defaults, and not created yet.
    ///
    /// A copy takes a fraction of the time of a migration. All copies have the secret of the
    /// template.
    fn copy_of<'t>(
        &self,
        template: &'t OnceLock<Self>,
        create: impl FnOnce() -> Self,
    ) -> Option<&'t Self> {
        let Location::Postgres { cluster, name, options: "", .. } = &self.location else {
            return None;
        };
        if name.get().is_some() || !cluster.is_shared() {
            return None;
        }
        let template = template.get_or_init(create);
        let options = format!("TEMPLATE {} STRATEGY FILE_COPY", template.name());
        name.set(cluster.create_database(&options)).expect("it is not created yet");
        Some(template)
    }

    #[track_caller]
    fn migrate(self) -> Self {
        self.terse(&["migrate"]).done();
        self
    }

    #[track_caller]
    fn add_default_owner(self) -> Self {
        self.set_default_key(self.terse(&["migrate", "--create"]).key());
        self
    }

    /// Returns the kind of database.
    #[must_use]
    pub fn store(&self) -> Store {
        match self.location {
            Location::Sqlite => Store::Sqlite,
            Location::Postgres { .. } => Store::Postgres,
        }
    }

    /// Returns the PostgreSQL server of the database, or `None` on SQLite.
    #[must_use]
    pub fn cluster(&self) -> Option<&Arc<Cluster>> {
        match &self.location {
            Location::Sqlite => None,
            Location::Postgres { cluster, .. } => Some(cluster),
        }
    }

    /// Returns whether a server that starts now creates an owner and prints its key.
    pub(crate) fn is_first_start(&self) -> bool {
        self.store() == Store::Sqlite && !self.file().exists()
    }

    /// Returns whether no command has created a file or a table.
    ///
    /// # Panics
    /// If the directory is gone.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        let mut files = std::fs::read_dir(self.directory()).expect("the directory exists");
        files.next().is_none() && (self.store() == Store::Sqlite || self.tables().is_empty())
    }

    fn tables(&self) -> String {
        self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    }

    /// Returns the bytes of all files of the database, or a dump of it on PostgreSQL.
    ///
    /// Tests search them for secrets and deleted data.
    ///
    /// # Panics
    /// If the database cannot be read.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        match &self.location {
            Location::Sqlite => {
                let files = std::fs::read_dir(self.directory()).expect("the directory exists");
                let read = |file: std::io::Result<std::fs::DirEntry>| std::fs::read(file?.path());
                files.flat_map(|file| read(file).expect("a readable file")).collect()
            }
            Location::Postgres { .. } => self.dump(&[]).into_bytes(),
        }
    }

    /// Returns the contents of a PostgreSQL database as SQL statements. `options` are those of
    /// `pg_dump`.
    ///
    /// # Panics
    /// On SQLite.
    #[track_caller]
    #[must_use]
    pub fn dump(&self, options: &[&str]) -> String {
        let cluster = self.cluster().expect("SQLite has no pg_dump");
        cluster.dump(self.name(), options)
    }

    /// Runs a statement on PostgreSQL with psql, and returns its rows, one per line.
    #[track_caller]
    pub fn sql(&self, statement: &str) -> String {
        assert_eq!(self.store(), Store::Postgres, "SQLite has no server");
        cluster::sql(&self.url(), statement)
    }

    /// Runs a statement on PostgreSQL as the superuser, and returns its rows, one per line.
    ///
    /// # Panics
    /// On SQLite.
    #[track_caller]
    pub fn admin_sql(&self, statement: &str) -> String {
        let cluster = self.cluster().expect("SQLite has no superuser");
        cluster.sql_in(self.name(), statement)
    }

    /// Runs SQL statements on either store, bypassing Terse.
    ///
    /// # Panics
    /// If the database refuses one.
    pub async fn execute(&self, statements: &str) {
        self.try_execute(statements).await.expect("the database accepts the statements");
    }

    /// Runs SQL statements that the database may refuse.
    ///
    /// # Errors
    /// The database's message.
    pub async fn try_execute(&self, statements: &str) -> Result<(), String> {
        let connection = self.connect().await;
        let result = connection.execute(statements).await;
        connection.close().await;
        result
    }

    /// Returns the number that a query on either store returns.
    ///
    /// # Panics
    /// If the query is invalid or returns no row.
    pub async fn number(&self, query: &str) -> i64 {
        let connection = self.connect().await;
        let number = connection.find_number(query).await.expect("a valid query");
        connection.close().await;
        number.expect("the query returns a row")
    }

    /// Opens a connection that bypasses Terse.
    pub async fn connect(&self) -> DirectConnection {
        match self.location {
            Location::Sqlite => DirectConnection::open_file(&self.file()),
            Location::Postgres { .. } => DirectConnection::open_url(&self.url()).await,
        }
    }

    /// Opens a connection that bypasses Terse, on PostgreSQL as the superuser.
    pub async fn connect_as_admin(&self) -> DirectConnection {
        match &self.location {
            Location::Sqlite => self.connect().await,
            Location::Postgres { cluster, .. } => {
                DirectConnection::open_url(&cluster.admin_url(self.name())).await
            }
        }
    }

    /// Changes a setting of the PostgreSQL database for all future connections.
    #[track_caller]
    pub fn set(&self, setting: &str, value: &str) {
        self.sql(&format!("ALTER DATABASE {} SET {setting} = '{value}'", self.name()));
    }

    fn name(&self) -> &str {
        match &self.location {
            Location::Sqlite => panic!("a file has a path"),
            Location::Postgres { cluster, name, options, .. } => {
                name.get_or_init(|| cluster.create_database(options))
            }
        }
    }

    /// Returns whether no client is connected to the PostgreSQL database. On SQLite, always returns
    /// `true`.
    ///
    /// PostgreSQL completes the statements of a killed client.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let others = "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()
             AND backend_type = 'client backend'";
        self.store() == Store::Sqlite || self.sql(others) == "0"
    }

    /// Returns whether a database on PostgreSQL responds within 2 seconds.
    #[must_use]
    pub fn responds(&self) -> bool {
        cluster::responds(&self.url())
    }

    /// Returns the working directory of the servers, which contains the database file of SQLite.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the path of SQLite's database file.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.directory().join("t.db")
    }

    /// Returns the URL for `--database-url`.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.location {
            Location::Sqlite => format!("sqlite://{}?mode=rwc", self.file().display()),
            Location::Postgres { port, .. } => {
                format!("postgres://terse@127.0.0.1:{port}/{}", self.name())
            }
        }
    }

    /// Returns the key of the owner `default`.
    #[track_caller]
    pub fn default_key(&self) -> &str {
        self.default_key.get().expect("the database has the owner `default`")
    }

    #[track_caller]
    pub(crate) fn set_default_key(&self, key: String) {
        self.default_key.set(key).expect("the owner `default` is added once");
    }

    /// Returns a command that runs `terse` with this database as its only setting.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = terse();
        command.current_dir(self.directory()).env("TERSE_DATABASE_URL", self.url());
        // Most requests about webhooks are those of any other operation.
        command.env("TERSE_WEBHOOKS", "true").env("TERSE_WEBHOOK_INSECURE", "true");
        command.env("TERSE_WEBHOOK_ALLOW", "127.0.0.0/8");
        // By default, a clock closes months only after it has run for an hour.
        command.env("TERSE_CLOSE_DELAY", "0");
        command
    }

    /// Runs `terse` with these arguments.
    ///
    /// # Panics
    /// If it does not start.
    pub fn terse(&self, arguments: &[&str]) -> Outcome {
        let output = self.command().args(arguments).output();
        Outcome::new(arguments, &output.expect("terse starts"))
    }

    /// Adds an owner on that plan, and returns its key.
    #[track_caller]
    pub fn owner(&self, name: &str, plan: &str) -> String {
        self.terse(&["owner", "add", name, "--plan", plan]).key()
    }

    /// Adds an operator key with this role, and returns it.
    #[track_caller]
    pub fn operator_key(&self, name: &str, role: &str) -> String {
        self.terse(&["operator", "add", name, "--role", role]).operator_key()
    }

    /// Creates a plan.
    #[track_caller]
    pub fn plan(&self, name: &str, max_links: &str, custom_codes: bool) {
        let custom_codes = custom_codes.to_string();
        let limits = ["--max-links", max_links, "--custom-codes", &custom_codes];
        self.terse(&[&["plan", "add", name], limits.as_slice()].concat()).done();
    }

    /// Returns the id of the key with that label, as the command line lists it.
    #[track_caller]
    pub fn key_id(&self, owner: &str, label: &str) -> String {
        let listed = self.terse(&["key", "list", owner, "--json"]).json();
        let key = find_object(&listed, "label", label).expect("the key is listed");
        let id = &key["id"];
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    }
}
