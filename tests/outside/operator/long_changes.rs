//! Changes that take long, and clients that disconnect meanwhile.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::{PREFIX, done, get, send};
use crate::harness::{Api, Proxy, Server, TIMEOUT, eventually, until};

const URL: &str = "https://example.com/";

const LINKS: usize = 3_000;

/// Imports links of an owner.
fn import(server: &Server) {
    let mut file = String::from("short_code,destination_url\n");
    for number in 0..LINKS {
        file.push_str(&format!("long{number},https://evil.example/{number}\n"));
    }
    let path = server.database().directory().join("many.csv");
    std::fs::write(&path, file).unwrap();
    server.terse(&["import", path.to_str().unwrap(), "--owner", "default"]).done();
}

fn body(action: &str) -> Value {
    json!({ "action": action, "selectors": { "host": "evil.example" }, "audit": { "reason": "phishing" } })
}

/// Waits until the newest event has changed some links, and does not change more any longer.
/// Returns the number.
async fn settled(server: &Server) -> i64 {
    let changed = async || {
        let query = "SELECT COALESCE(MAX(changed), 0) FROM events WHERE action = 'link disable'";
        server.database().number(query).await
    };
    eventually(TIMEOUT, "some links change", async || changed().await > 0).await;
    let mut before = changed().await;
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = changed().await;
        if now == before {
            return now;
        }
        before = now;
    }
}

async fn disabled(server: &Server) -> i64 {
    server.database().number("SELECT COUNT(*) FROM links WHERE disabled_reason IS NOT NULL").await
}

/// Waits until the log says that a request without a client was completed with this status.
fn wait_for_completion(server: &Server, route: &str, status: u16) {
    let is_completed = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let fields = [&line["route"], &line["status"], &line["client_disconnected"]];
        fields == [&json!(route), &json!(status), &json!(true)]
    };
    until(TIMEOUT, || server.log(), || server.log().lines().any(is_completed).then_some(()));
}

/// Checks that a change has changed all links although its client has disconnected, and that the log
/// and the event say so.
async fn assert_completed(server: &Server) {
    wait_for_completion(server, "changeLinks", 200);
    assert_eq!(disabled(server).await, i64::try_from(LINKS).unwrap());
    let changed = "SELECT changed FROM events WHERE action = 'link disable'";
    assert_eq!(server.database().number(changed).await, i64::try_from(LINKS).unwrap());
}

