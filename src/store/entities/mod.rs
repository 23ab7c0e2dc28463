//! The tables as SeaORM knows them. A row is neither a domain value nor what goes over the wire:
//! both are made from it by naming every field.

pub mod api_key;
pub mod click_count;
pub mod click_writer;
pub mod idempotency_key;
pub mod link;
pub mod owner;
pub mod plan;
