//! Free space of disks.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

/// Returns the number of free bytes on the disk of `path`, without those that only root may use.
///
/// # Errors
/// If the path does not exist or cannot be reached.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let disk = statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
