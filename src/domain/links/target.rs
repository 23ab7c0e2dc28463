//! The link of a change, and what must hold for it, such as its version.

use std::fmt::{self, Display, Formatter};
use std::num::ParseIntError;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::Link;
use super::link_edit::editable_values;
use super::rules::LinkRules;
use crate::domain::changes::{ChangeTransaction, Subject};
use crate::domain::{Error, Realm};
use crate::store::entities::link::Model;
use crate::store::{Connection, Store, links, owners};
use crate::values::{ShortCode, Timestamp};

/// The link of a change, and what must hold for it.
#[derive(Debug, Clone, Copy)]
pub struct LinkTarget<'a> {
    /// Whose links the caller may change.
    pub realm: Realm,
    /// Short code.
    pub code: &'a str,
    /// Versions for which the change may be made. `None`: any.
    pub precondition: Option<&'a Precondition>,
}

impl<'a> LinkTarget<'a> {
    /// Returns the target of an operator.
    #[must_use]
    pub const fn of_code(code: &'a str) -> Self {
        Self { realm: Realm::Everyone, code, precondition: None }
    }

    /// Finds the link.
    ///
    /// # Errors
    /// [`Error::LinksNotFound`] or [`Error::LinksDeleted`].
    pub(super) async fn find(self, db: &impl Connection) -> Result<Model, Error> {
        let missing = || Error::LinksNotFound(vec![self.code.to_owned()]);
        let code = ShortCode::parse(self.code).map_err(|_| missing())?;
        let found = links::find(db, &code).await?.ok_or_else(missing)?;
        match found.owner_id {
            of if !self.realm.includes(of) => Err(missing()),
            None => Err(Error::LinksDeleted(vec![self.code.to_owned()])),
            Some(_) => Ok(found),
        }
    }

    /// Returns the subject of the event.
    pub(super) async fn subject(self, store: &Store, link: &Model) -> Result<Subject, Error> {
        let owner = match link.owner_id {
            Some(id) => owners::name_of(store.reader(), id).await?.map(|name| (id, name)),
            None => None,
        };
        Ok(Subject { text: self.code.to_owned(), owner })
    }

    /// Checks that an owner's key may still make the change. Callers lock the link afterwards.
    pub(super) async fn authorize(self, transaction: &ChangeTransaction<'_>) -> Result<(), Error> {
        if let Realm::Owner(id) = self.realm {
            transaction.authorize(id).await?;
        }
        Ok(())
    }

    /// Checks the locked link: its version, and that an owner does not destroy the evidence of an
    /// operator.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] or [`Error::LinkDisabled`]
    pub(super) fn check(
        self,
        link: &Model,
        rules: &LinkRules,
        now: Timestamp,
    ) -> Result<(), Error> {
        if let Some(precondition) = self.precondition
            && let Some(link) = Link::from_row(link.clone(), 0)
        {
            precondition.check(&link)?;
        }
        let is_held =
            link.disabled_reason.is_some() || rules.is_blocked(&link.destination_url, now);
        match self.realm {
            Realm::Owner(_) if is_held => Err(Error::LinkDisabled),
            Realm::Owner(_) | Realm::Everyone => Ok(()),
        }
    }
}

/// Hash of the values of a link that its owner can write. It depends on neither clicks nor state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkVersion(u128);

impl LinkVersion {
    /// Returns the version of a link.
    #[must_use]
    pub fn from_link(link: &Link) -> Self {
        let hash: [u8; 32] = Sha256::digest(editable_values(link).to_string()).into();
        Self(hash.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }
}

/// Versions of a link for which a change may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// Any version of a link that exists.
    Any,
    /// One of these versions.
    OneOf(Vec<LinkVersion>),
}

impl Precondition {
    /// Checks a link.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`]
    pub(super) fn check(&self, link: &Link) -> Result<(), Error> {
        match self {
            Self::OneOf(versions) if !versions.contains(&LinkVersion::from_link(link)) => {
                Err(Error::PreconditionFailed)
            }
            Self::Any | Self::OneOf(_) => Ok(()),
        }
    }
}

/// Parses the 32 hexadecimal digits that [`Display`] writes.
impl FromStr for LinkVersion {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        u128::from_str_radix(text, 16).map(Self)
    }
}

impl Display for LinkVersion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
