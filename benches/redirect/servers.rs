//! The compared servers.

use harness::Store;

use crate::blocking;
use crate::options::Options;
use bench_common::database::Database;
use bench_common::measure::Measuring;
use bench_common::server::{Program, Server, start_instance};
use bench_common::visits::traffic::{code, destination};
use bench_common::visits::{clicks, fill, settle};
use bench_common::{Result, metrics};

/// All servers, and the number of redirects that each has sent.
pub(crate) struct Servers {
    servers: Vec<Server>,
    redirects: Vec<u64>,
}

impl Servers {
    /// Starts the baseline, and Terse on each store, all with that number of links.
    pub(crate) fn start(links: u32, options: &Options) -> Result<Self> {
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
        }
        for server in &servers {
            check_redirect(server)?;
        }
        let redirects = vec![1; servers.len()];
        Ok(Self { servers, redirects })
    }
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
            Some(database) => clicks::wait_for_rollup(server.name, database),
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
            let (sent, counted) = (self.redirects[which], clicks::sum(database)?);
            if counted != sent {
                return Err(format!("{sent} redirects were sent, {counted} are counted").into());
            }
        }
        Ok(())
    }
}
