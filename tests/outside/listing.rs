//! GET /api/v1/links.

use serde_json::json;

use crate::harness::{Api, Connection, Load, Server, TIMEOUT, eventually, field};

const URL: &str = "https://example.com/";

async fn codes(api: &Api, query: &str) -> Vec<String> {
    api.get(&format!("/api/v1/links{query}")).await.expect(200).codes()
}

#[tokio::test]
async fn owner_without_links_has_an_empty_list() {
    let server = Server::start();
    assert_eq!(server.api().links().await.expect(200).json(), json!({"data": []}));
    assert_eq!(server.api().qr_list().await.expect(200).json(), json!({"data": []}));
}

#[tokio::test]
async fn listed_link_has_exactly_the_specified_fields() {
    let server = Server::start();
    let api = server.api();
    let plain = api.create("https://example.com/plain").await;
    let full = api.create_from(&json!({"url": URL, "title": "Hidden", "campaign": "spring"})).await;
    for _ in 0..3 {
        server.anyone().get(&format!("/{full}")).await.expect(302);
    }
    assert_eq!(
        api.links().await.expect(200).json(),
        json!({"data": [
            {"short_code": full, "destination_url": URL, "campaign": "spring", "clicks": 3},
            {
                "short_code": plain,
                "destination_url": "https://example.com/plain",
                "campaign": null,
                "clicks": 0,
            },
        ]})
    );
}

#[tokio::test]
async fn all_links_are_listed_newest_first() {
    let server = Server::start();
    let api = server.api();
    let mut created = Vec::new();
    for number in 0..1_200 {
        created.push(api.create(&format!("{URL}{number}")).await);
    }
    created.reverse();
    assert_eq!(codes(&api, "").await, created);
}

#[tokio::test]
async fn only_own_links_are_listed() {
    let server = Server::start();
    let (one, other) = (server.api_of("one", "pro"), server.api_of("other", "free"));
    let mine = one.create(URL).await;
    let theirs = other.create(URL).await;
    assert_eq!(codes(&one, "").await, [mine]);
    assert_eq!(codes(&other, "").await, [theirs]);
    assert_eq!(codes(&server.api(), "").await, [""; 0]);
}

#[tokio::test]
async fn list_is_filtered_by_campaign() {
    let server = Server::start();
    let api = server.api();
    let mut spring = Vec::new();
    for campaign in ["spring & co", "autumn", "spring & co"] {
        let code = api.create_from(&json!({"url": URL, "campaign": campaign})).await;
        if campaign.starts_with("spring") {
            spring.insert(0, code);
        }
    }
    api.create(URL).await;
    assert_eq!(codes(&api, "?campaign=spring%20%26%20co").await, spring);
    assert_eq!(codes(&api, "?campaign=spring+%26+co").await, spring);
    assert_eq!(codes(&api, "?campaign=winter").await, [""; 0]);
    assert_eq!(codes(&api, "?campaign=Autumn").await, [""; 0]);
}

#[tokio::test]
async fn list_is_filtered_by_active() {
    let server = Server::start();
    let api = server.api();
    let off = api.create(URL).await;
    let on = api.create(URL).await;
    server.terse(&["link", "disable", &off]).done();
    assert_eq!(codes(&api, "?active=1").await, [on.as_str()]);
    assert_eq!(codes(&api, "?active=0").await, [off.as_str()]);
    assert_eq!(codes(&api, "").await, [on.as_str(), off.as_str()]);
}

/// Number of links: several of the ranges of 1,024 identifiers of the index by campaign.
const SEVERAL_THOUSAND: usize = 4_500;

