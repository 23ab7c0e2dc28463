//! Scopes of API keys.

/// Operations that an API key allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum KeyScope {
    /// All five operations.
    Full,
    /// The three operations that only read.
    Read,
    /// The two operations that create or change something.
    Create,
}

impl KeyScope {
    /// Returns the name of the scope on the command line, in JSON and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Read => "read",
            Self::Create => "create",
        }
    }

    /// Returns the scope with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_stored(name: &str) -> Option<Self> {
        [Self::Full, Self::Read, Self::Create].into_iter().find(|scope| scope.as_str() == name)
    }

    /// Returns whether a key of this scope allows an operation. `is_read` is true for an operation
    /// that only reads.
    #[must_use]
    pub const fn allows(self, is_read: bool) -> bool {
        match self {
            Self::Full => true,
            Self::Read => is_read,
            Self::Create => !is_read,
        }
    }
}
