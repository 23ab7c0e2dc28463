//! Objects and fields that several interfaces have.

pub mod examples;
pub mod fields;
