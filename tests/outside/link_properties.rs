//! All properties of a link that can be edited, through every door: each must be edited, shown,
//! recorded, undone, exported, imported, copied and erased.

use serde_json::{Value, json};

use crate::cli_import::{database, exported, import, import_json};
use crate::harness::{Database, Store};
use crate::link_commands::lines;

/// An editable property.
struct Property {
    /// The option of `terse link edit`.
    option: &'static str,
    /// The name in JSON, in files and in the history.
    name: &'static str,
    before: &'static str,
    after: &'static str,
    /// The text that removes the value, if that is possible.
    nothing: Option<&'static str>,
}

const PROPERTIES: [Property; 5] = [
    Property {
        option: "--destination",
        name: "destination_url",
        before: "https://before.example/ä?b#c",
        after: "https://after.example/",
        nothing: None,
    },
    Property {
        option: "--title",
        name: "title",
        before: "Before-title",
        after: "After-title",
        nothing: Some(""),
    },
    Property {
        option: "--campaign",
        name: "campaign",
        before: "before-campaign",
        after: "after-campaign",
        nothing: Some(""),
    },
    Property {
        option: "--expires",
        name: "expires_at",
        before: "2999-01-01T00:00:00Z",
        after: "2998-01-01T00:00:00Z",
        nothing: Some("never"),
    },
    Property {
        option: "--fallback",
        name: "fallback_url",
        before: "https://fallback-before.example/",
        after: "https://fallback-after.example/ä",
        nothing: Some("none"),
    },
];

fn terse(database: &Database, arguments: &[&str]) -> Value {
    database.terse(&[arguments, &["--json"]].concat()).json()
}

fn shown(database: &Database, name: &str) -> Value {
    terse(database, &["link", "show", "code"])[name].clone()
}

/// Returns a database with the link `code`, whose properties are those before.
fn with_link() -> Database {
    let database = database();
    import(&database, "short_code,destination_url\ncode,https://example.org/\n").done();
    for Property { option, before, .. } in PROPERTIES {
        terse(&database, &["link", "edit", "code", option, before]);
    }
    database
}

#[test]
fn each_property_is_edited_recorded_and_undone() {
    let database = with_link();
    for Property { option, name, before, after, nothing } in PROPERTIES {
        let edit = |value: &str| terse(&database, &["link", "edit", "code", option, value]);
        assert_eq!(shown(&database, name), before, "{name}");
        assert_eq!(edit(before)["event"], Value::Null, "{name}: an equal value is no change");
        let event = edit(after)["event"].to_string();
        assert_eq!(shown(&database, name), after);
        let changes = database.terse(&["history", "--event", &event, "--json"]).done();
        let values = &lines(&changes.stdout)[0];
        assert!(values["before"].get(name).is_some(), "{name}: {values}");
        assert!(values["after"].get(name).is_some(), "{name}: {values}");
        let undone = terse(&database, &["undo", &event, "--yes"]);
        assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(1), &json!([])), "{name}");
        assert_eq!(shown(&database, name), before, "{name} is restored");
        if let Some(nothing) = nothing {
            let event = edit(nothing)["event"].to_string();
            assert_eq!(shown(&database, name), Value::Null, "{name} is removed");
            terse(&database, &["undo", &event, "--yes"]);
            assert_eq!(shown(&database, name), before, "{name} is restored");
        }
    }
    // A value that has changed since stays, and only that one.
    let edits = |which: fn(&Property) -> &'static str| {
        let options = PROPERTIES.iter().flat_map(|property| [property.option, which(property)]);
        let arguments: Vec<&str> = ["link", "edit", "code"].into_iter().chain(options).collect();
        terse(&database, &arguments)["event"].to_string()
    };
    for Property { option, name, before, .. } in PROPERTIES {
        let all = edits(|property| property.after);
        terse(&database, &["link", "edit", "code", option, before]);
        let undone = terse(&database, &["undo", &all, "--yes"]);
        assert_eq!(undone["skipped"], json!([format!("link 'code' ({name})")]));
        for Property { name, before, .. } in PROPERTIES {
            assert_eq!(shown(&database, name), before);
        }
    }
    database.terse(&["check"]).done();
}

#[test]
fn each_property_is_exported_imported_and_copied() {
    let database = with_link();
    let all = exported(&database);
    for Property { name, before, .. } in PROPERTIES {
        let value = all[0][name].as_str().unwrap();
        assert_eq!(value.replace(".000Z", "Z"), before, "{name}");
    }
    for format in ["csv", "jsonl"] {
        let export = database.terse(&["export", "--format", format]).done().stdout;
        let other = self::database();
        if format == "csv" { import(&other, &export) } else { import_json(&other, &export) }.done();
        assert_eq!(other.terse(&["export", "--format", format]).done().stdout, export);
    }
    for store in [Store::Sqlite, Store::Postgres] {
        let target = Database::of(store);
        database.terse(&["copy", "--from", &database.url(), "--to", &target.url()]).done();
        assert_eq!(exported(&target), all);
        target.terse(&["check"]).done();
    }
}

#[test]
fn each_property_is_erased_with_its_link() {
    let database = with_link();
    terse(&database, &["link", "delete", "code"]);
    for Property { name, .. } in PROPERTIES {
        assert_eq!(shown(&database, name), Value::Null, "{name}");
    }
    let bytes = database.bytes();
    for Property { name, before, .. } in PROPERTIES {
        let is_found = bytes.windows(before.len()).any(|part| part == before.as_bytes());
        assert!(!is_found, "{name} is in the database");
    }
    database.terse(&["check"]).done();
}
