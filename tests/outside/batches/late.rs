//! An append of clicks that the network delivers late: after the server has repeated and ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::URL;
use crate::harness::{Database, Server, only_on};

/// An append that did not reach its database, and the connection on which it was sent.
struct LateAppend {
    connection: TcpStream,
    message: Vec<u8>,
}

impl LateAppend {
    /// Delivers the append, and waits until the database has executed it.
    async fn arrive(mut self) {
        self.connection.write_all(&self.message).await.unwrap();
        let mut response = [0; 64];
        assert!(self.connection.read(&mut response).await.unwrap() > 0);
        // The first message of the response to a statement that was bound.
        assert_eq!(response[0], b'2', "{response:?}");
    }
}

/// Forwards connections to a port of loopback. Holds back the first append, and cuts its connection.
async fn hold_back_append(to: u16) -> (u16, mpsc::Receiver<LateAppend>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = mpsc::channel(1);
    let is_held_back = Arc::new(AtomicBool::new(false));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
            tokio::spawn(forward(client, server, sender.clone(), Arc::clone(&is_held_back)));
        }
    });
    (port, receiver)
}

async fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    late: mpsc::Sender<LateAppend>,
    is_held_back: Arc<AtomicBool>,
) {
    let (mut request, mut response) = (vec![0; 16 << 10], vec![0; 16 << 10]);
    let mut is_prepared = false;
    loop {
        tokio::select! {
            read = client.read(&mut request) => {
                let Ok(length @ 1..) = read else { return };
                let message = &request[..length];
                if is_prepared && !is_held_back.swap(true, Ordering::SeqCst) {
                    let message = message.to_vec();
                    let _ = late.send(LateAppend { connection: server, message }).await;
                    return;
                }
                // The statement is prepared first, and then executed.
                is_prepared |= message.windows(13).any(|part| part == b"click_writers");
                if server.write_all(message).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut response) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&response[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn append_that_arrives_late_counts_once() {
    only_on!(Postgres: "a file has no network");
    let database = Arc::new(Database::new().with_default_owner());
    let (port, mut late) = hold_back_append(database.cluster().unwrap().port()).await;
    let behind = Arc::new(database.through(port));
    let server = Server::on(&behind);
    let code = server.api().create(URL).await;
    server.anyone().get(&format!("/{code}")).await.expect(302);
    let late = late.recv().await.unwrap();
    assert_eq!(server.api().clicks(&code).await, 1);
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    late.arrive().await;
    let again = Server::on(&database);
    assert_eq!(again.api().clicks(&code).await, 1);
}
