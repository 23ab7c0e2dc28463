//! Variables that are set to nothing, as templates of units and containers leave them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::harness::{Database, Outcome, Server, run};

/// Returns the variables of all settings, and those which must not be empty, from the program's own list.
fn variables() -> (BTreeSet<String>, BTreeSet<String>) {
    let list = run(&["configuration"]).done().stdout;
    let names = |text: &str| -> Vec<String> {
        let quoted = text.split('`').skip(1).step_by(2);
        let names = quoted.filter(|text| text.starts_with("TERSE_"));
        names.map(|text| text.trim_end_matches("=true").to_owned()).collect()
    };
    let rows = list.lines().filter(|line| line.starts_with("| `--") && line.contains("<br>"));
    let all: BTreeSet<String> =
        rows.flat_map(|row| names(row.split(" | ").next().unwrap())).collect();
    let line = list.lines().find(|line| line.contains("must not be empty")).unwrap();
    let never_empty: BTreeSet<String> = names(line).into_iter().collect();
    assert!(all.len() > 30 && never_empty.is_subset(&all), "{all:?} {never_empty:?}");
    (all, never_empty)
}

/// Returns the variables that the sources of the program name in quotation marks.
fn variables_of_sources(directory: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            names.extend(variables_of_sources(&entry));
        } else if let Ok(text) = fs::read_to_string(&entry) {
            let quoted = text.split('"').filter(|text| text.starts_with("TERSE_"));
            let is_name =
                |text: &&str| text.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase());
            names.extend(quoted.filter(is_name).map(str::to_owned));
        }
    }
    names
}

#[test]
fn every_empty_variable_is_unset_or_named_by_the_error() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src");
    let all = variables_of_sources(&sources);
    let (settings, never_empty) = variables();
    assert!(settings.is_subset(&all) && all.contains("TERSE_ACTOR"), "{all:?}");
    let database = Database::new().migrated();
    for (number, variable) in all.iter().enumerate() {
        let arguments = ["plan", "add", &format!("plan{number}")];
        let output = database.command().args(arguments).env(variable, "").output().unwrap();
        let outcome = Outcome::new(&arguments, &output);
        if outcome.code != Some(0) {
            assert!(never_empty.contains(variable), "{outcome:?}");
            assert!(outcome.stderr.contains(variable.as_str()), "{outcome:?}");
            outcome.misused();
        }
    }
}

#[tokio::test]
async fn empty_variable_is_unset_unless_that_is_dangerous() {
    let (all, never_empty) = variables();
    let database = Arc::new(Database::new().migrated());
    for variable in &never_empty {
        let output = database.command().arg("serve").env(variable, "").output();
        let outcome = Outcome::new(&["serve", variable], &output.unwrap());
        let error = format!("the variable {variable} must not be empty");
        assert!(outcome.stderr.contains(&error), "{outcome:?}");
        outcome.misused();
    }
    let unset: Vec<&String> = all.difference(&never_empty).collect();
    for variable in &unset {
        let output = database.command().args(["owner", "list"]).env(variable, "").output();
        Outcome::new(&["owner", "list", variable], &output.unwrap()).done();
    }
    // The server listens on the default address, unless it has another one.
    let mut command = database.command();
    command.args(["--listen", "127.0.0.1:0"]).envs(unset.iter().map(|variable| (variable, "")));
    let server = Server::run(&database, command);
    server.anyone().get("/health/ready").await.expect(200);
}
