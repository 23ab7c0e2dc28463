//! What a running server counts and measures, for `GET /metrics`.

use prometheus::core::{AtomicU64, GenericGauge};
use prometheus::{
    Encoder, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts, Registry,
    TextEncoder,
};

/// Upper bounds in seconds: from a cached redirect to the patience of a client.
const LATENCY_BUCKETS: &[f64] = &[
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0,
];

/// All metrics of one server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests by route, method and status.
    pub requests: IntCounterVec,
    /// Time to the answer by route.
    pub request_seconds: HistogramVec,
    /// The two of them for links that redirect, which need not be looked up each time.
    pub redirects: IntCounter,
    /// See [`Self::redirects`].
    pub redirect_seconds: Histogram,
    /// Clicks in the database.
    pub clicks_recorded: IntCounter,
    /// Clicks that wait to be stored.
    pub clicks_waiting: GenericGauge<AtomicU64>,
    /// Batches in which clicks were stored.
    pub click_batches: IntCounter,
    /// Time that a batch took.
    pub click_commit_seconds: Histogram,
    /// Batches that could not be stored and were kept in memory.
    pub click_commit_failures: IntCounter,
    /// Rows of the ledger that were added to their links.
    pub clicks_folded_rows: IntCounter,
    /// Creations that wait for the database.
    pub links_waiting: GenericGauge<AtomicU64>,
    /// Links that were created.
    pub links_created: IntCounter,
    /// Transactions in which they were created.
    pub link_batches: IntCounter,
    /// Time that such a transaction took.
    pub link_commit_seconds: Histogram,
    /// Whether the database answers.
    pub database_up: GenericGauge<AtomicU64>,
    /// Links in the cache.
    pub cached_links: GenericGauge<AtomicU64>,
}

impl Metrics {
    /// All at zero.
    ///
    /// # Errors
    /// When two metrics have the same name, which a test would have shown.
    pub fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str| -> Result<IntCounter, prometheus::Error> {
            let counter = IntCounter::new(name, help)?;
            registry.register(Box::new(counter.clone()))?;
            Ok(counter)
        };
        let gauge =
            |name: &str, help: &str| -> Result<GenericGauge<AtomicU64>, prometheus::Error> {
                let gauge = GenericGauge::new(name, help)?;
                registry.register(Box::new(gauge.clone()))?;
                Ok(gauge)
            };
        let latency = |name: &str, help: &str| {
            HistogramOpts::new(name, help).buckets(LATENCY_BUCKETS.to_vec())
        };
        let requests = IntCounterVec::new(
            Opts::new("terse_http_requests_total", "Requests answered."),
            &["route", "method", "status"],
        )?;
        registry.register(Box::new(requests.clone()))?;
        let request_seconds = HistogramVec::new(
            latency("terse_http_request_duration_seconds", "Time from a request to its answer."),
            &["route"],
        )?;
        registry.register(Box::new(request_seconds.clone()))?;
        let click_commit_seconds = Histogram::with_opts(latency(
            "terse_click_commit_duration_seconds",
            "Time to store one batch of clicks.",
        ))?;
        registry.register(Box::new(click_commit_seconds.clone()))?;
        let link_commit_seconds = Histogram::with_opts(latency(
            "terse_link_commit_duration_seconds",
            "Time to store one batch of new links.",
        ))?;
        registry.register(Box::new(link_commit_seconds.clone()))?;
        Ok(Self {
            redirects: requests.with_label_values(&["redirect", "GET", "302"]),
            redirect_seconds: request_seconds.with_label_values(&["redirect"]),
            requests,
            request_seconds,
            clicks_recorded: counter(
                "terse_clicks_recorded_total",
                "Clicks that this server has stored.",
            )?,
            clicks_waiting: gauge(
                "terse_clicks_waiting",
                "Clicks waiting to be stored; stays above 0 only while they cannot be stored.",
            )?,
            click_batches: counter(
                "terse_click_batches_total",
                "Batches in which clicks were stored.",
            )?,
            click_commit_seconds,
            click_commit_failures: counter(
                "terse_click_commit_failures_total",
                "Batches of clicks that could not be stored and were kept in memory.",
            )?,
            clicks_folded_rows: counter(
                "terse_click_ledger_rows_folded_total",
                "Rows of the ledger of clicks that were added to their links' counts.",
            )?,
            links_waiting: gauge("terse_links_waiting", "New links waiting for the database.")?,
            links_created: counter("terse_links_created_total", "Links created.")?,
            link_batches: counter(
                "terse_link_batches_total",
                "Transactions in which links were created.",
            )?,
            link_commit_seconds,
            database_up: gauge("terse_database_up", "1 while the database answers, otherwise 0.")?,
            cached_links: gauge("terse_cached_links", "Links in the cache.")?,
            registry,
        })
    }

    /// Everything in the Prometheus text format, version 0.0.4.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = TextEncoder::new().encode(&self.registry.gather(), &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}
