//! Where the servers keep their files.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::Result;

/// The shell's standard input is a pipe from the benchmark: it ends when the benchmark does. Servers
/// that are still ending may write once more.
const JANITOR: &str = r#"cat >/dev/null; until rm -rf "$1"; do sleep 0.1; done 2>/dev/null"#;

/// A directory that is gone when the benchmark ends, however it ends.
pub(crate) struct Files {
    directory: PathBuf,
    janitor: Child,
}

impl Files {
    pub(crate) fn new() -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("terse-bench-").tempdir()?.keep();
        // PostgreSQL may be run by another user, in a directory of their own in this one.
        std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o711))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", JANITOR, "janitor"]).arg(&directory);
        // In a group of its own, which Ctrl-C does not reach.
        let janitor = shell.process_group(0).stdin(Stdio::piped()).spawn()?;
        Ok(Self { directory, janitor })
    }

    /// A directory in it, gone when it is dropped.
    pub(crate) fn directory(&self) -> Result<TempDir> {
        Ok(tempfile::tempdir_in(&self.directory)?)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        drop(self.janitor.stdin.take());
        let _ = self.janitor.wait();
    }
}
