//! Requests that were authenticated before their owner was suspended or deleted.

use serde_json::json;

use crate::harness::{Server, field};

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
