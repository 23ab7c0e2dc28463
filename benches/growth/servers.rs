//! The compared servers.

use std::fs::File;
use std::path::PathBuf;

use harness::Store;

use crate::fill;
use crate::loads::Load;
use crate::options::Options;
use bench_common::creations::count;
use bench_common::measure::Measuring;
use bench_common::server::Server;
use bench_common::visits::clicks;
use bench_common::{Result, metrics};

/// Number of links of the baseline. It is the same for all sizes of Terse's databases, because the
/// baseline measures the machine alone.
const BASELINE_LINKS: u32 = 10_000;

/// A server, and the expected contents of its database.
pub(crate) struct Filled {
    pub(crate) name: String,
    pub(crate) server: Server,
    pub(crate) store: Option<Store>,
    pub(crate) size: u32,
    /// Links per second of the import, if there was one.
    pub(crate) import: Option<f64>,
    pub(crate) key: String,
    /// The database file of SQLite.
    file: Option<PathBuf>,
    links: u64,
    clicks: u64,
}

/// The measured servers, and the kind of requests that they currently receive.
pub(crate) struct Servers {
    pub(crate) all: Vec<Filled>,
    pub(crate) load: Load,
}

impl Servers {
    /// Starts the baseline, and Terse on each store with each number of links.
    pub(crate) fn start(options: &Options) -> Result<Self> {
        let size = BASELINE_LINKS;
        let server = Server::baseline("bare poem", &[size.to_string()])?;
        let (name, key) = (server.name.to_owned(), String::new());
        let (store, import, file) = (None, None, None);
        let baseline = Filled { name, server, store, size, import, key, file, links: 0, clicks: 0 };
        let mut all = vec![baseline];
        for &store in &options.common.stores {
            for &size in &options.sizes {
                if store == Store::Sqlite || size <= options.max_on_postgres {
                    all.push(Filled::start(store, size, options)?);
                }
            }
        }
        Ok(Self { all, load: Load::Redirects })
    }
}

impl Filled {
    fn start(store: Store, size: u32, options: &Options) -> Result<Self> {
        if let Some(directory) = &options.keep {
            std::fs::create_dir_all(directory)?;
        }
        let directory = options.keep.as_deref().filter(|_| store == Store::Sqlite);
        let stored = directory.map(|directory| fill::stored_file(directory, size));
        let (mut import, mut key, mut file) = (None, String::new(), None);
        let server = Server::terse(store, stored.as_deref(), |location, database| {
            import = fill::fill(location, database, size)?;
            if store == Store::Sqlite {
                file = Some(location.file());
            }
            if let (Some(file), Some(stored)) = (&file, &stored)
                && !stored.exists()
            {
                // An incomplete copy must not have the name of a complete one.
                let part = stored.with_extension("part");
                std::fs::copy(file, &part)?;
                std::fs::rename(part, stored)?;
            }
            key = fill::add_key(location);
            Ok(Vec::new())
        })?;
        let name = format!("{}, {}", server.name, thousands(size));
        if !options.common.check {
            eprintln!("{name} links: ready");
        }
        let (links, clicks, store) = (size.into(), fill::all_clicks(size), Some(store));
        let filled = Self { name, server, store, size, import, key, file, links, clicks };
        filled.check()?;
        Ok(filled)
    }

    /// Reads all of SQLite's file, so that the system caches it: some systems (`DAMON`) drop pages
    /// that were unused while other servers were measured, even if memory is free.
    pub(crate) fn read_file(&self) -> Result<()> {
        if let Some(file) = &self.file {
            std::io::copy(&mut File::open(file)?, &mut std::io::sink())?;
        }
        Ok(())
    }

    /// Checks the contents of the database after this number of further redirects.
    pub(crate) fn check_after(&mut self, redirects: u64) -> Result<()> {
        self.clicks += redirects;
        self.check()
    }

    /// Checks the numbers of links and clicks in the database.
    fn check(&self) -> Result<()> {
        let Some(database) = &self.server.database else { return Ok(()) };
        count::check(database, self.links)?;
        let counted = clicks::sum(database)?;
        if counted != self.clicks {
            let clicks = self.clicks;
            return Err(format!("{clicks} clicks are expected, {counted} are counted").into());
        }
        Ok(())
    }
}

/// Returns a number with commas between groups of three digits.
fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8_lossy(&groups.join(&b',')).into_owned()
}

impl Measuring for Servers {
    fn servers(&self) -> Vec<&Server> {
        self.all.iter().map(|filled| &filled.server).collect()
    }

    fn settle(&self, which: usize) -> Result<()> {
        let Filled { name, server, .. } = &self.all[which];
        match &server.database {
            Some(database) => clicks::wait_for_rollup(name, database),
            None => Ok(()),
        }
    }

    fn batches(&self, which: usize) -> Result<u64> {
        let server = &self.all[which].server;
        match self.load.batches() {
            Some(name) if server.database.is_some() => metrics::count(server.address()?, name),
            _ => Ok(0),
        }
    }

    fn check(&mut self, which: usize, responses: u64) -> Result<()> {
        let filled = &mut self.all[which];
        match self.load {
            Load::ZipfRedirects | Load::Redirects => filled.clicks += responses,
            Load::Create => filled.links += responses,
            Load::ZipfStatistics | Load::Statistics | Load::List => {}
        }
        filled.check()
    }
}
