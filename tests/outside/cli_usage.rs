//! Help, hints for invalid usage, and errors as JSON.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Database, Outcome, ROOT, Server, run, terse_path};

/// Commands with options of their own.
const COMMANDS: [&[&str]; 55] = [
    &["owner", "add"],
    &["owner", "show"],
    &["owner", "list"],
    &["owner", "plan"],
    &["owner", "edit"],
    &["owner", "rename"],
    &["owner", "suspend"],
    &["owner", "resume"],
    &["owner", "delete"],
    &["key", "add"],
    &["key", "list"],
    &["key", "find"],
    &["key", "expire"],
    &["key", "revoke"],
    &["operator", "add"],
    &["operator", "list"],
    &["operator", "revoke"],
    &["plan", "add"],
    &["plan", "set"],
    &["plan", "list"],
    &["link", "find"],
    &["link", "show"],
    &["link", "clicks"],
    &["link", "edit"],
    &["link", "delete"],
    &["link", "disable"],
    &["link", "enable"],
    &["link", "pause"],
    &["link", "unpause"],
    &["domain", "add"],
    &["domain", "list"],
    &["domain", "edit"],
    &["domain", "remove"],
    &["domain", "default"],
    &["block", "add"],
    &["block", "allow"],
    &["block", "remove"],
    &["block", "list"],
    &["block", "check"],
    &["block", "import"],
    &["history"],
    &["undo"],
    &["import"],
    &["export"],
    &["report"],
    &["usage"],
    &["usage", "reopen"],
    &["copy"],
    &["backup"],
    &["restore"],
    &["check"],
    &["status"],
    &["migrate"],
    &["openapi"],
    &["completions"],
];

#[test]
fn help_of_a_command_shows_its_own_options_and_an_example() {
    for command in COMMANDS {
        let help = run(&[&["help"], command].concat()).done().stdout;
        let name = command.join(" ");
        let lines = help.lines().count();
        assert!(lines <= if name == "import" { 64 } else { 40 }, "{name} {lines}: {help}");
        assert!(help.contains(&format!("Example: terse {name}")), "{help}");
        for option in ["--listen", "--cache-size", "--shutdown-timeout", "--log", "--backup-at"] {
            assert!(!help.contains(option), "{name} {option}: {help}");
        }
        let has = |option: &str| help.contains(option);
        let opens_no_database = ["openapi", "completions"].contains(&&*name);
        assert_eq!(has("--json"), !opens_no_database, "{help}");
        let opens_given_databases = ["copy", "restore"].contains(&&*name);
        assert_eq!(has("--database-url"), !opens_no_database && !opens_given_databases, "{help}");
        assert_eq!(has("--spool"), ["backup", "check", "status"].contains(&&*name), "{help}");
        let base_url = ["import", "link edit", "owner edit", "domain add", "domain edit", "undo"];
        assert_eq!(has("--base-url"), base_url.contains(&&*name), "{help}");
        let block_file = [
            "import",
            "link find",
            "link show",
            "link edit",
            "owner edit",
            "domain add",
            "domain edit",
            "block list",
            "block check",
        ];
        assert_eq!(has("--block-file"), block_file.contains(&&*name), "{help}");
    }
}

#[test]
fn help_of_serve_shows_every_setting() {
    let help = run(&["help", "serve"]).done().stdout;
    let settings = run(&["configuration"]).done().stdout;
    let options: Vec<&str> =
        settings.split('`').filter(|text| text.starts_with("--") && text.contains(' ')).collect();
    assert!(options.len() > 12, "{settings}");
    for option in options {
        let (option, _) = option.split_once(' ').unwrap();
        assert!(help.contains(option), "{option}: {help}");
    }
}

#[test]
fn help_says_how_to_pass_a_code_that_begins_with_a_dash() {
    for command in ["show", "disable", "enable"] {
        let help = run(&["help", "link", command]).done().stdout;
        assert!(help.contains("put -- before one that begins with -"), "{help}");
    }
}

#[test]
fn settings_of_the_server_precede_or_follow_serve() {
    let database = Database::new();
    let location = format!("{}/missing", database.directory().display());
    let url = format!("sqlite://{location}/t.db");
    for arguments in [
        &["--listen", "127.0.0.1:0", "--database-url", &url][..],
        &["--listen", "127.0.0.1:0", "--database-url", &url, "serve"],
        &["--listen", "127.0.0.1:0", "serve", "--database-url", &url],
        &["serve", "--listen", "127.0.0.1:0", "--database-url", &url],
    ] {
        let line = run(arguments).failed();
        assert!(line.contains(&location), "{arguments:?}: {line}");
    }
}

