//! Random creations, imports, deletions, renames, clicks and kills over several months, and a model
//! that every closed month must agree with.
//!
//! A killed command has made its change or not; the number of the owner's links tells which. Requests
//! may be fewer than in the model by those since the last store before a kill; everything else is
//! exact. `TEST_SEED` repeats the random choices of a run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use super::{Month, URL, import, pass_month, report, usage, wait_for_month};
use crate::click_days::visit;
use crate::harness::{Database, Server, Store, TIMEOUT, eventually};

/// Number of operations per month.
const OPERATIONS: u32 = 24;

/// What the model knows of an owner.
#[derive(Debug, Clone, Default)]
struct Owner {
    name: String,
    key: String,
    is_deleted: bool,
    codes: Vec<String>,
    created: i64,
    clicks: i64,
    requests: i64,
    /// Requests that a kill may have lost.
    lost: i64,
}

/// A database, its servers and the model.
struct World {
    rng: StdRng,
    database: Arc<Database>,
    servers: Vec<Server>,
    owners: BTreeMap<i64, Owner>,
    /// Requests by server and owner since the server started.
    unstored: Vec<BTreeMap<i64, i64>>,
    /// Closed months, the last one last.
    closed: Vec<Vec<Value>>,
    names: u32,
}

impl World {
    async fn new(seed: u64) -> Self {
        let database = Arc::new(Database::new().migrated());
        let rng = StdRng::seed_from_u64(seed);
        let mut world = Self {
            rng,
            database,
            servers: Vec::new(),
            owners: BTreeMap::new(),
            unstored: Vec::new(),
            closed: Vec::new(),
            names: 0,
        };
        world.add_owner().await;
        world.add_owner().await;
        world.serve();
        world
    }

    fn serve(&mut self) {
        let number = if self.database.store() == Store::Sqlite { 1 } else { 2 };
        self.servers = (0..number).map(|_| Server::on(&self.database)).collect();
        self.unstored = vec![BTreeMap::new(); number];
    }

    fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    async fn add_owner(&mut self) {
        let name = self.name("owner");
        let key = self.database.owner(&name, "unlimited");
        let id =
            self.database.number(&format!("SELECT id FROM owners WHERE name = '{name}'")).await;
        self.owners.insert(id, Owner { name, key, ..Owner::default() });
    }

    /// Chooses an owner who exists.
    fn owner(&mut self) -> i64 {
        let ids: Vec<i64> =
            self.owners.iter().filter(|(_, owner)| !owner.is_deleted).map(|(id, _)| *id).collect();
        ids[self.rng.random_range(0..ids.len())]
    }

    /// Chooses a link of an owner.
    fn code(&mut self, id: i64) -> Option<String> {
        let codes = &self.owners[&id].codes;
        (!codes.is_empty()).then(|| codes[self.rng.random_range(0..codes.len())].clone())
    }

    fn of(&mut self, id: i64) -> &mut Owner {
        self.owners.get_mut(&id).unwrap()
    }

    /// Runs a command, or kills it after a random time.
    fn run_or_kill(&mut self, arguments: &[&str]) {
        if self.rng.random_bool(0.7) {
            self.database.terse(arguments).done();
            return;
        }
        let mut command = self.database.command();
        let mut child = command.args(arguments).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(self.rng.random_range(0..150)));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Returns the codes of an owner's links in the database.
    async fn codes(&self, id: i64) -> Vec<String> {
        eventually(TIMEOUT, "the statements of a killed command end", async || {
            self.database.store() == Store::Sqlite
                || self
                    .database
                    .number(
                        "SELECT COUNT(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND state <> 'idle'
                         AND pid <> pg_backend_pid() AND query NOT LIKE 'SELECT%'",
                    )
                    .await
                    == 0
        })
        .await;
        let find = ["link", "find", "--json", "--owner", &self.owners[&id].name];
        let found = self.database.terse(&find).done().stdout;
        let code = |line: &str| {
            let link: Value = serde_json::from_str(line).unwrap();
            link["short_code"].as_str().unwrap().to_owned()
        };
        found.lines().map(code).collect()
    }

    async fn create(&mut self) {
        let (id, server) = (self.owner(), self.rng.random_range(0..self.servers.len()));
        let api = self.servers[server].with_key(&self.owners[&id].key);
        let code = api.create_from(&json!({"url": URL})).await;
        *self.unstored[server].entry(id).or_default() += 1;
        let owner = self.of(id);
        owner.codes.push(code);
        (owner.created, owner.requests) = (owner.created + 1, owner.requests + 1);
    }

    async fn import(&mut self) {
        let id = self.owner();
        let codes: Vec<String> = (0..3).map(|_| self.name("imported")).collect();
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        import(&self.database, &self.owners[&id].name, &codes);
        self.count_created(id).await;
        let file = self.database.directory().join("in.csv");
        let more = self.name("imported");
        std::fs::write(&file, format!("short_code,destination_url\n{more},{URL}\n")).unwrap();
        let name = self.owners[&id].name.clone();
        self.run_or_kill(&["import", file.to_str().unwrap(), "--owner", &name]);
        self.count_created(id).await;
    }

