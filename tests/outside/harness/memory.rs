//! What memory a process has of its own: what it has allocated, not the pages of its file.

/// Bytes that it has now.
pub(crate) fn own_memory(process: u32) -> u64 {
    read(process, "RssAnon:")
}

/// Bytes that it has had at most, or a little less: pages of its file that have come since then are
/// not counted.
pub(crate) fn most_memory(process: u32) -> u64 {
    read(process, "VmHWM:") - read(process, "RssFile:") - read(process, "RssShmem:")
}

fn read(process: u32, name: &str) -> u64 {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(path).expect("the process is running");
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")).expect("kilobytes");
    kibibytes.trim().parse::<u64>().expect("a number") * 1024
}
