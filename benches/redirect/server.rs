//! The servers that are compared.

use crate::common::files::Files;
use crate::common::measure::Measuring;
use crate::common::server::{Server, run};
use crate::common::{Result, metrics};
use crate::database::Clicked as _;
use crate::options::Options;
use crate::traffic::{code, destination};

/// All servers, and how many redirects each has answered.
pub(crate) struct Servers {
    servers: Vec<Server>,
    answered: Vec<u64>,
}

impl Servers {
    /// The floor and Terse on each store, each with that many links.
    pub(crate) fn start(links: u32, files: &Files, options: &Options) -> Result<Self> {
        let mut servers = vec![Server::floor(files, "bare poem", &[links.to_string()])?];
        for &store in &options.stores {
            servers.push(Server::terse(store, files, |url, database| {
                run(url, &["owner", "add", "bench", "--plan", "unlimited"])?;
                database.fill(links)?;
                let cache_size = options.cache_size.map(|size| size.to_string());
                let option = |size| vec!["--cache-size".to_owned(), size];
                Ok(cache_size.map_or_else(Vec::new, option))
            })?);
        }
        for server in &servers {
            redirects(server)?;
        }
        let answered = vec![1; servers.len()];
        Ok(Self { servers, answered })
    }
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
        if let Some(database) = &server.database
            && !database.wait_for_fold()?
        {
            let name = server.name;
            eprintln!("{name}: clicks are still being added up; that is not in its figures");
        }
        Ok(())
    }

    fn batches(&self, which: usize) -> Result<u64> {
        let server = &self.servers[which];
        match server.database {
            Some(_) => metrics::count(server.address, "terse_click_batches_total"),
            None => Ok(0),
        }
    }

    fn check(&mut self, which: usize, answered: u64) -> Result<()> {
        self.answered[which] += answered;
        if let Some(database) = &self.servers[which].database {
            let (answered, counted) = (self.answered[which], database.clicks()?);
            if counted != answered {
                return Err(format!("{answered} redirects were answered, {counted} counted").into());
            }
        }
        Ok(())
    }
}
