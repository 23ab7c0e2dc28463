//! Valid destinations, and the location of their redirects.

mod followed;
mod limits;

use std::sync::Arc;

use serde_json::json;
use url::Url;

use crate::harness::{Database, Server, free_port};

/// Valid URIs, which the redirect repeats unchanged.
const VALID_URIS: [&str; 30] = [
    "http://example.com",
    "http://example.com/",
    "https://example.com?q",
    "https://example.com/#top",
    "HTTPS://Example.COM/Path",
    "hTTp://example.com/",
    "http://example.com:80/",
    "http://example.com:0080/",
    "https://example.com:65535/a",
    "http://user:pass@example.com/",
    "http://user@example.com/",
    "http://127.0.0.1:1/",
    "http://192.168.0.1/router",
    "http://localhost:1/",
    "http://intranet/",
    "http://[::1]:1/",
    "http://[2001:db8::1]:8080/x",
    "http://example.com./",
    "http://xn--mnchen-3ya.example/",
    "https://example.com/a%20b%2Fc",
    "https://example.com/%e4%f6",
    "https://example.com/a/../b/./c",
    "https://example.com//double//slash",
    "https://example.com/?a=1&b=2;c=3#d/e?f",
    "https://example.com/?next=https://other.example/?x=1",
    "https://example.com/-._~!$&'()*+,;=:@",
    "https://example.com/?utm_source=a&utm_medium=b",
    "https://example.com/api/v1/links",
    "http://under_score.example/",
    "https://example.com/?",
];

/// Invalid URIs by RFC 3986, each with its normal form in the redirect.
const NORMALISED: [(&str, &str); 20] = [
    ("https://münchen.example/", "https://xn--mnchen-3ya.example/"),
    ("https://MÜNCHEN.example/Ä", "https://xn--mnchen-3ya.example/%C3%84"),
    ("https://例え.テスト/", "https://xn--r8jz45g.xn--zckzah/"),
    ("https://example.com/a b", "https://example.com/a%20b"),
    ("https://example.com/?q=a b", "https://example.com/?q=a%20b"),
    ("https://example.com/#a b", "https://example.com/#a%20b"),
    ("https://example.com/ä", "https://example.com/%C3%A4"),
    ("https://example.com/?q=ä", "https://example.com/?q=%C3%A4"),
    ("https://example.com/😀", "https://example.com/%F0%9F%98%80"),
    ("https://example.com/<a>\"", "https://example.com/%3Ca%3E%22"),
    ("https://example.com\\a\\b", "https://example.com/a/b"),
    ("https://example.com/a|b", "https://example.com/a%7Cb"),
    ("https://example.com/100%", "https://example.com/100%25"),
    ("https://example.com/%zz", "https://example.com/%25zz"),
    ("https://example.com/#/#room", "https://example.com/#/#room"),
    ("https://example.com/a#b[1]|c^{d}", "https://example.com/a#b[1]|c^{d}"),
    ("https://example.com/?ids[]=1|2&x={y}^", "https://example.com/?ids[]=1|2&x={y}^"),
    ("https://example.com/?q=100%&ids[]=1", "https://example.com/?q=100%25&ids[]=1"),
    ("https://example.com/#100%", "https://example.com/#100%25"),
    ("https://example.com/[a]^{b}?[c]", "https://example.com/%5Ba%5D%5E%7Bb%7D?[c]"),
];

/// Invalid URIs by RFC 3986 that the URL standard accepts. They may have any normal form.
const IN_SOME_NORMAL_FORM: [&str; 10] = [
    "https://example.com/{id}",
    "https://example.com/?q={id}|`^",
    "https://example.com/[x]",
    "https://example.com/?a[]=1&a[]=2",
    "https://example.com/#a#b",
    "https://example.com/?q=%",
    "https://example.com/?q=\"<>\\",
    "https://us er:pa ss@example.com/",
    "https://faß.example/\u{a0}x",
    "https://ＥＸＡＭＰＬＥ.com/\u{fffd}",
];