/// Checks that a change has stopped with an event that says how far it came, and that a repetition
/// does the rest.
async fn assert_stopped_and_continued(server: &Server, api: &Api) {
    let changed = settled(server).await;
    assert_eq!(disabled(server).await, changed, "the event counts what was done");
    assert!(changed < i64::try_from(LINKS).unwrap(), "the change did not stop");
    let rest = done(api, "POST", "/link-changes", &body("disable")).await;
    assert_eq!(rest["changed"].as_i64().unwrap() + changed, i64::try_from(LINKS).unwrap());
    assert_eq!(disabled(server).await, i64::try_from(LINKS).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_continues_if_an_http_1_client_disconnects() {
    let server = Server::with_operator();
    import(&server);
    let key = server.database().operator_key("abuse", "moderator");
    let connection = begin(&server.operator_authority(), &key);
    wait_for_the_first_slice(&server).await;
    drop(connection);
    assert_completed(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_completes_the_change_of_a_client_that_has_disconnected() {
    let server = Server::with_operator();
    import(&server);
    let key = server.database().operator_key("abuse", "moderator");
    let connection = begin(&server.operator_authority(), &key);
    wait_for_the_first_slice(&server).await;
    drop(connection);
    let ended = server.terminate();
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert!(ended.log.contains("\"client_disconnected\":true"), "{}", ended.log);
    let disabled = "SELECT COUNT(*) FROM links WHERE disabled_reason IS NOT NULL";
    assert_eq!(ended.database.number(disabled).await, i64::try_from(LINKS).unwrap());
}

/// Sends the request for a change over HTTP/1.1, without waiting for its response.
fn begin(authority: &str, key: &str) -> TcpStream {
    let text = body("disable").to_string();
    let mut connection = TcpStream::connect(authority).unwrap();
    let head = format!(
        "POST {PREFIX}/link-changes HTTP/1.1\r\nHost: go.example.org\r\nX-API-Key: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    connection.write_all(head.as_bytes()).unwrap();
    connection
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_continues_if_the_client_of_a_proxy_disconnects() {
    let abort = [("option dontlognull", "option abortonclose")];
    let samples: [(&str, &[(&str, &str)]); 3] =
        [("nginx/terse.conf", &[]), ("caddy/Caddyfile", &[]), ("haproxy/haproxy.cfg", &abort)];
    for (sample, replacements) in samples {
        let server = Server::with_operator();
        import(&server);
        let key = server.database().operator_key("abuse", "moderator");
        let operator = server.operator_authority();
        let proxy = Proxy::sample(sample, &operator, &operator, replacements);
        let connection = begin(&format!("127.0.0.1:{}", proxy.port()), &key);
        wait_for_the_first_slice(&server).await;
        drop(connection);
        assert_completed(&server).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_continues_if_an_http_2_client_resets_its_stream() {
    let server = Server::with_operator();
    import(&server);
    let key = server.database().operator_key("abuse", "moderator");
    let authority = server.operator_authority();
    let stream = tokio::net::TcpStream::connect(&authority).await.unwrap();
    let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let request = http::Request::post(format!("http://{authority}{PREFIX}/link-changes"))
        .header("X-API-Key", &key)
        .header("Content-Type", "application/json")
        .body(())
        .unwrap();
    let (response, mut stream) = client.send_request(request, false).unwrap();
    stream.send_data(body("disable").to_string().into(), true).unwrap();
    wait_for_the_first_slice(&server).await;
    // The connection stays open.
    stream.send_reset(h2::Reason::CANCEL);
    drop(response);
    assert_completed(&server).await;
}

async fn wait_for_the_first_slice(server: &Server) {
    eventually(TIMEOUT, "the change begins", async || disabled(server).await > 0).await;
}

/// Revokes the key of a change in progress. Returns whether that was before the end of the change.
async fn change_stops_with_401() -> bool {
    let server = Server::with_operator();
    import(&server);
    let api = server.with_operator_key(&server.database().operator_key("leaver", "admin"));
    let change =
        tokio::spawn(async move { send(&api, "POST", "/link-changes", &body("disable")).await });
    wait_for_the_first_slice(&server).await;
    // The command would take longer than the change.
    let revoke = "UPDATE operator_keys SET revoked_at = 1 WHERE name = 'leaver'";
    server.database().execute(revoke).await;
    let response = change.await.unwrap();
    if response.status == 200 {
        return false;
    }
    response.problem(401, "unauthorized");
    assert_stopped_and_continued(&server, &server.operator("moderator")).await;
    true
}

#[tokio::test]
async fn change_of_a_revoked_key_stops_with_401() {
    for _ in 0..5 {
        if change_stops_with_401().await {
            return;
        }
    }
    panic!("no change of a revoked key stopped");
}

#[tokio::test]
async fn changes_count_what_they_change() {
    let server = Server::with_operator();
    let api = server.operator("moderator");
    import(&server);
    let dry_run = json!({
        "action": "delete", "selectors": { "host": "evil.example" }, "dry_run": true
    });
    let result = done(&api, "POST", "/link-changes", &dry_run).await;
    let mut expected = json!({
        "event_id": null, "status": "done", "changed": LINKS, "skipped": 0, "dry_run": true,
        "unknown_codes": [], "unknown_count": 0
    });
    assert_eq!(result, expected);
    (expected["changed"], expected["dry_run"]) = (json!(0), json!(false));
    for action in ["disable", "enable", "pause", "unpause"] {
        let result = done(&api, "POST", "/link-changes", &body(action)).await;
        assert_eq!(
            (&result["changed"], &result["dry_run"]),
            (&json!(LINKS), &json!(false)),
            "{action}"
        );
        let again = done(&api, "POST", "/link-changes", &body(action)).await;
        assert_eq!(again, expected, "{action}");
    }
    let some = json!({ "action": "delete", "selectors": { "code": ["long1", "long2"] } });
    assert_eq!(done(&api, "POST", "/link-changes", &some).await["changed"], 2);
    get(&api, "/links/long1").await.problem(404, "link-not-found");
    let mistake = json!({ "action": "disable", "selectors": { "code": [server.key()] } });
    let missing = send(&api, "POST", "/link-changes", &mistake).await.expect(200);
    assert!(!missing.text().contains(&server.key()[9..]), "{missing:?}");
    assert_eq!(missing.json()["unknown_count"], 1);
    for selectors in [json!({}), json!({ "code": null })] {
        let body = json!({ "action": "disable", "selectors": selectors });
        super::send(&api, "POST", "/link-changes", &body).await.problem(422, "invalid-input");
    }
}

/// The command line changes nothing then.
#[tokio::test]
async fn unknown_and_retired_codes_are_named_and_the_others_change() {
    let server = Server::with_operator();
    let api = server.operator("moderator");
    let owner = server.api();
    let (kept, deleted) = (owner.create(URL).await, owner.create(URL).await);
    server.terse(&["link", "delete", "--", &deleted]).done();
    let change = |action: &str, codes: &[&str], is_dry_run: bool| {
        let body =
            json!({ "action": action, "selectors": { "code": codes }, "dry_run": is_dry_run });
        let api = api.clone();
        async move { done(&api, "POST", "/link-changes", &body).await }
    };
    let codes = ["nothing", &*deleted, "a b", &*kept, "nothing", "a"];
    let unknown = json!(["nothing", deleted, "a b", "a"]);
    for action in ["disable", "enable", "pause", "unpause", "delete"] {
        for (is_dry_run, changed) in [(true, 1), (false, 1), (false, 0)] {
            let result = change(action, &codes, is_dry_run).await;
            let is_again = action == "delete" && changed == 0;
            let mut unknown = unknown.clone();
            if is_again {
                unknown.as_array_mut().unwrap().insert(3, json!(kept));
            }
            assert_eq!(result["changed"], changed, "{action}: {result}");
            assert_eq!(result["unknown_codes"], unknown, "{action}: {result}");
            assert_eq!(result["unknown_count"], unknown.as_array().unwrap().len());
            assert_eq!(result["event_id"].is_null(), is_dry_run || changed == 0, "{result}");
        }
    }
    let many: Vec<String> = (0..150).map(|number| format!("none{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let result = change("disable", &many, false).await;
    assert_eq!((&result["changed"], &result["event_id"]), (&json!(0), &json!(null)));
    assert_eq!(result["unknown_codes"], json!(many[..100]));
    assert_eq!(result["unknown_count"], 150);
    // A link that the other conditions exclude is not unknown.
    let other = owner.create(URL).await;
    let selectors = json!({ "code": [other, "nothing"], "campaign": "none" });
    let body = json!({ "action": "disable", "selectors": selectors });
    let result = done(&api, "POST", "/link-changes", &body).await;
    assert_eq!((&result["changed"], &result["unknown_codes"]), (&json!(0), &json!(["nothing"])));
    let line = server.terse(&["link", "disable", &other, "nothing", "--yes"]).failed();
    assert!(line.contains("'nothing'"), "{line}");
    assert_eq!(owner.stats(&other).await.json()["data"]["is_active"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_of_an_owner_continues_without_its_client() {
    let server = Server::with_operator();
    import(&server);
    let key = server.database().operator_key("root", "admin");
    let api = server.with_operator_key(&key);
    let owner = get(&api, "/owners?name=default").await.json()["data"][0]["id"].clone();
    let path = format!("/owners/{owner}");
    super::delete(&api, &path).await.problem(409, "owner-not-suspended");
    done(&api, "POST", &format!("{path}/suspend"), &json!({})).await;
    let mut connection = TcpStream::connect(server.operator_authority()).unwrap();
    let head = format!("DELETE {PREFIX}{path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\n\r\n");
    connection.write_all(head.as_bytes()).unwrap();
    let deleted = async || {
        let query = "SELECT COUNT(*) FROM links WHERE owner_id IS NULL";
        server.database().number(query).await
    };
    eventually(TIMEOUT, "the deletion begins", async || deleted().await > 0).await;
    connection.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    assert!(connection.read(&mut [0; 1]).is_err(), "the response came too early");
    drop(connection);
    wait_for_completion(&server, "deleteOwner", 204);
    super::delete(&api, &path).await.problem(404, "owner-not-found");
    assert_eq!(deleted().await, i64::try_from(LINKS).unwrap());
}
