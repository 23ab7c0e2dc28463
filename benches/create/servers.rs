//! The compared servers.

use std::time::Duration;

use harness::Store;

use crate::rows;
use bench_common::creations::count;
use bench_common::creations::traffic::Creations;
use bench_common::measure::Measuring;
use bench_common::server::Server;
use bench_common::{Result, metrics};

/// All servers, each with the key and the number of links of its only owner.
pub(crate) struct Servers {
    servers: Vec<Server>,
    keys: Vec<String>,
    links: Vec<u64>,
}

impl Servers {
    /// Starts the baseline, and Terse on each store.
    pub(crate) fn start(stores: &[Store]) -> Result<Self> {
        let mut servers = vec![Server::baseline("bare poem", &[])?];
        let mut keys = vec![String::new()];
        for &store in stores {
            servers.push(Server::terse(store, None, |location, _| {
                keys.push(location.owner("bench", "unlimited"));
                Ok(Vec::new())
            })?);
        }
        let links = vec![0; servers.len()];
        Ok(Self { servers, keys, links })
    }

    /// Returns requests that create links on that server.
    pub(crate) fn creations(&self, which: usize) -> Creations {
        Creations::new(&self.keys[which])
    }

    /// Returns the rows per second of the server's database without Terse, with this number of rows
    /// per transaction.
    pub(crate) fn rate_without_terse(
        &mut self,
        which: usize,
        rows: f64,
        time: Duration,
    ) -> Result<f64> {
        let Some(database) = &self.servers[which].database else { return Ok(0.0) };
        let (rate, inserted) = rows::insert(database, rows as u64, self.links[which], time)?;
        self.links[which] += inserted;
        Ok(rate)
    }
}

impl Measuring for Servers {
    fn servers(&self) -> Vec<&Server> {
        self.servers.iter().collect()
    }

    /// Creations defer no work.
    fn settle(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn batches(&self, which: usize) -> Result<u64> {
        let server = &self.servers[which];
        match server.database {
            Some(_) => metrics::count(server.address()?, "terse_link_batches_total"),
            None => Ok(0),
        }
    }

    fn check(&mut self, which: usize, responses: u64) -> Result<()> {
        self.links[which] += responses;
        if let Some(database) = &self.servers[which].database {
            count::check(database, self.links[which])?;
        }
        Ok(())
    }
}
