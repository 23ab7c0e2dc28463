//! Objects and fields that several interfaces have.

pub mod change;
pub mod clicks;
pub mod examples;
pub mod fields;
pub mod link;
pub mod owner;
