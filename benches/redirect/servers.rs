//! The servers that are compared.

use crate::common::database::Database;
use crate::common::files::Files;
use crate::common::measure::Measuring;
use crate::common::server::{Instance, Place, Server, run};
use crate::common::store::Store;
use crate::common::{Result, metrics};
use crate::database;
use crate::options::Options;
use crate::visits::traffic::{code, destination};
use crate::visits::{clicks, settle};

/// All servers, and how many redirects each has answered.
pub(crate) struct Servers {
    servers: Vec<Server>,
    answered: Vec<u64>,
}

impl Servers {
    /// The floor and Terse on each store, each with that many links.
    pub(crate) fn start(links: u32, files: &Files, options: &Options) -> Result<Self> {
        let mut servers = vec![Server::floor(files, "bare poem", &[links.to_string()])?];
        let prepare = |url: &str, filled: &Database| {
            run(url, &["owner", "add", "bench", "--plan", "unlimited"])?;
            database::fill(filled, links)?;
            settle(filled)?;
            let cache_size = options.cache_size.map(|size| size.to_string());
            let option = |size| vec!["--cache-size".to_owned(), size];
            Ok(cache_size.map_or_else(Vec::new, option))
        };
        for &store in &options.common.stores {
            servers.push(Server::terse(Place::new(store, files)?, prepare)?);
            if store == Store::Postgres
                && let Some(instances) = options.instances
            {
                servers.push(together(instances, files, prepare)?);
            }
        }
        for server in &servers {
            redirects(server)?;
        }
        let answered = vec![1; servers.len()];
        Ok(Self { servers, answered })
    }
}

/// So many instances on one PostgreSQL.
fn together(
    instances: u16,
    files: &Files,
    prepare: impl FnOnce(&str, &Database) -> Result<Vec<String>>,
) -> Result<Server> {
    let place = Place::new(Store::Postgres, files)?;
    let (url, mut arguments) = (place.url.clone(), Vec::new());
    let mut server = Server::terse(place, |url, database| {
        arguments = prepare(url, database)?;
        Ok(arguments.clone())
    })?;
    for _ in 1..instances {
        server.others.push(Instance::start(&url, &arguments, files.directory()?)?);
    }
    server.name = "together";
    Ok(server)
}

/// Sees that it redirects to where it should.
fn redirects(server: &Server) -> Result<()> {
    let answer = metrics::get(server.address, &format!("/{}", code(0)))?;
    let location = format!("location: {}\r\n", destination(&code(0)));
    if !answer.starts_with("HTTP/1.1 302 ") || !answer.contains(&location) {
        return Err(format!("{} answers {answer}", server.name).into());
    }
    Ok(())
}

impl Measuring for Servers {
    fn servers(&self) -> Vec<&Server> {
        self.servers.iter().collect()
    }

    /// Waits until what was clicked is added up.
    fn settle(&self, which: usize) -> Result<()> {
        let server = &self.servers[which];
        match &server.database {
            Some(database) => clicks::wait_for_fold(server.name, database),
            None => Ok(()),
        }
    }

    fn batches(&self, which: usize) -> Result<u64> {
        let server = &self.servers[which];
        match server.database {
            Some(_) => server
                .addresses()
                .into_iter()
                .map(|address| metrics::count(address, "terse_click_batches_total"))
                .sum(),
            None => Ok(0),
        }
    }

    fn check(&mut self, which: usize, answered: u64) -> Result<()> {
        self.answered[which] += answered;
        if let Some(database) = &self.servers[which].database {
            let (answered, counted) = (self.answered[which], clicks::sum(database)?);
            if counted != answered {
                return Err(format!("{answered} redirects were answered, {counted} counted").into());
            }
        }
        Ok(())
    }
}
