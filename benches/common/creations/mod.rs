//! Links that are wished for: what asks for them, and how many there are.

pub(crate) mod count;
pub(crate) mod traffic;