#[tokio::test]
async fn filtered_list_is_ordered_among_thousands() {
    let server = Server::start();
    let campaign = |number: usize| match number {
        _ if number % 1_499 == 1 => "rare",
        _ if number.is_multiple_of(3) => "spring",
        _ => "",
    };
    let row = |number| format!("link{number},{URL},{}\n", campaign(number));
    let rows: String = (0..SEVERAL_THOUSAND).map(row).collect();
    let file = server.database().directory().join("links.csv");
    std::fs::write(file, format!("short_code,destination_url,campaign\n{rows}")).unwrap();
    server.terse(&["import", "links.csv", "--owner", "default"]).done();
    let disabled = ["link7", "link1500", "link4499"];
    for code in disabled {
        server.terse(&["link", "disable", code]).done();
    }

    let expected = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<String> {
        let wanted = (0..SEVERAL_THOUSAND).rev().filter(|number| is_wanted(*number));
        wanted.map(|number| format!("link{number}")).collect()
    };
    let is_disabled = |number: usize| disabled.contains(&format!("link{number}").as_str());
    let (spring, rare): (Vec<_>, Vec<_>) = (
        expected(&|number| campaign(number) == "spring"),
        expected(&|number| campaign(number) == "rare"),
    );
    let api = server.api();
    assert_eq!(codes(&api, "?campaign=spring").await, spring);
    assert_eq!(codes(&api, "?campaign=rare").await, rare);
    assert_eq!(codes(&api, "?active=0").await, expected(&is_disabled));
    assert_eq!(codes(&api, "?active=1").await, expected(&|number| !is_disabled(number)));
    let both = expected(&|number| campaign(number) == "spring" && is_disabled(number));
    assert_eq!(codes(&api, "?campaign=spring&active=0").await, both);
    assert_eq!(pages(&api, "limit=999&campaign=spring").await.concat(), spring);
    assert_eq!(pages(&api, "limit=1&campaign=rare").await.concat(), rare);
}

#[tokio::test]
async fn cursor_hides_the_number_of_links() {
    let server = Server::start();
    let (mine, theirs) = (server.api(), server.api_of("other", "pro"));
    for _ in 0..3 {
        mine.create(URL).await;
        theirs.create(URL).await;
    }
    let cursor = async |api: &Api, limit| {
        let cursor = cursor(api, &format!("/api/v1/links?limit={limit}")).await;
        u128::from_str_radix(&cursor, 16).unwrap()
    };
    let cursors = [cursor(&mine, 1).await, cursor(&mine, 2).await, cursor(&theirs, 1).await];
    // A collision has the probability 2^-43.
    assert!(cursors.iter().all(|cursor| *cursor > 1 << 84), "{cursors:x?}");
    assert!(cursors[0].abs_diff(cursors[1]) > 1 << 84, "{cursors:x?}");
}

/// Returns the cursor of the next page.
async fn cursor(api: &Api, target: &str) -> String {
    let response = api.get(target).await.expect(200);
    let next = response.next_page().expect("there is more");
    let (_, cursor) = next.split_once("cursor=").unwrap();
    cursor.split('&').next().unwrap().to_owned()
}

#[tokio::test]
async fn cursor_is_valid_only_for_its_list() {
    let server = Server::start();
    let (mine, theirs) = (server.api(), server.api_of("other", "pro"));
    for _ in 0..2 {
        let code = mine.create(URL).await;
        mine.qr(&json!({"short_code": code})).await.expect(201);
        theirs.create(URL).await;
    }
    let links = cursor(&mine, "/api/v1/links?limit=1").await;
    let qr_codes = cursor(&mine, "/api/v1/qrcodes?limit=1").await;
    for (path, good, bad) in
        [("/api/v1/links", &links, &qr_codes), ("/api/v1/qrcodes", &qr_codes, &links)]
    {
        let list = mine.get(&format!("{path}?cursor={good}")).await.expect(200).json();
        assert_eq!(list["data"].as_array().unwrap().len(), 1);
        let (first, rest) = good.split_at(1);
        let changed = format!("{}{rest}", if first == "0" { '1' } else { '0' });
        let zeros = "0".repeat(good.len());
        for (api, cursor) in [(&mine, bad), (&mine, &changed), (&mine, &zeros), (&theirs, good)] {
            for query in ["", "&limit=1", "&campaign=spring"] {
                let response = api.get(&format!("{path}?cursor={cursor}{query}")).await;
                response.problem(404, "cursor-not-found");
            }
        }
        let cut = mine.get(&format!("{path}?cursor={}", &good[1..])).await;
        cut.problem(400, "malformed-request");
    }
}

