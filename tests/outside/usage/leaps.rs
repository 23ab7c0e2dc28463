//! Servers that start with clocks that have leapt in either direction, with traffic and closes between:
//! closed months never change, and clicks and links add up. `TEST_SEED` repeats the random choices.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Month, URL, import, pass_month, usage, wait_for_month};
use crate::click_days::visit;
use crate::harness::{Database, Outcome, Server, Store, TIMEOUT, eventually};

/// PostgreSQL finds this function before its own.
const FAKE_CLOCK: &str = "
    CREATE TABLE IF NOT EXISTS public.fake_clock (seconds bigint);
    DELETE FROM public.fake_clock; INSERT INTO public.fake_clock VALUES (0);
    CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + seconds * interval ''1 second'' FROM public.fake_clock';
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
    END $$";

const DAY: i64 = 86_400;

/// The clock by which a server closes days: the database's on PostgreSQL, the machine's on SQLite.
struct Clock {
    database: Arc<Database>,
    file: PathBuf,
}

impl Clock {
    async fn new(database: &Arc<Database>) -> Self {
        let clock = Self { database: database.clone(), file: database.directory().join("clock") };
        if database.store() == Store::Postgres {
            database.execute(FAKE_CLOCK).await;
        }
        clock.set(0, 0).await;
        clock
    }

    /// Makes the clock wrong by `seconds`. On PostgreSQL, the machine's is wrong by `machine`.
    async fn set(&self, machine: i64, seconds: i64) {
        let machine = if self.database.store() == Store::Postgres {
            let sql = format!("UPDATE public.fake_clock SET seconds = {seconds}");
            self.database.execute(&sql).await;
            machine
        } else {
            seconds
        };
        // No process may read half a file.
        let new = self.file.with_extension("new");
        std::fs::write(&new, format!("{machine:+}s\n")).unwrap();
        std::fs::rename(new, &self.file).unwrap();
    }

    fn serve(&self, delay: &str) -> Server {
        let mut command = self.database.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--close-delay", delay]);
        Server::set_clock_by_file(&mut command, &self.file);
        Server::by_command(&self.database, command)
    }

    fn terse(&self, arguments: &[&str]) -> Outcome {
        let mut command = self.database.command();
        Server::set_clock_by_file(&mut command, &self.file);
        Outcome::new(arguments, &command.args(arguments).output().unwrap())
    }
}

struct World {
    rng: StdRng,
    database: Arc<Database>,
    clock: Clock,
    key: String,
    codes: Vec<String>,
    created: i64,
    clicks: i64,
    /// The usage of closed months, the oldest first.
    closed: Vec<Value>,
}

impl World {
    /// Serves the database with a clock that is wrong by this number of days.
    async fn serve(&self, days: i64, delay: &str) -> Server {
        self.clock.set(0, days * DAY).await;
        self.clock.serve(delay)
    }

    async fn use_links(&mut self, server: &Server) {
        let api = server.with_key(&self.key);
        for _ in 0..self.rng.random_range(1..4) {
            self.codes.push(api.create_from(&json!({"url": URL})).await);
            self.created += 1;
        }
        let code = format!("imported{}", self.created);
        import(&self.database, "acme", &[&code]);
        self.created += 1;
        self.codes.push(code);
        for _ in 0..3 {
            let code = self.codes[self.rng.random_range(0..self.codes.len())].clone();
            let clicks = self.rng.random_range(1..4);
            visit(server, &code, clicks).await;
            self.clicks += i64::from(clicks);
        }
        let code = self.codes.swap_remove(self.rng.random_range(0..self.codes.len()));
        server.terse(&["link", "delete", &code]).done();
        let owner = format!("owner-{}", self.created);
        self.clock.terse(&["owner", "add", &owner]).done();
    }

    /// Returns the usage of the last closed months, the oldest first.
    fn usage_of_closed(&self, months: u32) -> Vec<Value> {
        let month = |ago| usage(&self.database, Month::current().before(ago), &[]);
        let is_acme = |row: &Value| row["owner_name"] == "acme";
        (1..=months).rev().flat_map(month).filter(is_acme).collect()
    }

    /// Panics unless all owners created before the end of the month that was closed last have a row in it.
    /// A clock that is a few days ahead creates owners of the next month.
    async fn assert_complete(&self) {
        let begun = format!("{}-01T00:00:00Z", Month::current().text());
        let begun = humantime::parse_rfc3339(&begun).unwrap().duration_since(UNIX_EPOCH).unwrap();
        let owners =
            format!("SELECT COUNT(*) FROM owners WHERE created_at < {}", begun.as_millis());
        let owners = self.database.number(&owners).await;
        let rows = usage(&self.database, Month::current().before(1), &[]);
        assert_eq!(rows.len(), usize::try_from(owners).unwrap(), "{rows:?}");
    }

    async fn open_month(&self) -> i64 {
        self.database.number("SELECT open_month FROM day_close").await
    }

    fn assert_unchanged(&self) {
        assert_eq!(self.usage_of_closed(u32::try_from(self.closed.len()).unwrap()), self.closed);
    }

