//! The servers that are compared.

use std::fs::File;
use std::path::PathBuf;

use crate::common::files::Files;
use crate::common::measure::Measuring;
use crate::common::server::{Place, Server};
use crate::common::store::Store;
use crate::common::{Result, metrics};
use crate::fill;
use crate::loads::Load;
use crate::options::Options;
use crate::visits::clicks;
use crate::wishes::count;

/// Links that the floor knows and is asked for, however many Terse has: it is to tell how the machine
/// was, and nothing else.
const LINKS_OF_FLOOR: u32 = 10_000;

/// A server, what it was filled with and what it must have.
pub(crate) struct Filled {
    pub(crate) name: String,
    pub(crate) server: Server,
    pub(crate) store: Option<Store>,
    pub(crate) size: u32,
    /// Links a second while it was filled, where it was.
    pub(crate) import: Option<f64>,
    pub(crate) key: String,
    /// SQLite's.
    file: Option<PathBuf>,
    links: u64,
    clicks: u64,
}

/// All servers, and what they are asked for at the moment.
pub(crate) struct Servers {
    pub(crate) all: Vec<Filled>,
    pub(crate) load: Load,
}

impl Servers {
    /// The floor and Terse on each store, with a few links and with many.
    pub(crate) fn start(files: &Files, options: &Options) -> Result<Self> {
        let size = LINKS_OF_FLOOR;
        let server = Server::floor(files, "bare poem", &[size.to_string()])?;
        let (name, key) = (server.name.to_owned(), String::new());
        let (store, import, file) = (None, None, None);
        let floor = Filled { name, server, store, size, import, key, file, links: 0, clicks: 0 };
        let mut all = vec![floor];
        for &store in &options.common.stores {
            for &size in &options.sizes {
                if store == Store::Sqlite || size <= options.most_on_postgres {
                    all.push(Filled::start(store, size, files, options)?);
                }
            }
        }
        Ok(Self { all, load: Load::Redirects })
    }
}

impl Filled {
    fn start(store: Store, size: u32, files: &Files, options: &Options) -> Result<Self> {
        let place = Place::new(store, files)?;
        let file = place.url.strip_prefix("sqlite://").and_then(|rest| rest.split('?').next());
        let file = file.map(PathBuf::from);
        let kept = options.keep.as_deref().map(|directory| fill::kept(directory, size));
        let kept = file.clone().zip(kept);
        if let Some((file, kept)) = &kept
            && kept.exists()
        {
            std::fs::copy(kept, file)?;
        }
        if let Some(directory) = &options.keep {
            std::fs::create_dir_all(directory)?;
        }
        let (mut import, mut key) = (None, String::new());
        let server = Server::terse(place, |url, database| {
            import = fill::fill(url, database, size)?;
            if let Some((file, kept)) = &kept
                && !kept.exists()
            {
                // One that was broken off must not be taken for a whole one.
                let part = kept.with_extension("part");
                std::fs::copy(file, &part)?;
                std::fs::rename(part, kept)?;
            }
            key = fill::key(url)?;
            Ok(Vec::new())
        })?;
        let name = format!("{}, {}", server.name, thousands(size));
        if !options.common.check {
            eprintln!("{name} links: there");
        }
        let (links, clicks, store) = (size.into(), fill::all_clicks(size), Some(store));
        let filled = Self { name, server, store, size, import, key, file, links, clicks };
        filled.check()?;
        Ok(filled)
    }

    /// Reads SQLite's file through, so that the system has all of it in its memory: some give up what
    /// was not asked for while others were measured (`DAMON`), however much memory is free.
    pub(crate) fn read_through(&self) -> Result<()> {
        if let Some(file) = &self.file {
            std::io::copy(&mut File::open(file)?, &mut std::io::sink())?;
        }
        Ok(())
    }

    /// Sees that its database has exactly what it should.
    fn check(&self) -> Result<()> {
        let Some(database) = &self.server.database else { return Ok(()) };
        count::check(database, self.links)?;
        let counted = clicks::sum(database)?;
        if counted != self.clicks {
            let clicks = self.clicks;
            return Err(format!("{clicks} clicks were answered, {counted} are counted").into());
        }
        Ok(())
    }
}

/// With commas.
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
            Some(database) => clicks::wait_for_fold(name, database),
            None => Ok(()),
        }
    }

    fn batches(&self, which: usize) -> Result<u64> {
        let server = &self.all[which].server;
        match self.load.batches() {
            Some(name) if server.database.is_some() => metrics::count(server.address, name),
            _ => Ok(0),
        }
    }

    fn check(&mut self, which: usize, answered: u64) -> Result<()> {
        let filled = &mut self.all[which];
        match self.load {
            Load::ZipfRedirects | Load::Redirects => filled.clicks += answered,
            Load::Create => filled.links += answered,
            Load::ZipfStatistics | Load::Statistics | Load::List => {}
        }
        filled.check()
    }
}
