//! The benchmark's own way into Terse's database: to fill it, and to count.

use std::time::{Duration, Instant};

use sea_orm::{ConnectOptions, ConnectionTrait as _, Database as SeaOrm, DatabaseConnection};
use sea_orm::{DbBackend, Statement};
use tokio::runtime::Runtime;

use crate::Result;
use crate::traffic::{CODE_LENGTH, MODULUS, MULTIPLIER, destination};

/// How long clicks may take to be added up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection that nobody else uses.
pub(crate) struct Database {
    connection: DatabaseConnection,
    /// Drives the connection, and only while it is asked something.
    runtime: Runtime,
    /// PostgreSQL's process for this connection.
    pub(crate) process: Option<u32>,
}

impl Database {
    pub(crate) fn open(url: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false);
        let connection = runtime.block_on(SeaOrm::connect(options))?;
        let mut database = Self { connection, runtime, process: None };
        if database.is_postgres() {
            let process = database.number("SELECT CAST(pg_backend_pid() AS bigint)")?;
            database.process = process.map(u32::try_from).transpose()?;
        }
        Ok(database)
    }

    fn is_postgres(&self) -> bool {
        self.connection.get_database_backend() == DbBackend::Postgres
    }

    /// Makes links of the only owner, as quickly as the database can.
    pub(crate) fn fill(&self, links: u32) -> Result<()> {
        let postgres = [
            format!("generate_series(CAST(0 AS bigint), {links} - 1) AS numbers (number)"),
            format!("lpad(CAST(number * {MULTIPLIER} % {MODULUS} AS text), {CODE_LENGTH}, '0')"),
        ];
        let sqlite = [
            format!(
                "(WITH RECURSIVE numbers (number) AS (
                      SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < {links} - 1
                  ) SELECT number FROM numbers) AS numbers"
            ),
            format!("printf('%0{CODE_LENGTH}d', number * {MULTIPLIER} % {MODULUS})"),
        ];
        let [numbers, code] = if self.is_postgres() { postgres } else { sqlite };
        let destination = destination("' || code || '");
        self.execute(&format!(
            "INSERT INTO links
                 (owner_id, short_code, destination_url, title, campaign, created_at)
             SELECT (SELECT id FROM owners), code, '{destination}', 'Article ' || code, 'letter', 0
             FROM (SELECT {code} AS code, number FROM {numbers}) AS codes ORDER BY number"
        ))?;
        self.execute(&format!("UPDATE owners SET link_count = {links}"))?;
        let settle: &[&str] = if self.is_postgres() {
            &["VACUUM ANALYZE links", "CHECKPOINT"]
        } else {
            &["PRAGMA wal_checkpoint(TRUNCATE)"]
        };
        settle.iter().try_for_each(|statement| self.execute(statement))
    }

    /// The clicks of all links together, added up or not.
    pub(crate) fn clicks(&self) -> Result<u64> {
        let sum = self.number(
            "SELECT CAST((SELECT COALESCE(SUM(count), 0) FROM click_counts)
                       + (SELECT COALESCE(SUM(count), 0) FROM clicks) AS bigint)",
        )?;
        Ok(u64::try_from(sum.ok_or("no sum of clicks")?)?)
    }

    /// Waits until the ledger of clicks is empty; false where it does not become so in time.
    pub(crate) fn wait_for_fold(&self) -> Result<bool> {
        let deadline = Instant::now() + PATIENCE;
        while self.number("SELECT id FROM clicks LIMIT 1")?.is_some() {
            if Instant::now() > deadline {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(true)
    }

    fn execute(&self, statement: &str) -> Result<()> {
        self.runtime.block_on(self.connection.execute_unprepared(statement))?;
        Ok(())
    }

    /// The first column of the first row, if there is one.
    fn number(&self, query: &str) -> Result<Option<i64>> {
        let query = Statement::from_string(self.connection.get_database_backend(), query);
        let row = self.runtime.block_on(self.connection.query_one_raw(query))?;
        Ok(row.map(|row| row.try_get_by_index(0)).transpose()?)
    }
}
