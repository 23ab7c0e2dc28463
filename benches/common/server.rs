//! The servers that are compared: each a process of its own.

use std::net::SocketAddr;
use std::process::Command;

use tempfile::TempDir;

use super::database::Database;
use super::files::Files;
use super::postgres::Cluster;
use super::store::Store;
use super::supervised::{Supervised, free_address};
use super::{Result, processor};

/// The benchmark's first argument when it is to be the floor.
const FLOOR: &str = "floor";

/// What the floor is told, where this process is to be it.
pub(crate) fn arguments_of_floor() -> Option<Vec<String>> {
    let mut arguments = std::env::args().skip(1);
    (arguments.next()? == FLOOR).then(|| arguments.collect())
}

/// A running server.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    pub(crate) process: Supervised,
    /// Further instances on its database.
    pub(crate) others: Vec<Instance>,
    /// None where nothing is kept.
    pub(crate) database: Option<Database>,
    /// Ends after the server that uses it.
    cluster: Option<Cluster>,
}

/// A process that serves a database.
pub(crate) struct Instance {
    address: SocketAddr,
    process: Supervised,
}

/// Where a database is to be.
pub(crate) struct Place {
    name: &'static str,
    pub(crate) url: String,
    directory: TempDir,
    cluster: Option<Cluster>,
}

impl Place {
    /// A new one, with nothing in it.
    pub(crate) fn new(store: Store, files: &Files) -> Result<Self> {
        let directory = files.directory()?;
        Ok(match store {
            Store::Sqlite => {
                let file = directory.path().join("terse.db");
                let url = format!("sqlite://{}?mode=rwc", file.display());
                Self { name: "SQLite", url, directory, cluster: None }
            }
            Store::Postgres => {
                let cluster = Cluster::start(files.directory()?)?;
                Self { name: "PostgreSQL", url: cluster.url(), directory, cluster: Some(cluster) }
            }
        })
    }
}

impl Server {
    /// This program, told to be the floor: with its address and these arguments.
    pub(crate) fn floor(files: &Files, name: &'static str, arguments: &[String]) -> Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args([FLOOR, &address.to_string()]).args(arguments);
        let process = Supervised::start(command, "KILL", files.directory()?)?;
        process.wait_for(address)?;
        Ok(Self { name, address, process, others: Vec::new(), database: None, cluster: None })
    }

    /// Terse on the database there, which `prepare` is given before the server starts: it returns
    /// further arguments for the server.
    pub(crate) fn terse(
        place: Place,
        prepare: impl FnOnce(&str, &Database) -> Result<Vec<String>>,
    ) -> Result<Self> {
        let Place { name, url, directory, cluster } = place;
        run(&url, &["migrate"])?;
        let database = Database::open(&url)?;
        let arguments = prepare(&url, &database)?;
        let Instance { address, process } = Instance::start(&url, &arguments, directory)?;
        Ok(Self { name, address, process, others: Vec::new(), database: Some(database), cluster })
    }

    /// Where to ask it.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        let others = self.others.iter().map(|other| other.address);
        std::iter::once(self.address).chain(others).collect()
    }

    /// Seconds of processor time that it has taken, with its database.
    pub(crate) fn processor(&self) -> Result<f64> {
        let mut server = processor::seconds(self.process.id, None)?;
        for other in &self.others {
            server += processor::seconds(other.process.id, None)?;
        }
        let Some(cluster) = &self.cluster else { return Ok(server) };
        // What the benchmark asks of the database is not the server's doing.
        let except = self.database.as_ref().and_then(|database| database.process);
        Ok(server + processor::seconds(cluster.process.id, except)?)
    }
}

impl Instance {
    /// Serves the database there.
    pub(crate) fn start(url: &str, arguments: &[String], directory: TempDir) -> Result<Self> {
        let address = free_address()?;
        let mut command = terse(url);
        command.args(["serve", "--listen", &address.to_string()]).args(arguments);
        let process = Supervised::start(command, "TERM", directory)?;
        process.wait_for(address)?;
        Ok(Self { address, process })
    }
}

/// Runs a command of Terse on that database; returns what it says.
pub(crate) fn run(url: &str, arguments: &[&str]) -> Result<String> {
    let output = terse(url).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// `terse`, set to this database and to nothing else.
pub(crate) fn terse(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terse"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TERSE_") {
            command.env_remove(name);
        }
    }
    command.env("TERSE_DATABASE_URL", url);
    command
}
