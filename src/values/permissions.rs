//! Scopes of API keys, roles of operator keys, and the permissions that they contain.

use strum::VariantArray as _;
use strum_macros::{EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Operations that an API key allows. The database has other names for some scopes, so that earlier
/// versions understand them; see [`KeyScope::stored`].
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
    VariantArray,
    VariantNames,
)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum KeyScope {
    /// To read everything of the owner but keys.
    Read,
    /// To create links and QR codes, and nothing else.
    Create,
    /// To read, create and change links.
    Edit,
    /// Everything of the owner: also to delete links, and to manage keys.
    Full,
}

/// Permission that an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// To read links, QR codes and clicks.
    Read,
    /// To create links and QR codes.
    Create,
    /// To change links.
    Edit,
    /// To delete links, and to manage keys.
    Full,
    /// None but a valid key.
    AnyKey,
    /// That of an operator key, which no API key has.
    Operator(OperatorPermission),
}

impl KeyScope {
    /// Returns whether a key of this scope has a permission.
    pub const fn allows(self, permission: Permission) -> bool {
        matches!(
            (self, permission),
            (_, Permission::AnyKey)
                | (
                    Self::Full,
                    Permission::Read | Permission::Create | Permission::Edit | Permission::Full
                )
                | (Self::Edit, Permission::Read | Permission::Create | Permission::Edit)
                | (Self::Read, Permission::Read)
                | (Self::Create, Permission::Create)
        )
    }

    /// Returns whether a key of this scope may do everything that one of the other scope may.
    pub const fn includes(self, other: Self) -> bool {
        self.allows(match other {
            Self::Read => Permission::Read,
            Self::Create => Permission::Create,
            Self::Edit => Permission::Edit,
            Self::Full => Permission::Full,
        })
    }

    /// Returns the name of the scope in the database, where 0.1 called `edit` `full`, and `full` `manage`.
    pub const fn stored(self) -> &'static str {
        match self {
            Self::Read | Self::Create => self.into_str(),
            Self::Edit => "full",
            Self::Full => "manage",
        }
    }

    /// Returns the name of a scope by its name in the database. One that a newer version has stored stays as
    /// it is.
    pub fn name_of_stored(name: &str) -> &str {
        Self::from_stored(name).map_or(name, |scope| scope.into_str())
    }

    /// Returns the scope with this name in the database, or `None` for one that a newer version has stored.
    pub fn from_stored(name: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|scope| scope.stored() == name)
    }
}

impl Permission {
    /// Returns the smallest scope of the keys that have the permission, or `None` if no API key has it.
    pub const fn required_scope(self) -> Option<&'static str> {
        Some(match self {
            Self::Read => KeyScope::Read.into_str(),
            Self::Create => KeyScope::Create.into_str(),
            Self::Edit => KeyScope::Edit.into_str(),
            Self::Full => KeyScope::Full.into_str(),
            Self::AnyKey => "any",
            Self::Operator(_) => return None,
        })
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
    VariantArray,
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
    pub const fn allows(self, permission: OperatorPermission) -> bool {
        use OperatorPermission::{Administer, Moderate, Provision, Read, Suspend};

        matches!(
            (self, permission),
            (Self::Admin, Read | Provision | Suspend | Moderate | Administer)
                | (Self::Moderator, Read | Suspend | Moderate)
                | (Self::Provisioner, Read | Provision | Suspend)
                | (Self::Auditor, Read)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_of_scopes_are_those_of_earlier_versions() {
        let stored: Vec<_> = KeyScope::VARIANTS.iter().map(|scope| scope.stored()).collect();
        assert_eq!(stored, ["read", "create", "full", "manage"]);
        for &scope in KeyScope::VARIANTS {
            assert_eq!(KeyScope::from_stored(scope.stored()), Some(scope));
        }
        assert_eq!(KeyScope::from_stored("edit"), None);
    }

    #[test]
    fn scopes_include_only_those_that_may_do_no_more() {
        use KeyScope::{Create, Edit, Full, Read};

        let included = [
            (Read, &[Read][..]),
            (Create, &[Create]),
            (Edit, &[Read, Create, Edit]),
            (Full, &[Read, Create, Edit, Full]),
        ];
        for (scope, others) in included {
            for other in KeyScope::VARIANTS {
                assert_eq!(scope.includes(*other), others.contains(other), "{scope:?} {other:?}");
            }
        }
    }
}
