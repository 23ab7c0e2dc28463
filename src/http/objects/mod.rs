//! Objects and fields that several interfaces have.

pub mod account;
pub mod batch;
pub mod block;
pub mod change;
pub mod clicks;
pub mod domain;
pub mod event;
pub mod fields;
pub mod key;
pub mod link;
pub mod link_change;
pub mod operator;
pub mod owned;
pub mod owner;
pub mod parameters;
pub mod plan;
pub mod status;
pub mod usage;
pub mod webhook;
pub mod webhook_event;
