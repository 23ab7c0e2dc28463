//! Request heads that HTTP/1.1 forbids but hyper accepts.

use crate::harness::{Connection, Response, Server};

fn ask(server: &Server, target: &str, fields: &str, body: &str) -> (Connection, Response) {
    let method = if body.is_empty() { "GET" } else { "POST" };
    let mut connection = server.connect();
    let key = server.key();
    let head = format!("{method} {target} HTTP/1.1\r\nX-API-Key: {key}\r\n{fields}\r\n{body}");
    connection.send(head.as_bytes()).unwrap();
    let response = connection.response(method, target.as_bytes()).unwrap();
    (connection, response)
}

#[test]
fn request_without_exactly_one_host_is_rejected() {
    let server = Server::start();
    for fields in ["", "Host: a.example\r\nHost: b.example\r\n", "Host: a\r\nhost: a\r\n"] {
        let (_, response) = ask(&server, "/api/v1/links", fields, "");
        response.problem(400, "malformed-request");
    }
    for host in ["Host: a.example\r\n", "Host:\r\n"] {
        ask(&server, "/api/v1/links", host, "").1.expect(200);
    }
    for host in ["Host: a b\r\n", "Host: u@x\r\n", "Host: a/b\r\n"] {
        ask(&server, "/api/v1/links", host, "").1.problem(400, "malformed-request");
    }
    let mut connection = server.connect();
    let head = format!("GET /api/v1/links HTTP/1.0\r\nX-API-Key: {}\r\n\r\n", server.key());
    connection.send(head.as_bytes()).unwrap();
    connection.response("GET", b"/api/v1/links").unwrap().expect(200);
}

#[tokio::test]
async fn visit_without_host_is_not_counted() {
    let server = Server::start();
    let code = server.api().create("https://example.com/").await;
    let target = format!("/{code}");
    for fields in ["", "Host: a\r\nHost: b\r\n", "Host: a b\r\n"] {
        ask(&server, &target, fields, "").1.expect(400);
    }
    ask(&server, &target, "Host: anyone.example:80\r\n", "").1.expect(302);
    assert_eq!(server.api().clicks(&code).await, 1);
}

#[test]
fn transfer_codings_other_than_chunked_are_rejected() {
    let server = Server::start();
    let body = r#"{"url":"https://example.com/"}"#;
    let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let json = "Host: x\r\nContent-Type: application/json\r\n";
    for (codings, status) in [
        ("Transfer-Encoding: gzip, chunked\r\n", 400),
        ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Transfer-Encoding: chunked, chunked\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 201),
        ("Transfer-Encoding: Chunked \r\n", 201),
    ] {
        let fields = format!("{json}{codings}");
        let (_, response) = ask(&server, "/api/v1/shorten", &fields, &chunks);
        assert_eq!(response.status, status, "{codings}");
    }
}
