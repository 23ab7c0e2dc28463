//! Requests in progress whose key or owner loses access.

use std::future::poll_fn;
use std::sync::Arc;

use h2::{RecvStream, client};
use http::Request;
use serde_json::json;
use tokio::net::TcpStream;

use crate::harness::{Connection, Database, Server, TIMEOUT, eventually, field};

/// Number of links whose list exceeds the buffers of a server and a client that does not read.
const MANY: usize = 2_000;

/// A list that the server cannot finish, because its client does not read it.
enum UnreadList {
    Http1(Connection),
    Http2(RecvStream),
}

impl UnreadList {
    fn over_http1(server: &Server, target: &str, key: &str) -> Self {
        let mut connection = server.connect();
        connection.send_head("GET", target.as_bytes(), &[field("X-API-Key", key)]).unwrap();
        connection.wait_for_bytes().unwrap();
        Self::Http1(connection)
    }

    async fn over_http2(server: &Server, target: &str, key: &str) -> Self {
        let stream = TcpStream::connect(server.authority()).await.unwrap();
        let (client, connection) = client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let request = Request::get(format!("http://{}{target}", server.authority()));
        let request = request.header("X-API-Key", key).body(()).unwrap();
        let (response, _) = client.ready().await.unwrap().send_request(request, true).unwrap();
        let response = response.await.unwrap();
        assert_eq!(response.status(), 200);
        let mut list = response.into_body();
        list.data().await.expect("the list begins").unwrap();
        Self::Http2(list)
    }

    /// Reads the rest of the list, and returns whether the list was complete.
    async fn read_to_end(self) -> bool {
        match self {
            Self::Http1(mut connection) => connection.read_response(false).is_ok(),
            Self::Http2(mut list) => loop {
                match poll_fn(|context| list.poll_data(context)).await {
                    Some(Ok(data)) => list.flow_control().release_capacity(data.len()).unwrap(),
                    Some(Err(_)) => return false,
                    None => return true,
                }
            },
        }
    }
}

/// Creates a database whose owners `one` and `other` each have [`MANY`] links of 8 KB.
async fn database() -> Arc<Database> {
    let database = Database::new().migrated();
    for owner in ["one", "other"] {
        database.owner(owner, "unlimited");
        let row = |number| format!("https://example.com/{}{number},spring\n", "x".repeat(8_000));
        let rows: String = (0..MANY).map(row).collect();
        let file = database.directory().join("links.csv");
        std::fs::write(file, format!("destination_url,campaign\n{rows}")).unwrap();
        database.terse(&["import", "links.csv", "--owner", owner]).done();
    }
    database.execute("UPDATE links SET has_qr = 1").await;
    Arc::new(database)
}

/// Opens lists of both kinds over both protocols on each server, runs a command, and expects that
/// the server ends these lists although their clients do not read. Lists of another key go on.
async fn command_ends_lists(servers: &[Server], key: &str, other: &str, command: &[&str]) {
    let targets = ["/api/v1/links", "/api/v1/links?campaign=spring&active=1", "/api/v1/qrcodes"];
    let (mut lists, mut others) = (Vec::new(), Vec::new());
    for server in servers {
        for target in targets {
            lists.push(UnreadList::over_http1(server, target, key));
            lists.push(UnreadList::over_http2(server, target, key).await);
        }
        others.push(UnreadList::over_http1(server, targets[0], other));
        others.push(UnreadList::over_http2(server, targets[0], other).await);
    }
    let logged = |server: &Server| server.log().matches("list response aborted").count();
    let before: Vec<usize> = servers.iter().map(logged).collect();
    servers[0].terse(command).done();
    for (server, before) in servers.iter().zip(before) {
        eventually(TIMEOUT, "the lists end before anyone reads them", async || {
            logged(server) == before + 2 * targets.len()
        })
        .await;
    }
    for list in lists {
        assert!(!list.read_to_end().await, "{command:?}");
    }
    for list in others {
        assert!(list.read_to_end().await, "{command:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_end_when_their_key_or_owner_loses_access() {
    let database = database().await;
    // An SQLite database belongs to one server.
    let instances = if database.cluster().is_some() { 2 } else { 1 };
    let servers: Vec<Server> = (0..instances).map(|_| Server::on(&database)).collect();
    let add = |owner: &str, label: &str| {
        let key = database.terse(&["key", "add", owner, "--label", label]).key();
        (key, database.key_id(owner, label))
    };
    let (other, _) = add("other", "reader");
    let (key, id) = add("one", "revoked");
    command_ends_lists(&servers, &key, &other, &["key", "revoke", &id, "--yes"]).await;
    let (key, id) = add("one", "expired");
    command_ends_lists(&servers, &key, &other, &["key", "expire", &id, "--at", "3s", "--yes"])
        .await;
    let (key, _) = add("one", "suspended");
    let suspend = ["owner", "suspend", "one", "--reason", "spam", "--yes"];
    command_ends_lists(&servers, &key, &other, &suspend).await;
    database.terse(&["owner", "resume", "one", "--yes"]).done();
    let (key, _) = add("one", "deleted");
    let delete = ["owner", "delete", "one", "--confirm", "one", "--yes"];
    command_ends_lists(&servers, &key, &other, &delete).await;
}

/// Repeats a request on several connections until it is rejected or its server is too busy. Returns
/// the last status of each connection.
fn last_statuses(server: &Server, key: &str, code: &str) -> Vec<u16> {
    let link = json!({"url": "https://example.com/"}).to_string();
    let style = json!({"short_code": code}).to_string();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|number| {
                let (link, style) = (&link, &style);
                scope.spawn(move || {
                    let mut connection = server.connect();
                    for round in 0.. {
                        let (target, body) = match number % 2 {
                            0 => ("/api/v1/shorten", link),
                            _ => ("/api/v1/qrcodes", style),
                        };
                        let mut fields = vec![
                            field("X-API-Key", key),
                            field("Content-Type", "application/json"),
                        ];
                        if number % 4 > 1 {
                            fields.push(field("Idempotency-Key", &format!("{number}-{round}")));
                        }
                        let response = connection
                            .exchange("POST", target.as_bytes(), &fields, body.as_bytes())
                            .unwrap();
                        if response.status != 201 {
                            return response.status;
                        }
                    }
                    unreachable!("the loop has no end")
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    })
}

#[tokio::test]
async fn creations_are_rejected_as_soon_as_their_owner_is_suspended_or_deleted() {
    let server = Server::start();
    let confirm: &[&str] = &["--confirm", "deleted"];
    for (owner, command, options) in
        [("suspended", "suspend", &[][..]), ("deleted", "delete", confirm)]
    {
        let key = server.database().owner(owner, "unlimited");
        let code = server.with_key(&key).create("https://example.com/").await;
        let statuses = std::thread::scope(|scope| {
            let clients = scope.spawn(|| last_statuses(&server, &key, &code));
            let outcome = server.terse(&[&["owner", command, owner, "--yes"], options].concat());
            let statuses = clients.join().unwrap();
            outcome.done();
            statuses
        });
        // A deletion begins with a suspension.
        let is_expected = |status: &u16| [403, 401].contains(status);
        assert!(statuses.iter().all(is_expected), "{owner}: {statuses:?}");
    }
}