const REFUSED: [&str; 62] = [
    "",
    "x",
    "/",
    "/path",
    "//example.com/",
    "example.com",
    "www.example.com/path",
    "http",
    "http:",
    "http:/",
    "http://",
    "https://",
    "http:example.com",
    "http:/example.com",
    "http:\\\\example.com",
    "http://?q",
    "http://#f",
    "http://:80/",
    "http://user@/",
    "http://@/",
    "https://[",
    "https://[::1",
    "https://]/",
    "https://[zz]/",
    "https://[1.2.3.4]/",
    "http://exa mple.com/",
    "http://exa<mple.com/",
    "http://exa|mple.com/",
    "http://a^b.com/",
    "http://%/",
    "http://a%00b.com/",
    "http://a%20b.com/",
    "http://example.com:65536/",
    "http://example.com:port/",
    "http://example.com:-1/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://0x100000000/",
    "https://xn--/",
    "https://\u{ad}/",
    " https://example.com/",
    "https://example.com/ ",
    "\u{3000}https://example.com/",
    "\thttps://example.com/",
    "https://example.com/\n",
    "https://exam\tple.com/",
    "https://example.com/a\nb",
    "https://example.com/a\rb",
    "https://example.com/a\u{0}b",
    "https://example.com/a\u{1b}b",
    "https://example.com/a\u{7f}b",
    "https://example.com/a\u{85}b",
    "ht\ntp://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "mailto:a@example.com",
    "ws://example.com/",
    "httpx://example.com/",
    "view-source:http://example.com/",
    "blob:http://example.com/x",
];

/// Returns whether the text has only characters of URIs, and two hexadecimal digits after each
/// percent sign.
fn has_only_uri_characters(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'%' => is_hex(at + 1) && is_hex(at + 2),
        byte => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte),
    })
}

/// Returns whether the text has only characters of URIs, and no brackets in the path. Queries and
/// fragments may have what clients follow unchanged.
fn is_plausible_uri(text: &str) -> bool {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let (before, after) = text.split_at(end);
    let path = before.splitn(4, '/').nth(3).unwrap_or_default();
    let followed = after.replace(['|', '^', '{', '}'], "_");
    has_only_uri_characters(before)
        && has_only_uri_characters(&followed)
        && !path.contains(['[', ']'])
}

/// Creates a link to `url`, checks that all responses contain it unchanged, and returns its
/// `Location`.
async fn location_of(server: &Server, url: &str) -> String {
    let api = server.api();
    let response = api.shorten(&json!({"url": url})).await;
    assert_eq!(response.status, 201, "{url:?}: {response:#?}");
    assert_eq!(response.json()["destination_url"], url);
    let code = response.code();
    assert_eq!(api.stats(&code).await.data()["destination_url"], url);
    assert_eq!(api.links().await.data()[0]["destination_url"], url);
    api.qr(&json!({"short_code": code})).await.expect(201);
    assert_eq!(api.qr_list().await.data()[0]["destination_url"], url);
    let redirect = server.anyone().get(&format!("/{code}")).await.expect(302);
    let location = redirect.header("location");
    location.expect("a redirect has a Location").to_owned()
}

#[tokio::test]
async fn redirect_repeats_a_valid_uri_unchanged() {
    let server = Server::start();
    for url in VALID_URIS {
        assert_eq!(location_of(&server, url).await, url);
    }
}

#[tokio::test]
async fn invalid_uri_is_normalised() {
    let server = Server::start();
    for (url, location) in NORMALISED {
        assert_eq!(location_of(&server, url).await, location, "{url}");
    }
}

#[tokio::test]
async fn location_is_a_uri_with_the_same_host() {
    let server = Server::start();
    for url in IN_SOME_NORMAL_FORM {
        let location = location_of(&server, url).await;
        assert!(is_plausible_uri(&location), "{url} became {location}");
        let (sent, given) = (Url::parse(url).unwrap(), Url::parse(&location).unwrap());
        assert_eq!(sent.host(), given.host(), "{url} became {location}");
    }
}

#[tokio::test]
async fn invalid_destinations_are_rejected() {
    let server = Server::start();
    for url in REFUSED {
        let response = server.api().shorten(&json!({"url": url})).await;
        assert_eq!(response.status, 422, "{url:?}: {response:#?}");
        response.invalid(&["/url"]);
    }
}

#[tokio::test]
async fn json_escapes_do_not_change_a_destination() {
    let server = Server::start();
    let api = server.api();
    let body = r#"{"url":"https:\/\/example.com\/\u00e4\ud83d\ude00"}"#;
    let ask = api.ask(reqwest::Method::POST, "/api/v1/shorten");
    let response = ask.body("application/json", body).send().await.expect(201);
    assert_eq!(response.json()["destination_url"], "https://example.com/ä😀");
}

