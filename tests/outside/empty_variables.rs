//! Variables that are set to nothing, as templates of units and containers leave them.

use std::collections::BTreeSet;
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

#[tokio::test]
async fn empty_variable_is_unset_unless_that_is_dangerous() {
    let (all, never_empty) = variables();
    let database = Arc::new(Database::new().migrated());
    for variable in &never_empty {
        let output = database.command().arg("serve").env(variable, "").output();
        Outcome::new(&["serve", variable], &output.unwrap()).misused();
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
