//! Imports, exports and lists need bounded memory.

use std::io::Read as _;
use std::process::Stdio;
use std::sync::Arc;

use crate::cli_import::{counts, database, through_a_pipe};
use crate::harness::{Database, Server, Store, field, max_private_memory};

const MIB: u64 = 1024 * 1024;

/// Length of a destination.
const LENGTH: usize = 950;

/// Returns a row of a kilobyte, so that 40,000 of them exceed the allowed memory several times.
fn row(number: usize) -> String {
    let (padding, clicks) = ("x".repeat(LENGTH), number % 7);
    format!("code-{number},https://example.com/{padding}/{number},Link {number},letters,{clicks}\n")
}

fn file(rows: impl Iterator<Item = String>) -> Vec<u8> {
    let header = "short_code,destination_url,title,campaign,clicks\n".to_owned();
    std::iter::once(header).chain(rows).collect::<String>().into_bytes()
}

/// Returns the memory that an import of this number of rows may take: for chunks of rows, SQLite's page
/// cache, and the lines of the first codes of a file.
fn max_import_memory(database: &Database, rows: usize) -> u64 {
    const MAX_CODES: usize = 900_000;
    let of_codes = 48 * rows.min(MAX_CODES) as u64;
    match database.store() {
        Store::Sqlite => (64 + 24) * MIB + of_codes,
        Store::Postgres => 24 * MIB + of_codes,
    }
}

fn import_links(links: usize) -> Database {
    let database = database();
    let (max, outcome) = through_a_pipe(&database, &[], &file((0..links).map(row)));
    assert_eq!(counts(&outcome.done()), [links as u64, 0, 0]);
    assert!(max < max_import_memory(&database, links), "{max} bytes for {links} links");
    database
}

/// Imports invalid rows, half of which are not CSV records.
fn reject_rows(rows: usize) {
    let database = database();
    let broken = |number| row(number).replace("https", if number % 2 == 0 { "\"" } else { "ftp" });
    let rejects = ["--rejects", "out"];
    let (max, outcome) = through_a_pipe(&database, &rejects, &file((0..rows).map(broken)));
    assert_eq!(counts(&outcome), [0, 0, rows as u64]);
    assert!(max < max_import_memory(&database, rows), "{max} bytes for {rows} rows");
}

fn export_links(database: &Database, links: usize) {
    let mut command = database.command();
    let mut child = command.args(["export"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let (mut part, mut whole, mut max) = (vec![0; 64 << 10], 0, 0);
    loop {
        let read = pipe.read(&mut part).unwrap();
        if read == 0 {
            break;
        }
        // Unread output keeps the export running.
        if whole < links * LENGTH {
            max = max_private_memory(child.id());
        }
        whole += read;
    }
    assert!(child.wait().unwrap().success());
    assert!(whole > links * LENGTH, "{whole} bytes");
    assert!(max < 28 * MIB, "{max} bytes for {links} links");
}

fn list_links(database: Database, links: usize) {
    let key = database.terse(&["key", "add", "me"]).key();
    let server = Server::on(&Arc::new(database));
    let mut connection = server.connect();
    let before = server.max_private_memory();
    let key = field("Authorization", &format!("Bearer {key}"));
    connection.send_head("GET", b"/api/v1/links", &[key]).unwrap();
    let (status, _, body) = connection.read_response(false).unwrap();
    let after = server.max_private_memory();
    assert_eq!(
        (status, body.windows(12).filter(|part| *part == b"\"short_code\"").count()),
        (200, links)
    );
    assert!(after < before + 10 * MIB, "{before} bytes before {links} links, {after} after");
}

#[test]
fn forty_thousand_links_are_imported_and_exported_in_bounded_memory() {
    let database = import_links(40_000);
    export_links(&database, 40_000);
    list_links(database, 40_000);
}

#[test]
fn forty_thousand_rejected_rows_are_imported_in_bounded_memory() {
    reject_rows(40_000);
}

#[test]
#[ignore = "long"]
fn million_links_are_imported_and_exported_in_bounded_memory() {
    let database = import_links(1_000_000);
    export_links(&database, 1_000_000);
    list_links(database, 1_000_000);
}
