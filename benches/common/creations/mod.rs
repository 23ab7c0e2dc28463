//! Creation of links, and the number of stored links.

pub mod count;
pub mod traffic;
