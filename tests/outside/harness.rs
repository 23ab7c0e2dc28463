//! Clients of a server that check every response, and the servers and databases of the crate
//! `harness`.

mod api;
mod command_kills;
mod contract;
mod failing_disk;
mod load;
mod proxy;
mod raw;
mod response;
mod server;
mod store;
mod threads;
mod waiting;

pub(crate) use ::harness::{
    Cluster, Database, DirectConnection, Ended, Log, Outcome, Process, Store, TIMEOUT, eventually,
    find_object, free_port, is_key, max_private_memory, run, send_signal, terse_path, until,
};

/// Directory of the repository.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

pub(crate) use api::{Api, Ask};
pub(crate) use command_kills::CommandKills;
pub(crate) use contract::{Contract, contracts, document, published};
pub(crate) use failing_disk::{DiskPart, FailingDisk};
pub(crate) use load::Load;
pub(crate) use proxy::{Proxy, proxy_sample};
pub(crate) use raw::{Connection, field};
pub(crate) use response::{Response, SentRequest, short_codes};
pub(crate) use server::Server;
pub(crate) use store::{only_on, skip};
pub(crate) use threads::{SetOnDrop, run_on_threads};
pub(crate) use waiting::{
    COMMAND_EFFECT_TIMEOUT, EFFECT_POLLS, POLL_INTERVAL, RESPONSE_TIMEOUT, RETRY_AFTER,
    assert_within_a_second, until_available,
};
