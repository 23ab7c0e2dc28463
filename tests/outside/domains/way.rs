//! A way to a database that a test can break: it forwards connections from a free port.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A way from a port of loopback to another one.
pub(super) struct Way {
    port: u16,
    connections: Arc<Mutex<Connections>>,
}

/// The connections that are open, unless the way is broken.
#[derive(Default)]
struct Connections {
    is_broken: bool,
    open: Vec<TcpStream>,
}

impl Way {
    /// Opens a way to a port.
    pub(super) fn new(to: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(Mutex::new(Connections::default()));
        let accepted = Arc::clone(&connections);
        thread::spawn(move || {
            for client in listener.incoming() {
                let mut connections = accepted.lock().unwrap();
                if !connections.is_broken {
                    connections
                        .forward(client.unwrap(), TcpStream::connect(("127.0.0.1", to)).unwrap());
                }
            }
        });
        Self { port, connections }
    }

    /// Returns the port from which the way leads.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Closes all connections, and every new one at once.
    pub(super) fn interrupt(&self) {
        let mut connections = self.connections.lock().unwrap();
        connections.is_broken = true;
        for stream in connections.open.drain(..) {
            // The other end may have closed it already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Forwards new connections again.
    pub(super) fn restore(&self) {
        self.connections.lock().unwrap().is_broken = false;
    }
}

impl Connections {
    /// Copies both directions of a connection until one ends.
    fn forward(&mut self, client: TcpStream, server: TcpStream) {
        let copied = |stream: &TcpStream| stream.try_clone().unwrap();
        self.open.extend([copied(&client), copied(&server)]);
        let pairs = [(copied(&client), copied(&server)), (server, client)];
        for (mut from, mut to) in pairs {
            thread::spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
                let _ = from.shutdown(Shutdown::Both);
            });
        }
    }
}
