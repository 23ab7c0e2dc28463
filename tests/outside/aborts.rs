//! Clients that disconnect at random moments of requests that may change something: what took effect,
//! the log, the metrics and the usage agree. `TEST_SEED` repeats the random choices of a run.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::harness::{Database, Server, TIMEOUT, eventually};
use crate::usage::{Month, usage_of};

const REQUESTS: usize = 400;
/// Number of requests at a time.
const AT_ONCE: usize = 8;
/// Number of links of a batch. They take several transactions.
const BATCH: usize = 300;

/// A request, and how its client ends it.
struct Attempt {
    authority: String,
    key: String,
    method: &'static str,
    path: String,
    body: String,
    /// Trace identifier, by which the log names the request.
    id: String,
    /// Number of rows that the query counts after the request has taken effect, and before.
    effect: Option<(String, [i64; 2])>,
    is_http2: bool,
    /// Number of bytes that the client sends.
    sent: usize,
    /// Time after which the client disconnects, unless it has the response.
    patience: Duration,
    /// Whether the client resets the connection, or the stream of HTTP/2.
    resets: bool,
}

impl Attempt {
    fn random(number: usize, server: &Server, operator_key: &str, rng: &mut StdRng) -> Self {
        let operator = (server.operator_authority(), operator_key);
        let owner = (server.authority().to_owned(), server.key());
        let links = |condition: String| format!("SELECT COUNT(*) FROM links WHERE {condition}");
        let ((authority, key), method, path, body, effect) = match rng.random_range(0..12) {
            0..3 => {
                let url = format!("https://one.example/{number}");
                let count = links(format!("destination_url = '{url}'"));
                (
                    owner,
                    "POST",
                    "/api/v1/shorten".into(),
                    json!({"url": url}),
                    Some((count, [1, 0])),
                )
            }
            3..5 => {
                let url = |link| format!("https://{number}.example/{link}");
                let all: Vec<_> =
                    (0..BATCH).map(|link| json!({"destination_url": url(link)})).collect();
                let count = links(format!("destination_host = '{number}.example'"));
                let effect = Some((count, [BATCH.try_into().unwrap(), 0]));
                (owner, "POST", "/api/manage/v1/link-batches".into(), json!({"links": all}), effect)
            }
            5..7 => {
                let path = format!("/api/manage/v1/links/old{number}");
                let count = links(format!("short_code = 'old{number}' AND title = 'new'"));
                (owner, "PATCH", path, json!({"title": "new"}), Some((count, [1, 0])))
            }
            7 => {
                let path = format!("/api/manage/v1/links/old{number}");
                let count = links(format!("short_code = 'old{number}' AND owner_id IS NOT NULL"));
                (owner, "DELETE", path, Value::Null, Some((count, [0, 1])))
            }
            8 => {
                let selectors = json!({"code": [format!("old{number}")]});
                let audit = json!({"reason": "spam"});
                let body = json!({"action": "disable", "selectors": selectors, "audit": audit});
                let disabled = "disabled_reason IS NOT NULL";
                let count = links(format!("short_code = 'old{number}' AND {disabled}"));
                let path = "/api/operator/v1/link-changes".into();
                (operator, "POST", path, body, Some((count, [1, 0])))
            }
            9 => {
                let body = json!({"name": format!("owner{number}"), "key": {}});
                let count = format!("SELECT COUNT(*) FROM owners WHERE name = 'owner{number}'");
                (operator, "POST", "/api/operator/v1/owners".into(), body, Some((count, [1, 0])))
            }
            10 => (owner, "POST", "/api/v1/nothing".into(), json!({}), None),
            _ => (owner, "PUT", "/api/v1/links".into(), json!({}), None),
        };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut attempt = Self {
            authority,
            key: key.to_owned(),
            method,
            path,
            body,
            id: format!("attempt-{number}"),
            effect,
            is_http2: rng.random(),
            sent: 0,
            patience: Duration::from_micros(rng.random_range(0..4_000)),
            resets: rng.random(),
        };
        let whole = if attempt.is_http2 { attempt.body.len() } else { attempt.http1().len() };
        attempt.sent = if rng.random_bool(0.8) { whole } else { rng.random_range(0..=whole) };
        attempt
    }

    fn http1(&self) -> Vec<u8> {
        let Self { authority, key, method, path, body, id, .. } = self;
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {authority}\r\nX-API-Key: {key}\r\nX-Request-Id: \
             {id}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        text.into_bytes()
    }

    async fn send(&self) {
        let mut stream = TcpStream::connect(&self.authority).await.unwrap();
        stream.set_nodelay(true).unwrap();
        if self.resets {
            stream.set_zero_linger().unwrap();
        }
        if self.is_http2 {
            return self.send_http2(stream).await;
        }
        // The server may respond before it has read all.
        let _ = stream.write_all(&self.http1()[..self.sent]).await;
        let _ = timeout(self.patience, stream.read(&mut [0; 1024])).await;
    }

