//! The program `terse`.

use std::process::ExitCode;

fn main() -> ExitCode {
    terse::main()
}
