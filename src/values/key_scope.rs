//! Scopes of API keys, and the permissions that they contain.

use super::OperatorPermission;

/// Operations that an API key allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum KeyScope {
    /// All five operations.
    Full,
    /// The three operations that only read.
    Read,
    /// The two operations that create or change something.
    Create,
    /// All operations of the owner, `/api/manage/v1` included.
    Manage,
}

/// Permission that an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// To read links and QR codes.
    Read,
    /// To create links and QR codes.
    Create,
    /// To manage links and keys.
    Manage,
    /// None but a valid key.
    AnyKey,
    /// That of an operator key, which no API key has.
    Operator(OperatorPermission),
}

impl KeyScope {
    /// All scopes.
    pub const ALL: [Self; 4] = [Self::Full, Self::Read, Self::Create, Self::Manage];

    /// Returns the name of the scope on the command line, in JSON and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Read => "read",
            Self::Create => "create",
            Self::Manage => "manage",
        }
    }

    /// Returns the scope with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_stored(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// Returns whether a key of this scope has a permission.
    #[must_use]
    pub const fn allows(self, permission: Permission) -> bool {
        match (self, permission) {
            (_, Permission::Operator(_)) => false,
            (Self::Manage, _)
            | (_, Permission::AnyKey)
            | (Self::Full, Permission::Read | Permission::Create)
            | (Self::Read, Permission::Read)
            | (Self::Create, Permission::Create) => true,
            (Self::Full, Permission::Manage)
            | (Self::Read, Permission::Create | Permission::Manage)
            | (Self::Create, Permission::Read | Permission::Manage) => false,
        }
    }
}