    async fn send_http2(&self, stream: TcpStream) {
        let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
        let connection = tokio::spawn(connection);
        let request = http::Request::builder()
            .method(self.method)
            .uri(format!("http://{}{}", self.authority, self.path))
            .header("X-API-Key", &self.key)
            .header("X-Request-Id", &self.id)
            .header("Content-Type", "application/json")
            .body(())
            .unwrap();
        let (response, mut stream) = client.send_request(request, false).unwrap();
        let exchange = async {
            let mut body = Bytes::copy_from_slice(&self.body.as_bytes()[..self.sent]);
            while !body.is_empty() {
                stream.reserve_capacity(body.len());
                let Some(Ok(room)) = poll_fn(|context| stream.poll_capacity(context)).await else {
                    return;
                };
                stream.send_data(body.split_to(room.min(body.len())), false).unwrap();
            }
            if self.sent == self.body.len() {
                stream.send_data(Bytes::new(), true).unwrap();
            }
            let _ = response.await;
        };
        let _ = timeout(self.patience, exchange).await;
        if self.resets {
            stream.send_reset(h2::Reason::CANCEL);
            // The connection sends the reset.
            sleep(Duration::from_millis(5)).await;
        }
        connection.abort();
    }
}

/// Returns the log lines of the attempts, by trace identifier.
fn completed(log: &str) -> BTreeMap<String, Value> {
    let mut lines = BTreeMap::new();
    for line in log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if line["message"] == "request completed"
            && let Some(id) = line["trace_id"].as_str()
        {
            let before = lines.insert(id.to_owned(), line.clone());
            assert!(before.is_none(), "{line} is the second one");
        }
    }
    lines
}

/// Returns the number of requests by route, method and status in the metrics, without reads.
async fn measured(server: &Server) -> BTreeMap<String, i64> {
    let metrics = server.operator_anyone().get("/metrics").await.expect(200).text();
    let series = metrics.lines().filter_map(|line| {
        let (labels, count) = line.strip_prefix("terse_http_requests_total")?.rsplit_once(' ')?;
        let is_read = labels.contains("method=\"GET\"");
        (!is_read).then(|| (labels.to_owned(), count.parse().unwrap()))
    });
    series.collect()
}

/// Counts log lines as the metrics do.
fn counted<'l>(lines: impl Iterator<Item = &'l Value>) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for line in lines {
        let labels = format!(
            "{{method={},route={},status=\"{}\"}}",
            line["method"], line["route"], line["status"]
        );
        *counts.entry(labels).or_default() += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn aborted_requests_are_recorded_if_they_take_effect() {
    let mut rng = StdRng::seed_from_u64(crate::model::seed());
    let settings = ["--operator-listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1"];
    let server = Server::with(&Arc::new(Database::new().with_default_owner()), &settings);
    let database = Arc::clone(server.database());
    let rows: String =
        (0..REQUESTS).map(|number| format!("old{number},https://old.example/\n")).collect();
    let file = database.directory().join("old.csv");
    std::fs::write(&file, format!("short_code,destination_url\n{rows}")).unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "default"]).done();
    let operator_key = database.operator_key("admin", "admin");
    let attempts: Vec<_> = (0..REQUESTS)
        .map(|number| Attempt::random(number, &server, &operator_key, &mut rng))
        .collect();
    let all = futures_util::stream::iter(&attempts).map(Attempt::send);
    all.buffer_unordered(AT_ONCE).collect::<Vec<()>>().await;
    eventually(TIMEOUT, "all effects are logged", async || {
        contradiction(&database, &attempts, &completed(&server.log())).await.is_none()
    })
    .await;
    let logged = counted(completed(&server.log()).values());
    let metrics = measured(&server).await;
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    let lines = completed(&ended.log);
    let contradiction = contradiction(&database, &attempts, &lines).await;
    assert!(contradiction.is_none(), "{contradiction:?}");
    // Some requests may have been in progress when the metrics were read.
    let all = counted(lines.values());
    assert!(metrics.keys().all(|series| all.contains_key(series)), "{metrics:?}\n{all:?}");
    for (series, end) in &all {
        let [begin, measured] =
            [&logged, &metrics].map(|counts| counts.get(series).copied().unwrap_or(0));
        assert!((begin..=*end).contains(&measured), "{series}: {begin}, {measured}, {end}");
    }
    let is_disconnected = |line: &&Value| line["client_disconnected"] == true;
    let is_success = |line: &&Value| line["status"].as_u64().unwrap() < 300;
    let disconnected = lines.values().filter(is_success).filter(is_disconnected).count();
    assert!(disconnected > 10, "{disconnected}");
    let is_billed = |line: &&Value| {
        line["owner"] == "default"
            && ![401, 403, 429, 503].contains(&line["status"].as_i64().unwrap())
    };
    let billed = lines.values().filter(|line| !line["key"].is_null()).filter(is_billed).count();
    let usage = usage_of(&database, Month::current(), "default");
    assert_eq!(usage["requests"], billed, "{usage}");
}

/// Returns a request that took effect although no log line has a status of success, or the other way
/// round.
async fn contradiction<'a>(
    database: &Database,
    attempts: &'a [Attempt],
    lines: &BTreeMap<String, Value>,
) -> Option<&'a str> {
    let connection = database.connect().await;
    let mut found = None;
    for attempt in attempts {
        let Some((count, [after, before])) = &attempt.effect else { continue };
        let status = lines.get(&attempt.id).map(|line| line["status"].as_u64().unwrap());
        let rows = connection.find_number(count).await.unwrap();
        let expected = if status.is_some_and(|status| status < 300) { after } else { before };
        // After a commit without a confirmation, the outcome is unknown.
        if rows != Some(*expected) && status != Some(503) {
            found = Some(&*attempt.id);
            break;
        }
    }
    connection.close().await;
    found
}
