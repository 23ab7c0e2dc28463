//! Backups that must not be restored, and targets that must not be overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

use super::{
    Backups, database_with_links, manifest_path, names_in, read_manifest, restore, sha256,
};
use crate::harness::{Database, Store, only_on};

/// Panics unless the backup is rejected with one line that contains `text`, and nothing is
/// restored.
#[track_caller]
fn assert_rejected(backup: &Path, text: &str) {
    let target = Database::of(Store::Sqlite);
    let error = restore(backup, &target).failed();
    assert!(error.contains(text), "{error}");
    assert_eq!(names_in(target.directory()), Vec::<String>::new(), "{error}");
}

/// Changes a member of the manifest.
fn set_in_manifest(backup: &Path, member: &str, value: serde_json::Value) {
    let mut manifest = read_manifest(backup);
    manifest[member] = value;
    fs::write(manifest_path(backup), manifest.to_string()).unwrap();
}

/// Updates the hash and the size in the manifest to those of a changed backup.
fn update_hash_and_size(backup: &Path) {
    set_in_manifest(backup, "sha256", json!(sha256(backup)));
    set_in_manifest(backup, "bytes", json!(fs::metadata(backup).unwrap().len()));
}

fn backup_with_links(links: usize) -> (Backups, PathBuf) {
    let backups = Backups::new();
    let backup = backups.add(&database_with_links(links));
    (backups, backup)
}

#[test]
fn damaged_backup_is_rejected() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (_directory, backup) = backup_with_links(500);
    let intact = fs::read(&backup).unwrap();
    let mut rng = StdRng::seed_from_u64(7);
    for round in 0..20 {
        let mut bytes = intact.clone();
        let (at, other) = (rng.random_range(0..bytes.len()), rng.random_range(0..bytes.len()));
        match round % 4 {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << rng.random_range(0..8),
            2 => bytes[at / 4096 * 4096..][..4096].fill(0),
            _ => {
                let (at, other) = (at / 4096 * 4096, other / 4096 * 4096);
                bytes[at..at + 4096].copy_from_slice(&intact[other..other + 4096]);
            }
        }
        if bytes != intact {
            fs::write(&backup, bytes).unwrap();
            assert_rejected(&backup, "is not valid");
        }
    }
    fs::write(&backup, &intact).unwrap();
    restore(&backup, &Database::of(Store::Sqlite)).done();
}

/// The hash matches, for example, if the file was damaged before it was hashed.
#[test]
fn damage_is_found_even_if_the_hash_matches() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (_directory, backup) = backup_with_links(500);
    let mut bytes = fs::read(&backup).unwrap();
    for page in bytes.chunks_mut(4096).skip(1).step_by(3) {
        page.fill(0xff);
    }
    fs::write(&backup, bytes).unwrap();
    update_hash_and_size(&backup);
    assert_rejected(&backup, "is not valid");
    fs::write(&backup, "no database").unwrap();
    update_hash_and_size(&backup);
    assert_rejected(&backup, "is not valid");
}

#[test]
fn manifest_must_match_the_backup() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (_directory, backup) = backup_with_links(3);
    let intact = fs::read(manifest_path(&backup)).unwrap();
    for (member, value) in [
        ("links", json!(4)),
        ("clicks", json!(2)),
        ("sha256", json!("00")),
        ("bytes", json!(1)),
        ("links", json!("three")),
    ] {
        set_in_manifest(&backup, member, value);
        assert_rejected(&backup, "is not valid");
        fs::write(manifest_path(&backup), &intact).unwrap();
    }
    fs::write(manifest_path(&backup), &intact[..20]).unwrap();
    assert_rejected(&backup, "is not valid");
    fs::remove_file(manifest_path(&backup)).unwrap();
    assert_rejected(&backup, ".json");
    assert_rejected(Path::new("/missing/terse-20260101T000000.000Z.db"), "000Z.db");
}

#[test]
fn newer_schema_is_rejected() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    for schema in ["m1_9999_later", "m2_0001_other"] {
        let (_directory, backup) = backup_with_links(3);
        set_in_manifest(&backup, "schema", json!(schema));
        assert_rejected(&backup, "newer terse");
        // The manifest names an older schema than the file has.
        let connection = rusqlite::Connection::open(&backup).unwrap();
        connection
            .execute("INSERT INTO seaql_migrations (version, applied_at) VALUES (?1, 0)", [schema])
            .unwrap();
        connection.close().unwrap();
        update_hash_and_size(&backup);
        set_in_manifest(&backup, "schema", json!("m1_0001_initial_schema"));
        assert_rejected(&backup, "newer terse");
    }
}

#[test]
fn existing_files_are_not_overwritten() {
    only_on!(Sqlite: "PostgreSQL has pg_dump");
    let (_directory, backup) = backup_with_links(3);
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let target = Database::of(Store::Sqlite);
        let existing = format!("{}{suffix}", target.file().display());
        fs::write(&existing, "mine").unwrap();
        let error = restore(&backup, &target).failed();
        assert!(error.contains(&existing), "{error}");
        assert_eq!(fs::read_to_string(&existing).unwrap(), "mine");
        assert_eq!(names_in(target.directory()).len(), 1);
    }
    let url = "sqlite:///missing/t.db".to_owned();
    let error = crate::harness::run(&["restore", backup.to_str().unwrap(), "--to", &url]).failed();
    assert!(error.contains("/missing/t.db"), "{error}");
}
