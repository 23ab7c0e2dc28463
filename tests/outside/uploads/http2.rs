//! The same over HTTP/2, spoken by a client that knows so beforehand.

use std::future::poll_fn;

use bytes::Bytes;
use h2::{SendStream, client};
use poem::http::{Request, StatusCode};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{RESPONSE_TIMEOUT, Server};

const LIMIT: usize = 64 * 1024;

/// Sends so much of a body, which is not its end.
async fn send(upload: &mut SendStream<Bytes>, mut left: usize) {
    while left > 0 {
        upload.reserve_capacity(left);
        let capacity = poll_fn(|context| upload.poll_capacity(context)).await;
        let part = capacity.expect("the stream is open").unwrap().min(left);
        upload.send_data(vec![b' '; part].into(), false).unwrap();
        left -= part;
    }
}

/// The answer to a body whose head tells this length, and of which so much comes.
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
    let (answer, mut upload) = client.send_request(request.body(()).unwrap(), false).unwrap();
    send(&mut upload, sent).await;
    let answer = timeout(RESPONSE_TIMEOUT, answer).await.expect("the server does not wait");
    answer.unwrap().status()
}

#[tokio::test]
async fn what_is_told_already_is_answered_before_the_rest_of_the_body() {
    let server = Server::start();
    let unknown = "terse_unknownunknownunknown1";
    for length in [Some(LIMIT + 2), Some(5 << 20), None] {
        assert_eq!(post(&server, unknown, length, 1).await, 401, "{length:?}");
        let told = if length.is_some() { 1 } else { LIMIT + 1 };
        assert_eq!(post(&server, server.key(), length, told).await, 413, "{length:?}");
    }
}

/// Each has an answer that waits for a client which need not read.
#[tokio::test]
async fn one_connection_has_a_limit_of_requests() {
    let server = Server::start();
    let stream = TcpStream::connect(server.authority()).await.unwrap();
    let (client, connection) = client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let request = Request::get(format!("http://{}/health/live", server.authority()));
    let (answer, _) = client.send_request(request.body(()).unwrap(), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), StatusCode::OK);
    assert_eq!(client.current_max_send_streams(), 100);
}
