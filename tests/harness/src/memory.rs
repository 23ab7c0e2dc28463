//! Private memory of a process: its allocations, without the pages of mapped files.

/// Returns the private memory of a running process, in bytes.
///
/// # Panics
/// If the process has ended.
#[must_use]
pub fn private_memory(process: u32) -> u64 {
    status_value(process, "RssAnon:")
}

/// Returns the peak private memory of a running process, in bytes.
///
/// The result is slightly too low if the process loaded pages of mapped files after the peak.
///
/// # Panics
/// If the process has ended.
#[must_use]
pub fn max_private_memory(process: u32) -> u64 {
    status_value(process, "VmHWM:")
        - status_value(process, "RssFile:")
        - status_value(process, "RssShmem:")
}

fn status_value(process: u32, name: &str) -> u64 {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(path).expect("the process is running");
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")).expect("a size in kB");
    kibibytes.trim().parse::<u64>().expect("a number") * 1024
}
