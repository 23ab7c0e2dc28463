//! Incomplete bodies over HTTP/2 with prior knowledge.

use std::future::poll_fn;

use bytes::Bytes;
use h2::{SendStream, client};
use http::{Request, StatusCode};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{RESPONSE_TIMEOUT, Server};

const LIMIT: usize = 64 * 1024;

/// Sends this many bytes of a body without its end.
async fn send(upload: &mut SendStream<Bytes>, mut left: usize) {
    while left > 0 {
        upload.reserve_capacity(left);
        let capacity = poll_fn(|context| upload.poll_capacity(context)).await;
        let part = capacity.expect("the stream is open").unwrap().min(left);
        upload.send_data(vec![b' '; part].into(), false).unwrap();
        left -= part;
    }
}

/// Sends a request with this Content-Length and this number of bytes of its body. Returns the
/// status.
async fn post(server: &Server, key: &str, length: Option<usize>, sent: usize) -> StatusCode {
    let stream = TcpStream::connect(server.authority()).await.unwrap();
    let (client, connection) = client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::post(format!("http://{}/api/v1/shorten", server.authority()))
        .header("X-API-Key", key)
        .header("Content-Type", "application/json");
    if let Some(length) = length {
        request = request.header("Content-Length", length);
    }
    let mut client = client.ready().await.unwrap();
    let (response, mut upload) = client.send_request(request.body(()).unwrap(), false).unwrap();
    send(&mut upload, sent).await;
    let response = timeout(RESPONSE_TIMEOUT, response).await.expect("the server does not wait");
    response.unwrap().status()
}

#[tokio::test]
async fn http2_errors_are_returned_before_the_end_of_the_body() {
    let server = Server::start();
    let unknown = "terse_unknownunknownunknown1";
    for length in [Some(LIMIT + 2), Some(5 << 20), None] {
        assert_eq!(post(&server, unknown, length, 1).await, 401, "{length:?}");
        let sent = if length.is_some() { 1 } else { LIMIT + 1 };
        assert_eq!(post(&server, server.key(), length, sent).await, 413, "{length:?}");
    }
}

/// Every concurrent request has a response, which may wait for the client.
#[tokio::test]
async fn http2_connection_limits_concurrent_requests() {
    let server = Server::start();
    let stream = TcpStream::connect(server.authority()).await.unwrap();
    let (client, connection) = client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let request = Request::get(format!("http://{}/health/live", server.authority()));
    let (response, _) = client.send_request(request.body(()).unwrap(), true).unwrap();
    assert_eq!(response.await.unwrap().status(), StatusCode::OK);
    assert_eq!(client.current_max_send_streams(), 100);
}
