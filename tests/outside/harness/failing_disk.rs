//! A disk whose flushes fail.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use super::{Database, Server};

/// Name of a file that makes this part of the disk fail.
#[derive(Clone, Copy)]
pub(crate) enum DiskPart {
    /// A journal is written, but its flush fails.
    Flushes,
    /// A journal cannot be opened.
    Openings,
    /// No directory can be flushed.
    Directories,
}

impl DiskPart {
    fn name(self) -> &'static str {
        match self {
            Self::Flushes => "flushes",
            Self::Openings => "openings",
            Self::Directories => "directories",
        }
    }
}

/// A disk that fails for servers that are started with it.
pub(crate) struct FailingDisk(tempfile::TempDir);

impl FailingDisk {
    pub(crate) fn new() -> Self {
        let disk = Self(tempfile::tempdir().unwrap());
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/harness/failing_disk.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(disk.library()).arg(source);
        let output = compiler.output().expect("a C compiler is installed");
        assert!(output.status.success(), "{output:?}");
        disk
    }

    /// Serves a database with these settings on this disk.
    #[track_caller]
    pub(crate) fn serve(&self, database: &Arc<Database>, settings: &[&str]) -> Server {
        let mut command = database.command();
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(settings);
        command.env("LD_PRELOAD", self.library()).env("FAILING_DISK", self.0.path());
        Server::run(database, command)
    }

    /// Lets parts of the disk fail from now on.
    pub(crate) fn fail(&self, parts: &[DiskPart]) {
        for part in parts {
            fs::write(self.0.path().join(part.name()), "").unwrap();
        }
    }

    /// Lets parts of the disk work again.
    pub(crate) fn repair(&self, parts: &[DiskPart]) {
        for part in parts {
            fs::remove_file(self.0.path().join(part.name())).unwrap();
        }
    }

    fn library(&self) -> PathBuf {
        self.0.path().join("failing_disk.so")
    }
}
