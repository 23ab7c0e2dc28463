//! The tables, as SeaORM entities. Rows are distinct from domain values and JSON objects;
//! conversions name every field.

pub mod api_key;
pub mod block_list;
pub mod block_list_part;
pub mod block_pattern;
pub mod click_count;
pub mod click_day;
pub mod click_month;
pub mod click_writer;
pub mod day_close;
pub mod domain;
pub mod event;
pub mod event_change;
pub mod folded_code;
pub mod idempotency_key;
pub mod link;
pub mod operator_key;
pub mod owner;
pub mod plan;
pub mod usage_month;
pub mod usage_request;
