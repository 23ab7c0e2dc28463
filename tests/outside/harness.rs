//! What the tests stand on: a server, a client that checks every answer, and the command line.

mod answer;
mod api;
mod contract;
mod database;
mod log;
mod raw;
mod server;
mod waiting;

pub(crate) use answer::{Answer, Asked};
pub(crate) use api::Api;
pub(crate) use contract::document;
pub(crate) use database::{Database, Outcome};
pub(crate) use database::{bare_command, find_object};
pub(crate) use raw::{Connection, field};
pub(crate) use server::{Server, free_port};
pub(crate) use waiting::{eventually, holds_within_a_second};
