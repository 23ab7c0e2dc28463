//! What a server remembers has a bound.

use std::fmt::Write as _;
use std::sync::Arc;
use std::thread;

use crate::cli_import::{database, file};
use crate::harness::Server;

const CLIENTS: usize = 8;

/// What may come and go by itself: pages of the database, the allocator's, connections.
const SLACK: u64 = 5 * 1024 * 1024;

/// Asks for every one of these codes by some client, each of which has this answer.
fn ask(server: &Server, codes: &[String], status: u16) {
    thread::scope(|scope| {
        for codes in codes.chunks(codes.len().div_ceil(CLIENTS)) {
            let mut connection = server.connect();
            scope.spawn(move || {
                for code in codes {
                    connection.send_head("GET", format!("/{code}").as_bytes(), &[]).unwrap();
                    let (answered, _, _) = connection.read_answer(false).unwrap();
                    assert_eq!(answered, status, "{code}");
                }
            });
        }
    });
}

/// Codes that nobody has, none like another.
fn unknown(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|number| format!("no-such-{number:x}")).collect()
}

/// Asks for so many codes that nobody has, after some to get used to it, and holds that the server
/// has not grown by what it would take to remember them.
fn nothing_is_remembered_of(count: usize) {
    let server = Server::start();
    let warm = count / 4;
    ask(&server, &unknown(0, warm), 404);
    let before = server.resident_memory();
    let mut asked = warm;
    while asked < warm + count {
        let some = unknown(asked, (warm + count - asked).min(100_000));
        ask(&server, &some, 404);
        asked += some.len();
    }
    let after = server.resident_memory();
    assert!(after < before + SLACK, "{before} bytes before {count} unknown codes, {after} after");
}

#[test]
fn codes_that_nobody_has_take_no_memory() {
    nothing_is_remembered_of(120_000);
}

#[test]
#[ignore = "long"]
fn a_million_codes_that_nobody_has_take_no_memory() {
    nothing_is_remembered_of(1_000_000);
}

#[test]
fn links_that_were_visited_take_what_they_may() {
    const LINKS: usize = 20_000;
    let database = Arc::new(database());
    let padding = "x".repeat(1_900);
    let mut rows = "short_code,destination_url\n".to_owned();
    let codes: Vec<_> = (0..LINKS).map(|number| format!("code-{number}")).collect();
    for code in &codes {
        writeln!(rows, "{code},https://example.com/{padding}/{code}").unwrap();
    }
    file(&database, "in", rows);
    database.terse(&["import", "in", "--owner", "me"]).done();
    // All of them are 40 MB.
    let server = Server::with(&database, &["--cache-size", "2"]);
    ask(&server, &codes[..2_000], 302);
    let before = server.resident_memory();
    ask(&server, &codes[2_000..], 302);
    let after = server.resident_memory();
    assert!(after < before + SLACK, "{before} bytes after 2,000 links, {after} after {LINKS}");
}
