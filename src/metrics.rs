//! The metrics of a running server, for `GET /metrics`.

use std::fs;

use parking_lot::Mutex;
use prometheus::core::{AtomicU64, Collector, GenericGauge, GenericGaugeVec};
use prometheus::proto::LabelPair;
use prometheus::{
    Counter, Encoder, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    Opts, Registry, TextEncoder,
};
use rustix::param::page_size;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};
use strum::{VariantArray as _, VariantNames};

use crate::store::DatabaseState;
use crate::values::{Reason, Timestamp};

/// Upper bounds of histogram buckets in seconds, from a cached redirect to the timeout of a client.
const LATENCY_BUCKETS: &[f64] = &[
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0,
];

/// All metrics of one server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    process: ProcessMetrics,
    /// Number of requests by route, method and status.
    pub requests: IntCounterVec,
    /// Response times in seconds by route.
    pub request_seconds: HistogramVec,
    /// Number of redirects, which [`Self::render`] shows as a part of [`Self::requests`]. It is a
    /// counter of its own, because redirects are too frequent for a lookup by label.
    pub redirects: IntCounter,
    /// Number of requests for links and QR images with blocked destinations, by reason.
    pub blocked_visits: IntCounterVec,
    /// Number of requests that a rate limit rejected, by [limit](Self::LIMITS).
    pub throttled: IntCounterVec,
    /// Response times of redirects in seconds, which are a part of [`Self::request_seconds`].
    pub redirect_seconds: Histogram,
    /// Number of clicks that this server has stored.
    pub clicks_recorded: IntCounter,
    /// Number of buffered clicks, which are not stored yet.
    pub clicks_pending: GenericGauge<AtomicU64>,
    /// Number of clicks in the journal of this server, which no database has.
    pub clicks_undelivered: GenericGauge<AtomicU64>,
    /// Number of stored batches of clicks.
    pub click_batches: IntCounter,
    /// Time to store a batch of clicks, in seconds.
    pub click_commit_seconds: Histogram,
    /// Number of failed attempts to store a batch of clicks. The clicks stay in memory.
    pub click_commit_failures: IntCounter,
    /// Number of rows of pending clicks that rollups have moved into counts.
    pub click_rollup_rows: IntCounter,
    /// Number of pending creations: requests that wait for their links to be created.
    pub link_creations_pending: GenericGauge<AtomicU64>,
    /// Number of links that this server has created.
    pub links_created: IntCounter,
    /// Number of transactions that have created links.
    pub link_batches: IntCounter,
    /// Duration of transactions that create links, in seconds.
    pub link_commit_seconds: Histogram,
    /// Number of log lines that were not written.
    pub log_lines_dropped: IntCounter,
    /// 1 while the database is available, otherwise 0.
    database_up: GenericGauge<AtomicU64>,
    /// 1 while the database is a standby that this server serves, otherwise 0.
    database_standby: GenericGauge<AtomicU64>,
    /// 1 for the state of the database, 0 for the others.
    database_state: GenericGaugeVec<AtomicU64>,
    /// Size of the database in bytes.
    pub database_size: GenericGauge<AtomicU64>,
    /// Free space in bytes of the disks of directories.
    pub disk_free: GenericGaugeVec<AtomicU64>,
    /// Number of scheduled backups by result: `succeeded` or `failed`. Without a schedule, there are
    /// no results.
    pub backups: IntCounterVec,
    /// Time at which the last successful scheduled backup began, as Unix time in seconds. 0 before
    /// the first one of this process.
    pub last_backup: GenericGauge<AtomicU64>,
    /// By how many seconds the database's clock is wrong, if it is wrong by more than a day.
    pub clock_error: IntGauge,
    /// Number of attempts and ends of deliveries of webhooks, by [result](Self::DELIVERY_RESULTS).
    pub webhook_deliveries: IntCounterVec,
    /// Number of waiting deliveries of webhooks, on the instance that delivers.
    pub webhooks_waiting: GenericGauge<AtomicU64>,
    /// Age in seconds of the oldest waiting delivery, on the instance that delivers.
    pub webhooks_oldest: GenericGauge<AtomicU64>,
    /// Number of links in the cache.
    pub cached_links: GenericGauge<AtomicU64>,
}

