//! Runs the commands of the documentation that are marked with `sh run`.

use std::fs;
use std::process::Command;

use crate::harness::{ROOT, Server, terse_path};

/// Pages with marked commands.
const PAGES: [&str; 4] = ["README.md", "docs/api.md", "docs/cli.md", "docs/manage.md"];

/// A block of commands, and the last line that they print, if the page shows it right below them.
struct Block {
    commands: String,
    printed: Option<String>,
}

/// Returns the marked blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let text = fs::read_to_string(format!("{ROOT}/{page}")).unwrap();
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
