//! The contract check detects every one of these changes of a response.

mod proxy;
mod request;
mod table;

use proxy::{Proxy, Reply, Source};
use request::MutatedRequest;
use table::{HEADS, OUTAGES, PROBLEMS, SUCCESSES};

use crate::harness::{Api, Server};
use crate::outage::block_writers;

/// A change of a response, and the message of the check.
struct Row {
    request: MutatedRequest,
    what: &'static str,
    fault: &'static str,
    change: fn(&mut Reply),
}

const fn row(
    request: MutatedRequest,
    what: &'static str,
    fault: &'static str,
    change: fn(&mut Reply),
) -> Row {
    Row { request, what, fault, change }
}

/// Sends a request through a proxy that changes the response; returns the message of the check.
async fn verdict(
    server: &Server,
    recorded: Option<&Reply>,
    request: MutatedRequest,
    change: fn(&mut Reply),
) -> Result<(), String> {
    let source = recorded
        .map_or_else(|| Source::Server(server.connect()), |reply| Source::Recorded(reply.clone()));
    let proxy = Proxy::start(source, change);
    let api = Api::new(proxy.origin(), server.base_url().to_owned());
    // A separate task, because the check panics.
    let asked = tokio::spawn(request.send(api, server.key().to_owned())).await;
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

/// Checks that the unchanged response passes, and that the changed one fails with the right
/// message.
async fn check_row(server: &Server, recorded: Option<&Reply>, row: &Row) {
    let Row { request, what, fault, change } = row;
    let name = request.name();
    let unchanged = verdict(server, recorded, *request, |_| ()).await;
    assert_eq!(unchanged, Ok(()), "{name}, unchanged");
    let changed = verdict(server, recorded, *request, *change).await;
    let message = changed.expect_err(&format!("{name}, where {what}, got by"));
    // The rest of the message is the response, which may contain the same words.
    let (faults, _) = message.split_once("] in ").expect("the check lists the faults");
    let faults = faults.replace("\\\"", "\"");
    assert!(faults.contains(fault), "{name}, where {what}: {fault} is not in {message}");
}

#[tokio::test]
async fn every_changed_response_is_detected() {
    let server = Server::start();
    request::prepare(&server).await;
    for row in [SUCCESSES, HEADS, PROBLEMS].into_iter().flatten() {
        check_row(&server, None, row).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_changed_response_of_an_outage_is_detected() {
    let server = Server::start();
    let holder = block_writers(&server).await;
    let body = r#"{"url":"https://example.com/"}"#;
    let request = format!(
        "POST /api/v1/shorten HTTP/1.1\r\nHost: {}\r\nX-API-Key: {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.authority(),
        server.key(),
        body.len()
    );
    // One response for all rows, because the server waits for the database each time.
    let reply = Reply::of(server.connect(), request.as_bytes()).unwrap();
    holder.close().await;
    for row in OUTAGES {
        check_row(&server, Some(&reply), row).await;
    }
}

#[test]
fn table_in_the_documentation_is_current() {
    let written = include_str!("../contract/README.md");
    let (_, table) = written.split_once("| --- | --- | --- |\n").expect("there is a table");
    let table = table.split("\n\n").next().unwrap_or_default();
    let mut rows = String::new();
    for Row { request, what, fault, .. } in [SUCCESSES, HEADS, PROBLEMS].into_iter().flatten() {
        rows.push_str(&format!(
            "| {} | {what} | {} |\n",
            request.name(),
            fault.trim_end_matches(": ")
        ));
    }
    for Row { request, what, fault, .. } in OUTAGES {
        let name = format!("{}, the database busy", request.name());
        rows.push_str(&format!("| {name} | {what} | {} |\n", fault.trim_end_matches(": ")));
    }
    assert_eq!(table.trim_end(), rows.trim_end(), "the table should be:\n{rows}");
}