impl Metrics {
    /// Names of the limits, which are the values of the label `limit` of [`Self::throttled`].
    pub const LIMITS: [&'static str; 4] = ["requests", "unknown_codes", "failed_keys", "qr_images"];

    /// Results of deliveries of webhooks.
    pub const DELIVERY_RESULTS: [&'static str; 5] =
        ["delivered", "repeated", "failed", "erased", "dropped"];

    /// Creates all metrics with the value 0.
    ///
    /// # Errors
    /// If two metrics have the same name.
    pub fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let counter = |name, help| add(&registry, IntCounter::new(name, help));
        let gauge = |name, help| add(&registry, GenericGauge::<AtomicU64>::new(name, help));
        let counters = |name, help, labels: &[&str]| {
            add(&registry, IntCounterVec::new(Opts::new(name, help), labels))
        };
        // The series of known labels begin with the value 0, so that the first event is an increase.
        let series = |name, help, label: &str, known: &[&str]| {
            let counters = counters(name, help, &[label])?;
            known.iter().for_each(|value| drop(counters.with_label_values(&[value])));
            Ok::<_, prometheus::Error>(counters)
        };
        let gauges = |name, help, labels: &[&str]| {
            add(&registry, GenericGaugeVec::<AtomicU64>::new(Opts::new(name, help), labels))
        };
        let latency = |name: &str, help: &str| {
            HistogramOpts::new(name, help).buckets(LATENCY_BUCKETS.to_vec())
        };
        let requests = counters(
            "terse_http_requests_total",
            "Requests completed.",
            &["route", "method", "status"],
        )?;
        let time =
            latency("terse_http_request_duration_seconds", "Time from a request to its response.");
        let request_seconds = add(&registry, HistogramVec::new(time, &["route"]))?;
        let build_info = gauges(
            "terse_build_info",
            "Version of the program; the value is always 1.",
            &["version"],
        )?;
        build_info.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        let commit_seconds = |name, help| add(&registry, Histogram::with_opts(latency(name, help)));
        Ok(Self {
            redirects: requests.with_label_values(&["redirect", "GET", "302"]),
            redirect_seconds: request_seconds.with_label_values(&["redirect"]),
            requests,
            blocked_visits: series(
                "terse_blocked_visits_total",
                "Requests for links and QR images whose destination is blocked.",
                "reason",
                <Reason as VariantNames>::VARIANTS,
            )?,
            throttled: series(
                "terse_throttled_total",
                "Requests that a rate limit rejected with 429.",
                "limit",
                &Self::LIMITS,
            )?,
            request_seconds,
            clicks_recorded: counter(
                "terse_clicks_recorded_total",
                "Clicks that this server has stored.",
            )?,
            clicks_pending: gauge(
                "terse_clicks_pending",
                "Clicks not stored yet; stays above 0 only while they cannot be stored.",
            )?,
            clicks_undelivered: gauge(
                "terse_clicks_undelivered",
                "Clicks on the disk of this server that wait for a database, because its own is a standby.",
            )?,
            click_batches: counter("terse_click_batches_total", "Batches of clicks stored.")?,
            click_commit_seconds: commit_seconds(
                "terse_click_commit_duration_seconds",
                "Time to store one batch of clicks.",
            )?,
            click_commit_failures: counter(
                "terse_click_commit_failures_total",
                "Attempts to store a batch of clicks that failed; the clicks stay in memory.",
            )?,
            click_rollup_rows: counter(
                "terse_click_rollup_rows_total",
                "Rows of pending clicks added to the counts of their links.",
            )?,
            link_creations_pending: gauge(
                "terse_link_creations_pending",
                "Creations of links waiting for the database.",
            )?,
            links_created: counter("terse_links_created_total", "Links created.")?,
            link_batches: counter("terse_link_batches_total", "Transactions that created links.")?,
            link_commit_seconds: commit_seconds(
                "terse_link_commit_duration_seconds",
                "Time to store one batch of new links.",
            )?,
            log_lines_dropped: counter(
                "terse_log_lines_dropped_total",
                "Log lines dropped because stderr did not accept them.",
            )?,
            database_up: gauge(
                "terse_database_up",
                "1 while the database responds and commits, otherwise 0.",
            )?,
            database_standby: gauge(
                "terse_database_standby",
                "1 while the database is a standby of PostgreSQL, which the server serves read-only.",
            )?,
            database_state: gauges(
                "terse_database_state",
                "1 for the state of the database, 0 for the others.",
                &["state"],
            )?,
            database_size: gauge(
                "terse_database_size_bytes",
                "Size of the database, on SQLite without its write-ahead log.",
            )?,
            disk_free: gauges(
                "terse_disk_free_bytes",
                "Free space on the disk of a directory.",
                &["directory"],
            )?,
            backups: series("terse_backups_total", "Scheduled backups that ended.", "result", &[])?,
            last_backup: gauge(
                "terse_last_backup_timestamp_seconds",
                "Time at which the last successful scheduled backup began.",
            )?,
            clock_error: add(
                &registry,
                IntGauge::new(
                    "terse_clock_error_seconds",
                    "Error of the clock if it is wrong by more than a day, otherwise 0.",
                ),
            )?,
            webhook_deliveries: series(
                "terse_webhook_deliveries_total",
                "Deliveries of webhooks: delivered, failed attempts that are repeated, failed for good, erased, dropped.",
                "result",
                &Self::DELIVERY_RESULTS,
            )?,
            webhooks_waiting: gauge(
                "terse_webhooks_waiting",
                "Deliveries of webhooks that wait for an attempt, on the instance that delivers.",
            )?,
            webhooks_oldest: gauge(
                "terse_webhooks_oldest_waiting_seconds",
                "Age of the oldest of these deliveries.",
            )?,
            cached_links: gauge("terse_cached_links", "Links in the cache.")?,
            process: ProcessMetrics::new(&registry)?,
            registry,
        })
    }

    /// Sets the metrics of the database's state, and whether it is a standby.
    pub fn set_database_state(&self, current: DatabaseState, is_standby: bool) {
        self.database_standby.set(is_standby.into());
        self.database_up.set((current == DatabaseState::Up).into());
        for state in DatabaseState::VARIANTS {
            let gauge = self.database_state.with_label_values(&[state.into_str()]);
            gauge.set((*state == current).into());
        }
    }

    /// Returns the number of requests that were answered with a status of 500 or above.
    pub fn failed_requests(&self) -> u64 {
        let families = self.requests.collect();
        let series = families.iter().flat_map(|family| family.get_metric());
        let has_failed = |label: &LabelPair| label.name() == "status" && label.value() >= "500";
        let failed = series.filter(|series| series.get_label().iter().any(has_failed));
        failed.map(|series| series.get_counter().get_value() as u64).sum()
    }

    /// Renders all metrics in the Prometheus text format, version 0.0.4.
    pub fn render(&self) -> String {
        self.process.update();
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = TextEncoder::new().encode(&self.registry.gather(), &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Registers a metric.
///
/// # Errors
/// If the metric is invalid, or the registry has a metric of the same name.
fn add<C: Collector + Clone + 'static>(
    registry: &Registry,
    metric: Result<C, prometheus::Error>,
) -> Result<C, prometheus::Error> {
    let metric = metric?;
    registry.register(Box::new(metric.clone()))?;
    Ok(metric)
}

/// Metrics of the process, with the names that Prometheus recommends.
///
/// The collector of the `prometheus` crate is not used, because it reads `/proc/stat`, which the
/// systemd unit hides (`ProcSubset=pid`).
#[derive(Debug)]
struct ProcessMetrics {
    /// CPU time. The lock keeps two updates from adding the same time.
    cpu_seconds: Mutex<Counter>,
    resident_bytes: GenericGauge<AtomicU64>,
    open_files: GenericGauge<AtomicU64>,
    max_files: GenericGauge<AtomicU64>,
}

impl ProcessMetrics {
    /// Creates and registers the metrics.
    ///
    /// # Errors
    /// If the registry has a metric of the same name.
    fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let gauge = |name, help| add(registry, GenericGauge::new(name, help));
        let start = gauge(
            "process_start_time_seconds",
            "Start time of the process, in seconds since 1970-01-01 UTC.",
        )?;
        start.set(u64::try_from(Timestamp::now().millis() / 1_000).unwrap_or(0));
        let cpu_seconds =
            Counter::new("process_cpu_seconds_total", "User and system CPU time in seconds.");
        Ok(Self {
            cpu_seconds: Mutex::new(add(registry, cpu_seconds)?),
            resident_bytes: gauge("process_resident_memory_bytes", "Resident memory in bytes.")?,
            open_files: gauge("process_open_fds", "Open file descriptors.")?,
            max_files: gauge("process_max_fds", "Maximum number of open file descriptors.")?,
        })
    }

    /// Updates all metrics. A metric keeps its value if the operating system does not report a new
    /// one.
    fn update(&self) {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
        let counter = self.cpu_seconds.lock();
        counter.inc_by((seconds - counter.get()).max(0.0));
        drop(counter);
        // The second field is the number of resident pages.
        let pages = fs::read_to_string("/proc/self/statm").ok();
        let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
        if let Some(pages) = pages {
            self.resident_bytes.set(pages * page_size() as u64);
        }
        if let Ok(files) = fs::read_dir("/proc/self/fd") {
            // One of the descriptors belongs to the directory itself.
            self.open_files.set((files.count() as u64).saturating_sub(1));
        }
        // Without a limit, the maximum is the largest possible file descriptor.
        self.max_files.set(getrlimit(Resource::Nofile).current.unwrap_or(i32::MAX as u64));
    }
}
