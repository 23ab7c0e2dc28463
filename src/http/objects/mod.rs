//! Objects and fields that several interfaces have.

pub mod batch;
pub mod change;
pub mod clicks;
pub mod event;
pub mod examples;
pub mod fields;
pub mod key;
pub mod link;
pub mod new_link;
pub mod operator;
pub mod owner;
pub mod usage;
