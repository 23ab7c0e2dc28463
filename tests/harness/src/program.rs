//! The program under test.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::outcome::Outcome;

/// Returns the path of the built `terse`.
///
/// Cargo names it in a variable while it runs integration tests and benchmarks. Otherwise it is in
/// the directory of the calling program or in the one above.
///
/// # Panics
/// If it is not built.
#[must_use]
pub fn terse_path() -> PathBuf {
    if let Some(path) = env::var_os("CARGO_BIN_EXE_terse") {
        return path.into();
    }
    let own = env::current_exe().expect("this program has a path");
    let mut candidates = own.ancestors().skip(1).take(2).map(|folder| folder.join("terse"));
    let path = candidates.find(|path| path.is_file());
    path.unwrap_or_else(|| panic!("terse is not built next to {}", own.display()))
}

/// Returns a command that runs `terse` without any setting from the environment.
#[must_use]
pub fn terse() -> Command {
    let mut command = Command::new(terse_path());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("TERSE_") || text.starts_with("PG") || text == "RUST_LOG" {
            command.env_remove(name);
        }
    }
    command
}

/// Runs `terse` with these arguments and no other setting.
///
/// # Panics
/// If it does not start.
#[must_use]
pub fn run(arguments: &[&str]) -> Outcome {
    let output = terse().args(arguments).stdin(Stdio::null()).output();
    Outcome::new(arguments, &output.expect("terse starts"))
}