/// Returns the codes of each page of a list.
async fn pages(api: &Api, query: &str) -> Vec<Vec<String>> {
    let (mut pages, mut next) = (Vec::new(), Some(format!("/api/v1/links?{query}")));
    while let Some(target) = next {
        let response = api.get(&target).await.expect(200);
        pages.push(response.codes());
        next = response.next_page();
    }
    pages
}

#[tokio::test]
async fn malformed_query_is_rejected() {
    let server = Server::start();
    for query in ["active=2", "active=-1", "active=yes", "active=1.0", "active=%ff"] {
        server.api().get(&format!("/api/v1/links?{query}")).await.problem(400, "malformed-request");
    }
}

#[tokio::test]
async fn invalid_utf_8_is_not_read_as_the_replacement_character() {
    let server = Server::start();
    let api = server.api();
    let code = api.create_from(&json!({"url": URL, "campaign": "\u{fffd}"})).await;
    for path in ["/api/v1/links", "/api/v1/qrcodes"] {
        for value in ["%FF", "%ff", "a%C3", "%C3%28", "%ED%A0%80"] {
            let response = api.get(&format!("{path}?campaign={value}")).await;
            let response = response.problem(400, "malformed-request");
            let detail = response.json()["detail"].as_str().unwrap().to_owned();
            assert!(detail.contains("campaign"), "{detail}");
        }
    }
    assert_eq!(codes(&api, "?campaign=%EF%BF%BD").await, [code.as_str()]);
    assert_eq!(codes(&api, "?other=%FF&%FF=1").await, [code], "those are not known");
}

#[tokio::test]
async fn duplicate_query_parameter_is_rejected() {
    let server = Server::start();
    let api = server.api();
    let values = [
        ("limit", ["1", "2"]),
        ("cursor", ["6b5e1f2a90c3d478e1a2b3c4d5f60718", "0b5e1f2a90c3d478e1a2b3c4d5f60718"]),
        ("campaign", ["spring", "autumn"]),
        ("active", ["0", "1"]),
    ];
    for path in ["/api/v1/links", "/api/v1/qrcodes"] {
        for (name, [one, other]) in values {
            for second in [one, other, ""] {
                let target = format!("{path}?{name}={one}&x=1&{name}={second}");
                let response = api.get(&target).await.problem(400, "malformed-request");
                let detail = response.json()["detail"].as_str().unwrap().to_owned();
                assert!(detail.contains(name) && detail.contains("once"), "{detail}");
            }
        }
        api.get(&format!("{path}?x=1&x=2")).await.expect(200);
        let anyone = server.anyone().get(&format!("{path}?limit=1&limit=2")).await;
        anyone.problem(401, "unauthorized");
    }
}

#[tokio::test]
async fn unknown_query_parameter_is_ignored() {
    let server = Server::start();
    let api = server.api();
    let code = api.create(URL).await;
    assert_eq!(codes(&api, "?colour=blue&x").await, [code]);
}

/// Number of links whose list exceeds the socket buffers of a server and a client that does not
/// read.
const MANY: usize = 2_000;

fn fields(server: &Server) -> [Vec<u8>; 2] {
    [field("X-API-Key", server.key()), field("Content-Type", "application/json")]
}

/// Creates [`MANY`] links of 8 KB each.
fn create_many_links(server: &Server) {
    let body = json!({"url": format!("{URL}{}", "x".repeat(8_000))}).to_string();
    let fields = fields(server);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut connection = server.connect();
                for _ in 0..MANY / 8 {
                    let target = b"/api/v1/shorten";
                    let response = connection.exchange("POST", target, &fields, body.as_bytes());
                    response.unwrap().expect(201);
                }
            });
        }
    });
}

/// Starts thirty clients that request a list and read only the beginning of the response.
fn idle_clients(server: &Server, target: &str) -> Vec<Connection> {
    let client = |_| {
        let mut connection = server.connect();
        connection.send_head("GET", target.as_bytes(), &fields(server)).unwrap();
        connection.wait_for_bytes().unwrap();
        connection
    };
    (0..30).map(client).collect()
}

