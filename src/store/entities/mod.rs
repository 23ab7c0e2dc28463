//! The tables. A row is neither a domain value nor a wire object; conversions name every field.

pub mod api_key;
pub mod click_count;
pub mod click_writer;
pub mod idempotency_key;
pub mod link;
pub mod owner;
pub mod plan;
