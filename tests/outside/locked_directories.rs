//! Directories that the user of a command may not enter. What the command cannot look at is not missing.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use ::harness::{Directory, unprivileged};

use crate::harness::{Database, Outcome, Store, only_on, terse_path};

/// Returns a command of a user who may not enter directories with mode 0. The program is in a
/// directory that the user can read.
fn command(programs: &Directory) -> Command {
    let program = programs.path().join("terse");
    if !program.exists() {
        fs::copy(terse_path(), &program).unwrap();
    }
    let mut command = unprivileged(program.to_str().unwrap());
    command.current_dir(programs.path());
    command
}

fn lock(path: &std::path::Path, is_locked: bool) {
    fs::set_permissions(path, Permissions::from_mode(if is_locked { 0 } else { 0o700 })).unwrap();
}

#[test]
fn locked_database_is_neither_empty_nor_missing() {
    only_on!(Sqlite: "PostgreSQL opens its files itself");
    let database = Database::new();
    database.terse(&["migrate"]).done();
    let (programs, url) = (Directory::unprivileged(), database.url());
    let other = format!("sqlite://{}", programs.path().join("copy.db").display());
    lock(database.directory(), true);
    for arguments in [
        &["owner", "list"][..],
        &["check"],
        &["backup", "."],
        &["migrate"],
        &["migrate", "--create"],
        &["serve"],
        &["copy", "--from", &url, "--to", &other],
    ] {
        let mut command = command(&programs);
        command.args(arguments);
        if !arguments.contains(&"copy") {
            command.args(["--database-url", &url]);
        }
        let error = Outcome::new(arguments, &command.output().unwrap()).failed();
        assert!(
            error.contains("ermission denied") && !error.contains("empty"),
            "{arguments:?}: {error}"
        );
    }
    lock(database.directory(), false);
}

#[test]
fn locked_spool_directory_is_not_empty() {
    let (database, programs) = (Database::new(), Directory::unprivileged());
    let spool = programs.path().join("spool");
    fs::create_dir(&spool).unwrap();
    if database.store() == Store::Sqlite {
        // The unprivileged user has a database, too.
        let file = programs.path().join("terse.db");
        let url = format!("sqlite://{}", file.display());
        Outcome::new(
            &[],
            &command(&programs).args(["migrate", "--database-url", &url]).output().unwrap(),
        )
        .done();
        check(&programs, &url, &spool);
    } else {
        database.terse(&["migrate"]).done();
        check(&programs, &database.url(), &spool);
    }
}

fn check(programs: &Directory, url: &str, spool: &std::path::Path) {
    let arguments = ["check", "--spool-directory", spool.to_str().unwrap(), "--database-url", url];
    let run = || Outcome::new(&arguments, &command(programs).args(arguments).output().unwrap());
    lock(spool, true);
    let error = run().failed();
    assert!(error.contains("spool directory") && error.contains("ermission denied"), "{error}");
    fs::remove_dir(spool).unwrap();
    run().done();
}
