//! Connections that are idle from the start or after a request, and connections that send a byte
//! per second.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use harness::Store;

use crate::redirects::{Pairs, as_fast_as_possible, time};
use crate::{Options, memory, start};
use bench_common::Result;
use bench_common::report::median_and_range;
use bench_common::server::Server;

const IDLE: usize = 10_000;
const SLOW: usize = 2_000;
/// Time within which the server must close all connections; longer than its idle timeout.
const CLOSED: Duration = Duration::from_secs(120);

struct Slow {
    stream: TcpStream,
    sent: usize,
}

/// Opens an idle connection; if it `is_used`, after one request and its response.
fn open_idle(address: SocketAddr, is_used: bool) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    if !is_used {
        stream.set_nonblocking(true)?;
        return Ok(stream);
    }
    write!(stream, "GET /health HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
    let mut response = [0; 1024];
    if stream.read(&mut response)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    stream.set_nonblocking(true)?;
    Ok(stream)
}

fn open_slow(address: SocketAddr) -> std::io::Result<Slow> {
    let stream = TcpStream::connect(address)?;
    stream.set_nonblocking(true)?;
    Ok(Slow { stream, sent: 0 })
}

/// Removes the connections that the server has closed.
fn remove_closed(streams: &mut Vec<TcpStream>) {
    streams.retain_mut(|stream| {
        let mut buffer = [0; 256];
        loop {
            match stream.read(&mut buffer) {
                Ok(1..) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Ok(0) | Err(_) => return false,
            }
        }
    });
}

/// Sends the next byte on each slow connection; removes those that the server has closed.
fn send_a_byte(slow: &mut Vec<Slow>) {
    const REQUEST: &[u8] = b"GET /health HTTP/1.1\r\nHost: example.org\r\nX-Slow: aaaaaaaaaaaaaaaa";
    slow.retain_mut(|one| {
        let mut buffer = [0; 256];
        let byte = REQUEST[one.sent.min(REQUEST.len() - 1)];
        one.sent += 1;
        if one.stream.write(&[byte]).is_err() {
            return false;
        }
        match one.stream.read(&mut buffer) {
            Ok(1..) => true,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
            Ok(0) => false,
        }
    });
}

pub(crate) fn measure(store: Store, options: &Options) -> Result<()> {
    for is_used in [false, true] {
        // Each kind of idle connection has a new server, so that its memory is that of this kind.
        let server = start(store, &["--max-connections", "15000"])?;
        let idle = if is_used { "idle after a request" } else { "silent" };
        println!(
            "\n{}: {IDLE} {idle} connections, {SLOW} that send a byte per second",
            server.name
        );
        rounds(&server, is_used, options)?;
    }
    Ok(())
}

fn rounds(server: &Server, is_used: bool, options: &Options) -> Result<()> {
    let address = server.address()?;
    let mut pairs = Pairs::new("redirects as fast as possible".to_owned());
    as_fast_as_possible(address, 0, time(options))?;
    let mut closed_after = Vec::new();
    for round in 0..options.common.rounds {
        let alone = as_fast_as_possible(address, round, time(options))?;
        let idle = (0..IDLE).map(|_| open_idle(address, is_used));
        let mut idle = idle.collect::<std::io::Result<Vec<_>>>()?;
        let slow = (0..SLOW).map(|_| open_slow(address));
        let mut slow = slow.collect::<std::io::Result<Vec<_>>>()?;
        let opened = Instant::now();
        let disturbed = std::thread::scope(|scope| {
            let redirects = move || {
                as_fast_as_possible(address, round, time(options))
                    .map_err(|error| error.to_string())
            };
            let measured = scope.spawn(redirects);
            while !measured.is_finished() {
                send_a_byte(&mut slow);
                std::thread::sleep(Duration::from_secs(1));
            }
            measured.join()
        });
        pairs.add(alone, disturbed.map_err(|_| "the load panicked")??);
        remove_closed(&mut idle);
        println!("    open after the load: {} idle, {} slow", idle.len(), slow.len());
        while !(idle.is_empty() && slow.is_empty()) {
            if opened.elapsed() > CLOSED {
                return Err(format!("{} idle, {} slow are open", idle.len(), slow.len()).into());
            }
            std::thread::sleep(Duration::from_secs(1));
            send_a_byte(&mut slow);
            remove_closed(&mut idle);
        }
        closed_after.push(opened.elapsed().as_secs_f64());
    }
    pairs.print();
    let (now, most) = memory(server)?;
    println!(
        "    resident memory {most} MiB at most, {now} MiB at the end; all closed after {} s",
        median_and_range(&closed_after)
    );
    Ok(())
}
