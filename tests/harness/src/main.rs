//! Runs a command with a new Terse server.

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a command-line tool for scripts that reports on stderr"
)]

use std::process::{Command, ExitCode};
use std::sync::Arc;

use clap::Parser;
use harness::{Database, Server, Store, terse_path};

/// Starts databases and servers for scripts
#[derive(Debug, Parser)]
#[command(name = "harness")]
enum Arguments {
    /// Runs a command with a new server, and stops the server and its database afterwards
    ///
    /// The command finds the server's URL in TERSE_URL, the URL of the database in
    /// TERSE_DATABASE_URL, a key without limits in TERSE_KEY, and the path of the program in TERSE.
    /// The exit status of the command becomes that of this program; it is 1 if the command succeeds, but the server logs
    /// an error or does not end with status 0.
    Run {
        /// Uses a new PostgreSQL server instead of an SQLite file
        #[arg(long)]
        postgres: bool,

        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
}

fn main() -> ExitCode {
    let Arguments::Run { postgres, command } = Arguments::parse();
    let store = if postgres { Store::Postgres } else { Store::Sqlite };
    let (program, arguments) = command.split_first().expect("clap requires a command");

    let database = Arc::new(Database::of(store).with_default_owner());
    let server = Server::on(&database);
    let status = Command::new(program)
        .args(arguments)
        .env("TERSE", terse_path())
        .env("TERSE_URL", server.base_url())
        .env("TERSE_DATABASE_URL", database.url())
        .env("TERSE_KEY", server.key())
        .status();

    let ended = server.terminate();
    let mut is_healthy = ended.code == Some(0);
    if !is_healthy {
        eprintln!("harness: the server ended with status {:?}:\n{}", ended.code, ended.log);
    }
    for line in ended.log.lines().filter(|line| line.contains(r#""level":"ERROR""#)) {
        is_healthy = false;
        eprintln!("harness: the server logged an error: {line}");
    }
    match status {
        Ok(status) if status.success() => ExitCode::from(u8::from(!is_healthy)),
        // A shell reports a signal in the same way.
        Ok(status) => {
            use std::os::unix::process::ExitStatusExt as _;
            let code = status.code().or(status.signal().map(|signal| 128 + signal));
            ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Err(error) => {
            eprintln!("harness: {program} does not start: {error}");
            ExitCode::from(127)
        }
    }
}
