//! Request bodies. The server reads a body only if an operation needs it, because the head of a
//! request shows most errors. It discards an unread body after the response.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use poem::Request;
use poem::http::{HeaderMap, HeaderValue, Version, header};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Maximum size of an accepted body in bytes, unless an operation needs more.
pub const MAX_BODY: usize = 64 * 1024;
/// Maximum time to read or drain a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of bytes to drain. Draining is needed because a client that is still sending does
/// not read the response, and would lose it if the connection closed.
const MAX_DRAIN: usize = 4 * 1024 * 1024;
/// Maximum time to wait for the next chunk while a body is drained.
const DRAIN_IDLE_TIMEOUT: Duration = Duration::from_secs(5);

type Chunks = BoxStream<'static, io::Result<Bytes>>;

/// Body of one request, which all clones share.
#[derive(Clone)]
pub struct RequestBody {
    /// Value of `Content-Length`, if the request has it.
    length: Option<usize>,
    /// Whether the client waits for `100 Continue` (RFC 9110, section 10.1.1). hyper sends it when
    /// the first chunk is polled.
    expects_continue: bool,
    /// Chunks of the body. `None` once the body was read or discarded.
    chunks: Arc<Mutex<Option<Chunks>>>,
}

/// Error of reading a body.
#[derive(Debug, Clone, Copy)]
pub enum BodyError {
    /// The body is larger than the operation accepts.
    TooLarge,
    /// The connection ended before the body was complete.
    Incomplete,
    /// The body did not arrive within the timeout.
    TooSlow,
    /// The server has no memory for the body now.
    NoRoom,
}

impl RequestBody {
    /// Takes the body out of a request, so that nothing else can read it.
    pub fn take_from(request: &mut Request) -> Self {
        let body = request.take_body();
        let chunks = (!body.is_empty()).then(|| body.into_bytes_stream().boxed());
        let headers = request.headers();
        Self {
            length: length(headers),
            expects_continue: request.version() == Version::HTTP_11 && expects_continue(headers),
            chunks: Arc::new(Mutex::new(chunks)),
        }
    }

    /// Reads the whole body, which may have `max` bytes, and returns it. `has_room` returns whether
    /// the server has memory for this many bytes of it.
    pub async fn read(
        &self,
        max: usize,
        has_room: impl FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, BodyError> {
        if self.length.is_some_and(|length| length > max) {
            return Err(BodyError::TooLarge);
        }
        let Some(mut chunks) = self.chunks.lock().await.take() else { return Ok(Vec::new()) };
        let error = match timeout(BODY_TIMEOUT, collect(&mut chunks, max, has_room)).await {
            Ok(Err(error)) => error,
            Ok(bytes) => return bytes,
            Err(_) => BodyError::TooSlow,
        };
        if !matches!(error, BodyError::Incomplete) {
            tokio::spawn(drain(chunks));
        }
        Err(error)
    }

    /// Drains and discards a body that was not read. Returns true if the connection must close
    /// after the response, because the body is too long to drain or the client may never send it.
    pub async fn discard(self) -> bool {
        let Some(chunks) = self.chunks.lock().await.take() else { return false };
        if !self.expects_continue {
            tokio::spawn(drain(chunks));
        }
        self.expects_continue || self.length.is_some_and(|length| length > MAX_DRAIN)
    }
}

fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn expects_continue(headers: &HeaderMap) -> bool {
    let expected = headers.get(header::EXPECT);
    expected.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// Returns the concatenated chunks.
async fn collect(
    chunks: &mut Chunks,
    max: usize,
    mut has_room: impl FnMut(usize) -> bool,
) -> Result<Vec<u8>, BodyError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| BodyError::Incomplete)?;
        let length = bytes.len() + chunk.len();
        if length > max {
            return Err(BodyError::TooLarge);
        }
        if !has_room(length) {
            return Err(BodyError::NoRoom);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn drain(mut chunks: Chunks) {
    let mut total = 0;
    let reading = async {
        while let Ok(Some(Ok(chunk))) = timeout(DRAIN_IDLE_TIMEOUT, chunks.next()).await {
            total += chunk.len();
            if total > MAX_DRAIN {
                break;
            }
        }
    };
    // If the body has not ended by then, dropping its stream closes the connection.
    let _ = timeout(BODY_TIMEOUT, reading).await;
}

/// Checks that the headers of an HTTP/1.1 request leave no doubt where its body ends. RFC 9112
/// requires this of a server, and hyper does not check it.
///
/// # Errors
/// Returns the reason, as text for the client.
pub fn check_framing(request: &Request) -> Result<(), &'static str> {
    if request.version() != Version::HTTP_11 {
        return Ok(());
    }
    let headers = request.headers();
    // Section 6.1: hyper decodes `chunked`, but would pass on data in any other coding as the body.
    // A proxy may interpret a body that is chunked twice in another way.
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let is_chunked =
        |coding: &HeaderValue| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
    if codings.next().is_some_and(|first| !is_chunked(first)) || codings.next().is_some() {
        return Err("No transfer coding other than chunked, once, is accepted.");
    }
    Ok(())
}
