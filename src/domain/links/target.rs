//! The link of a change, and what must hold for it, such as its version.

use super::Link;
use super::rules::LinkRules;
use crate::domain::changes::{Change, ChangeTransaction, Subject};
use crate::domain::{Error, Realm};
use crate::store::entities::link::Model;
use crate::store::{Connection, Store, links, owners};
use crate::values::ShortCode;

/// The link of a change, and what must hold for it.
#[derive(Debug, Clone, Copy)]
pub struct LinkTarget<'a> {
    /// Whose links the caller may change.
    pub realm: Realm,
    /// Short code.
    pub code: &'a str,
    /// External identifier that the link must have. `None`: any, or none.
    pub external_id: Option<&'a str>,
}

impl<'a> LinkTarget<'a> {
    /// Returns the target of an operator.
    #[must_use]
    pub const fn of_code(code: &'a str) -> Self {
        Self { realm: Realm::Everyone, code, external_id: None }
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
    /// [`Error::LinksNotFound`], [`Error::PreconditionFailed`] or [`Error::LinkDisabled`]
    pub(super) fn check(
        self,
        link: &Model,
        rules: &LinkRules,
        change: &Change,
    ) -> Result<(), Error> {
        if self.external_id.is_some_and(|id| link.external_id.as_deref() != Some(id)) {
            return Err(Error::LinksNotFound(vec![self.code.to_owned()]));
        }
        if let Some(link) = Link::from_row(link.clone(), 0) {
            change.check(&link)?;
        }
        if rules.is_held(self.realm, link, change.now) { Err(Error::LinkDisabled) } else { Ok(()) }
    }
}
