//! The client of webhooks. It looks up the host of a URL, checks the addresses that it found, and connects
//! to one of them, so that no name leads to an address that was not checked.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::DateTime;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustls_native_certs::load_native_certs;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::Position;

use super::signature::sign;
use super::{Attempt, DeliveryId, Webhook};
use crate::domain::links::OwnerPermits;
use crate::store::Store;
use crate::values::{Timestamp, WebhookTargets, WebhookUrl};

/// Maximum time of an attempt.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Time from the beginning of an attempt until which the text of a response is awaited. Its status counts
/// even if the text never ends.
const TEXT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of attempts of the deliverer at a time. Tests may make some more, 64 together.
const MAX_ATTEMPTS: usize = 56;
/// Maximum number of bytes that are read of the response to a failure.
const MAX_RESPONSE: usize = 1_024;
/// Maximum size of the headers of a response.
const MAX_HEADERS: usize = 16 << 10;
/// Time for which a former secret also signs.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);

/// Sends deliveries. Clones share the limit of attempts at a time.
#[derive(Clone)]
pub struct Sender {
    targets: Arc<WebhookTargets>,
    tls: TlsConnector,
    permits: Arc<Semaphore>,
    /// Permits to test, by which no owner delays deliveries or the tests of others.
    pub(super) tests: OwnerPermits,
}

/// A delivery that is ready to be sent.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) id: DeliveryId,
    pub(super) body: String,
}

/// Result of an attempt.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) attempt: Attempt,
    /// What the receiver asks to wait at least before the next one.
    pub(super) retry_after: Option<Duration>,
}

impl Outcome {
    pub(super) fn has_succeeded(&self) -> bool {
        self.attempt.status_code.is_some_and(|status| (200..300).contains(&status))
    }

    /// Returns whether the receiver says that it is gone for good.
    pub(super) fn is_gone(&self) -> bool {
        self.attempt.status_code == Some(StatusCode::GONE.as_u16())
    }
}

impl Sender {
    /// Creates a sender that connects to these targets. It trusts the system's certificates, or those of
    /// Mozilla if the system has none.
    ///
    /// # Errors
    /// If the program has no version of TLS.
    pub fn new(targets: WebhookTargets) -> Result<Self, tokio_rustls::rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(load_native_certs().certs);
        if roots.is_empty() {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            targets: Arc::new(targets),
            tls: TlsConnector::from(Arc::new(config)),
            permits: Arc::new(Semaphore::new(MAX_ATTEMPTS)),
            tests: OwnerPermits::for_tests(),
        })
    }

    /// Returns which addresses webhooks may reach.
    pub fn targets(&self) -> &WebhookTargets {
        &self.targets
    }

    /// Waits until the deliverer may make another attempt.
    pub(super) async fn permit(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.permits.acquire().await
    }

    /// Sends a message to a webhook. `store` has the clock.
    pub(super) async fn send(
        &self,
        webhook: &Webhook,
        message: &Message,
        store: &Store,
    ) -> Outcome {
        let (at, started) = (store.now(), Instant::now());
        let sent = timeout(TIMEOUT, self.try_to_send(webhook, message, at)).await;
        let milliseconds = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        let (status_code, error, retry_after) = match sent {
            Ok(Ok((status, text, retry_after))) => (Some(status.as_u16()), text, retry_after),
            Ok(Err(error)) => (None, Some(error.to_owned()), None),
            Err(_) => (None, Some("no response within 15 seconds".to_owned()), None),
        };
        let attempt = Attempt { at: at.millis(), status_code, error, milliseconds };
        Outcome { attempt, retry_after }
    }

    /// Returns the status, what the response to a failure says, and how long it asks to wait.
    async fn try_to_send(
        &self,
        webhook: &Webhook,
        message: &Message,
        at: Timestamp,
    ) -> Result<(StatusCode, Option<String>, Option<Duration>), &'static str> {
        let url = WebhookUrl::parse(&webhook.url).map_err(|_| "URL is not allowed")?;
        // The settings may have changed since the URL was stored.
        self.targets.check(&url).map_err(|_| "URL is not allowed")?;
        let request = request(webhook, &url, message, at).ok_or("URL is not allowed")?;
        let text_until = Instant::now() + TEXT_TIMEOUT;
        let stream = self.connect(&url).await?;
        if url.url().scheme() == "http" {
            return exchange(stream, request, at, text_until).await;
        }
        let name = match url.address() {
            Some(address) => ServerName::from(address),
            None => ServerName::try_from(url.url().host_str().unwrap_or_default().to_owned())
                .map_err(|_| "host is not a name")?,
        };
        let stream = self.tls.connect(name, stream).await.map_err(|_| "TLS failed")?;
        exchange(stream, request, at, text_until).await
    }

    /// Connects to the host of a URL, at the first of its addresses that is allowed and responds.
    async fn connect(&self, url: &WebhookUrl) -> Result<TcpStream, &'static str> {
        let port = url.url().port_or_known_default().unwrap_or_default();
        let addresses: Vec<SocketAddr> = match url.address() {
            Some(address) => vec![SocketAddr::new(address, port)],
            None => {
                let host = (url.url().host_str().unwrap_or_default(), port);
                lookup_host(host).await.map_err(|_| "host was not found")?.collect()
            }
        };
        let is_allowed = |address: &IpAddr| self.targets.allow_address(*address);
        let mut error = "address is not allowed";
        for address in addresses.iter().filter(|address| is_allowed(&address.ip())) {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(_) => error = "connection failed",
            }
        }
        Err(error)
    }
}

