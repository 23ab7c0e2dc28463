//! Valid patterns, and suggestions for invalid ones.

use super::{check, import, misuse};
use crate::harness::Database;

#[test]
fn invalid_pattern_is_rejected_with_a_suggestion() {
    let database = Database::new().migrated();
    for (pattern, meant) in [
        ("a1.example,", Some("a1.example")),
        ("evil.example;", Some("evil.example")),
        ("evil.example)", Some("evil.example")),
        ("'evil.example'", Some("evil.example")),
        ("\"evil.example\"", Some("evil.example")),
        ("evil[.]example", Some("evil.example")),
        ("hxxp://evil.example/x", Some("http://evil.example/x")),
        ("hxxps://evil[.]example/x", Some("https://evil.example/x")),
        ("evil.example/*", Some("evil.example")),
        ("https://evil.example/*", Some("https://evil.example/")),
        ("192.0.2.0/24", None),
        ("2001:db8::/32", None),
        ("192.0.2", None),
    ] {
        for arguments in [&["add", "good.example"][..], &["allow"], &["remove"], &["check"]] {
            let arguments = [&["block"], arguments, &[pattern]].concat();
            let line = misuse(database.terse(&arguments));
            let suggestion =
                meant.map_or_else(String::new, |meant| format!("did you mean '{meant}'?"));
            assert!(line.contains(&suggestion), "{arguments:?}: {line}");
            assert_eq!(line.contains("did you mean"), meant.is_some(), "{arguments:?}: {line}");
        }
    }
    let list = database.terse(&["block", "list", "--json"]).json();
    assert_eq!(list, serde_json::json!([]));
}

#[test]
fn check_takes_a_url_or_a_host_and_recommends_another_command_for_a_code() {
    let database = Database::new().migrated();
    let line = misuse(database.terse(&["block", "check", "evil1"]));
    assert!(line.contains("`terse link show evil1`"), "{line}");
    for url in
        ["evil.example", "evil.example/x?y=https://z", "192.0.2.1", "2001:db8::1", "https://evil1/"]
    {
        assert_eq!(check(&database, url)["is_blocked"], false, "{url}");
    }
}

#[test]
fn api_keys_in_patterns_are_neither_stored_nor_printed() {
    let database = Database::new().migrated();
    let key = "terse_abcdefghijklmnopqrstuvwxyz012345";
    let [url, host] = [format!("https://e.example/{key}"), format!("{key}.example")];
    let encoded = url.replace("terse_", "terse%5F");
    for pattern in [&url, &host, &encoded] {
        for command in ["add", "allow", "remove"] {
            let line = misuse(database.terse(&["block", command, pattern]));
            assert!(line.contains("API key"), "{line}");
        }
    }
    let outcome = import(&database, "feed", &format!("evil.example\n{url}\n"), &[]).done();
    assert!(outcome.stderr.contains("1 invalid line skipped"), "{outcome:#?}");
    for arguments in [&["check", url.as_str()][..], &["check", url.as_str(), "--json"], &["list"]] {
        let outcome = database.terse(&[&["block"], arguments].concat()).done();
        assert!(!outcome.stdout.contains("abcdefghij"), "{outcome:#?}");
        assert!(!outcome.stderr.contains("abcdefghij"), "{outcome:#?}");
    }
    assert_eq!(check(&database, &url)["url"], "https://e.example/terse_…");
}
