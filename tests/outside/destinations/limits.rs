//! Destinations that are too long, or have invisible characters around them.

use serde_json::json;

use super::{is_plausible_uri, location_of};
use crate::harness::{Server, Store, assert_within_a_second};

#[tokio::test]
async fn destination_over_8192_bytes_is_rejected() {
    let server = Server::start();
    let start = "https://example.com/";
    let longest = format!("{start}{}", "x".repeat(8_192 - start.len()));
    assert_eq!(location_of(&server, &longest).await, longest);
    // Each letter has six bytes when it is encoded.
    let encoded = format!("{start}{}", "ä".repeat((8_192 - start.len()) / 6));
    let location = location_of(&server, &encoded).await;
    assert!(is_plausible_uri(&location) && (8_187..=8_192).contains(&location.len()));
    server.terse(&["link", "disable", "--destination", &encoded, "--yes"]).done();
    let code = server.api().create("https://example.org/").await;
    let file = server.database().directory().join("long.csv");
    for too_long in
        [format!("{longest}x"), format!("{encoded}ä"), format!("{start}{}", "漢".repeat(2_700))]
    {
        let body = json!({"url": too_long});
        server.api().shorten(&body).await.invalid(&["/url"]);
        let edit = server.terse(&["link", "edit", &code, "--destination", &too_long]);
        assert!(edit.stderr.contains("8192 bytes"), "{edit:?}");
        edit.misused();
        std::fs::write(&file, format!("destination_url\n{too_long}\n")).unwrap();
        let import = server.terse(&["import", file.to_str().unwrap(), "--owner", "default"]);
        assert!(import.stderr.contains("8192 bytes"), "{import:?}");
        assert_eq!(import.code, Some(1));
    }
}

#[tokio::test]
async fn longer_location_of_an_older_version_stays_and_is_noted() {
    let server = Server::start();
    let code = server.api().create("https://example.org/").await;
    let long = format!("https://example.org/{}", "漢".repeat(2_700));
    let checksum =
        if server.database().store() == Store::Sqlite { ", checksum = NULL" } else { "" };
    let update = format!("UPDATE links SET destination_url = '{long}'{checksum}");
    server.database().execute(&update).await;
    server.terse(&["link", "edit", &code, "--title", "long"]).done();
    let anyone = server.anyone();
    assert_within_a_second("the redirect has the long location", async || {
        let response = anyone.get(&format!("/{code}")).await.expect(302);
        response.header("location").unwrap().len() == 24_320
    })
    .await;
    let check = server.terse(&["check"]).done();
    assert!(check.stdout.contains(&code) && check.stdout.contains("24320 bytes"), "{check:?}");
}

#[tokio::test]
async fn invisible_characters_around_a_destination_are_rejected() {
    let server = Server::start();
    let plain = "https://example.com/a";
    for url in [format!("{plain}\u{200b}"), format!("\u{feff}{plain}"), format!("{plain}\u{2060}")]
    {
        server.api().shorten(&json!({"url": url})).await.invalid(&["/url"]);
        server.terse(&["link", "edit", "x", "--destination", &url]).misused();
    }
    for url in
        [format!("{plain}#\u{200b}"), format!("{plain}/👩\u{200d}🚀"), format!("{plain}\u{ad}b")]
    {
        server.api().create(&url).await;
    }
}
