//! Ports of loopback that stay free until somebody listens on them.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// Below those that the system gives to outgoing connections, of which tests make many.
const FIRST: u16 = 12_000;
const LAST: u16 = 32_000;

/// A port on which nobody listens at this moment, and which this process gives away only once.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test runs beside each other begin at different places.
    let beginning = u16::try_from(std::process::id() % u32::from(LAST - FIRST)).unwrap();
    let mut tries = 0..LAST - FIRST;
    let port = tries.find_map(|_| {
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % (LAST - FIRST);
        let port = FIRST + (beginning + number) % (LAST - FIRST);
        TcpListener::bind(("127.0.0.1", port)).ok().map(|_| port)
    });
    port.expect("a port is free")
}
