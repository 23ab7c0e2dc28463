//! Owners by name or by identifier, and the boundary of what a caller may see and change.

use std::borrow::Cow;

use super::Error;
use crate::store::entities::owner::Model;
use crate::store::{Connection, owners};

/// An owner, by name or by identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerRef<'a> {
    /// The owner with this name.
    Name(Cow<'a, str>),
    /// The owner with this identifier.
    Id(i64),
}

impl<'a> From<&'a str> for OwnerRef<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name.into())
    }
}

impl From<String> for OwnerRef<'static> {
    fn from(name: String) -> Self {
        Self::Name(name.into())
    }
}

impl<'a> From<&'a String> for OwnerRef<'a> {
    fn from(name: &'a String) -> Self {
        Self::Name(name.into())
    }
}

impl From<i64> for OwnerRef<'_> {
    fn from(id: i64) -> Self {
        Self::Id(id)
    }
}

impl OwnerRef<'_> {
    fn missing(&self) -> Error {
        Error::OwnerNotFound(match self {
            Self::Name(name) => name.clone().into_owned(),
            Self::Id(id) => id.to_string(),
        })
    }

    /// Finds the owner.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`].
    pub(super) async fn find(&self, db: &impl Connection) -> Result<Model, Error> {
        let found = match self {
            Self::Name(name) => owners::find(db, name).await?,
            Self::Id(id) => owners::get(db, *id).await?,
        };
        found.ok_or_else(|| self.missing())
    }

    /// Finds the owner and locks it until the transaction ends.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`].
    pub(super) async fn lock(&self, db: &impl Connection) -> Result<Model, Error> {
        let found = match self {
            Self::Name(name) => owners::lock_named(db, name).await?,
            Self::Id(id) => owners::lock(db, *id).await?,
        };
        found.ok_or_else(|| self.missing())
    }
}

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
    pub const fn owner_id(self) -> Option<i64> {
        match self {
            Self::Everyone => None,
            Self::Owner(id) => Some(id),
        }
    }

    /// Returns whether the caller may see what belongs to an owner. Deleted links belong to none.
    pub fn includes(self, owner_id: Option<i64>) -> bool {
        self.owner_id().is_none_or(|id| owner_id == Some(id))
    }
}