    async fn count_created(&mut self, id: i64) {
        let codes = self.codes(id).await;
        let owner = self.of(id);
        owner.created += i64::try_from(codes.len() - owner.codes.len()).unwrap();
        owner.codes = codes;
    }

    async fn delete(&mut self) {
        let id = self.owner();
        let Some(code) = self.code(id) else { return };
        self.run_or_kill(&["link", "delete", &code]);
        self.of(id).codes = self.codes(id).await;
    }

    async fn click(&mut self) {
        let (id, server) = (self.owner(), self.rng.random_range(0..self.servers.len()));
        let Some(code) = self.code(id) else { return };
        let clicks = self.rng.random_range(1..6);
        visit(&self.servers[server], &code, clicks).await;
        self.of(id).clicks += i64::from(clicks);
    }

    fn rename(&mut self) {
        let (id, name) = (self.owner(), self.name("renamed"));
        self.database.terse(&["owner", "rename", &self.owners[&id].name, &name]).done();
        self.of(id).name = name;
    }

    fn delete_owner(&mut self) {
        let living = self.owners.values().filter(|owner| !owner.is_deleted).count();
        let id = self.owner();
        if living > 1 {
            let name = self.owners[&id].name.clone();
            self.database.terse(&["owner", "delete", &name, "--confirm", &name, "--yes"]).done();
            let owner = self.of(id);
            (owner.is_deleted, owner.codes) = (true, Vec::new());
        }
    }

    /// Kills a server, and starts another one.
    async fn kill(&mut self) {
        let index = self.rng.random_range(0..self.servers.len());
        self.servers.remove(index).kill9();
        for (id, requests) in self.unstored.remove(index) {
            self.of(id).lost += requests;
        }
        if self.servers.is_empty() {
            eventually(TIMEOUT, "its statements end", async || self.database.is_idle()).await;
        }
        self.servers.push(Server::on(&self.database));
        self.unstored.push(BTreeMap::new());
    }

    async fn run_month(&mut self) {
        for _ in 0..OPERATIONS {
            match self.rng.random_range(0..20) {
                0..7 => self.create().await,
                7..9 => self.import().await,
                9..12 => self.delete().await,
                12..16 => self.click().await,
                16 => self.rename(),
                17 => self.add_owner().await,
                18 => self.delete_owner(),
                _ => self.kill().await,
            }
        }
        self.compare(Month::current(), false);
        let servers = std::mem::take(&mut self.servers);
        for server in servers {
            assert_eq!(server.terminate().code, Some(0));
        }
        pass_month(&self.database).await;
        self.serve();
        wait_for_month(&self.database).await;
        let month = Month::current().before(1);
        self.compare(month, true);
        self.closed.push(usage(&self.database, month, &[]));
        for owner in self.owners.values_mut() {
            (owner.created, owner.clicks, owner.requests, owner.lost) = (0, 0, 0, 0);
        }
        self.owners.retain(|_, owner| !owner.is_deleted);
        for (ago, closed) in (1..).zip(self.closed.iter().rev()) {
            let month = Month::current().before(ago);
            assert_eq!(&usage(&self.database, month, &[]), closed, "{}", month.text());
        }
    }

    /// Compares a month with the model.
    fn compare(&self, month: Month, is_final: bool) {
        let rows = usage(&self.database, month, &[]);
        assert_eq!(rows.len(), self.owners.len(), "{rows:?}, {:?}", self.owners);
        let of_links = report(&self.database, month, &["--by", "owner,link"]);
        for row in rows {
            let number = |name: &str| row[name].as_i64().unwrap();
            let owner = &self.owners[&number("owner_id")];
            let links = i64::try_from(owner.codes.len()).unwrap();
            let expected = [owner.created, links, owner.clicks];
            let found = ["links_created", "links", "clicks"].map(number);
            assert_eq!(found, expected, "{row}, {owner:?}");
            assert_eq!(row["is_final"], is_final);
            assert_eq!(row["owner_name"], owner.name.as_str());
            let requests = number("requests");
            // Of an open month, those since the last store are missing.
            let lost = if is_final { owner.lost } else { owner.requests };
            assert!(
                (owner.requests - lost..=owner.requests).contains(&requests),
                "{row}, {owner:?}"
            );
            let of_owner = of_links.as_array().unwrap().iter();
            let of_owner = of_owner.filter(|link| link["owner_name"] == row["owner_name"]);
            let sum: i64 = of_owner.map(|link| link["clicks"].as_i64().unwrap()).sum();
            assert_eq!(sum, owner.clicks, "{of_links}");
        }
    }
}

async fn run_months(months: u32) {
    let seed = crate::model::seed();
    let mut world = World::new(seed).await;
    for _ in 0..months {
        world.run_month().await;
    }
    assert_eq!(world.database.terse(&["check", "--json"]).json(), json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closed_months_agree_with_the_model() {
    run_months(3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn fifteen_closed_months_agree_with_the_model() {
    run_months(15).await;
}
