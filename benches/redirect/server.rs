//! The servers that are compared.

use std::net::SocketAddr;
use std::process::Command;

use tempfile::TempDir;

use crate::database::Database;
use crate::files::Files;
use crate::postgres::Cluster;
use crate::supervised::{Supervised, free_address};
use crate::traffic::{code, destination};
use crate::{Result, floor, metrics, processor};

/// A server that answers redirects.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    process: Supervised,
    /// None where nothing is counted.
    pub(crate) counting: Option<Counting>,
    /// Ends after the server that uses it.
    cluster: Option<Cluster>,
}

/// What a server counts, seen from its database.
pub(crate) struct Counting {
    pub(crate) database: Database,
    /// Redirects that were answered since the server started.
    pub(crate) answered: u64,
}

impl Server {
    pub(crate) fn floor(files: &Files, links: u32) -> Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args([floor::COMMAND, &address.to_string(), &links.to_string()]);
        let process = Supervised::start(&command, "KILL", files.directory()?)?;
        Self { name: "bare poem", address, process, counting: None, cluster: None }.ready()
    }

    pub(crate) fn on_sqlite(files: &Files, links: u32, cache_size: Option<u32>) -> Result<Self> {
        let files = files.directory()?;
        let url = format!("sqlite://{}/terse.db?mode=rwc", files.path().display());
        Self::terse("SQLite", &url, files, None, links, cache_size)
    }

    pub(crate) fn on_postgres(files: &Files, links: u32, cache_size: Option<u32>) -> Result<Self> {
        let cluster = Cluster::start(files.directory()?)?;
        let url = cluster.url();
        Self::terse("PostgreSQL", &url, files.directory()?, Some(cluster), links, cache_size)
    }

    fn terse(
        name: &'static str,
        url: &str,
        files: TempDir,
        cluster: Option<Cluster>,
        links: u32,
        cache_size: Option<u32>,
    ) -> Result<Self> {
        run(terse(url).arg("migrate"))?;
        run(terse(url).args(["owner", "add", "bench", "--plan", "unlimited"]))?;
        let database = Database::open(url)?;
        database.fill(links)?;
        let address = free_address()?;
        let mut command = terse(url);
        command.args(["serve", "--listen", &address.to_string()]);
        if let Some(mebibytes) = cache_size {
            command.args(["--cache-size", &mebibytes.to_string()]);
        }
        let process = Supervised::start(&command, "TERM", files)?;
        let counting = Some(Counting { database, answered: 0 });
        Self { name, address, process, counting, cluster }.ready()
    }

    /// Waits for it, and sees that it redirects to where it should.
    fn ready(mut self) -> Result<Self> {
        self.process.wait_for(self.address)?;
        let answer = metrics::get(self.address, &format!("/{}", code(0)))?;
        let location = format!("location: {}\r\n", destination(&code(0)));
        if !answer.starts_with("HTTP/1.1 302 ") || !answer.contains(&location) {
            return Err(format!("{} answers {answer}", self.name).into());
        }
        if let Some(counting) = &mut self.counting {
            counting.answered += 1;
        }
        Ok(self)
    }

    /// Seconds of processor time that it has taken, with its database.
    pub(crate) fn processor(&self) -> Result<f64> {
        let server = processor::seconds(self.process.id, None)?;
        let Some(cluster) = &self.cluster else { return Ok(server) };
        // What the benchmark asks of the database is not the server's doing.
        let except = self.counting.as_ref().and_then(|counting| counting.database.process);
        Ok(server + processor::seconds(cluster.process.id, except)?)
    }

    /// Batches of clicks that it has stored.
    pub(crate) fn batches(&self) -> Result<u64> {
        if self.counting.is_some() { metrics::batches(self.address) } else { Ok(0) }
    }

    /// Waits until what was clicked is added up.
    pub(crate) fn settle(&self) -> Result<()> {
        if let Some(counting) = &self.counting
            && !counting.database.wait_for_fold()?
        {
            eprintln!("{}: clicks are still being added up; that is not in its figures", self.name);
        }
        Ok(())
    }
}

impl Counting {
    /// Takes note of redirects that were answered: that many clicks there must be, no more or less.
    pub(crate) fn expect(&mut self, answered: u64) -> Result<()> {
        self.answered += answered;
        let counted = self.database.clicks()?;
        if counted != self.answered {
            let answered = self.answered;
            return Err(format!("{answered} redirects were answered, {counted} counted").into());
        }
        Ok(())
    }
}

/// `terse`, set to this database and to nothing else.
fn terse(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terse"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TERSE_") {
            command.env_remove(name);
        }
    }
    command.env("TERSE_DATABASE_URL", url);
    command
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(())
}
