//! Scopes of API keys, roles of operator keys, and the permissions that they contain.

use strum_macros::{EnumString, IntoStaticStr, VariantNames};

/// Operations that an API key allows.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    clap::ValueEnum,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(const_into_str, serialize_all = "kebab-case")]
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

/// Role of an operator key.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    clap::ValueEnum,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum OperatorRole {
    /// Reads everything.
    Auditor,
    /// Creates, changes, suspends and resumes owners, and manages their keys and domains.
    Provisioner,
    /// Changes links and blocks, suspends and resumes owners, and undoes such events.
    Moderator,
    /// Does everything.
    Admin,
}

/// Permission that an operation of the operator's programs needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorPermission {
    /// To read.
    Read,
    /// To create and change owners, and to manage their keys and domains.
    Provision,
    /// To suspend and resume owners.
    Suspend,
    /// To change links and blocks, and to undo such changes.
    Moderate,
    /// To delete owners, and to create and change plans.
    Administer,
}

impl OperatorRole {
    /// Returns whether a key of this role has a permission.
    #[must_use]
    pub const fn allows(self, permission: OperatorPermission) -> bool {
        use OperatorPermission::{Administer, Moderate, Provision, Read, Suspend};

        match (self, permission) {
            (Self::Admin, Read | Provision | Suspend | Moderate | Administer)
            | (Self::Moderator, Read | Suspend | Moderate)
            | (Self::Provisioner, Read | Provision | Suspend)
            | (Self::Auditor, Read) => true,
            (Self::Moderator, Provision | Administer)
            | (Self::Provisioner, Moderate | Administer)
            | (Self::Auditor, Provision | Suspend | Moderate | Administer) => false,
        }
    }
}
