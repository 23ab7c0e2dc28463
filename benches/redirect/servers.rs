//! The compared servers.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::{Cluster, Store};

use crate::options::Options;
use crate::{blocking, standby};
use bench_common::database::Database;
use bench_common::measure::Measuring;
use bench_common::server::{Program, Server, start_instance};
use bench_common::visits::traffic::{code, destination};
use bench_common::visits::{clicks, fill, settle};
use bench_common::{Result, metrics};

/// How long the benchmark waits until the server of a standby has delivered its clicks.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(20);

/// All servers, and the number of redirects that each has sent.
pub(crate) struct Servers {
    servers: Vec<Server>,
    redirects: Vec<u64>,
    /// The number of the first of the two servers that share a database, and its standby, which runs
    /// until this value is dropped.
    pair: Option<(usize, Arc<Cluster>)>,
}

impl Servers {
    /// Starts the baseline, and Terse on each store, all with that number of links.
    pub(crate) fn start(links: u32, options: &Options) -> Result<Self> {
        let mut pair = None;
        let mut servers = vec![Server::baseline("bare poem", &[links.to_string()])?];
        let prepare = |location: &harness::Database, connection: &Database| {
            location.owner("bench", "unlimited");
            fill::fill(connection, links)?;
            settle(connection)?;
            let cache_size = options.cache_size.map(|size| size.to_string());
            let option = |size| vec!["--cache-size".to_owned(), size];
            Ok(cache_size.map_or_else(Vec::new, option))
        };
        for &store in &options.common.stores {
            servers.push(Server::terse(store, None, prepare)?);
            if let Some(patterns) = options.block_patterns {
                servers.push(blocking::start(store, patterns, prepare)?);
            }
            if store == Store::Postgres
                && let Some(instances) = options.instances
            {
                servers.push(start_instances(instances, prepare)?);
            }
            if store == Store::Postgres && options.standby {
                let started = standby::start(prepare)?;
                pair = Some((servers.len(), started.standby));
                servers.extend(started.servers);
            }
        }
        for server in &servers {
            check_redirect(server)?;
        }
        let redirects = vec![1; servers.len()];
        Ok(Self { servers, redirects, pair })
    }

    /// Returns the servers whose clicks are in the database of this one.
    fn sharing(&self, which: usize) -> Range<usize> {
        match self.pair {
            Some((first, _)) if (first..first + 2).contains(&which) => first..first + 2,
            Some(_) | None => which..which + 1,
        }
    }
}

/// Waits until no clicks are on the disk of a server.
fn wait_for_delivery(server: &Server) -> Result<()> {
    let deadline = Instant::now() + DELIVERY_TIMEOUT;
    while metrics::count(server.address()?, "terse_clicks_undelivered")? > 0 {
        if Instant::now() > deadline {
            return Err(format!("{}: clicks are not delivered", server.name).into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Starts this number of instances on one new PostgreSQL database.
fn start_instances(
    instances: u16,
    prepare: impl FnOnce(&harness::Database, &Database) -> Result<Vec<String>>,
) -> Result<Server> {
    let mut arguments = Vec::new();
    let mut server = Server::terse(Store::Postgres, None, |location, database| {
        arguments = prepare(location, database)?;
        Ok(arguments.clone())
    })?;
    if let Program::Terse(first) = &server.program {
        let database = first.database();
        let start = |_| start_instance(database, &arguments);
        server.others = (1..instances).map(start).collect();
    }
    server.name = "together";
    Ok(server)
}

/// Checks that the server redirects its first link to the destination.
fn check_redirect(server: &Server) -> Result<()> {
    let response = metrics::get(server.address()?, &format!("/{}", code(0)))?;
    let location = format!("location: {}\r\n", destination(&code(0)));
    if !response.starts_with("HTTP/1.1 302 ") || !response.contains(&location) {
        return Err(format!("{} returns {response}", server.name).into());
    }
    Ok(())
}

impl Measuring for Servers {
    fn servers(&self) -> Vec<&Server> {
        self.servers.iter().collect()
    }

    /// Waits until no clicks are pending.
    fn settle(&self, which: usize) -> Result<()> {
        let server = &self.servers[which];
        match &server.database {
            Some(database) => {
                wait_for_delivery(server)?;
                clicks::wait_for_rollup(server.name, database)
            }
            None => Ok(()),
        }
    }

    fn batches(&self, which: usize) -> Result<u64> {
        let server = &self.servers[which];
        match server.database {
            Some(_) => server
                .addresses()?
                .into_iter()
                .map(|address| metrics::count(address, "terse_click_batches_total"))
                .sum(),
            None => Ok(0),
        }
    }

    fn check(&mut self, which: usize, responses: u64) -> Result<()> {
        self.redirects[which] += responses;
        if let Some(database) = &self.servers[which].database {
            let sent: u64 = self.redirects[self.sharing(which)].iter().sum();
            let counted = clicks::sum(database)?;
            if counted != sent {
                return Err(format!("{sent} redirects were sent, {counted} are counted").into());
            }
        }
        Ok(())
    }
}
