//! The actions that events record.

use sea_orm::{EnumIter, Iterable as _};

/// Action of an operator, which an event records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter)]
pub enum Action {
    /// Disables links.
    LinkDisable,
    /// Enables links.
    LinkEnable,
    /// Pauses links.
    LinkPause,
    /// Ends the pause of links.
    LinkUnpause,
    /// Changes the properties of a link.
    LinkEdit,
    /// Deletes links.
    LinkDelete,
    /// Creates an owner.
    OwnerAdd,
    /// Assigns a plan to an owner.
    OwnerPlan,
    /// Changes the properties of an owner.
    OwnerEdit,
    /// Suspends an owner.
    OwnerSuspend,
    /// Resumes a suspended owner.
    OwnerResume,
    /// Renames an owner.
    OwnerRename,
    /// Deletes an owner with all links and keys.
    OwnerDelete,
    /// Creates a key.
    KeyAdd,
    /// Changes when a key expires.
    KeyExpire,
    /// Changes the label or the expiry of a key.
    KeyEdit,
    /// Revokes keys.
    KeyRevoke,
    /// Creates an operator key.
    OperatorAdd,
    /// Revokes an operator key.
    OperatorRevoke,
    /// Creates a plan.
    PlanAdd,
    /// Changes a plan.
    PlanSet,
    /// Blocks patterns.
    BlockAdd,
    /// Adds exceptions to blocks.
    BlockAllow,
    /// Removes patterns.
    BlockRemove,
    /// Replaces the patterns of a source.
    BlockImport,
    /// Removes a source with all patterns.
    BlockRemoveSource,
    /// Adds a domain to an owner.
    DomainAdd,
    /// Removes a domain.
    DomainRemove,
    /// Makes a domain the default of its owner.
    DomainDefault,
    /// Changes where visitors of a domain's start page go.
    DomainEdit,
    /// Opens months again that a wrong clock closed.
    UsageReopen,
    /// Reverts another event.
    Undo,
}

impl Action {
    /// Returns the name of the action in events: the command that performs it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LinkDisable => "link disable",
            Self::LinkEnable => "link enable",
            Self::LinkPause => "link pause",
            Self::LinkUnpause => "link unpause",
            Self::LinkEdit => "link edit",
            Self::LinkDelete => "link delete",
            Self::OwnerAdd => "owner add",
            Self::OwnerPlan => "owner plan",
            Self::OwnerEdit => "owner edit",
            Self::OwnerSuspend => "owner suspend",
            Self::OwnerResume => "owner resume",
            Self::OwnerRename => "owner rename",
            Self::OwnerDelete => "owner delete",
            Self::KeyAdd => "key add",
            Self::KeyExpire => "key expire",
            Self::KeyEdit => "key edit",
            Self::KeyRevoke => "key revoke",
            Self::OperatorAdd => "operator add",
            Self::OperatorRevoke => "operator revoke",
            Self::PlanAdd => "plan add",
            Self::PlanSet => "plan set",
            Self::BlockAdd => "block add",
            Self::BlockAllow => "block allow",
            Self::BlockRemove => "block remove",
            Self::BlockImport => "block import",
            Self::BlockRemoveSource => "block remove --source",
            Self::DomainAdd => "domain add",
            Self::DomainRemove => "domain remove",
            Self::DomainDefault => "domain default",
            Self::DomainEdit => "domain edit",
            Self::UsageReopen => "usage reopen",
            Self::Undo => "undo",
        }
    }

    /// Returns whether an event of this action can be undone.
    #[must_use]
    pub const fn is_reversible(self) -> bool {
        matches!(
            self,
            Self::LinkDisable
                | Self::LinkEnable
                | Self::LinkPause
                | Self::LinkUnpause
                | Self::LinkEdit
                | Self::OwnerSuspend
                | Self::OwnerResume
                | Self::BlockAdd
                | Self::BlockAllow
                | Self::BlockRemove
                | Self::DomainAdd
                | Self::DomainRemove
                | Self::DomainDefault
                | Self::DomainEdit
        )
    }

    /// Returns whether the action changes domains.
    #[must_use]
    pub const fn is_about_domains(self) -> bool {
        matches!(
            self,
            Self::DomainAdd | Self::DomainRemove | Self::DomainDefault | Self::DomainEdit
        )
    }

    /// Returns the action with this name, or `None` if only a newer version of Terse knows it.
    #[must_use]
    pub fn from_stored(name: &str) -> Option<Self> {
        Self::iter().find(|action| action.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_of_undo_lists_the_reversible_actions() {
        let page = include_str!("../../../docs/cli.md");
        let (_, section) = page.split_once("\n### undo\n").unwrap();
        let (sentence, _) = section.split_once(';').unwrap();
        for action in Action::iter() {
            let is_listed = sentence.contains(&format!("`{}`", action.as_str()));
            assert_eq!(is_listed, action.is_reversible(), "{action:?}");
        }
    }
}
