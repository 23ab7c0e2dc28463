//! What Terse says of itself.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use crate::Result;

/// Batches of clicks that were stored since the server started.
pub(crate) fn batches(address: SocketAddr) -> Result<u64> {
    let metrics = get(address, "/metrics")?;
    let line = metrics.lines().find_map(|line| line.strip_prefix("terse_click_batches_total "));
    Ok(line.ok_or("no count of batches among the metrics")?.trim().parse()?)
}

/// A whole answer, head and body.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
