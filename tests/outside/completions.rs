//! Shell completions, and manual pages.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::harness::{run, terse_path};

/// Lets bash complete a line at its end, and returns its suggestions.
fn complete_in_bash(line: &str) -> BTreeSet<String> {
    let script = r#"
        eval "$("$1" completions bash)"
        read -ra COMP_WORDS <<<"$2."
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMP_WORDS[COMP_CWORD]=${COMP_WORDS[COMP_CWORD]%.}
        completer=$(complete -p terse | sed 's/.*-F \([^ ]*\).*/\1/')
        "$completer" terse "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script, "bash"])
        .arg(terse_path())
        .arg(line)
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_values() {
    for (line, suggested) in [
        ("terse comp", &["completions"][..]),
        ("terse completions ", &["bash", "fish", "zsh"]),
        ("terse link dis", &["disable"]),
        ("terse link disable --dr", &["--dry-run"]),
        ("terse serve --base", &["--base-url"]),
        ("terse serve --log-format ", &["auto", "json", "pretty"]),
    ] {
        let suggestions = complete_in_bash(line);
        for word in suggested {
            assert!(suggestions.contains(*word), "{line}: {suggestions:?}");
        }
    }
    assert!(!complete_in_bash("terse link find --").contains("--cache-size"));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]).done().stdout;
        for word in ["suspend", "block-file", "dry-run"] {
            assert!(script.contains(word), "{shell} {word}");
        }
    }
    run(&["completions", "tcsh"]).misused();
}

#[test]
fn every_command_in_the_help_has_a_manual_page() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    run(&["man-pages", path, "--date", "2026-01-31"]).done();
    let pages: BTreeSet<String> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut expected = BTreeSet::from(["terse.1".to_owned()]);
    for command in commands_of(&[]) {
        expected.insert(format!("terse-{command}.1"));
        for subcommand in commands_of(&[&command]) {
            expected.insert(format!("terse-{command}-{subcommand}.1"));
        }
    }
    assert!(expected.len() > 40, "{expected:?}");
    assert_eq!(pages, expected);
    let page = fs::read_to_string(directory.path().join("terse-link-disable.1")).unwrap();
    let version = run(&["--version"]).done().stdout;
    let title = format!(".TH terse-link-disable 1 2026-01-31 \"{}\" Terse", version.trim());
    assert!(page.contains(&title), "{page}");
    assert!(page.contains("Example: terse link disable"), "{page}");
}

/// Returns the subcommands that the help of a command lists.
fn commands_of(command: &[&str]) -> Vec<String> {
    let help = run(&[&["help"], command].concat()).done().stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|command| command != "help")
        .collect()
}

#[test]
fn manual_pages_need_an_existing_directory() {
    let line = run(&["man-pages", "/nonexistent", "--date", "2026-01-31"]).failed();
    assert!(line.contains("/nonexistent") && line.contains("No such file"), "{line}");
}