/// An option has the same effect before and after the command.
#[test]
fn listen_address_before_serve_is_used() {
    let server = Server::start();
    let database = Database::new();
    let used = server.authority();
    for arguments in [&["--listen", used][..], &["--listen", used, "serve"]] {
        let line = database.terse(arguments).failed();
        assert!(line.contains(used) && line.contains("--listen"), "{arguments:?}: {line}");
    }
}

#[test]
fn settings_of_the_server_are_unknown_to_other_commands() {
    let database = Database::new().migrated();
    for arguments in [
        &["owner", "list", "--listen", "127.0.0.1:0"][..],
        &["--listen", "127.0.0.1:0", "owner", "list"],
        &["key", "revoke", "1", "--cache-size", "1"],
        &["--cache-size", "1", "plan", "list"],
        &["openapi", "--json"],
        &["--json", "openapi"],
        &["copy", "--from", "sqlite://a", "--to", "sqlite://b", "--database-url", "sqlite://c"],
    ] {
        database.terse(arguments).misused();
    }
    let variables = database
        .command()
        .args(["owner", "list"])
        .env("TERSE_LISTEN", "127.0.0.1:0")
        .env("TERSE_CACHE_SIZE", "1")
        .output();
    Outcome::new(&["variables of the server"], &variables.unwrap()).done();
}

#[test]
fn invalid_value_is_reported_with_valid_ones() {
    for (arguments, valid) in [
        (&["--base-url", "go.example.org"][..], "https://go.example.org?"),
        (&["--base-url", "go.example.org:8443"], "https://go.example.org:8443?"),
        (&["--base-url", "https://go.example.org/links"], "https://go.example.org?"),
        (&["--listen", "8081"], "127.0.0.1:8081"),
        (&["--listen", ":8081"], "0.0.0.0:8081"),
        (&["--listen", "example.org:8081"], "127.0.0.1:8081"),
        (&["--log-format", "yaml"], "pretty"),
    ] {
        let outcome = run(&[&["serve"], arguments].concat());
        assert!(outcome.stderr.contains(valid), "{outcome:#?}");
        outcome.misused();
    }
}

#[test]
fn localhost_is_a_listen_address() {
    let server = Server::start();
    let address = format!("localhost:{}", server.port());
    let line = Database::new().terse(&["serve", "--listen", &address]).failed();
    assert!(line.contains(server.authority()), "{line}");
}

#[test]
fn unknown_command_is_reported_with_known_ones() {
    for (arguments, known) in [
        (&["links"][..], "`terse export`"),
        (&["link", "list"], "`terse link show CODE`"),
        (&["--json", "link", "ls"], "`terse export`"),
        (&["link", "create", "https://example.com/"], "`terse import FILE --owner NAME`"),
        (&["shorten", "https://example.com/"], "POST /api/v1/shorten"),
        (&["keys", "list", "acme"], "`terse key list OWNER`"),
        (&["key", "delete", "1"], "`terse key revoke ID`"),
        (&["owners"], "`terse owner list`"),
        (&["owner", "create", "acme"], "`terse owner add NAME`"),
        (&["plan", "create", "gold"], "`terse plan add NAME`"),
        (&["plan", "update", "gold"], "`terse plan set NAME`"),
        (&["start"], "`terse serve`"),
        (&["key", "lst", "acme"], "'list'"),
        (&["help", "plans"], "`terse plan list`"),
    ] {
        let outcome = run(arguments);
        assert!(outcome.stderr.contains(known), "{arguments:?}: {outcome:#?}");
        outcome.misused();
    }
}

#[test]
fn code_that_begins_with_a_dash_follows_two_dashes() {
    let database = Database::new().migrated();
    database.owner("me", "pro");
    let file = database.directory().join("in.csv");
    std::fs::write(&file, "short_code,destination_url\n-abc,https://example.com/\n").unwrap();
    database.terse(&["import", file.to_str().unwrap(), "--owner", "me"]).done();
    for command in ["show", "disable", "enable"] {
        for option in ["-abc", "--xyz", "-hello", "-Vx"] {
            let outcome = database.terse(&["link", command, option]);
            assert!(outcome.stderr.contains("-- -"), "{outcome:#?}");
            outcome.misused();
        }
        database.terse(&["link", command, "--", "-abc"]).done();
    }
    for arguments in [
        &["-hx"][..],
        &["owner", "suspend", "-hacme"],
        &["link", "find", "--help", "--bogus"],
        &["link", "find", "--bogus", "--help"],
        &["link", "disable", "-hello", "--json", "--reason", "phishing"],
        &["--version", "--bogus"],
    ] {
        database.terse(arguments).misused();
    }
    for arguments in [&["link", "disable", "-h"][..], &["link", "disable", "x", "--help"]] {
        assert!(database.terse(arguments).done().stdout.contains("Usage: terse link disable"));
    }
    assert!(database.terse(&["-V"]).done().stdout.starts_with("terse "));
}

