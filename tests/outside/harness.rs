//! What the tests stand on: a server, a client that checks every answer, the command line, and the
//! databases.

mod answer;
mod api;
mod contract;
mod database;
mod guard;
mod load;
mod log;
mod memory;
mod outcome;
mod ports;
mod postgres;
mod proxy;
mod raw;
mod server;
mod store;
mod waiting;

pub(crate) use answer::{Answer, Asked, short_codes};
pub(crate) use api::Api;
pub(crate) use contract::{document, published};
pub(crate) use database::{Database, DirectConnection, run};
pub(crate) use guard::signal;
pub(crate) use load::Load;
pub(crate) use memory::most_memory;
pub(crate) use outcome::{Outcome, find_object, is_key};
pub(crate) use ports::free_port;
pub(crate) use postgres::Cluster;
pub(crate) use proxy::Proxy;
pub(crate) use raw::{Connection, field};
pub(crate) use server::Server;
pub(crate) use store::{Store, only_on, skip};
pub(crate) use waiting::{PATIENCE, TO_ANSWER, eventually, holds_within_a_second, until};