fn request(
    webhook: &Webhook,
    url: &WebhookUrl,
    Message { id, body }: &Message,
    at: Timestamp,
) -> Option<Request<Full<Bytes>>> {
    let (id, seconds) = (id.to_string(), at.millis() / 1_000);
    let previous = webhook.previous_secret.as_deref();
    let previous = previous.filter(|_| webhook.secret_at.plus(OVERLAP) > at);
    let secrets = std::iter::once(webhook.secret.as_str()).chain(previous);
    let signature = sign(secrets, &id, seconds, body);
    let headers = [
        (HOST, url.url()[Position::BeforeHost..Position::AfterPort].to_owned()),
        (CONTENT_TYPE, "application/json".to_owned()),
        (USER_AGENT, concat!("Terse/", env!("CARGO_PKG_VERSION")).to_owned()),
        (HeaderName::from_static("webhook-id"), id),
        (HeaderName::from_static("webhook-timestamp"), seconds.to_string()),
        (HeaderName::from_static("webhook-signature"), signature),
    ];
    let mut request = Request::post(&url.url()[Position::BeforePath..Position::AfterQuery])
        .body(Full::new(Bytes::from(body.clone())))
        .ok()?;
    for (name, value) in headers {
        request.headers_mut().insert(name, HeaderValue::try_from(value).ok()?);
    }
    Some(request)
}

/// Sends a request on a connection of its own. A redirect is a response as any other.
async fn exchange<S>(
    stream: S,
    request: Request<Full<Bytes>>,
    at: Timestamp,
    text_until: Instant,
) -> Result<(StatusCode, Option<String>, Option<Duration>), &'static str>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut http = http1::Builder::new();
    let handshake = http.max_buf_size(MAX_HEADERS).handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|_| "connection failed")?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(|_| "response is malformed")?;
        let (status, retry_after) = (response.status(), retry_after(&response, at));
        let text = if status.is_success() { None } else { beginning(response, text_until).await };
        Ok((status, text, retry_after))
    };
    // The connection only carries this exchange, which notices its end by itself.
    let connection = async {
        let _ = connection.await;
        std::future::pending().await
    };
    tokio::select! {
        result = exchange => result,
        () = connection => Err("connection failed"),
    }
}

/// Returns what a response with the status 429 or 503 at this time asks to wait (RFC 9110, section 10.2.3).
fn retry_after(response: &Response<Incoming>, at: Timestamp) -> Option<Duration> {
    if ![StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE]
        .contains(&response.status())
    {
        return None;
    }
    let text = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = DateTime::parse_from_rfc2822(text).ok()?.timestamp_millis();
    Some(Duration::from_millis(u64::try_from(date - at.millis()).ok()?))
}

/// Reads the beginning of a body, what of it arrives until then, as text without control characters. Returns
/// `None` if there is none.
async fn beginning(response: Response<Incoming>, until: Instant) -> Option<String> {
    let (mut body, mut bytes) = (response.into_body(), Vec::new());
    while let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await {
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() >= MAX_RESPONSE {
            bytes.truncate(MAX_RESPONSE);
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes).replace(char::is_control, " ");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