    /// Panics unless the links of each month lead to those of the next, and everything adds up.
    async fn assert_sums(&self) {
        let name = "(SELECT name FROM owners WHERE id = owner_id)";
        let sum = async |column: &str| {
            let sql = format!(
                "SELECT CAST(COALESCE(SUM({column}), 0) AS bigint) FROM usage_months
                 WHERE {name} = 'acme'"
            );
            self.database.number(&sql).await
        };
        let open = "SELECT CAST(SUM(created_in_month) AS bigint) FROM owners";
        assert_eq!(sum("links_created").await + self.database.number(open).await, self.created);
        let clicks = sum("clicks").await
            + self
                .database
                .number("SELECT CAST(SUM(count - closed) AS bigint) FROM click_counts")
                .await;
        assert_eq!(clicks, self.clicks);
        let mut before = 0;
        for row in &self.closed {
            let number = |name: &str| row[name].as_i64().unwrap();
            let links = number("links");
            let (created, deleted) = (number("links_created"), number("links_deleted"));
            assert_eq!(before + created - deleted, links, "{row}");
            assert_eq!(row["is_final"], true);
            before = links;
        }
    }
}

async fn run(months: u32) {
    let database = Arc::new(Database::new().migrated());
    let clock = Clock::new(&database).await;
    let key = database.owner("acme", "unlimited");
    let rng = StdRng::seed_from_u64(crate::model::seed());
    let (codes, closed) = (Vec::new(), Vec::new());
    let mut world = World { rng, database, clock, key, codes, created: 0, clicks: 0, closed };
    for month in 1..=months {
        for _ in 0..2 {
            let leap = world.rng.random_range(2..800) * [1, -1][world.rng.random_range(0..2)];
            let open = world.open_month().await;
            let server = world.serve(leap, "3600000").await;
            world.use_links(&server).await;
            server.terminate();
            assert_eq!(world.open_month().await, open, "a leap of {leap} days closed a month");
            world.assert_unchanged();
            let server = world.serve(0, "3600000").await;
            world.use_links(&server).await;
            server.terminate();
            world.assert_unchanged();
        }
        pass_month(&world.database).await;
        let server = world.serve(0, "0").await;
        wait_for_month(&world.database).await;
        eventually(TIMEOUT, "pending clicks are counted", async || {
            let pending = "SELECT COUNT(*) FROM pending_clicks";
            world.database.number(pending).await == 0
        })
        .await;
        server.terminate();
        world.assert_complete().await;
        let closed = world.usage_of_closed(month);
        assert_eq!(closed[..world.closed.len()], world.closed);
        world.closed = closed;
        world.assert_sums().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaps_of_the_clock_change_no_closed_month() {
    run(2).await;
}

/// On the last day of a month, a clock that leaps ahead is in the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaps_of_the_clock_of_a_running_server_shift_nothing() {
    let database = Arc::new(Database::new().migrated());
    let clock = Clock::new(&database).await;
    database.owner("acme", "unlimited");
    let key = database.terse(&["key", "add", "acme", "--scope", "full"]).key();
    let (days, month) = (super::days_until_month_end(), Month::current());
    database
        .execute(&format!(
            "UPDATE day_close SET closed_day = closed_day + {days}, closed_until = closed_until + {days}"
        ))
        .await;
    let base = days * DAY;
    clock.set(base, base).await;
    let server = clock.serve("3600000");
    let api = server.with_key(&key);
    let mut created = 0;
    for leap in [0, 500 * DAY, DAY, -DAY, -9_000 * DAY, 0] {
        clock.set(base, base + leap).await;
        // The server looks at the database's clock now and then.
        for _ in 0..8 {
            let code = api.create_from(&json!({"url": URL})).await;
            let path = format!("/api/manage/v1/links/{code}");
            api.ask(Method::DELETE, &path).header("If-Match", "*").send().await.expect(204);
            created += 1;
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }
    server.terminate();
    let arguments = ["usage", "--json", "--month", &month.text()];
    let rows = clock.terse(&arguments).json();
    let numbers = ["requests", "links_created", "links_deleted", "links"];
    let [requests, links, deleted, left] = numbers.map(|name| rows[0][name].as_i64().unwrap());
    assert_eq!((links, requests, deleted, left), (created, 2 * created, created, 0), "{rows}");
}

/// A server that has followed a wrong clock follows the operator at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_server_leaves_months_open_that_an_operator_opens() {
    let database = Arc::new(Database::new().migrated());
    let clock = Clock::new(&database).await;
    let key = database.owner("acme", "unlimited");
    let year = 365 * DAY;
    clock.set(year, year).await;
    let server = clock.serve("15000");
    let api = server.with_key(&key);
    let closed = async || database.number("SELECT closed_until FROM day_close").await;
    let last = closed().await;
    eventually(2 * TIMEOUT, "the server follows the clock", async || closed().await > last + 300)
        .await;
    let code = api.create(URL).await;
    clock.set(0, 0).await;
    let month = Month::current().text();
    clock.terse(&["usage", "reopen", &month, "--yes"]).done();
    // The server looks at the clock every ten seconds.
    for _ in 0..12 {
        assert_eq!(closed().await, last);
        visit(&server, &code, 1).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    api.create(URL).await;
    server.terminate();
    let rows = clock.terse(&["usage", "--json", "--month", &month]).json();
    let numbers = ["links_created", "clicks", "requests"].map(|name| rows[0][name].as_i64());
    assert_eq!(numbers, [Some(2), Some(12), Some(2)], "{rows}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn many_leaps_of_the_clock_change_no_closed_month() {
    run(12).await;
}
