//! States of API keys.

/// State of an API key. If several states apply, the key has the first of them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// An operator revoked the key.
    Revoked,
    /// The key has expired.
    Expired,
    /// An operator suspended the key's owner.
    OwnerSuspended,
    /// Clients can use the key.
    Active,
}

impl KeyState {
    /// Returns the name of the state on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Revoked => "revoked",
            Self::Expired => "expired",
            Self::OwnerSuspended => "owner-suspended",
            Self::Active => "active",
        }
    }
}
