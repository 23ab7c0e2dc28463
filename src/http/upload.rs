//! A request's body on its way. Most errors can be told from the head: the body is read when an
//! operation wants it, and read away behind an answer that has not needed it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use poem::Request;
use poem::http::{HeaderMap, Version, header};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The most bytes of a body that is taken.
pub const MAX_BODY: usize = 64 * 1024;
/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How much is read away of a body that is not: a client that is still sending does not look for an
/// answer, and would not find it on a connection that was cut off.
const MAX_READ_AWAY: usize = 4 * 1024 * 1024;
/// How long nothing may come of it.
const SILENCE: Duration = Duration::from_secs(5);

type Chunks = BoxStream<'static, io::Result<Bytes>>;

/// The body of one request, which all clones share.
#[derive(Clone)]
pub struct Upload {
    /// How long it is, where the head says so.
    length: Option<usize>,
    /// Whether the client sends it only when it is told to go on (RFC 9110, section 10.1.1), which
    /// it is as soon as somebody asks for the first chunk.
    is_held_back: bool,
    /// There until somebody reads.
    chunks: Arc<Mutex<Option<Chunks>>>,
}

/// Why there is no body.
#[derive(Debug, Clone, Copy)]
pub enum Unread {
    /// It is longer than [`MAX_BODY`].
    TooLarge,
    /// It did not arrive whole.
    Broken,
    /// It did not arrive in time.
    TooSlow,
}

impl Upload {
    /// Takes the body out of a request.
    pub fn of(request: &mut Request) -> Self {
        let body = request.take_body();
        let chunks = (!body.is_empty()).then(|| body.into_bytes_stream().boxed());
        let headers = request.headers();
        Self {
            length: length(headers),
            is_held_back: request.version() == Version::HTTP_11 && expects_continue(headers),
            chunks: Arc::new(Mutex::new(chunks)),
        }
    }

    /// The whole body.
    pub async fn read(&self) -> Result<Vec<u8>, Unread> {
        if self.length.is_some_and(|length| length > MAX_BODY) {
            return Err(Unread::TooLarge);
        }
        let Some(mut chunks) = self.chunks.lock().await.take() else { return Ok(Vec::new()) };
        let unread = match timeout(TIMEOUT, whole(&mut chunks)).await {
            Ok(Ok(Some(bytes))) => return Ok(bytes),
            Ok(Ok(None)) => Unread::TooLarge,
            Ok(Err(_)) => return Err(Unread::Broken),
            Err(_) => Unread::TooSlow,
        };
        tokio::spawn(read_away(chunks));
        Err(unread)
    }

    /// Gives up a body that nobody has asked for; true where the connection must end with the
    /// answer, since the client may send it all the same or go on with its next request, or since it is
    /// too long to be read away.
    pub async fn leave(self) -> bool {
        let Some(chunks) = self.chunks.lock().await.take() else { return false };
        if !self.is_held_back {
            tokio::spawn(read_away(chunks));
        }
        self.is_held_back || self.length.is_some_and(|length| length > MAX_READ_AWAY)
    }
}

fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn expects_continue(headers: &HeaderMap) -> bool {
    let expected = headers.get(header::EXPECT);
    expected.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// The chunks together; none where they are too many.
async fn whole(chunks: &mut Chunks) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if bytes.len() + chunk.len() > MAX_BODY {
            return Ok(None);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Some(bytes))
}

async fn read_away(mut chunks: Chunks) {
    let mut total = 0;
    let reading = async {
        while let Ok(Some(Ok(chunk))) = timeout(SILENCE, chunks.next()).await {
            total += chunk.len();
            if total > MAX_READ_AWAY {
                break;
            }
        }
    };
    // When it takes longer, the connection ends with what the client is still sending.
    let _ = timeout(TIMEOUT, reading).await;
}
