//! Runs the commands of the documentation that are marked with `sh run`, and compares it with the samples.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::harness::{ROOT, Server, terse_path};

/// Pages with marked commands.
const PAGES: [&str; 5] =
    ["README.md", "docs/api.md", "docs/cli.md", "docs/manage.md", "docs/own-program.md"];

/// A block of commands, and the last line that they print, if the page shows it right below them.
struct Block {
    commands: String,
    printed: Option<String>,
}

/// Returns the text of a file of the repository.
fn read(path: &str) -> String {
    fs::read_to_string(format!("{ROOT}/{path}")).unwrap()
}

/// Returns what stands between two texts of a file.
#[track_caller]
fn between(path: &str, start: &str, end: &str) -> String {
    let text = read(path);
    let rest = text.split_once(start).and_then(|(_, rest)| rest.split_once(end));
    rest.unwrap_or_else(|| panic!("{start} in {path}")).0.to_owned()
}

/// Returns the marked blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let text = read(page);
    let blocks = text.split("```sh run\n").skip(1).map(|rest| {
        let (commands, rest) = rest.split_once("```\n").unwrap();
        let printed = rest.strip_prefix("\n```json\n").and_then(|rest| rest.split_once("\n```"));
        let printed = printed.map(|(printed, _)| printed.to_owned());
        Block { commands: commands.to_owned(), printed }
    });
    blocks.collect()
}

/// Runs the blocks of each page in an empty directory, as if a reader pasted them one after another.
#[test]
fn marked_commands_succeed_and_print_what_the_page_shows() {
    for page in PAGES {
        let server = Server::start();
        let home = tempfile::tempdir().unwrap();
        // curl reports an error status only with this option, which readers need not type.
        fs::write(home.path().join(".curlrc"), "fail-with-body\nsilent\n").unwrap();
        std::os::unix::fs::symlink(terse_path(), home.path().join("terse")).unwrap();
        let path = format!("{}:{}", home.path().display(), std::env::var("PATH").unwrap());
        let blocks = blocks(page);
        assert!(!blocks.is_empty(), "{page}");
        for Block { commands, printed } in blocks {
            let commands = commands
                .replace("http://127.0.0.1:8080", server.origin())
                .replace("https://go.example.org", server.origin());
            let output = Command::new("bash")
                .args(["--norc", "-euc", &commands])
                .current_dir(&home)
                .env_clear()
                .envs([("PATH", path.as_str()), ("TERSE_KEY", server.key())])
                .env("HOME", home.path())
                .output()
                .unwrap();
            let stdout = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{page}: {commands}\n{output:?}");
            if let Some(printed) = printed {
                assert_eq!(stdout.lines().last(), Some(printed.as_str()), "{page}: {commands}");
            }
        }
    }
}

/// Returns whether the filter of the page takes the usage of a month for closed.
fn is_closed(usage: &str) -> bool {
    let filter = between("docs/billing.md", "jq -e '", "'");
    let mut command = Command::new("jq");
    command.args(["-e", &filter]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut jq = command.spawn().unwrap();
    jq.stdin.take().unwrap().write_all(usage.as_bytes()).unwrap();
    jq.wait().unwrap().success()
}

#[test]
fn documented_filter_finds_closed_months_only() {
    let server = Server::start();
    assert!(is_closed(r#"[{"is_final": true}, {"is_final": true}]"#));
    assert!(!is_closed(r#"[{"is_final": true}, {"is_final": false}]"#));
    // Terse knows nothing about a month before the database.
    let before = server.terse(&["usage", "--month", "2020-01", "--json"]).json();
    assert!(!is_closed(&before.to_string()), "{before}");
}

#[test]
fn samples_and_documents_name_the_same_paths_and_ports() {
    let rules = between("deploy/prometheus/rules.yaml", "rule_files: [", "]");
    let install = format!("examples/prometheus/rules.yaml {rules}\n");
    let quick_start = read("docs/quick-start.md");
    assert!(quick_start.contains(&install) && quick_start.contains(&format!("- {rules}\n")));

    let operator = between("deploy/patroni/terse.env", "TERSE_OPERATOR_LISTEN=@ADDRESS@:", "\n");
    let checks = between("deploy/patroni/haproxy.cfg", "default-server check port ", " ");
    let page = between("deploy/patroni/README.md", "Prometheus port ", ":");
    assert_eq!([checks, page], [(); 2].map(|()| operator.clone()));
}
