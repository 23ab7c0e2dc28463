//! Metrics, and the documents that name them.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use rustix::fs::statvfs;
use serde_json::Value;

use crate::backups::Backups;
use crate::harness::{Database, ROOT, Server, Store, TIMEOUT, eventually, only_on};

async fn metrics(server: &Server) -> String {
    server.anyone().get("/metrics").await.expect(200).text()
}

/// Returns the value of a series.
fn value(metrics: &str, series: &str) -> f64 {
    let mut lines = metrics.lines();
    let found = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("no {series} in:\n{metrics}")).parse().expect("a number")
}

#[tokio::test]
async fn process_metrics_match_the_operating_system() {
    let server = Server::start();
    let directory = format!("/proc/{}", server.id());
    let text = metrics(&server).await;
    let status = fs::read_to_string(format!("{directory}/status")).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let resident: f64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    let ratio = value(&text, "process_resident_memory_bytes") / 1024.0 / resident;
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    let limits = fs::read_to_string(format!("{directory}/limits")).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let files: f64 = files.split_whitespace().nth(3).unwrap().parse().unwrap();
    assert_eq!(value(&text, "process_max_fds"), files);
    // Connections to the database open and connections of clients end meanwhile, so the two numbers
    // agree only once nothing changes. Reading the directory opens a file itself.
    eventually(TIMEOUT, "the number of open files is the system's", async || {
        let open_files = value(&metrics(&server).await, "process_open_fds");
        let open = fs::read_dir(format!("{directory}/fd")).unwrap().count() as f64;
        (open - open_files).abs() <= 2.0
    })
    .await;
    assert!(value(&text, "process_cpu_seconds_total") > 0.0);
    let started = fs::metadata(&directory).unwrap().modified().unwrap();
    let started = started.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let difference = value(&text, "process_start_time_seconds") - started;
    assert!(difference.abs() < 60.0, "{difference}");
    let program = server.terse(&["--version"]).done().stdout;
    let version = program.trim().trim_start_matches("terse ");
    let version = format!("terse_build_info{{version=\"{version}\"}}");
    assert_eq!(value(&text, &version), 1.0);
}

#[tokio::test]
async fn size_of_the_database_and_free_space_are_measured() {
    let server = Server::start();
    let database = server.database();
    let measured = "the size is measured";
    eventually(TIMEOUT, measured, async || {
        value(&metrics(&server).await, "terse_database_size_bytes") > 0.0
    })
    .await;
    let text = metrics(&server).await;
    let size = value(&text, "terse_database_size_bytes");
    let expected: f64 = match database.store() {
        Store::Sqlite => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            let number = |name| connection.pragma_query_value(None, name, |row| row.get(0));
            let [pages, page]: [f64; 2] =
                ["page_count", "page_size"].map(|name| number(name).unwrap());
            pages * page
        }
        Store::Postgres => {
            let size = database.sql("SELECT pg_database_size(current_database())");
            size.trim().parse().unwrap()
        }
    };
    // Catalogs of PostgreSQL may have grown meanwhile.
    assert!((0.9..1.1).contains(&(size / expected)), "{size}, {expected}");
    let disk = statvfs(database.directory()).unwrap();
    let total = disk.f_blocks as f64 * disk.f_frsize as f64;
    let directories: &[&str] = match database.store() {
        Store::Sqlite => &["spool", "database"],
        Store::Postgres => &["spool"],
    };
    for directory in directories {
        let free = value(&text, &format!("terse_disk_free_bytes{{directory=\"{directory}\"}}"));
        assert!(free > 0.0 && free <= total, "{directory}: {free} of {total}");
    }
}

/// Returns the names of all metrics.
fn names(metrics: &str) -> BTreeSet<String> {
    let types = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

/// Returns the words of a document that have the form of a metric of Terse or of the process.
fn mentioned(text: &str) -> BTreeSet<String> {
    let is_separator = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let words = text
        .split(is_separator)
        .filter(|word| word.starts_with("terse_") || word.starts_with("process_"));
    words.map(str::to_owned).collect()
}

#[tokio::test]
async fn documentation_lists_all_metrics() {
    let server = Server::start();
    let documented = mentioned(&fs::read_to_string(format!("{ROOT}/docs/monitoring.md")).unwrap());
    let all = names(&metrics(&server).await);
    let undocumented: Vec<_> = all.difference(&documented).collect();
    assert!(undocumented.is_empty(), "{undocumented:?}");
}

/// Returns the names that a query may use: those of metrics, and of the series of histograms.
fn series(metrics: &str) -> BTreeSet<String> {
    let lines = metrics.lines().filter(|line| !line.starts_with('#'));
    let series = lines.filter_map(|line| line.split(['{', ' ']).next()).map(str::to_owned);
    names(metrics).into_iter().chain(series).collect()
}

#[tokio::test]
async fn dashboard_and_alerts_use_existing_metrics() {
    only_on!(Sqlite: "PostgreSQL has no daily backups, and the other metrics are the same");
    let backups = Backups::new();
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::with(&database, &["--backup-directory", backups.argument()]);
    let code = server.api().create("https://blocked.example/").await;
    server.terse(&["block", "add", "blocked.example", "--yes"]).done();
    eventually(TIMEOUT, "the visit is blocked", async || {
        server.anyone().get(&format!("/{code}")).await.status == 410
    })
    .await;
    let existing = series(&metrics(&server).await);
    let read = |path: &str| fs::read_to_string(format!("{ROOT}/deploy/{path}")).unwrap();
    let rules = mentioned(&read("prometheus/rules.yaml"));
    let dashboard: Value = serde_json::from_str(&read("grafana/terse.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let queries: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    assert!(queries.len() > 20, "{queries:#?}");
    let dashboard = mentioned(&queries.join(" "));
    for used in [&rules, &dashboard] {
        let unknown: Vec<_> = used.difference(&existing).collect();
        assert!(!used.is_empty() && unknown.is_empty(), "{unknown:?}");
    }
    let missing = ["terse_build_info", "process_max_fds", "terse_throttled_total"];
    assert!(missing.iter().all(|name| dashboard.contains(*name)), "{dashboard:?}");
}
