//! `terse health`.

use serde_json::{Value, json};

use crate::harness::{Database, Server, free_port};

#[tokio::test]
async fn health_queries_the_running_server() {
    let server = Server::start();
    let listen = server.authority().to_owned();
    let everywhere = format!("0.0.0.0:{}", server.port());
    for address in [&listen, &everywhere] {
        let ready = server.terse(&["health", "--listen", address]).done();
        assert_eq!((&*ready.stdout, &*ready.stderr), ("ready: ok\n", ""));
        let live = server.terse(&["health", "live", "--json", "--listen", address]).done();
        assert_eq!(live.json(), json!({ "check": "live", "healthy": true, "detail": "ok" }));
    }
    let unknown = server.terse(&["health", "lively", "--listen", &listen]);
    assert_eq!(unknown.code, Some(2), "{unknown:#?}");
    let database = server.terminate().database;
    for check in ["live", "ready"] {
        let line = database.terse(&["health", check, "--listen", &listen]).failed();
        assert!(line.starts_with(&format!("terse: not {check}: cannot ask {listen}: ")), "{line}");
        let json = database.terse(&["health", check, "--json", "--listen", &listen]);
        assert_eq!(json.code, Some(1), "{json:#?}");
        let object: Value = serde_json::from_str(&json.stdout).expect("an object");
        assert_eq!(object["healthy"], false, "{json:#?}");
    }
    let outcome = database.terse(&["health", "--listen", "127.0.0.1:0"]);
    assert_eq!(outcome.code, Some(2), "{outcome:#?}");
}

#[test]
fn health_fails_if_another_program_or_nothing_responds() {
    let database = Database::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = silent.local_addr().expect("an address").to_string();
    let line = database.terse(&["health", "--listen", &address]).failed();
    assert!(line.contains(&format!("{address} does not respond within 2 s")), "{line}");
    drop(silent);

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let server = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = listener.accept().expect("a connection");
        let _ = stream.read(&mut [0; 1024]);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n<p>Welcome</p>").expect("a response");
    });
    let line = database.terse(&["health", "--listen", &address]).failed();
    assert!(line.contains("is not a Terse server"), "{line}");
    server.join().expect("the response is sent");
    let line = database.terse(&["health", "--listen", &format!("127.0.0.1:{}", free_port())]);
    line.failed();
}
