//! Metrics of the process, with the names that Prometheus recommends.
//!
//! The collector of the `prometheus` crate is not used, because it reads `/proc/stat`, which the
//! systemd unit hides (`ProcSubset=pid`).

use std::fs;
use std::sync::{Mutex, PoisonError};

use prometheus::core::{AtomicU64, Collector, GenericGauge};
use prometheus::{Counter, Registry};
use rustix::param::page_size;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::values::Timestamp;

/// Registers a metric.
///
/// # Errors
/// If the metric is invalid, or the registry has a metric of the same name.
pub(super) fn add<C: Collector + Clone + 'static>(
    registry: &Registry,
    metric: Result<C, prometheus::Error>,
) -> Result<C, prometheus::Error> {
    let metric = metric?;
    registry.register(Box::new(metric.clone()))?;
    Ok(metric)
}

/// Metrics of the process.
#[derive(Debug)]
pub(super) struct ProcessMetrics {
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
    pub(super) fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
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
    pub(super) fn update(&self) {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
        let counter = self.cpu_seconds.lock().unwrap_or_else(PoisonError::into_inner);
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
