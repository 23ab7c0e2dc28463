//! `terse export`, and the import of its files.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::cli_import::{csv, database, exported, file, import};
use crate::harness::{Server, short_codes};

#[tokio::test]
async fn export_lists_links_of_one_or_all_owners_oldest_first() {
    let server = Server::start();
    let api = server.api();
    let other = server.api_of("other", "pro");
    let first = api.create("https://example.com/1").await;
    let theirs = other.create("https://example.com/2").await;
    let last = api.create_from(&json!({"url": "https://example.com/3", "title": ""})).await;
    for _ in 0..3 {
        server.anyone().get(&format!("/{theirs}")).await.expect(302);
    }
    let codes = |arguments: &[&str]| {
        let shown = server.terse(&[&["export", "--json"], arguments].concat()).done().stdout;
        let lines = shown.lines().map(|line| serde_json::from_str(line).unwrap());
        short_codes(&lines.collect::<Vec<_>>())
    };
    assert_eq!(codes(&[]), [&*first, &theirs, &last]);
    assert_eq!(codes(&["--owner", "default"]), [&*first, &last]);
    let shown = server.terse(&["export", "--owner", "other"]).done().stdout;
    let row = format!("{theirs},https://example.com/2,,,3,1,0,2");
    assert!(shown.lines().nth(1).unwrap().starts_with(&row), "{shown}");
    assert!(csv(server.database()).contains(&format!("{last},https://example.com/3,\"\",,0,")));
}

#[test]
fn export_succeeds_if_the_reader_closes_the_pipe() {
    let database = database();
    let rows: Vec<String> = (0..5_000).map(|n| format!("https://example.com/{n}")).collect();
    import(&database, format!("destination_url\n{}\n", rows.join("\n"))).done();
    let mut command = database.command();
    command.arg("export").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("short_code,"));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Generates texts that careless CSV and JSON programs corrupt.
fn text(max: usize) -> impl Strategy<Value = Option<String>> {
    let text = proptest::collection::vec(
        prop_oneof![
            Just("\"".to_owned()),
            Just(",".to_owned()),
            Just(" ".to_owned()),
            Just("=1+1".to_owned()),
            Just("\\n".to_owned()),
            Just("null".to_owned()),
            "[a-z0-9]",
            "\\PC".prop_filter("printable", |text| !text.chars().any(char::is_control)),
        ],
        0..max,
    );
    proptest::option::of(text.prop_map(|parts| parts.concat()))
}

fn link() -> impl Strategy<Value = Value> {
    let path = "[a-zA-Z0-9,;\"'%é|?&=/-]{0,30}";
    let time = 0_u64..253_402_300_800_000;
    let times = (time.clone(), proptest::option::of(time));
    let numbers = (0_i64..=9_007_199_254_740_991, 0..=1_u8, 0..=1_u8, times);
    (path, text(12), text(8), numbers).prop_map(|(path, title, campaign, numbers)| {
        let (clicks, is_active, has_qr, (created_at, expires_at)) = numbers;
        let time = |millis| {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(millis);
            humantime::format_rfc3339_millis(time).to_string()
        };
        json!({
            "short_code": null,
            "destination_url": format!("https://example.com/{path}"),
            "title": title,
            "campaign": campaign,
            "clicks": clicks,
            "is_active": is_active,
            "has_qr": has_qr,
            "created_at": time(created_at),
            "expires_at": expires_at.map(time),
            "is_paused": is_active,
            "forward_query": has_qr,
            "fallback_url": expires_at.map(|_| "https://example.com/ended"),
            "external_id": (clicks % 2 == 0).then_some("erp, ü/"),
        })
    })
}

#[test]
fn round_trip_preserves_all_links() {
    let cases = Config { cases: 6, failure_persistence: None, ..Config::default() };
    let links = proptest::collection::vec(link(), 1..60);
    let result = TestRunner::new(cases).run(&links, |mut links| {
        for (number, link) in links.iter_mut().enumerate() {
            link["short_code"] = json!(format!("c_{number}-x"));
            if let Some(id) = link["external_id"].as_str() {
                link["external_id"] = json!(format!("{id}{number}"));
            }
        }
        let lines: Vec<String> = links.iter().map(Value::to_string).collect();
        let (first, second) = (database(), database());
        import(&first, lines.join("\n")).done();
        prop_assert_eq!(exported(&first), links);
        let written = csv(&first);
        import(&second, &written).done();
        prop_assert_eq!(csv(&second), written);
        prop_assert_eq!(exported(&second), exported(&first));
        Ok(())
    });
    result.unwrap();
}

#[test]
fn export_can_be_piped_into_an_import() {
    let (from, to) = (database(), database());
    import(&from, "short_code,destination_url,clicks\nabc,https://example.com/,5\n").done();
    let mut export = from.command();
    let mut export = export.arg("export").stdout(Stdio::piped()).spawn().unwrap();
    let mut import = to.command();
    import.args(["import", "-", "--owner", "me"]).stdin(export.stdout.take().unwrap());
    assert!(import.output().unwrap().status.success());
    assert!(export.wait().unwrap().success());
    assert_eq!(csv(&to), csv(&from));
    file(&to, "unused", "");
}
