//! Lists that clients read slowly, and whose keys become invalid meanwhile.

use std::fmt::Write as _;

use bytes::Bytes;
use h2::client::{SendRequest, handshake};
use http::Request;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{
    Connection, RESPONSE_TIMEOUT, Server, assert_within_a_second, field, find_object,
};
use crate::owner_commands::start_instances;

/// Number of links, whose list exceeds what sockets buffer.
const LINKS: usize = 1_100;

/// Every kind of list: complete, with conditions that the database and the server check, with QR
/// codes, and with a limit.
const LISTS: [&str; 5] = [
    "/api/v1/links",
    "/api/v1/links?campaign=spring",
    "/api/v1/links?active=1",
    "/api/v1/qrcodes",
    "/api/v1/links?limit=1000",
];

/// Creates an owner with links of 8 KB each, and returns its key.
fn create_links(server: &Server, owner: &str) -> String {
    let database = server.database();
    let key = database.owner(owner, "unlimited");
    let head = "short_code,destination_url,campaign,has_qr\n".to_owned();
    let padding = "x".repeat(8_000);
    let rows = (0..LINKS).fold(head, |mut rows, number| {
        writeln!(rows, "{owner}{number},https://example.com/{padding},spring,1").unwrap();
        rows
    });
    std::fs::write(database.directory().join("in.csv"), rows).unwrap();
    database.terse(&["import", "in.csv", "--owner", owner]).done();
    key
}

/// Starts servers of one database, in which a pattern is blocked, so that the server checks the
/// condition `active`.
fn servers_with_a_block() -> Vec<Server> {
    let servers = start_instances();
    servers[0].terse(&["block", "add", "blocked.example"]).done();
    servers
}

/// Requests a list over HTTP/1.1 and waits for the beginning of its response.
fn begin_list(server: &Server, target: &str, key: &str) -> Connection {
    let mut connection = server.connect();
    connection.send_head("GET", target.as_bytes(), &[field("X-API-Key", key)]).unwrap();
    connection.wait_for_bytes().unwrap();
    connection
}

async fn connect_http2(server: &Server) -> SendRequest<Bytes> {
    let stream = TcpStream::connect(server.authority()).await.unwrap();
    // The updates of the window, which are small, would wait for delayed acknowledgements.
    stream.set_nodelay(true).unwrap();
    let (client, connection) = handshake(stream).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Requests a list on an HTTP/2 connection and waits for the head of its response.
async fn begin_stream(
    client: &SendRequest<Bytes>,
    server: &Server,
    target: &str,
    key: &str,
) -> h2::RecvStream {
    let request = Request::get(format!("http://{}{target}", server.authority()));
    let request = request.header("X-API-Key", key).body(()).unwrap();
    let mut client = client.clone().ready().await.unwrap();
    let (response, _) = client.send_request(request, true).unwrap();
    let response = timeout(RESPONSE_TIMEOUT, response).await.unwrap().unwrap();
    assert_eq!(response.status(), 200);
    response.into_body()
}

/// Reads the rest of a stream. Returns whether it is complete.
async fn is_complete(mut body: h2::RecvStream) -> bool {
    while let Some(part) = timeout(RESPONSE_TIMEOUT, body.data()).await.expect("it continues") {
        let Ok(part) = part else { return false };
        body.flow_control().release_capacity(part.len()).unwrap();
    }
    true
}

/// Returns the number of lists that the servers have aborted because of their keys.
fn aborted(servers: &[Server]) -> usize {
    let is_abort = |line: &&str| {
        line.contains("list response aborted") && line.contains("API key is no longer valid")
    };
    servers.iter().map(|server| server.log().lines().filter(is_abort).count()).sum()
}

/// Begins all lists on all servers over both protocols with the key of `acme`, and one list of each
/// protocol with the key of another owner. After `end`, those of `acme` end at once and the others
/// go on.
async fn assert_lists_end(servers: &[Server], acme: &str, end: impl FnOnce()) {
    let other = create_links(&servers[0], "other");
    let (mut plain, mut streams, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for server in servers {
        let client = connect_http2(server).await;
        for list in LISTS {
            plain.push((list, begin_list(server, list, acme)));
            streams.push((list, begin_stream(&client, server, list, acme).await));
        }
        // On the same connection, so that only the other streams may end.
        let stream = begin_stream(&client, server, LISTS[0], &other).await;
        kept.push((begin_list(server, LISTS[0], &other), stream));
    }
    end();
    let begun = plain.len() + streams.len();
    assert_within_a_second("all lists end", async || {
        // A response takes longer on a busy machine, as the end of a list does.
        for server in servers {
            server.anyone().get("/health/live").await.expect(200);
        }
        aborted(servers) == begun
    })
    .await;
    for (list, mut connection) in plain {
        assert!(connection.read_response(false).is_err(), "{list} over HTTP/1.1");
    }
    for (list, body) in streams {
        assert!(!is_complete(body).await, "{list} over HTTP/2");
    }
    for (mut connection, stream) in kept {
        assert_eq!(connection.read_response(false).unwrap().0, 200);
        assert!(is_complete(stream).await);
    }
    assert_eq!(aborted(servers), begun);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_end_when_their_key_is_revoked() {
    let servers = servers_with_a_block();
    create_links(&servers[0], "acme");
    let key = servers[0].terse(&["key", "add", "acme", "--label", "other"]).key();
    let id = servers[0].database().key_id("acme", "other");
    assert_lists_end(&servers, &key, || {
        servers[0].terse(&["key", "revoke", &id]).done();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_end_when_their_owner_is_suspended() {
    let servers = servers_with_a_block();
    let key = create_links(&servers[0], "acme");
    assert_lists_end(&servers, &key, || {
        servers[0].terse(&["owner", "suspend", "acme"]).done();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_end_when_their_owner_is_deleted() {
    let servers = servers_with_a_block();
    let key = create_links(&servers[0], "acme");
    assert_lists_end(&servers, &key, || {
        servers[0].terse(&["owner", "delete", "acme", "--confirm", "acme"]).done();
    })
    .await;
}

#[tokio::test]
async fn list_that_goes_on_after_the_deletion_of_its_owner_is_not_complete() {
    let servers = servers_with_a_block();
    let key = create_links(&servers[0], "acme");
    let mut streams = Vec::new();
    for server in &servers {
        let client = connect_http2(server).await;
        for list in LISTS {
            streams.push((list, begin_stream(&client, server, list, &key).await));
        }
    }
    servers[0].terse(&["owner", "delete", "acme", "--confirm", "acme"]).done();
    for (list, body) in streams {
        assert!(!is_complete(body).await, "{list}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_end_when_their_key_expires() {
    let servers = servers_with_a_block();
    let key = create_links(&servers[0], "acme");
    let keys = servers[0].terse(&["key", "list", "acme", "--json"]).json();
    let id = find_object(&keys, "owner_name", "acme").expect("the key is listed")["id"].to_string();
    let expire = ["key", "expire", id.trim_matches('"'), "--at", "1s"];
    assert_lists_end(&servers, &key, || {
        servers[0].terse(&expire).done();
        // The key is valid until then.
        std::thread::sleep(std::time::Duration::from_secs(1));
    })
    .await;
}
