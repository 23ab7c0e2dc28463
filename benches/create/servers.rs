//! The servers that are compared.

use std::time::Duration;

use crate::common::files::Files;
use crate::common::measure::Measuring;
use crate::common::server::{Place, Server, run};
use crate::common::store::Store;
use crate::common::{Result, metrics};
use crate::rows;
use crate::wishes::count;
use crate::wishes::traffic::Wishes;

/// All servers, with the key and the number of links of each one's only owner.
pub(crate) struct Servers {
    servers: Vec<Server>,
    keys: Vec<String>,
    links: Vec<u64>,
}

impl Servers {
    /// The floor and Terse on each store.
    pub(crate) fn start(files: &Files, stores: &[Store]) -> Result<Self> {
        let mut servers = vec![Server::floor(files, "bare poem", &[])?];
        let mut keys = vec![String::new()];
        for &store in stores {
            servers.push(Server::terse(Place::new(store, files)?, |url, _| {
                keys.push(run(url, &["owner", "add", "bench", "--plan", "unlimited"])?);
                Ok(Vec::new())
            })?);
        }
        let keys: Vec<String> = keys.iter().map(|key| key.trim().to_owned()).collect();
        let links = vec![0; servers.len()];
        Ok(Self { servers, keys, links })
    }

    /// Wishes for that server.
    pub(crate) fn wishes(&self, which: usize) -> Wishes {
        Wishes::new(&self.keys[which])
    }

    /// Rows a second that the server's database takes on its own, so many a transaction.
    pub(crate) fn alone(&mut self, which: usize, rows: f64, time: Duration) -> Result<f64> {
        let Some(database) = &self.servers[which].database else { return Ok(0.0) };
        let (rate, made) = rows::insert(database, rows as u64, self.links[which], time)?;
        self.links[which] += made;
        Ok(rate)
    }
}

impl Measuring for Servers {
    fn servers(&self) -> Vec<&Server> {
        self.servers.iter().collect()
    }

    /// Nothing is left for later.
    fn settle(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn batches(&self, which: usize) -> Result<u64> {
        let server = &self.servers[which];
        match server.database {
            Some(_) => metrics::count(server.address, "terse_link_batches_total"),
            None => Ok(0),
        }
    }

    fn check(&mut self, which: usize, answered: u64) -> Result<()> {
        self.links[which] += answered;
        if let Some(database) = &self.servers[which].database {
            count::check(database, self.links[which])?;
        }
        Ok(())
    }
}