/// Returns the object that is the whole of stderr.
#[track_caller]
fn error(outcome: &Outcome) -> Value {
    assert_eq!(outcome.stdout, "", "{outcome:#?}");
    let error: Value = serde_json::from_str(&outcome.stderr).expect("stderr is JSON");
    assert!(error["error"].as_str().is_some_and(|text| !text.is_empty()), "{outcome:#?}");
    assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:#?}");
    error
}

#[test]
fn errors_are_json_with_the_json_option() {
    let database = Database::new();
    let outcome = database.terse(&["owner", "list", "--json"]);
    assert_eq!(outcome.code, Some(1));
    error(&outcome);
    database.terse(&["migrate"]).done();
    for (arguments, exit_code, code) in [
        (&["owner", "plan", "x", "golden"][..], 1, "plan-not-found"),
        (&["owner", "plan", "x", "pro"], 1, "owner-not-found"),
        (&["key", "revoke", "99"], 1, "key-not-found"),
        (&["link", "show", "nothing"], 1, "link-not-found"),
        (&["plan", "add", "pro"], 1, "plan-exists"),
        (&["export", "--format", "csv"], 2, "usage"),
        (&["link", "list"], 2, "usage"),
        (&["owner"], 2, "usage"),
        (&["owner", "add"], 2, "usage"),
        (&["key", "revoke", "many"], 2, "usage"),
        (&["serve", "--base-url", "go.example.org"], 2, "usage"),
        (&["owner", "list", "--nonsense"], 2, "usage"),
        (&["owner", "list", "--database-url", "nonsense"], 2, "usage"),
        (&["openapi"], 2, "usage"),
    ] {
        for arguments in [[arguments, &["--json"]].concat(), [&["--json"], arguments].concat()] {
            let outcome = database.terse(&arguments);
            assert_eq!(outcome.code, Some(exit_code), "{outcome:#?}");
            assert_eq!(error(&outcome)["code"], code, "{outcome:#?}");
        }
    }
    let outcome = database.terse(&["link", "list", "--json"]);
    let text = error(&outcome)["error"].to_string();
    assert!(text.contains("terse export") && !text.contains("Usage"), "{text}");
}

/// `terse configuration > docs/configuration.md` regenerates the page.
#[test]
fn published_configuration_is_current() {
    let file = Path::new(ROOT).join("docs/configuration.md");
    run(&["configuration", "--check", file.to_str().unwrap()]).done();
    let other = run(&["configuration", "--check", terse_path().to_str().unwrap()]);
    other.failed();
}

#[test]
fn configuration_lists_the_commands_that_take_a_setting() {
    let page = run(&["configuration"]).done().stdout;
    for option in ["--base-url", "--block-file", "--spool-directory"] {
        let row = format!("| `{option}` | ");
        let (_, listed) = page.split_once(&row).unwrap_or_else(|| panic!("{row}: {page}"));
        let listed = listed.lines().next().unwrap().split('`').skip(1).step_by(2);
        let takes = |command: &&&[&str]| {
            run(&[&["help"], **command].concat()).done().stdout.contains(option)
        };
        let taking: BTreeSet<String> =
            COMMANDS.iter().filter(takes).map(|command| command.join(" ")).collect();
        assert_eq!(listed.map(str::to_owned).collect::<BTreeSet<_>>(), taking, "{option}");
    }
}

/// Returns the commands that a help text lists.
fn listed_commands(help: &str) -> Vec<&str> {
    let (_, commands) = help.split_once("\nCommands:\n").unwrap_or_default();
    let lines = commands.lines().take_while(|line| line.starts_with("  "));
    lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

/// Returns a section of docs/cli.md.
fn section_of_page(heading: &str) -> String {
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/cli.md")).unwrap();
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    section.split("\n## ").next().unwrap().to_owned()
}

#[test]
fn documentation_names_commands_that_the_help_lists() {
    let help = run(&["help"]).done().stdout;
    let listed = listed_commands(&help);
    let particulars = section_of_page("Particulars");
    let headings = particulars.lines().filter_map(|line| line.strip_prefix("### "));
    for name in headings.flat_map(|heading| heading.split(", ")) {
        assert!(listed.contains(&name), "{name}: {listed:?}");
    }
}

#[test]
fn documentation_has_every_option_that_commands_share() {
    for (title, heading) in [("Change options:", "Changes"), ("Selectors (", "Selectors")] {
        let section = section_of_page(heading);
        let mut shared = 0;
        for command in COMMANDS {
            let help = run(&[&["help"], command].concat()).done().stdout;
            let Some((_, options)) = help.split_once(title) else { continue };
            let options = options.split("\n\n").next().unwrap();
            let words = options.lines().filter_map(|line| line.split_whitespace().next());
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(section.contains(&format!("`{option}")), "{command:?} {option}: {section}");
                shared += 1;
            }
        }
        assert_ne!(shared, 0, "{title}");
    }
}
