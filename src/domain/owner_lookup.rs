//! Owners by name or by identifier.

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