#[tokio::test]
async fn own_urls_are_rejected_as_destinations() {
    let server = Server::start();
    let port = server.port();
    for host in [
        "http://127.0.0.1",
        "https://127.0.0.1",
        "HTTP://127.0.0.1",
        "http://user:pass@127.0.0.1",
        "http://127.1",
        "http://127.0.1",
        "http://0x7f.0.0.1",
        "http://0177.0.0.1",
        "http://2130706433",
        "http://0x7f000001",
        "http://%31%32%37.0.0.1",
        "http://１２７.0.0.1",
        "http://127。0。0。1",
        "http://localhost",
        "http://LocalHost.",
        "http://go.localhost",
        "http://0.0.0.0",
        "http://[::1]",
        "http://[::]",
        "http://[::ffff:127.0.0.1]",
        "http://[::ffff:7f00:1]",
    ] {
        for path in ["", "/", "/abcdefg", "/docs?x#y"] {
            let body = json!({"url": format!("{host}:{port}{path}")});
            let response = server.api().shorten(&body).await;
            assert_eq!(response.status, 422, "{body}");
            response.invalid(&["/url"]);
        }
    }
    // A proxy may listen on the standard ports of the same host.
    for own in
        ["http://127.0.0.1/", "https://127.0.0.1/x", "http://localhost/", "https://[::1]:80/"]
    {
        server.api().shorten(&json!({"url": own})).await.invalid(&["/url"]);
    }
    for elsewhere in [
        format!("http://127.0.0.1:{}/", free_port()),
        format!("http://127.0.0.2:{port}/"),
        format!("http://[::ffff:127.0.0.2]:{port}/"),
        format!("http://localhost.example.com:{port}/"),
        format!("http://example.com:{port}/"),
        format!("http://example.com/?u={}/x", server.base_url()),
    ] {
        server.api().create(&elsewhere).await;
    }
}

#[tokio::test]
async fn own_host_and_port_come_from_the_base_url() {
    let server = Server::with_base_url("https://go.example.test");
    for own in [
        "https://go.example.test",
        "https://go.example.test/abc",
        "https://go.example.test:443/abc",
        "HTTPS://GO.EXAMPLE.TEST/abc",
        "https://someone@go.example.test/",
        "https://go.ex%61mple.test/",
        "https://ｇｏ.example.test/",
        "https://go。example。test/",
        "http://go.example.test:443/",
        "http://go.example.test/loop",
    ] {
        let body = json!({"url": own});
        let response = server.api().shorten(&body).await;
        assert_eq!(response.status, 422, "{body}");
        response.invalid(&["/url"]);
    }
    for elsewhere in [
        "https://example.test/",
        "https://www.go.example.test/",
        "https://go.example.test.example.com/",
        "https://go.example.test:8443/",
        "http://go.example.test:8080/",
        "https://go.example.test@example.com/",
    ] {
        server.api().create(elsewhere).await;
    }
}

#[tokio::test]
async fn former_base_urls_are_rejected_as_destinations() {
    let database = Arc::new(Database::new().with_default_owner());
    let former = ["--also-at", "https://old.example.test,http://old.example.net:8080"];
    let server = Server::with(&database, &former);
    let settings = [&["--base-url", server.base_url()], &former[..]].concat();
    server.api().shorten(&json!({"url": "https://example.org", "custom_code": "outside"})).await;
    let file = database.directory().join("links.csv");
    for own in [
        "https://old.example.test/abc",
        "http://old.example.test/abc",
        "http://old.example.net:8080/",
        &format!("{}/abc", server.base_url()),
    ] {
        server.api().shorten(&json!({"url": own})).await.invalid(&["/url"]);
        let edit = ["link", "edit", "outside", "--destination", own];
        let rejected = server.terse(&[&edit, &settings[..]].concat());
        assert!(rejected.stderr.contains("must not lead to this service itself"), "{rejected:?}");
        rejected.misused();
        std::fs::write(&file, format!("short_code,destination_url\nimported,{own}\n")).unwrap();
        let import = ["import", file.to_str().unwrap(), "--owner", "default"];
        let import = server.terse(&[&import, &settings[..]].concat());
        assert_eq!(import.code, Some(1), "{import:?}");
        assert!(import.stderr.contains("must not lead to this service itself"), "{import:?}");
    }
    server.api().create("https://old.example.test:8443/").await;
}

#[tokio::test]
async fn loopback_addresses_are_rejected_if_the_base_url_is_loopback() {
    for base_url in ["http://localhost:8123", "http://[::1]:8123", "http://0.0.0.0:8123"] {
        let server = Server::with_base_url(base_url);
        for own in ["http://127.0.0.1:8123/x", "http://localhost:8123/x", "http://[::1]:8123/x"] {
            server.api().shorten(&json!({"url": own})).await.invalid(&["/url"]);
        }
        server.api().create("http://localhost:8124/x").await;
    }
}
