//! A receiver of webhooks, which answers as a test tells it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::{TIMEOUT, eventually};

/// What the receiver does with a request.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Responds with this status line and these headers, and a body of one word.
    Status(&'static str),
    /// Does not respond.
    Nothing,
    /// Responds with a byte per second.
    Slow,
    /// Responds with this status line, and a body that never comes.
    Half(&'static str),
    /// Responds with 500 and a body that does not end.
    Endless,
}

/// A received delivery.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) request: String,
    headers: HashMap<String, String>,
    text: String,
    pub(super) body: Value,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(super) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    pub(super) fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap()
    }

    /// Returns which of these secrets have signed the delivery.
    pub(super) fn signed_by(&self, secrets: &[&str]) -> Vec<bool> {
        let content = format!("{}.{}.{}", self.id(), self.header("webhook-timestamp"), self.text);
        let signatures: Vec<&str> = self.header("webhook-signature").split(' ').collect();
        let is_signed = |secret: &&str| {
            let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
            assert_eq!(key.len(), 32);
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
            mac.update(content.as_bytes());
            let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
            signatures.contains(&expected.as_str())
        };
        secrets.iter().map(is_signed).collect()
    }
}

/// A server that stores what it receives.
pub(super) struct Receiver {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<Answer>>,
}

impl Receiver {
    /// Listens on a free port of loopback, and accepts everything.
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (received, answer) =
            (Arc::default(), Arc::new(Mutex::new(Answer::Status("204 No Content"))));
        let receiver = Self { port, received, answer };
        let (received, answer) = (Arc::clone(&receiver.received), Arc::clone(&receiver.answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&received), Arc::clone(&answer)));
            }
        });
        receiver
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook?from=terse", self.port)
    }

    pub(super) fn answer(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    /// Returns everything that was received until now.
    pub(super) fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Returns the deliveries of a type.
    pub(super) fn of(&self, kind: &str) -> Vec<Received> {
        self.all().into_iter().filter(|received| received.kind() == kind).collect()
    }

    /// Waits until this many deliveries of a type have been received, and returns them.
    pub(super) async fn wait_for(&self, kind: &str, count: usize) -> Vec<Received> {
        eventually(4 * TIMEOUT, kind, async || self.of(kind).len() >= count).await;
        self.of(kind)
    }

    /// Waits for the only delivery of a type, and returns its data.
    pub(super) async fn data(&self, kind: &str) -> Value {
        let received = self.wait_for(kind, 1).await;
        assert_eq!(received.len(), 1, "{received:#?}");
        received[0].body["data"].clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<Answer>>,
) {
    let Some(request) = read(&mut stream).await else { return };
    received.lock().unwrap().push(request);
    let answer = answer.lock().unwrap().clone();
    match answer {
        Answer::Status(status) => {
            let response = format!("HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\ndown");
            let _ = stream.write_all(response.as_bytes()).await;
        }
        Answer::Nothing => tokio::time::sleep(Duration::from_secs(60)).await,
        Answer::Slow => {
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone" {
                if stream.write_all(&[*byte]).await.is_err() {
                    break;
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        Answer::Half(status) => {
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        Answer::Endless => {
            let head = "HTTP/1.1 500 Failed\r\nContent-Length: 1000000000\r\n\r\n";
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(&[b'x'; 65_536]).await.is_ok() {}
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    loop {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let mut lines = head.split("\r\n");
            let request = lines.next()?.to_owned();
            let headers: HashMap<String, String> = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
                .collect();
            let length: usize = headers.get("content-length")?.parse().ok()?;
            if bytes.len() >= end + 4 + length {
                let text = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
                let body = serde_json::from_str(&text).unwrap();
                return Some(Received { request, headers, text, body });
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
