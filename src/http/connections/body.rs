//! Response bodies whose unread bytes are counted.

use std::io::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::combinators;
use hyper::Response;
use hyper::body::{Body, Frame, SizeHint};

use super::table::{Connection, ConnectionTable};

/// Maximum size of a frame. hyper copies no more than this at once into its own memory.
const MAX_FRAME: usize = 16 * 1024;

/// A body as poem returns it.
pub(super) type BoxBody = combinators::BoxBody<Bytes, Error>;

/// Response extension that marks a body that all clients share. The table does not count its bytes.
#[derive(Debug, Clone, Copy)]
pub struct UncountedBody;

/// A response body. The table counts its bytes until it is sent or dropped.
pub(super) struct CountedBody {
    body: BoxBody,
    /// Part of the last frame that is not yet sent.
    rest: Bytes,
    /// `None` if the body is empty or shared.
    counted: Option<HeldBytes>,
}

/// Counted bytes of a request in progress, or of a response body.
pub(super) struct HeldBytes {
    table: Arc<ConnectionTable>,
    connection: Arc<Connection>,
    bytes: usize,
}

impl HeldBytes {
    pub(super) fn new(
        bytes: usize,
        table: &Arc<ConnectionTable>,
        connection: &Arc<Connection>,
    ) -> Self {
        table.add_held(connection, bytes);
        Self { table: Arc::clone(table), connection: Arc::clone(connection), bytes }
    }

    /// Counts more bytes if a frame is larger than what was counted so far.
    fn grow_to(&mut self, bytes: usize) {
        if bytes > self.bytes {
            self.table.add_held(&self.connection, bytes - self.bytes);
            self.bytes = bytes;
        }
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.table.subtract_held(&self.connection, self.bytes);
    }
}

impl CountedBody {
    /// Wraps the body of a response.
    pub(super) fn wrap(
        response: Response<BoxBody>,
        table: &Arc<ConnectionTable>,
        connection: &Arc<Connection>,
    ) -> Response<Self> {
        let is_shared = response.extensions().get::<UncountedBody>().is_some();
        response.map(|body| {
            let exact = body.size_hint().exact();
            let bytes = exact.map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX));
            let is_counted = !is_shared && exact != Some(0);
            let counted = is_counted.then(|| HeldBytes::new(bytes, table, connection));
            Self { body, rest: Bytes::new(), counted }
        })
    }
}

impl Body for CountedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if self.rest.is_empty() {
            let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => self.rest = data,
                Some(Ok(Err(other))) => return Poll::Ready(Some(Ok(other))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        let rest = self.rest.len();
        if let Some(counted) = &mut self.counted {
            counted.connection.note_progress();
            counted.grow_to(rest);
        }
        let size = rest.min(MAX_FRAME);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let hint = self.body.size_hint();
        let mut total = SizeHint::new();
        total.set_lower(hint.lower() + rest);
        if let Some(upper) = hint.upper() {
            total.set_upper(upper + rest);
        }
        total
    }
}
