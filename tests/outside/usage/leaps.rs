//! Servers that start with clocks that have leapt in either direction, with traffic and closes between:
//! closed months never change, and clicks and links add up. `TEST_SEED` repeats the random choices.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use super::{Month, URL, import, pass_month, usage, wait_for_month};
use crate::click_days::visit;
use crate::harness::{Database, Server, Store, TIMEOUT, eventually};

/// PostgreSQL finds this function before its own.
const FAKE_CLOCK: &str = "
    CREATE TABLE IF NOT EXISTS public.fake_clock (days bigint);
    DELETE FROM public.fake_clock; INSERT INTO public.fake_clock VALUES (0);
    CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + days * interval ''1 day'' FROM public.fake_clock';
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
    END $$";

struct World {
    rng: StdRng,
    database: Arc<Database>,
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
        let settings = ["--close-delay", delay];
        if self.database.store() == Store::Sqlite {
            return Server::with_clock(&self.database, &format!("{days:+}d"), &settings);
        }
        self.database.execute(&format!("UPDATE public.fake_clock SET days = {days}")).await;
        Server::with(&self.database, &settings)
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
    }

    /// Returns the usage of the last closed months, the oldest first.
    fn usage_of_closed(&self, months: u32) -> Vec<Value> {
        let month = |ago| usage(&self.database, Month::current().before(ago), &[]);
        (1..=months).rev().flat_map(month).collect()
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
            assert_eq!(row["is_final"], 1);
            before = links;
        }
    }
}

async fn run(months: u32) {
    let database = Arc::new(Database::new().migrated());
    if database.store() == Store::Postgres {
        database.execute(FAKE_CLOCK).await;
    }
    let key = database.owner("acme", "unlimited");
    let rng = StdRng::seed_from_u64(crate::model::seed());
    let (codes, closed) = (Vec::new(), Vec::new());
    let mut world = World { rng, database, key, codes, created: 0, clicks: 0, closed };
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn many_leaps_of_the_clock_change_no_closed_month() {
    run(12).await;
}
