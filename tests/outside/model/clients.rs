//! Clients of both servers: visitors of links, and creators of links.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::choice::Choice;
use super::world::Span;
use crate::harness::{Connection, Response, field};

/// Pause of a client after a request.
const PAUSE: Duration = Duration::from_millis(2);
/// Pause of a creator after a request; longer, because plans limit the links.
const CREATION_PAUSE: Duration = Duration::from_millis(15);
/// A code that no link ever has.
pub(super) const NEVER: &str = "never-created";

/// Authority and base URL of a server.
pub(super) type Address = (String, String);

/// What all clients of a round share.
pub(super) struct Shared {
    pub(super) addresses: RwLock<[Address; 2]>,
    pub(super) step: Arc<AtomicU64>,
    pub(super) has_ended: AtomicBool,
    /// Codes of links that exist or are deleted.
    pub(super) codes: RwLock<Vec<String>>,
}

/// A client with a connection to each server.
pub(super) struct Client<'a> {
    shared: &'a Shared,
    connections: [Option<(Address, Connection)>; 2],
}

/// The result of one request.
pub(super) enum Sent {
    Response(Box<Response>),
    /// The server does not run.
    Refused,
    /// The server was killed; it may have completed the request.
    Lost,
}

impl<'a> Client<'a> {
    pub(super) fn new(shared: &'a Shared) -> Self {
        Self { shared, connections: [None, None] }
    }

    /// Sends a request to one of the servers.
    pub(super) fn send(
        &mut self,
        server: usize,
        method: &str,
        target: &str,
        fields: &[Vec<u8>],
        body: &str,
    ) -> Sent {
        let address = self.shared.addresses.read().unwrap()[server].clone();
        let open = self.connections[server].take().filter(|(of, _)| *of == address);
        let mut connection = match open {
            Some((_, connection)) => connection,
            None => match Connection::try_open(&address.0, &address.1) {
                Ok(connection) => connection,
                Err(_) => return Sent::Refused,
            },
        };
        match connection.exchange(method, target.as_bytes(), fields, body.as_bytes()) {
            Ok(response) => {
                if response.header("connection") != Some("close") {
                    self.connections[server] = Some((address, connection));
                }
                Sent::Response(Box::new(response))
            }
            Err(error) => {
                let is_late = [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind());
                assert!(!is_late, "{method} {target} has no response");
                Sent::Lost
            }
        }
    }

    /// Sends `GET` for a short URL.
    pub(super) fn visit(&mut self, server: usize, code: &str) -> Sent {
        self.send(server, "GET", &format!("/{code}"), &[], "")
    }
}

/// The clicks of a visitor: the minimum and maximum number per code.
#[derive(Default)]
pub(super) struct Clicks {
    pub(super) of: BTreeMap<String, (u64, u64)>,
    /// Number of requests that a killed server did not respond to.
    pub(super) lost: usize,
}

/// Visits random links until the round ends.
pub(super) fn visit(shared: &Shared, mut choice: Choice) -> Clicks {
    let (mut client, mut clicks) = (Client::new(shared), Clicks::default());
    while !shared.has_ended.load(Ordering::SeqCst) {
        let code = if choice.percent(1) {
            NEVER.to_owned()
        } else {
            choice.one(&shared.codes.read().unwrap()).clone()
        };
        let (fewest, most) = match client.visit(choice.below(2), &code) {
            Sent::Response(response) => {
                let expected: &[u16] = if code == NEVER { &[404] } else { &[302, 410, 451, 503] };
                assert!(expected.contains(&response.status), "{response:#?}");
                (
                    u64::from(response.status == 302),
                    u64::from([302, 503].contains(&response.status)),
                )
            }
            Sent::Refused => (0, 0),
            Sent::Lost => {
                clicks.lost += 1;
                (0, 1)
            }
        };
        if most > 0 && code != NEVER {
            let counted = clicks.of.entry(code).or_default();
            *counted = (counted.0 + fewest, counted.1 + most);
        }
        thread::sleep(PAUSE);
    }
    clicks
}

/// A request for a new link, and what the client knows about its result.
#[derive(Debug)]
pub(super) struct Creation {
    pub(super) owner: usize,
    pub(super) body: Value,
    pub(super) span: Span,
    pub(super) result: CreationResult,
}

#[derive(Debug)]
pub(super) enum CreationResult {
    Created(String),
    Refused,
    /// A killed server may have created the link.
    Unknown,
}

/// Creates links with the keys of these owners until the round ends. `name` makes titles, codes and
/// idempotency keys distinct.
pub(super) fn create(
    shared: &Shared,
    mut choice: Choice,
    name: &str,
    keys: &[(usize, String)],
    has_custom_codes: bool,
) -> Vec<Creation> {
    let (mut client, mut creations) = (Client::new(shared), Vec::new());
    while !shared.has_ended.load(Ordering::SeqCst) {
        let name = format!("{name}-{}", creations.len());
        let (owner, key) = choice.one(keys);
        let custom_code = (has_custom_codes || choice.percent(30)).then(|| format!("c{name}"));
        let body = json!({
            "url": choice.destination(),
            "title": format!("link {name}"),
            "campaign": choice.campaign(),
            "custom_code": custom_code,
            "expires_at": choice.expiry(),
        });
        let creation = create_one(&mut client, choice.below(2), *owner, key, &name, body);
        if let CreationResult::Created(code) = &creation.result {
            shared.codes.write().unwrap().push(code.clone());
        }
        creations.push(creation);
        thread::sleep(CREATION_PAUSE);
    }
    creations
}

/// Sends one request, and repeats it with the same idempotency key until a server responds.
fn create_one(
    client: &mut Client<'_>,
    server: usize,
    owner: usize,
    key: &str,
    name: &str,
    body: Value,
) -> Creation {
    let shared = client.shared;
    let step = || shared.step.load(Ordering::SeqCst);
    let fields = [
        field("X-API-Key", key),
        field("Content-Type", "application/json"),
        field("Idempotency-Key", name),
    ];
    let (text, sent, mut is_lost) = (body.to_string(), step(), false);
    let mut servers = [server, 1 - server].into_iter().cycle();
    let response = loop {
        let server = servers.next().expect("the servers alternate");
        match client.send(server, "POST", "/api/v1/shorten", &fields, &text) {
            Sent::Response(response) if response.status != 503 => break response,
            Sent::Response(_) | Sent::Lost => is_lost = true,
            Sent::Refused => {}
        }
        thread::sleep(PAUSE);
    };
    // The killed server's transaction may commit after the other server has rejected the request.
    let responded = if is_lost && response.status != 201 { u64::MAX } else { step() };
    let result = if response.status == 201 {
        CreationResult::Created(response.code())
    } else {
        let problem = response.json()["code"].as_str().unwrap_or_default().to_owned();
        let expected: &[&str] = match response.status {
            401 => &["unauthorized"],
            403 => &["owner-suspended"],
            409 if is_lost => &["plan-limit-reached", "expiry-passed", "code-in-use"],
            409 => &["plan-limit-reached", "expiry-passed"],
            _ => &["destination-blocked"],
        };
        assert!(expected.contains(&&*problem), "{response:#?}");
        if is_lost { CreationResult::Unknown } else { CreationResult::Refused }
    };
    Creation { owner, body, span: Span { sent, responded }, result }
}
