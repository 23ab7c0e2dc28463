//! Creation of links, and the number of stored links.

pub(crate) mod count;
pub(crate) mod traffic;
