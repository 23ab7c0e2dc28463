//! Codes of other owners, which hide nothing on a domain.

use super::{URL, add, ask};
use crate::harness::{Server, assert_within_a_second};

const OTHER: &str = "https://example.net/";

/// Imports links with these codes.
fn import(server: &Server, owner: &str, destination: &str, codes: &[&str], options: &[&str]) {
    let file = server.database().directory().join("codes.csv");
    let rows: String = codes.iter().map(|code| format!("\"{code}\",{destination},1\n")).collect();
    std::fs::write(&file, format!("short_code,destination_url,has_qr\n{rows}")).unwrap();
    let import = ["import", file.to_str().unwrap(), "--owner", owner];
    server.terse(&[&import[..], options].concat()).done();
}

/// Starts a server whose owners have codes that paths could mean, each with a domain.
async fn start() -> Server {
    let server = Server::start();
    for owner in ["acme", "globex"] {
        server.database().owner(owner, "unlimited");
    }
    import(&server, "acme", URL, &["abc", "a-b", "long/path"], &[]);
    import(&server, "acme", URL, &["SALE"], &["--ignore-case"]);
    import(&server, "globex", OTHER, &["abc.", "abc!", "a–b", "sale", "long/path;"], &[]);
    server.terse(&["link", "delete", "abc!"]).done();
    add(&server, "go.acme.example", "acme", None).await;
    add(&server, "go.globex.example", "globex", None).await;
    assert_within_a_second("the server knows wide codes", async || {
        ask(&server, server.authority(), "GET /abc.").location() == Some(OTHER)
    })
    .await;
    server
}

/// Paths, with what the base URL and the two domains answer.
const PATHS: [(&str, u16, Option<&str>, Option<&str>); 9] = [
    ("/abc", 302, Some(URL), None),
    ("/abc.", 302, Some(URL), Some(OTHER)),
    ("/abc!", 410, Some(URL), None),
    ("/a%E2%80%93b", 302, Some(URL), Some(OTHER)),
    ("/sale", 302, Some(URL), Some(OTHER)),
    ("/sale.", 302, Some(URL), Some(OTHER)),
    ("/SALE", 302, Some(URL), None),
    ("/long/path;", 302, Some(URL), Some(OTHER)),
    ("/abc.;", 302, Some(URL), Some(OTHER)),
];

#[tokio::test]
async fn other_owners_code_hides_no_link_on_a_domain() {
    // In the second round, the cache has the links of both owners.
    let server = start().await;
    for round in 1..=2 {
        for (path, at_base_url, at_acme, at_globex) in PATHS {
            for (host, expected) in [("go.acme.example", at_acme), ("go.globex.example", at_globex)]
            {
                let answer = ask(&server, host, &format!("GET {path}"));
                assert_eq!(answer.location(), expected, "{path} at {host} in round {round}");
                assert_eq!(
                    answer.status,
                    if expected.is_some() { 302 } else { 404 },
                    "{path} at {host}"
                );
            }
            let answer = ask(&server, server.authority(), &format!("GET {path}"));
            assert_eq!(answer.status, at_base_url, "{path} in round {round}");
        }
    }
    // A new server has an empty cache, and sees the other owner's links first.
    let server = Server::on(server.database());
    for (path, at_base_url, at_acme, at_globex) in PATHS {
        let request = format!("GET {path}");
        assert_eq!(ask(&server, server.authority(), &request).status, at_base_url, "{path}");
        assert_eq!(ask(&server, "go.globex.example", &request).location(), at_globex, "{path}");
        assert_eq!(ask(&server, "go.acme.example", &request).location(), at_acme, "{path}");
    }
}

#[tokio::test]
async fn qr_code_of_a_domain_is_that_of_its_owner() {
    let server = start().await;
    let image = |host: &str, code: &str| ask(&server, host, &format!("GET /{code}/qr.svg"));
    let own = image("go.acme.example", "abc");
    assert_eq!(own.status, 200);
    assert_eq!(image("go.acme.example", "abc.").body, own.body);
    assert_ne!(image("go.globex.example", "abc.").body, own.body);
    assert_eq!(image("go.globex.example", "abc").status, 404);
}
