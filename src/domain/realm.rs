//! The boundary of what a caller may see and change.

/// Whose links, keys and events a caller may see and change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Realm {
    /// Those of all owners: the caller is an operator.
    Everyone,
    /// Those of the owner with this identifier. All others seem not to exist.
    Owner(i64),
}

impl Realm {
    /// Returns the identifier of the only owner, or `None` for all owners.
    #[must_use]
    pub const fn owner_id(self) -> Option<i64> {
        match self {
            Self::Everyone => None,
            Self::Owner(id) => Some(id),
        }
    }

    /// Returns whether the caller may see what belongs to an owner. Deleted links belong to none.
    #[must_use]
    pub fn includes(self, owner_id: Option<i64>) -> bool {
        self.owner_id().is_none_or(|id| owner_id == Some(id))
    }
}
