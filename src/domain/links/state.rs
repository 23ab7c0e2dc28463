//! States of links. The state decides whether a link redirects or which page visitors see.

use strum::VariantNames as _;
use strum_macros::{IntoStaticStr, VariantNames};

use super::{Link, LinkProperties};
use crate::domain::blocks::BlockSnapshot;
use crate::values::{Reason, Timestamp};

/// State of a link. If several states apply, the link has the first of them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum LinkState {
    /// An operator deleted the link; its code is never used again.
    Deleted,
    /// An operator suspended the link's owner.
    OwnerSuspended(Reason),
    /// The destination is blocked.
    Blocked(Reason),
    /// An operator disabled the link.
    Disabled(Reason),
    /// The owner paused the link.
    Paused,
    /// The link has expired.
    Expired,
    /// The link redirects.
    Active,
}

/// Data that determine the state of a link, unless it is deleted or its destination blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StateInputs {
    /// Reason of the owner's suspension, if the owner is suspended.
    pub suspended: Option<Reason>,
    /// Reason for which the link is disabled, if it is.
    pub disabled: Option<Reason>,
    /// Whether the owner has paused the link.
    pub is_paused: bool,
    /// Time from which the link no longer redirects, if it expires.
    pub expires_at: Option<Timestamp>,
}

impl StateInputs {
    /// Returns the data of a link. `suspended` is the reason of its owner's suspension, if the owner
    /// is suspended.
    pub const fn from_link(link: &Link, suspended: Option<Reason>) -> Self {
        let LinkProperties { disabled, is_paused, expires_at, .. } = link.properties;
        Self { suspended, disabled, is_paused, expires_at }
    }

    /// Returns the state of the link at the time `now`. `blocked` is the reason for which its
    /// destination is blocked, if it is.
    pub fn state_at(self, blocked: Option<Reason>, now: Timestamp) -> LinkState {
        let Self { suspended, disabled, is_paused, expires_at } = self;
        if let Some(reason) = suspended {
            LinkState::OwnerSuspended(reason)
        } else if let Some(reason) = blocked {
            LinkState::Blocked(reason)
        } else if let Some(reason) = disabled {
            LinkState::Disabled(reason)
        } else if is_paused {
            LinkState::Paused
        } else if expires_at.is_some_and(|expires_at| expires_at <= now) {
            LinkState::Expired
        } else {
            LinkState::Active
        }
    }
}

impl LinkState {
    /// Returns the state of a link at the time `now`. `suspended` is the reason of its owner's
    /// suspension, if the owner is suspended.
    pub fn from_link(
        link: &Link,
        suspended: Option<Reason>,
        blocks: &BlockSnapshot,
        now: Timestamp,
    ) -> Self {
        let blocked = blocks.blocked(&link.properties.destination_url, now);
        StateInputs::from_link(link, suspended).state_at(blocked, now)
    }

    /// The names of all states that an owner can see.
    pub const OWNER_NAMES: &[&str] = Self::VARIANTS.split_at(1).1;

    /// Returns the operator's reason for the state, or `None` if the state has none.
    pub const fn reason(self) -> Option<Reason> {
        match self {
            Self::OwnerSuspended(reason) | Self::Blocked(reason) | Self::Disabled(reason) => {
                Some(reason)
            }
            Self::Deleted | Self::Paused | Self::Expired | Self::Active => None,
        }
    }

    /// Returns whether the link redirects.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Active)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_state_that_applies_counts() {
        let (now, blocked) = (Timestamp::from_millis(10), Some(Reason::Phishing));
        let mut inputs = StateInputs {
            suspended: Some(Reason::Spam),
            disabled: Some(Reason::Legal),
            is_paused: true,
            expires_at: Some(now),
        };
        assert_eq!(inputs.state_at(blocked, now), LinkState::OwnerSuspended(Reason::Spam));
        inputs.suspended = None;
        assert_eq!(inputs.state_at(blocked, now), LinkState::Blocked(Reason::Phishing));
        assert_eq!(inputs.state_at(None, now), LinkState::Disabled(Reason::Legal));
        inputs.disabled = None;
        assert_eq!(inputs.state_at(None, now), LinkState::Paused);
        inputs.is_paused = false;
        assert_eq!(inputs.state_at(None, now), LinkState::Expired);
        assert_eq!(inputs.state_at(None, Timestamp::from_millis(9)), LinkState::Active);
    }
}
