//! Incomplete bodies: when the server waits for them, and how it discards them.

mod http2;

use crate::harness::{Connection, Server, field};

const GOOD: &[u8] = br#"{"url":"https://example.com/"}"#;

/// A request that the server rejects because of its head.
struct RejectedRequest {
    target: &'static [u8],
    fields: Vec<Vec<u8>>,
    length: usize,
    status: u16,
}

fn rejected_requests(server: &Server) -> Vec<RejectedRequest> {
    let key = || field("X-API-Key", server.key());
    let json = || field("Content-Type", "application/json");
    let shorten = b"/api/v1/shorten";
    let refused = |target: &'static [u8], fields: Vec<Vec<u8>>, length, status| RejectedRequest {
        target,
        fields,
        length,
        status,
    };
    vec![
        refused(b"/api/v1/nothing", vec![key(), json()], 1_000, 404),
        refused(b"/api/v1/links", vec![key(), json()], 1_000, 405),
        refused(shorten, vec![json()], 1_000, 401),
        refused(
            shorten,
            vec![field("X-API-Key", "terse_unknownunknownunknown1"), json()],
            1_000,
            401,
        ),
        refused(shorten, vec![key(), field("Content-Type", "text/plain")], 1_000, 415),
        refused(shorten, vec![key(), json(), field("Content-Encoding", "gzip")], 1_000, 415),
        refused(shorten, vec![key(), json()], 64 * 1024 + 1, 413),
        refused(shorten, vec![key(), json()], 1_000_000_000_000, 413),
        // A path without operations.
        refused(b"/", vec![json()], 1_000_000, 405),
        refused(b"/nothing", vec![json()], 1_000_000, 405),
        refused(b"/%ff", vec![json()], 1_000_000, 404),
    ]
}

impl RejectedRequest {
    /// Sends only the head.
    fn begin(&self, server: &Server, more: &[Vec<u8>]) -> Connection {
        let mut connection = server.connect();
        let length = field("Content-Length", &self.length.to_string());
        let fields = [self.fields.as_slice(), &[length], more].concat();
        connection.send_head("POST", self.target, &fields).unwrap();
        connection
    }
}

#[test]
fn errors_of_the_head_are_returned_before_the_body() {
    let server = Server::start();
    for refused in rejected_requests(&server) {
        let mut connection = refused.begin(&server, &[]);
        connection.response("POST", refused.target).unwrap().expect(refused.status);
    }
}

#[test]
fn body_over_the_limit_is_rejected_before_its_end() {
    let server = Server::start();
    let mut connection = server.connect();
    let fields = [
        field("X-API-Key", server.key()),
        field("Content-Type", "application/json"),
        field("Transfer-Encoding", "chunked"),
    ];
    connection.send_head("POST", b"/api/v1/shorten", &fields).unwrap();
    connection.send(b"100000\r\n").unwrap();
    connection.send(&[b' '; 64 * 1024 + 1]).unwrap();
    connection.response("POST", b"/api/v1/shorten").unwrap().problem(413, "body-too-large");
}

#[test]
fn expect_continue_is_not_confirmed_if_the_head_is_rejected() {
    let server = Server::start();
    for refused in rejected_requests(&server) {
        let mut connection = refused.begin(&server, &[field("Expect", "100-continue")]);
        let response = connection.response("POST", refused.target).unwrap().expect(refused.status);
        assert!(!connection.has_continue(), "{response:?}");
        // The server cannot tell whether a body or another request follows.
        assert_eq!(response.header("connection"), Some("close"), "{response:?}");
        connection.wait_for_end().unwrap();
    }
}

#[test]
fn expect_continue_is_confirmed_if_the_body_is_needed() {
    let server = Server::start();
    let mut connection = server.connect();
    let fields = [
        field("X-API-Key", server.key()),
        field("Content-Type", "application/json"),
        field("Content-Length", &GOOD.len().to_string()),
        field("Expect", "100-Continue"),
    ];
    for _ in 0..2 {
        connection.send_head("POST", b"/api/v1/shorten", &fields).unwrap();
        connection.wait_for_continue().unwrap();
        connection.send(GOOD).unwrap();
        let response = connection.response("POST", b"/api/v1/shorten").unwrap().expect(201);
        assert_eq!(response.header("connection"), None);
    }
}

#[test]
fn connection_is_reused_after_a_discarded_body() {
    let server = Server::start();
    for refused in rejected_requests(&server) {
        if refused.length > 4 << 20 {
            continue;
        }
        let mut connection = refused.begin(&server, &[]);
        connection.response("POST", refused.target).unwrap().expect(refused.status);
        connection.send(&vec![b' '; refused.length]).unwrap();
        let next = connection.exchange("GET", b"/health/live", &[], b"");
        next.expect("the connection is still there").expect(200);
    }
}

/// Some clients send `Content-Length: 0` with a GET request.
#[test]
fn request_without_body_returns_at_once() {
    let server = Server::start();
    let mut connection = server.connect();
    for _ in 0..2 {
        connection.send_head("GET", b"/nothing", &[field("Content-Length", "0")]).unwrap();
        let response = connection.response("GET", b"/nothing").unwrap().expect(404);
        assert_eq!(response.header("connection"), None);
    }
}

#[test]
fn missing_body_closes_the_connection() {
    let server = Server::start();
    let all = rejected_requests(&server);
    let mut connections: Vec<_> = all.iter().map(|refused| refused.begin(&server, &[])).collect();
    for (connection, refused) in connections.iter_mut().zip(&all) {
        connection.response("POST", refused.target).unwrap().expect(refused.status);
    }
    for connection in &mut connections {
        connection.wait_for_end().expect("the server ends what the client does not go on with");
    }
}
