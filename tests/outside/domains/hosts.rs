//! Which host a request is for, and that nothing else decides it.

use std::fmt::Write as _;

use h2::client;
use http::Request;
use tokio::net::TcpStream;

use super::{URL, add, ask, ask_with};
use crate::harness::Server;

/// Links of the two owners.
const MINE: &str = "GET /mine";
const THEIRS: &str = "GET /theirs";

/// Starts a server with an owner and another one, each with a link and domains.
async fn start(settings: &[&str]) -> Server {
    let first = Server::start();
    let server = Server::with(first.database(), settings);
    for (owner, code) in [("acme", "mine"), ("globex", "theirs")] {
        let key = server.database().owner(owner, "pro");
        let link = serde_json::json!({ "url": URL, "custom_code": code });
        server.with_key(&key).create_from(&link).await;
    }
    add(&server, "go.acme.example", "acme", None).await;
    add(&server, "xn--exmple-cua.org", "acme", None).await;
    add(&server, "shared.example", "acme", None).await;
    add(&server, "shared.example:8443", "globex", None).await;
    add(&server, "only.example:8443", "acme", None).await;
    server
}

#[tokio::test]
async fn every_spelling_of_a_host_is_the_same() {
    let server = start(&[]).await;
    for host in [
        "go.acme.example",
        "GO.Acme.EXAMPLE",
        "go.acme.example.",
        "go.acme.example..",
        "go.acme.example:80",
        "go.acme.example:",
        "Go.acme.example.:12345",
        "XN--exmple-CUA.org:443",
        "shared.example",
        "shared.example:443",
        "only.example:8443",
        "ONLY.example.:8443",
    ] {
        assert_eq!(ask(&server, host, MINE).status, 302, "{host}");
        assert_eq!(ask(&server, host, THEIRS).status, 404, "{host}");
    }
    // The exact host and port go before the host.
    assert_eq!(ask(&server, "shared.example:8443", MINE).status, 404);
    assert_eq!(ask(&server, "shared.example:8443", THEIRS).status, 302);
    // These are unknown hosts.
    for host in ["only.example", "only.example:80", "sub.go.acme.example", "acme.example", ""] {
        assert_eq!(ask(&server, host, "GET /docs").status, 200, "{host}");
        assert_eq!(ask(&server, host, THEIRS).status, 302, "{host}");
    }
    let mut connection = server.connect();
    connection.send(b"GET /theirs HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(connection.read_response(false).unwrap().0, 302);
    let mut connection = server.connect();
    connection.send(b"GET /theirs HTTP/1.0\r\nHost: go.acme.example\r\n\r\n").unwrap();
    assert_eq!(connection.read_response(false).unwrap().0, 404);
}

#[tokio::test]
async fn malformed_hosts_are_rejected() {
    let server = start(&[]).await;
    let mut long = "go.acme.example".to_owned();
    while long.len() < 64 * 1024 {
        write!(long, ".x").unwrap();
    }
    let heads = [
        String::new(),
        "Host: go.acme.example\r\nHost: go.acme.example\r\n".to_owned(),
        "Host: go.acme.example\r\nHost: other.example\r\n".to_owned(),
        "Host: go.acme.example, other.example\r\n".to_owned(),
        "Host: user@go.acme.example\r\n".to_owned(),
        "Host: go.acme.example/theirs\r\n".to_owned(),
        "Host: http://go.acme.example\r\n".to_owned(),
        "Host: go.acme.example other.example\r\n".to_owned(),
        "Host: go.acme.example:x\r\n".to_owned(),
        "Host: [2001:db8::1\r\n".to_owned(),
        "Host: g\u{f6}.example\r\n".to_owned(),
        "Host : go.acme.example\r\n".to_owned(),
        format!("Host: {long}\r\n"),
    ];
    for head in &heads {
        for version in ["1.1", "1.0"] {
            if version == "1.0" && head.is_empty() {
                continue;
            }
            let mut connection = server.connect();
            let request = format!("GET /theirs HTTP/{version}\r\n{head}\r\n");
            // The server may close the connection before it has read a long head.
            let _ = connection.send(request.as_bytes());
            let status = connection.read_response(false).map(|(status, ..)| status);
            let status = status.unwrap_or(431);
            assert!([400, 431].contains(&status), "{status} for HTTP/{version} {head:.80}");
        }
    }
    assert_eq!(server.api().get("/health/ready").await.status, 200);
}

#[tokio::test]
async fn absolute_targets_decide() {
    let server = start(&[]).await;
    for (target, host, mine, theirs) in [
        ("http://go.acme.example", "other.example", 302, 404),
        ("http://GO.acme.example:8080", server.authority(), 302, 404),
        ("http://other.example", "go.acme.example", 302, 302),
        ("https://shared.example:8443", "go.acme.example", 404, 302),
    ] {
        for (code, expected) in [("mine", mine), ("theirs", theirs)] {
            let answer = ask(&server, host, &format!("GET {target}/{code}"));
            assert_eq!(answer.status, expected, "{target}/{code} with {host}");
        }
    }
    let user = ask(&server, "go.acme.example", "GET http://u@go.acme.example/mine");
    assert_eq!(user.status, 400);
    let missing = b"GET http://go.acme.example/mine HTTP/1.1\r\n\r\n";
    let mut connection = server.connect();
    connection.send(missing).unwrap();
    assert_eq!(connection.read_response(false).unwrap().0, 400);
}

#[tokio::test]
async fn forwarded_headers_decide_nothing() {
    let settings = [
        &["--trusted-proxies", "127.0.0.0/8"][..],
        &["--trusted-proxies", "127.0.0.0/8", "--client-header", "Forwarded"],
        &[],
    ];
    for settings in settings {
        let server = start(settings).await;
        for fields in [
            "X-Forwarded-Host: shared.example:8443\r\n",
            "X-Forwarded-Host: unknown.example\r\nX-Forwarded-Port: 8443\r\n",
            "Forwarded: for=192.0.2.1;host=\"shared.example:8443\"\r\n",
            "X-Original-Host: unknown.example\r\nX-Host: unknown.example\r\n",
        ] {
            let status = |request| ask_with(&server, "go.acme.example", request, fields, "").status;
            assert_eq!((status(MINE), status(THEIRS)), (302, 404), "{fields}");
            assert_eq!(status("GET /docs"), 404, "{fields}");
        }
    }
}

/// Sends a request over HTTP/2 with these values of `:authority` and `Host`.
async fn ask_http2(server: &Server, authority: Option<&str>, hosts: &[&str], path: &str) -> u16 {
    let stream = TcpStream::connect(server.authority()).await.unwrap();
    let (mut client, connection) = client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let uri = authority.map_or_else(|| path.to_owned(), |host| format!("http://{host}{path}"));
    let mut request = Request::builder().uri(uri).version(http::Version::HTTP_2);
    for host in hosts {
        request = request.header("host", *host);
    }
    let (response, _) = client.send_request(request.body(()).unwrap(), true).unwrap();
    response.await.map_or(0, |response| response.status().as_u16())
}

#[tokio::test]
async fn http2_requests_are_for_their_authority() {
    let server = start(&[]).await;
    let own = "go.acme.example";
    for (authority, hosts, mine, theirs) in [
        (Some(own), &[][..], 302, 404),
        (Some("GO.acme.example.:8080"), &[], 302, 404),
        (Some(own), &[own], 302, 404),
        (Some(own), &["Go.Acme.Example."], 302, 404),
        (Some(own), &["other.example"], 400, 400),
        (Some("other.example"), &[own], 400, 400),
        (Some("shared.example"), &["shared.example:8443"], 400, 400),
        (Some(own), &[own, own], 400, 400),
        (Some(own), &["a/b"], 400, 400),
        (Some("other.example"), &[], 302, 302),
    ] {
        for (path, expected) in [("/mine", mine), ("/theirs", theirs)] {
            let status = ask_http2(&server, authority, hosts, path).await;
            assert_eq!(status, expected, "{authority:?} {hosts:?} {path}");
        }
    }
}

#[tokio::test]
async fn operator_listener_knows_no_domains() {
    let port = harness::free_port();
    let address = format!("127.0.0.1:{port}");
    let server = start(&["--operator-listen", &address]).await;
    let operator = |host: &str, request: &str| {
        let mut connection = crate::harness::Connection::open(&address, server.base_url());
        let head = format!("{request} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        connection.send(head.as_bytes()).unwrap();
        connection.read_response(false).unwrap().0
    };
    assert_eq!(operator("go.acme.example", "GET /metrics"), 200);
    assert_eq!(operator("go.acme.example", "GET /health/ready"), 200);
    let page = reqwest::get(format!("http://{address}/")).await.unwrap().text().await.unwrap();
    assert!(!page.contains("link</h1>") && page.contains("for the operator"), "{page}");
    let base = server.authority().split(':').next().unwrap();
    for (asked, status) in [
        ("domain=go.acme.example", 200),
        ("domain=GO.acme.example.", 200),
        ("domain=go.acme.example%3A443", 200),
        ("domain=ex%C3%A4mple.org", 200),
        ("domain=only.example", 200),
        (&format!("domain={base}"), 200),
        ("domain=acme.example", 404),
        ("domain=", 404),
        ("domain=a%20b", 404),
        ("", 404),
    ] {
        let request = format!("GET /domains/ask?{asked}");
        assert_eq!(operator("any.example", &request), status, "{asked}");
    }
    // On the public listener, the path is one that a code could have.
    for host in [server.authority(), "go.acme.example"] {
        assert_eq!(ask(&server, host, "GET /domains/ask?domain=go.acme.example").status, 404);
    }
}
