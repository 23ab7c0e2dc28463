//! A server of a primary and a server of its standby.

use std::sync::Arc;

use harness::{Cluster, Store, TIMEOUT, until};

use bench_common::database::Database;
use bench_common::measure::Measured;
use bench_common::rounds::Rounds;
use bench_common::server::{Program, Server, start_instance};
use bench_common::{Result, report};

const NAMES: [&str; 2] = ["with a standby", "the standby"];

/// The two servers, and the standby.
pub(crate) struct Pair {
    pub(crate) servers: [Server; 2],
    pub(crate) standby: Arc<Cluster>,
}

/// Starts both servers. The second one delivers its clicks to the primary.
pub(crate) fn start(
    prepare: impl FnOnce(&harness::Database, &Database) -> Result<Vec<String>>,
) -> Result<Pair> {
    let mut arguments = Vec::new();
    let mut first = Server::terse(Store::Postgres, None, |location, database| {
        arguments = prepare(location, database)?;
        Ok(arguments.clone())
    })?;
    first.name = NAMES[0];
    let Program::Terse(server) = &first.program else { return Err("no Terse".into()) };
    let location = Arc::clone(server.database());
    let primary = location.cluster().ok_or("no PostgreSQL")?;
    let standby = primary.standby();
    let end = primary.sql("SELECT pg_current_wal_lsn()");
    let is_complete = format!("SELECT pg_last_wal_replay_lsn() >= '{end}'");
    until(TIMEOUT, || standby.log(), || standby.sql(&is_complete).eq("t").then_some(()));

    arguments.extend(["--primary-url".to_owned(), location.url()]);
    let replica = Arc::new(location.through(standby.port()));
    let second = Server {
        name: NAMES[1],
        program: Program::Terse(Box::new(start_instance(&replica, &arguments))),
        others: Vec::new(),
        database: Some(Database::open(&location)?),
    };
    Ok(Pair { servers: [first, second], standby })
}

/// Prints the ratio of both servers to the one that has no standby.
pub(crate) fn print(names: &[&str], rounds: &Rounds) {
    let position = |name| names.iter().position(|found| *found == name);
    let Some(alone) = position("PostgreSQL") else { return };
    for name in NAMES {
        let Some(number) = position(name) else { continue };
        let ratio = |field: fn(&Measured) -> f64| {
            let pairs = rounds.servers[number].iter().zip(&rounds.servers[alone]);
            let ratios: Vec<f64> = pairs.map(|(one, alone)| field(one) / field(alone)).collect();
            report::median_and_range(&ratios)
        };
        let (rate, p99) = (ratio(|one| one.rate), ratio(|one| one.p99));
        println!("  {name} to PostgreSQL alone: requests/s {rate}, p99 {p99}");
    }
}
