//! Terse's metrics.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use super::Result;

/// Returns the value of a server's metric.
pub fn count(address: SocketAddr, name: &str) -> Result<u64> {
    let metrics = get(address, "/metrics")?;
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(line.ok_or_else(|| format!("no {name} among the metrics"))?.trim().parse()?)
}

/// Sends a GET request, and returns the head and the body of the response.
pub fn get(address: SocketAddr, path: &str) -> Result<String> {
    get_with(address, path, "")
}

/// Sends a GET request with these header lines, and returns the head and the body of the response.
pub fn get_with(address: SocketAddr, path: &str, headers: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}
