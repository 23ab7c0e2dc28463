//! Starts throwaway databases and Terse servers for tests, benchmarks and scripts.
//!
//! Everything that this crate starts ends with the calling process, however that process ends: on a
//! return, on a panic, on Ctrl-C and on SIGKILL. All servers listen on loopback.
//!
//! The functions panic on failure, because their callers are tests and measurements.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure of the harness fails the test"
)]

mod cluster;
mod connection;
mod database;
mod directory;
mod log;
mod memory;
mod outcome;
mod port;
mod process;
mod program;
mod server;
mod store;
mod waiting;

pub use cluster::Cluster;
pub use connection::DirectConnection;
pub use database::Database;
pub use directory::Directory;
pub use log::Log;
pub use memory::{max_private_memory, private_memory};
pub use outcome::{Outcome, find_object, is_key, is_operator_key};
pub use port::free_port;
pub use process::{Process, send_signal, unprivileged};
pub use program::{run, terse, terse_path};
pub use server::{Ended, Server};
pub use store::Store;
pub use waiting::{TIMEOUT, eventually, until};
