//! Free ports of loopback.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// First port that [`free_port`] tries. The system assigns higher ports to outgoing connections, of
/// which tests open many.
const FIRST: u16 = 12_000;
const LAST: u16 = 32_000;

/// Returns a port on which no process listens, and which this function has not returned before.
///
/// # Panics
/// If no port is free.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Concurrent processes start at different ports.
    let start = u16::try_from(std::process::id() % u32::from(LAST - FIRST)).unwrap();
    let mut tries = 0..LAST - FIRST;
    let port = tries.find_map(|_| {
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % (LAST - FIRST);
        let port = FIRST + (start + number) % (LAST - FIRST);
        TcpListener::bind(("127.0.0.1", port)).ok().map(|_| port)
    });
    port.expect("a port is free")
}
