//! The check that every answer goes through has teeth: changed in any of these ways, an answer does
//! not get by.

mod asking;
mod proxy;
mod table;

use asking::Asking;
use proxy::{Proxy, Reply, Source};
use table::{HEADS, OUTAGES, PROBLEMS, SUCCESSES};

use crate::harness::{Api, Server};
use crate::outage::hold;

/// One change of one answer, and what the check has to say of it.
struct Row {
    asking: Asking,
    what: &'static str,
    fault: &'static str,
    change: fn(&mut Reply),
}

const fn row(
    asking: Asking,
    what: &'static str,
    fault: &'static str,
    change: fn(&mut Reply),
) -> Row {
    Row { asking, what, fault, change }
}

/// Asks by way of a proxy that changes the answer, and gives what the check said against it.
async fn verdict(
    server: &Server,
    kept: Option<&Reply>,
    asking: Asking,
    change: fn(&mut Reply),
) -> Result<(), String> {
    let source =
        kept.map_or_else(|| Source::Server(server.connect()), |reply| Source::Kept(reply.clone()));
    let proxy = Proxy::start(source, change);
    let api = Api::new(proxy.origin(), server.base_url().to_owned());
    // A task of its own, since the check panics.
    let asked = tokio::spawn(asking.of(api, server.key().to_owned())).await;
    proxy.finish();
    match asked {
        Ok(_) => Ok(()),
        Err(error) => {
            let panic = error.into_panic();
            let message = panic.downcast_ref::<String>().expect("the check says why");
            Err(message.clone())
        }
    }
}

/// The answer passes as it is, and fails in the right way when it is changed.
async fn prove(server: &Server, kept: Option<&Reply>, row: &Row) {
    let Row { asking, what, fault, change } = row;
    let name = asking.name();
    let unchanged = verdict(server, kept, *asking, |_| ()).await;
    assert_eq!(unchanged, Ok(()), "{name}, unchanged");
    let changed = verdict(server, kept, *asking, *change).await;
    let message = changed.expect_err(&format!("{name}, where {what}, got by"));
    // What follows is the answer itself, which may hold the same words.
    let (faults, _) = message.split_once("] in ").expect("the check lists the faults");
    let faults = faults.replace("\\\"", "\"");
    assert!(faults.contains(fault), "{name}, where {what}: {fault} is not in {message}");
}

#[tokio::test]
async fn every_changed_response_is_detected() {
    let server = Server::start();
    asking::prepare(&server).await;
    for row in [SUCCESSES, HEADS, PROBLEMS].into_iter().flatten() {
        prove(&server, None, row).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_changed_response_of_an_outage_is_detected() {
    let server = Server::start();
    let holder = hold(&server).await;
    let body = r#"{"url":"https://example.com/"}"#;
    let request = format!(
        "POST /api/v1/shorten HTTP/1.1\r\nHost: {}\r\nX-API-Key: {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.authority(),
        server.key(),
        body.len()
    );
    // Once for all rows: it takes as long as the server waits for the database.
    let reply = Reply::of(server.connect(), request.as_bytes()).unwrap();
    holder.close().await;
    for row in OUTAGES {
        prove(&server, Some(&reply), row).await;
    }
}

#[test]
fn table_in_the_documentation_is_current() {
    let written = include_str!("../contract/README.md");
    let (_, table) = written.split_once("| --- | --- | --- |\n").expect("there is a table");
    let table = table.split("\n\n").next().unwrap_or_default();
    let mut rows = String::new();
    for Row { asking, what, fault, .. } in [SUCCESSES, HEADS, PROBLEMS].into_iter().flatten() {
        rows.push_str(&format!(
            "| {} | {what} | {} |\n",
            asking.name(),
            fault.trim_end_matches(": ")
        ));
    }
    for Row { asking, what, fault, .. } in OUTAGES {
        let name = format!("{}, the database busy", asking.name());
        rows.push_str(&format!("| {name} | {what} | {} |\n", fault.trim_end_matches(": ")));
    }
    assert_eq!(table.trim_end(), rows.trim_end(), "the table should be:\n{rows}");
}
