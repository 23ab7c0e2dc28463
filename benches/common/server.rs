//! The compared servers, each in a process of its own.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use harness::{Cluster, Process, Store, TIMEOUT, free_port, until};

use super::database::Database;
use super::{Result, processor};

/// First argument of this program when it runs as the baseline.
const BASELINE: &str = "baseline";

/// Returns the arguments of the baseline if this process is to run as the baseline.
pub fn baseline_arguments() -> Option<Vec<String>> {
    let mut arguments = std::env::args().skip(1);
    (arguments.next()? == BASELINE).then(|| arguments.collect())
}

/// A running server.
pub struct Server {
    pub name: &'static str,
    pub program: Program,
    /// Further instances on the same database.
    pub others: Vec<harness::Server>,
    /// A connection to the database; the baseline has none.
    pub database: Option<Database>,
}

/// The running process behind a server: the baseline, or Terse.
pub enum Program {
    Baseline { process: Process, address: SocketAddr },
    Terse(Box<harness::Server>),
}

impl Server {
    /// Starts this program as the baseline with these arguments.
    pub fn baseline(name: &'static str, arguments: &[String]) -> Result<Self> {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let mut command = Command::new(std::env::current_exe()?);
        command.args([BASELINE, &address.to_string()]).args(arguments).stdin(Stdio::null());
        let process = Process::spawn(&mut command, "KILL");
        let is_listening = || TcpStream::connect(address).is_ok().then_some(());
        until(TIMEOUT, || "the baseline listens", is_listening);
        let program = Program::Baseline { process, address };
        Ok(Self { name, program, others: Vec::new(), database: None })
    }

    /// Starts Terse on a new database; on SQLite, on a copy of `file` if that exists. `prepare`
    /// fills the database before the start, and returns further arguments of the server.
    pub fn terse(
        store: Store,
        file: Option<&Path>,
        prepare: impl FnOnce(&harness::Database, &Database) -> Result<Vec<String>>,
    ) -> Result<Self> {
        let (name, location) = match store {
            Store::Sqlite => ("SQLite", harness::Database::of(store)),
            Store::Postgres => ("PostgreSQL", harness::Database::on(&Cluster::durable())),
        };
        if let Some(file) = file.filter(|file| file.exists()) {
            std::fs::copy(file, location.file())?;
        }
        location.terse(&["migrate"]).done();
        let database = Database::open(&location)?;
        let arguments = prepare(&location, &database)?;
        let program = Program::Terse(Box::new(start_instance(&Arc::new(location), &arguments)));
        Ok(Self { name, program, others: Vec::new(), database: Some(database) })
    }

    /// Returns the process id of the first instance.
    pub fn id(&self) -> u32 {
        match &self.program {
            Program::Baseline { process, .. } => process.id(),
            Program::Terse(server) => server.id(),
        }
    }

    /// Returns the address of the first instance.
    pub fn address(&self) -> Result<SocketAddr> {
        match &self.program {
            Program::Baseline { address, .. } => Ok(*address),
            Program::Terse(server) => Ok(server.authority().parse()?),
        }
    }

    /// Returns the addresses of all instances.
    pub fn addresses(&self) -> Result<Vec<SocketAddr>> {
        let others = self.others.iter().map(|other| Ok(other.authority().parse()?));
        std::iter::once(self.address()).chain(others).collect()
    }

    /// Returns the seconds of CPU time that the server and its database have taken.
    pub fn cpu_seconds(&self) -> Result<f64> {
        let mut seconds = processor::seconds(self.id(), None)?;
        for other in &self.others {
            seconds += processor::seconds(other.id(), None)?;
        }
        let Program::Terse(server) = &self.program else { return Ok(seconds) };
        let Some(cluster) = server.database().cluster() else { return Ok(seconds) };
        // The benchmark's own statements are not the server's.
        let except = self.database.as_ref().and_then(|database| database.process);
        Ok(seconds + processor::seconds(cluster.id(), except)?)
    }
}

/// Starts Terse on this database with these arguments.
pub fn start_instance(database: &Arc<harness::Database>, arguments: &[String]) -> harness::Server {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    harness::Server::with(database, &arguments)
}
