//! Servers with patterns of blocked destinations.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use harness::Store;

use bench_common::database::Database;
use bench_common::measure::Measured;
use bench_common::rounds::Rounds;
use bench_common::server::Server;
use bench_common::{Result, metrics, report};

/// Code of a link whose destination is blocked, and which the load does not visit.
const BLOCKED: &str = "blocked";

fn host(number: u32) -> String {
    format!("host{number}.blocked{}.example", number % 1_000)
}

/// Starts Terse with this number of imported patterns, and checks that they are in force.
pub(crate) fn start(
    store: Store,
    patterns: u32,
    prepare: impl FnOnce(&harness::Database, &Database) -> Result<Vec<String>>,
) -> Result<Server> {
    let mut server = Server::terse(store, None, |location, database| {
        let arguments = prepare(location, database)?;
        add_blocked_link(database, &host(patterns / 2))?;
        import(location, patterns)?;
        let stored = database.number("SELECT CAST(SUM(patterns) AS bigint) FROM block_lists")?;
        if stored != Some(patterns.into()) {
            return Err(format!("{patterns} patterns are expected, {stored:?} are stored").into());
        }
        Ok(arguments)
    })?;
    server.name = match store {
        Store::Sqlite => "SQLite, blocking",
        Store::Postgres => "PostgreSQL, blocking",
    };
    let response = metrics::get(server.address()?, &format!("/{BLOCKED}"))?;
    if !response.starts_with("HTTP/1.1 410 ") {
        return Err(format!("{} returns {response}", server.name).into());
    }
    Ok(server)
}

fn add_blocked_link(database: &Database, host: &str) -> Result<()> {
    database.execute(&format!(
        "INSERT INTO links (owner_id, short_code, destination_url, destination_host, created_at)
         SELECT id, '{BLOCKED}', 'https://{host}/', '{host}', 0 FROM owners"
    ))
}

fn import(location: &harness::Database, patterns: u32) -> Result<()> {
    let path = location.directory().join("patterns.txt");
    let mut file = BufWriter::new(File::create(&path)?);
    for number in 0..patterns {
        writeln!(file, "{}", host(number))?;
    }
    file.into_inner()?;
    let path = path.to_str().ok_or("the directory has another name")?;
    location.terse(&["block", "import", path, "--source", "bench", "--yes"]).done();
    Ok(())
}

/// Prints the ratio of each server with patterns to the server before it, which has none.
pub(crate) fn print(names: &[&str], rounds: &Rounds) {
    for (number, name) in names.iter().enumerate().filter(|(_, name)| name.ends_with("blocking")) {
        let ratio = |field: fn(&Measured) -> f64| {
            let pairs = rounds.servers[number].iter().zip(&rounds.servers[number - 1]);
            let ratios: Vec<f64> =
                pairs.map(|(with, without)| field(with) / field(without)).collect();
            report::median_and_range(&ratios)
        };
        println!(
            "  {name} to {}: requests/s {}, p99 {}, CPU {}",
            names[number - 1],
            ratio(|one| one.rate),
            ratio(|one| one.p99),
            ratio(|one| one.cpu),
        );
    }
}
