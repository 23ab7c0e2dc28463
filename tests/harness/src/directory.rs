//! Temporary directories that are removed when this process ends.

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use crate::process::{Watchdog, unprivileged_user};

/// Shell script that removes a directory. It retries, because processes that write to the directory
/// may still be ending.
const REMOVE: &str = r#"
    tries=100
    until rm -rf "$1" || [ $((tries -= 1)) -eq 0 ]; do sleep 0.1; done"#;

/// Directory of a file system in memory.
const MEMORY: &str = "/dev/shm";
/// Free space in bytes that the databases of all tests leave partly unused.
const MIN_MEMORY: u64 = 6 << 30;

/// A temporary directory, which is removed when this value is dropped or this process ends.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    watchdog: Watchdog,
}

impl Directory {
    /// Creates an empty directory.
    #[expect(clippy::new_without_default, reason = "it creates a directory")]
    #[must_use]
    pub fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// Creates an empty directory in `parent`.
    fn within(parent: &Path) -> Self {
        let directory = tempfile::Builder::new().prefix("terse-").tempdir_in(parent);
        let path = directory.expect("a temporary directory can be created").keep();
        let watchdog = Watchdog::start(REMOVE, &[path.to_str().expect("a UTF-8 path")]);
        Self { path, watchdog }
    }

    /// Creates an empty directory that belongs to the user who runs unprivileged commands.
    #[must_use]
    pub fn unprivileged() -> Self {
        Self::new().handed_over()
    }

    /// Creates the same for data that need not survive a power loss: in memory, if there is enough,
    /// because the creation of a file costs a disk's file system much more CPU.
    #[must_use]
    pub(crate) fn volatile() -> Self {
        let memory = Path::new(MEMORY);
        let has_space = rustix::fs::statvfs(memory)
            .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) >= MIN_MEMORY);
        if has_space { Self::within(memory).handed_over() } else { Self::unprivileged() }
    }

    fn handed_over(self) -> Self {
        self.hand_over(&self.path);
        self
    }

    /// Gives a file in the directory to the user who runs unprivileged commands.
    pub(crate) fn hand_over(&self, path: &Path) {
        if let Some((user, group)) = unprivileged_user() {
            chown(path, Some(user), Some(group)).expect("root can change owners");
        }
    }

    /// Returns the path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        self.watchdog.release();
    }
}
