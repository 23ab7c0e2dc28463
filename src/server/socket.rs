//! Sockets on which a server listens.

use std::fs::{self, File, Permissions};
use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};

use poem::web::{LocalAddr, RemoteAddr};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::net::{bind, connect, listen, socket_with};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

use crate::values::ListenAddress;

/// Mode of the file of a Unix socket. A proxy of the same group may connect.
const SOCKET_MODE: u32 = 0o660;
/// Maximum number of connections that wait until the server accepts them, as in tokio.
const BACKLOG: i32 = 1024;

/// A socket on which a server listens.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpListener),
    Unix {
        /// Declared before the listener, so that the file is removed before another server can use
        /// its inode.
        _file: Option<SocketFile>,
        listener: UnixListener,
    },
}

/// Connection of a client.
pub(super) type ClientStream = Either<TcpStream, UnixStream>;

impl Socket {
    /// Binds an address.
    pub(super) async fn bind(address: &ListenAddress) -> Result<Self> {
        match address {
            ListenAddress::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            ListenAddress::Unix(path) => bind_unix(path),
        }
    }

    /// Returns the address, with the actual port if the operating system chose it.
    pub(super) fn address(&self) -> Result<ListenAddress> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(ListenAddress::Tcp),
            Self::Unix { listener, .. } => {
                let address = listener.local_addr()?;
                Ok(ListenAddress::Unix(address.as_pathname().unwrap_or(Path::new("")).into()))
            }
        }
    }

    /// Returns the address of a TCP socket, or `None` for a Unix socket.
    pub(super) fn tcp_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            Self::Unix { .. } => None,
        }
    }

    pub(super) fn local_addr(&self) -> Result<LocalAddr> {
        Ok(LocalAddr(match self {
            Self::Tcp(listener) => listener.local_addr()?.into(),
            Self::Unix { listener, .. } => listener.local_addr()?.into(),
        }))
    }

    pub(super) fn poll_accept(
        &self,
        context: &mut Context<'_>,
    ) -> Poll<Result<(ClientStream, RemoteAddr)>> {
        match self {
            Self::Tcp(listener) => listener.poll_accept(context).map_ok(|(stream, address)| {
                send_at_once(&stream);
                (Either::Left(stream), RemoteAddr(address.into()))
            }),
            Self::Unix { listener, .. } => listener
                .poll_accept(context)
                .map_ok(|(stream, address)| (Either::Right(stream), RemoteAddr(address.into()))),
        }
    }
}

/// Turns Nagle's algorithm off. With it, the end of each HTTP/2 flow-control window would wait for an
/// acknowledgement, which clients delay by 40 ms.
fn send_at_once(stream: &TcpStream) {
    // Fails only if the client has closed the connection, which its first read reports.
    let _ = stream.set_nodelay(true);
}

/// Binds a Unix socket. This replaces a socket file on which no process listens, for example
/// because its server was killed.
fn bind_unix(path: &Path) -> Result<Socket> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    // Two servers that start at the same time could otherwise each remove the other's socket.
    let lock = File::open(directory.unwrap_or(Path::new(".")))?;
    lock.try_lock().map_err(|_| Error::new(ErrorKind::AddrInUse, "another server is starting"))?;
    let address = SocketAddrUnix::new(path)?;
    let new_socket = || {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
    };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(metadata) if !metadata.file_type().is_socket() => {
            return Err(Error::new(ErrorKind::AlreadyExists, "the file is not a socket"));
        }
        Ok(_) => match connect(new_socket()?, &address) {
            Err(Errno::CONNREFUSED) => fs::remove_file(path)?,
            // If the other program's queue is full, `connect` fails with another error.
            Ok(()) | Err(_) => {
                return Err(Error::new(ErrorKind::AddrInUse, "another program listens on it"));
            }
        },
    }
    let socket = new_socket()?;
    bind(&socket, &address)?;
    let file = SocketFile::new(path)?;
    // No client can connect before `listen`.
    fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE))?;
    listen(&socket, BACKLOG)?;
    Ok(Socket::Unix { _file: Some(file), listener: UnixListener::from_std(socket.into())? })
}

/// File of a Unix socket, which is removed when this value is dropped.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    /// Device and inode.
    identity: (u64, u64),
}

impl SocketFile {
    fn new(path: &Path) -> Result<Self> {
        Ok(Self { path: std::path::absolute(path)?, identity: identity(path)? })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Another program may have replaced the file.
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn accepted_stream_sends_at_once() {
        let socket = Socket::bind(&ListenAddress::Tcp(([127, 0, 0, 1], 0).into())).await.unwrap();
        let _client = TcpStream::connect(socket.tcp_address().unwrap()).await.unwrap();
        let (stream, _) = poll_fn(|context| socket.poll_accept(context)).await.unwrap();
        let Either::Left(stream) = stream else { panic!("a TCP stream") };
        assert!(stream.nodelay().unwrap());
    }
}
