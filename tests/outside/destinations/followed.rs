//! An HTTP client follows what Terse sends in `Location`.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::harness::Server;

/// Ends of destinations that `Location` keeps, and the target that a client then requests.
const KEPT: [(&str, &str); 4] = [
    ("#/#room", "/x"),
    ("#a[1]|b^c{d}", "/x"),
    ("?ids[]=1|2", "/x?ids[]=1|2"),
    ("?a={b}^c", "/x?a={b}^c"),
];

/// Answers every request with its target.
async fn echo(listener: TcpListener) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut head, mut part) = (Vec::new(), [0; 1024]);
        while !head.ends_with(b"\r\n\r\n") {
            let length = stream.read(&mut part).await.unwrap();
            assert!(length > 0, "the client sends a request");
            head.extend_from_slice(&part[..length]);
        }
        let head = String::from_utf8(head).unwrap();
        let target = head.split(' ').nth(1).unwrap();
        let length = target.len();
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{target}"
        );
        stream.write_all(response.as_bytes()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_goes_where_the_destination_says() {
    let server = Server::start();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = format!("http://{}/x", listener.local_addr().unwrap());
    tokio::spawn(echo(listener));
    let client = reqwest::Client::new();
    for (end, target) in KEPT {
        let code = server.api().create(&format!("{place}{end}")).await;
        let short_url = format!("http://{}/{code}", server.authority());
        let response = client.get(short_url).send().await.unwrap();
        assert_eq!(response.text().await.unwrap(), target);
    }
}