/// Each response in memory would be 8 MB of text and its JSON.
#[test]
fn unread_responses_need_no_more_memory_than_a_page() {
    let server = Server::start();
    create_many_links(&server);
    let before = server.private_memory();
    let clients = idle_clients(&server, "/api/v1/links?limit=1000");
    let more = server.max_private_memory().saturating_sub(before);
    assert!(more < 100 << 20, "{} MiB", more >> 20);
    drop(clients);
}

/// The longest links are the last of the list.
#[tokio::test]
async fn long_links_after_short_ones_need_no_more_memory() {
    let server = Server::start();
    let api = server.api();
    let long = (0..400).map(|number| format!("long{number},{URL}{}\n", "x".repeat(8_000)));
    let short = (0..800).map(|number| format!("short{number},{URL}\n"));
    let rows: String = long.chain(short).collect();
    let file = server.database().directory().join("in");
    std::fs::write(file, format!("short_code,destination_url\n{rows}")).unwrap();
    server.terse(&["import", "in", "--owner", "default"]).done();
    let expected: Vec<String> =
        rows.lines().rev().filter_map(|row| Some(row.split_once(',')?.0.to_owned())).collect();
    for limit in [99, 100, 900, 1000] {
        let pages = pages(&api, &format!("limit={limit}")).await;
        assert_eq!(pages.len(), expected.len().div_ceil(limit), "{limit}");
        assert_eq!(pages.concat(), expected, "{limit}");
    }
    assert_eq!(api.links().await.expect(200).codes(), expected);
    let before = server.private_memory();
    for target in ["/api/v1/links", "/api/v1/links?limit=1000", "/api/v1/links?limit=100"] {
        let clients = idle_clients(&server, target);
        let more = server.max_private_memory().saturating_sub(before);
        assert!(more < 60 << 20, "{target}: {} MiB", more >> 20);
        drop(clients);
    }
}

#[tokio::test]
async fn next_page_follows_a_large_page() {
    let server = Server::start();
    let api = server.api();
    let created: Vec<String> = {
        let mut created = Vec::new();
        for number in 0..450 {
            let campaign = if number % 3 == 0 { "third" } else { "other" };
            created.push(api.create_from(&json!({"url": URL, "campaign": campaign})).await);
        }
        created.into_iter().rev().collect()
    };
    let thirds: Vec<String> = created.iter().skip(2).step_by(3).cloned().collect();
    for (query, all, limits) in [
        ("", &created, vec![101, 149, 150, 225, 449, 450, 451, 1000]),
        ("campaign=third&", &thirds, vec![101, 149, 150, 151]),
    ] {
        for limit in limits {
            let pages = pages(&api, &format!("{query}limit={limit}")).await;
            assert!(pages.iter().all(|page| page.len() <= limit), "{query}{limit}");
            assert_eq!(pages.concat(), *all, "{query}{limit}");
            assert_eq!(pages.len(), all.len().div_ceil(limit), "{query}{limit}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_stays_within_its_limit_during_creations() {
    let server = Server::start();
    let api = server.api();
    let mut load = Load::default();
    load.create(&server, 4, server.key(), &[]);
    eventually(TIMEOUT, "links are created", async || load.created().len() > 300).await;
    for _ in 0..100 {
        assert_eq!(codes(&api, "?limit=200").await.len(), 200);
    }
    load.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn list_response_is_aborted_if_the_database_fails() {
    let server = Server::start();
    create_many_links(&server);
    let fields = fields(&server);
    let mut whole = server.connect();
    whole.send_head("GET", b"/api/v1/links", &fields).unwrap();
    assert_eq!(whole.read_response(false).unwrap().0, 200);

    let mut connection = server.connect();
    connection.send_head("GET", b"/api/v1/links", &fields).unwrap();
    connection.wait_for_bytes().unwrap();
    server.database().execute("ALTER TABLE links RENAME TO gone").await;
    let response = connection.read_response(false);
    assert!(response.is_err(), "the list ended with {:?}", response.map(|(status, ..)| status));
    eventually(TIMEOUT, "it is logged with its request", async || {
        let log = server.log();
        let line = log.lines().find(|line| line.contains("list response aborted"));
        line.is_some_and(|line| line.contains(r#""request_id":""#))
    })
    .await;
}
