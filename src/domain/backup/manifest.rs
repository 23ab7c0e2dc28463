//! The manifest of a backup, a JSON file with the same name.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Number;
use sha2::{Digest as _, Sha256};

use super::BackupError;
use crate::store::backup::BackupContent;
use crate::values::Timestamp;

/// Maximum size of a manifest in bytes.
const MAX_MANIFEST: u64 = 64 << 10;
/// Number of bytes read at once.
const CHUNK: usize = 1 << 20;

/// Description of a backup, by which a restoration recognises a damaged or exchanged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Name of the newest migration.
    pub(super) schema: String,
    /// Number of links, deleted ones not included.
    pub(super) links: i64,
    /// Sum of the clicks of all links, which may exceed 64 bits.
    pub(super) clicks: Number,
    /// Size of the file in bytes.
    pub(super) bytes: u64,
    /// SHA-256 hash of the file in hexadecimal digits.
    pub(super) sha256: String,
    /// Time at which the backup began, in RFC 3339.
    pub(super) created_at: String,
}

impl Manifest {
    pub(super) fn new(content: &BackupContent, file: FileHash, now: Timestamp) -> Self {
        let BackupContent { schema, links, clicks } = content.clone();
        let FileHash { bytes, sha256 } = file;
        let created_at = now.to_millis_text();
        Self { schema, links, clicks: number(clicks.0), bytes, sha256, created_at }
    }

    /// Reads the manifest of the backup at `path`.
    pub(super) fn read(path: &Path) -> Result<Self, BackupError> {
        let file = manifest_path(path);
        let open = File::open(&file).map_err(BackupError::of_file(&file))?;
        let mut text = String::new();
        let read = open.take(MAX_MANIFEST).read_to_string(&mut text);
        read.map_err(BackupError::of_file(&file))?;
        let parsed = serde_json::from_str(&text);
        parsed.map_err(|error| {
            BackupError::invalid(path, format!("its manifest cannot be read: {error}"))
        })
    }

    /// Returns whether a database with this content fits the manifest.
    pub(super) fn describes(&self, content: &BackupContent) -> bool {
        let BackupContent { schema, links, clicks } = content;
        self.schema == *schema && self.links == *links && self.clicks == number(clicks.0)
    }
}

/// Returns the number as a parser of JSON returns it, which is inexact beyond 64 bits.
fn number(clicks: i128) -> Number {
    let inexact = || Number::from_f64(clicks as f64);
    Number::from_i128(clicks).or_else(inexact).unwrap_or_else(|| Number::from(0))
}

/// Returns the path of the manifest of the backup at `path`.
pub(super) fn manifest_path(path: &Path) -> PathBuf {
    path.with_extension("json")
}

/// Size and hash of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileHash {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Reads a file to its end, passes each chunk to `copy`, and returns the hash of all of them.
pub(super) fn hash(
    mut file: impl Read,
    mut copy: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<FileHash> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                hasher.update(&chunk[..length]);
                copy(&chunk[..length])?;
                bytes += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(FileHash { bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_repeated_manifest_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("backup.db");
        let start = r#"{"schema":"m","links":1,"clicks":1,"bytes":1,"sha256":"","x":"#;
        for piece in ["[", "{\"a\":", "\"", "1", "1,", "{", "\"a\":[],", "\u{feff}", "\0"] {
            for start in ["", "{\"a\":", start] {
                std::fs::write(manifest_path(&path), start.to_owned() + &piece.repeat(300_000))
                    .unwrap();
                assert!(Manifest::read(&path).is_err(), "{start}{piece}");
            }
        }
    }
}
