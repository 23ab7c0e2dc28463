//! All properties of a link that can be edited, through every door: each must be created, edited,
//! shown, recorded, undone, exported, imported, copied and erased.

use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::cli_import::{database, exported, import, import_json};
use crate::harness::{Api, Database, Response, Server, Store, contracts};
use crate::link_commands::lines;

/// A value of a property.
#[derive(Clone, Copy)]
enum Sample {
    Text(&'static str),
    Number(i64),
    Flag(bool),
}

impl Sample {
    /// Returns the value in JSON.
    fn json(self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Number(number) => json!(number),
            Self::Flag(flag) => json!(flag),
        }
    }

    /// Returns the value of an option.
    fn argument(self) -> String {
        match self {
            Self::Text(text) => text.to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

/// An editable property.
struct Property {
    /// The name in JSON, in files, in the history and in the database.
    name: &'static str,
    /// The option of `terse link edit`, if it can change the property.
    option: Option<&'static str>,
    before: Sample,
    after: Sample,
    /// The text that removes the value, if that is possible. In JSON, `null` does.
    nothing: Option<&'static str>,
}

impl Property {
    /// Returns whether commands show the property and files have it: of a QR code, they have only
    /// whether it is enabled.
    fn is_in_files(&self) -> bool {
        !self.name.starts_with("qr_")
    }
}

use Sample::{Flag, Number, Text};

const PROPERTIES: [Property; 13] = [
    Property {
        name: "destination_url",
        option: Some("--destination"),
        before: Text("https://before.example/ä?b#c"),
        after: Text("https://after.example/"),
        nothing: None,
    },
    Property {
        name: "title",
        option: Some("--title"),
        before: Text("Before-title"),
        after: Text("After-title"),
        nothing: Some(""),
    },
    Property {
        name: "campaign",
        option: Some("--campaign"),
        before: Text("before-campaign"),
        after: Text("after-campaign"),
        nothing: Some(""),
    },
    Property {
        name: "external_id",
        option: Some("--external-id"),
        before: Text("before/external ä?"),
        after: Text("after-external"),
        nothing: Some(""),
    },
    Property {
        name: "expires_at",
        option: Some("--expires"),
        before: Text("2999-01-01T00:00:00Z"),
        after: Text("2998-01-01T00:00:00Z"),
        nothing: Some("never"),
    },
    Property {
        name: "fallback_url",
        option: Some("--fallback"),
        before: Text("https://fallback-before.example/"),
        after: Text("https://fallback-after.example/ä"),
        nothing: Some("none"),
    },
    Property {
        name: "forward_query",
        option: Some("--forward-query"),
        before: Flag(true),
        after: Flag(false),
        nothing: None,
    },
    // `terse link pause` pauses many links at once.
    Property {
        name: "is_paused",
        option: None,
        before: Flag(true),
        after: Flag(false),
        nothing: None,
    },
    Property {
        name: "has_qr",
        option: None,
        before: Flag(true),
        after: Flag(false),
        nothing: None,
    },
    Property {
        name: "qr_error_correction",
        option: None,
        before: Text("H"),
        after: Text("Q"),
        nothing: None,
    },
    Property {
        name: "qr_margin",
        option: None,
        before: Number(7),
        after: Number(6),
        nothing: None,
    },
    Property {
        name: "qr_foreground",
        option: None,
        before: Text("#1d3557"),
        after: Text("#2d3558"),
        nothing: None,
    },
    Property {
        name: "qr_background",
        option: None,
        before: Text("#f1faee"),
        after: Text("#f2faef"),
        nothing: None,
    },
];

const LINKS: &str = "/api/manage/v1/links";
const LINK: &str = "/api/manage/v1/links/code";
const LINK_OF_OPERATOR: &str = "/api/operator/v1/links/code";

/// Returns a request object with a value of each property.
fn object(value: fn(&Property) -> Sample) -> Map<String, Value> {
    PROPERTIES.iter().map(|property| (property.name.to_owned(), value(property).json())).collect()
}

fn terse(database: &Database, arguments: &[&str]) -> Value {
    database.terse(&[arguments, &["--json"]].concat()).json()
}

/// Returns a value without the milliseconds of a time.
fn plain(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| json!(text.replace(".000Z", "Z")))
}

fn shown(database: &Database, name: &str) -> Value {
    plain(&terse(database, &["link", "show", "code"])[name])
}

async fn send(api: &Api, method: Method, path: &str, body: &Value) -> Response {
    api.ask(method, path).json(body).send().await
}

/// Creates the link `code`, whose properties are those after, and changes it so that they are those
/// before. Returns the response to the creation.
async fn create(api: &Api) -> Value {
    let mut body = object(|property| property.after);
    body.insert("custom_code".to_owned(), json!("code"));
    let created = send(api, Method::POST, LINKS, &body.into()).await.expect(201).json();
    let body = object(|property| property.before);
    send(api, Method::PATCH, LINK, &body.into()).await.expect(200);
    created
}

/// Returns a database with the link `code`, whose properties are those before.
async fn with_link() -> Arc<Database> {
    let server = Server::start();
    create(&server.api()).await;
    server.terminate().database
}

fn names(of: &Value) -> BTreeSet<String> {
    of.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn properties_are_those_of_the_documents_the_command_and_the_files() {
    let all: BTreeSet<String> = PROPERTIES.map(|property| property.name.to_owned()).into();
    let with = |more: &[&str]| {
        let more = more.iter().map(|name| (*name).to_owned());
        all.iter().cloned().chain(more).collect::<BTreeSet<String>>()
    };
    let mut patches = 0;
    for contract in contracts() {
        let schemas = &contract.published["components"]["schemas"];
        if let Some(patch) = schemas["LinkUpdate"].get("properties") {
            patches += 1;
            assert_eq!(names(patch), with(&["audit"]));
            for Property { name, nothing, .. } in PROPERTIES {
                assert_eq!(patch[name]["nullable"] == true, nothing.is_some(), "{name}");
            }
        }
        if let Some(request) = schemas["LinkCreate"].get("properties") {
            assert_eq!(names(request), with(&["custom_code"]));
        }
    }
    assert_eq!(patches, 2, "owners and the operator edit links");

    let database = database();
    let options = |command: &[&str]| {
        let help = database.terse(&[command, &["--help"]].concat()).done().stdout;
        let words = help.split_whitespace().filter(|word| word.len() > 2 && word.starts_with("--"));
        words.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    // The other options are those of every change.
    let edit = &options(&["link", "edit"]) - &options(&["domain", "edit"]);
    let expected = PROPERTIES.iter().filter_map(|property| property.option.map(str::to_owned));
    assert_eq!(edit, expected.collect());

    let header = database.terse(&["export"]).done().stdout;
    let others = ["short_code", "clicks", "is_active", "created_at"];
    let columns = header.trim_end().split(',').filter(|name| !others.contains(name));
    let expected = PROPERTIES.iter().filter(|property| property.is_in_files());
    let expected: BTreeSet<&str> = expected.map(|property| property.name).collect();
    assert_eq!(columns.collect::<BTreeSet<_>>(), expected);
}

#[tokio::test]
async fn each_property_is_edited_recorded_and_undone() {
    let database = with_link().await;
    let editable =
        || PROPERTIES.into_iter().filter_map(|property| Some((property.option?, property)));
    for (option, Property { name, before, after, nothing, .. }) in editable() {
        let edit = |value: &str| terse(&database, &["link", "edit", "code", option, value]);
        assert_eq!(shown(&database, name), before.json(), "{name}");
        let unchanged = edit(&before.argument());
        assert_eq!(unchanged["event_id"], Value::Null, "{name}: an equal value is no change");
        let event = edit(&after.argument())["event_id"].to_string();
        assert_eq!(shown(&database, name), after.json());
        let changes = database.terse(&["history", "--event", &event, "--json"]).done();
        let values = &lines(&changes.stdout)[0];
        assert!(values["before"].get(name).is_some(), "{name}: {values}");
        assert!(values["after"].get(name).is_some(), "{name}: {values}");
        let undone = terse(&database, &["undo", &event, "--yes"]);
        assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(1), &json!([])), "{name}");
        assert_eq!(shown(&database, name), before.json(), "{name} is restored");
        if let Some(nothing) = nothing {
            let event = edit(nothing)["event_id"].to_string();
            assert_eq!(shown(&database, name), Value::Null, "{name} is removed");
            terse(&database, &["undo", &event, "--yes"]);
            assert_eq!(shown(&database, name), before.json(), "{name} is restored");
        }
    }
    // A value that has changed since stays, and only that one.
    let edits = |which: fn(&Property) -> Sample| {
        let values = editable().map(|(option, property)| (option, which(&property).argument()));
        let values: Vec<_> = values.collect();
        let options = values.iter().flat_map(|(option, value)| [*option, value]);
        let arguments: Vec<&str> = ["link", "edit", "code"].into_iter().chain(options).collect();
        terse(&database, &arguments)["event_id"].to_string()
    };
    for (option, Property { name, before, .. }) in editable() {
        let all = edits(|property| property.after);
        terse(&database, &["link", "edit", "code", option, &before.argument()]);
        let undone = database.terse(&["undo", &all, "--yes", "--json"]);
        assert!(undone.stderr.contains(&format!("link 'code' ({name})")), "{undone:#?}");
        assert_eq!(undone.json()["skipped"], json!(["code"]));
        let shown = terse(&database, &["link", "show", "code"]);
        for (_, Property { name, before, .. }) in editable() {
            assert_eq!(plain(&shown[name]), before.json());
        }
    }
    database.terse(&["check"]).done();
}

#[tokio::test]
async fn each_property_is_created_and_edited_by_both_interfaces() {
    let server = Server::with_operator();
    let (owner, operator) = (server.api(), server.operator("admin"));
    let created = create(&owner).await;
    let batch = json!({ "links": [object(|property| property.after)] });
    let batch = send(&owner, Method::POST, "/api/manage/v1/link-batches", &batch).await;
    let batch = batch.expect(200).data()[0]["link"].clone();
    for Property { name, after, .. } in PROPERTIES {
        assert_eq!(plain(&created[name]), after.json(), "{name}");
        assert_eq!(plain(&batch[name]), after.json(), "{name}");
    }
    // Its external identifier is free again.
    let batch = batch["short_code"].as_str().unwrap();
    send(&owner, Method::DELETE, &format!("{LINKS}/{batch}"), &json!({})).await.expect(204);
    for (api, path) in [(&owner, LINK), (&operator, LINK_OF_OPERATOR)] {
        let tag = async || api.get(path).await.expect(200).header("etag").unwrap().to_owned();
        let tag_before = tag().await;
        for Property { name, before, after, nothing, .. } in PROPERTIES {
            let removal = nothing.map(|_| Value::Null);
            for value in [Some(after.json()), removal].into_iter().flatten() {
                let patched = send(api, Method::PATCH, path, &json!({ name: value })).await;
                let tag_after = patched.header("etag").unwrap().to_owned();
                assert_ne!(tag_after, tag_before, "{name} is part of the version");
                assert_eq!(plain(&patched.expect(200).json()[name]), value, "{name}");
                for (api, path) in [(&owner, LINK), (&operator, LINK_OF_OPERATOR)] {
                    let read = api.get(path).await.expect(200);
                    assert_eq!(plain(&read.json()[name]), value, "{name}");
                    assert_eq!(read.header("etag"), Some(&*tag_after), "{name}");
                }
                let history = format!("{LINK_OF_OPERATOR}/events?limit=1");
                let event = operator.get(&history).await.expect(200).data()[0]["id"].to_string();
                let changes = server.terse(&["history", "--event", &event, "--json"]).done();
                let values = &lines(&changes.stdout)[0];
                assert!(values["before"].get(name).is_some(), "{name}: {values}");
                assert!(values["after"].get(name).is_some(), "{name}: {values}");
                let undo = format!("/api/operator/v1/events/{event}/undo");
                let undone = send(&operator, Method::POST, &undo, &json!({})).await.expect(200);
                assert_eq!(undone.json()["changed"], 1, "{name}");
                assert_eq!(tag().await, tag_before, "{name} is restored");
                let restored = api.get(path).await.expect(200).json();
                assert_eq!(plain(&restored[name]), before.json(), "{name} is restored");
            }
        }
    }
    server.terse(&["check"]).done();
}

/// A second request with the same key that differs in any property is another request.
#[tokio::test]
async fn idempotency_key_stands_for_each_property() {
    let server = Server::start();
    let api = server.api().with("Idempotency-Key", "one");
    let body = object(|property| property.before);
    let link = send(&api, Method::POST, LINKS, &body.clone().into()).await.expect(201).json();
    let again = send(&api, Method::POST, LINKS, &body.clone().into()).await.expect(201);
    assert_eq!((again.header("idempotent-replayed"), again.json()), (Some("true"), link));
    for property in PROPERTIES {
        let mut other = body.clone();
        other.insert(property.name.to_owned(), property.after.json());
        let response = send(&api, Method::POST, LINKS, &other.into()).await;
        response.problem(409, "idempotency-key-reused");
    }
}

#[tokio::test]
async fn each_property_is_exported_imported_and_copied() {
    let database = with_link().await;
    let all = exported(&database);
    for Property { name, before, .. } in PROPERTIES.iter().filter(|one| one.is_in_files()) {
        // Files have flags as numbers.
        let exported = &all[0][name];
        let flag = exported.as_i64().filter(|_| matches!(before, Flag(_)));
        let exported = flag.map_or_else(|| plain(exported), |flag| json!(flag == 1));
        assert_eq!(exported, before.json(), "{name}");
    }
    for format in ["csv", "jsonl"] {
        let export = database.terse(&["export", "--format", format]).done().stdout;
        let other = self::database();
        if format == "csv" { import(&other, &export) } else { import_json(&other, &export) }.done();
        assert_eq!(other.terse(&["export", "--format", format]).done().stdout, export);
    }
    for store in [Store::Sqlite, Store::Postgres] {
        let target = Arc::new(Database::of(store));
        database.terse(&["copy", "--from", &database.url(), "--to", &target.url()]).done();
        assert_eq!(exported(&target), all);
        target.terse(&["check"]).done();
        let server = Server::on(&target);
        let api = server.with_key(database.default_key());
        let copied = api.get(LINK).await.expect(200).json();
        for Property { name, before, .. } in PROPERTIES {
            assert_eq!(plain(&copied[name]), before.json(), "{name}");
        }
    }
}

#[tokio::test]
async fn each_property_is_erased_with_its_link() {
    let database = with_link().await;
    terse(&database, &["link", "delete", "code"]);
    for Property { name, .. } in PROPERTIES.iter().filter(|one| one.is_in_files()) {
        assert_eq!(shown(&database, name), Value::Null, "{name}");
    }
    let bytes = database.bytes();
    for Property { name, before, after, .. } in PROPERTIES {
        // Shorter ones may be in any file.
        for text in [before, after].map(Sample::argument).into_iter().filter(|text| text.len() > 6)
        {
            let is_found = bytes.windows(text.len()).any(|part| part == text.as_bytes());
            assert!(!is_found, "{name} is in the database");
        }
    }
    database.terse(&["check"]).done();
}
