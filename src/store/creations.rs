//! Links that are made together: in one transaction, each decided on its own.

use super::idempotency::{Describe, Kept, Keyed};
use super::sqlite::Gate;
use super::{Backend, Store, StoreError};
use crate::values::{Moment, ShortCode};

/// A link to be.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// Whose it will be.
    pub owner_id: i64,
    /// The code that was asked for.
    pub custom: Custom,
    /// The code that it gets where none was asked for, or the plan has no custom codes.
    pub generated: ShortCode,
    /// Where it leads.
    pub destination_url: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its campaign, if it has one.
    pub campaign: Option<String>,
    /// When it is made.
    pub now: Moment,
    /// The key under which it is asked for, and what will be answered. Several may come under one key if
    /// something was kept under it a moment ago.
    pub keyed: Option<(Keyed, Describe)>,
}

/// A code that was asked for, which counts only on a plan with custom codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Custom {
    /// There is none.
    None,
    /// It may be had if nobody has it.
    Wanted(ShortCode),
    /// It cannot be had, whoever asks.
    Refused,
}

/// What became of a [`NewLink`]. Where it was not made, nothing of it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is made, under this code.
    Made(ShortCode),
    /// The owner has used the key before.
    Known {
        /// For this.
        kept: Kept,
        /// The code that is asked for now cannot be had.
        is_refused: bool,
    },
    /// Somebody has the code that was asked for.
    CustomTaken,
    /// Somebody has the generated code: try another.
    GeneratedTaken,
    /// The plan has custom codes, and the one that was asked for cannot be had.
    Refused,
    /// The owner has as many links as the plan allows.
    Full,
    /// There was no place when it was looked, or what was kept under its key was too old, and that has
    /// changed since: try again.
    Undecided,
    /// There is no such owner, or a plan was being changed: try again.
    NoOwner,
}

/// What an owner may do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    pub(super) custom_codes: bool,
    /// How many links may be made.
    pub(super) room: i64,
}

impl NewLink {
    /// The code that it is to have; none where it cannot have what was asked for.
    pub(super) fn code(&self, custom_codes: bool) -> Option<&ShortCode> {
        match &self.custom {
            Custom::Wanted(code) if custom_codes => Some(code),
            Custom::Refused if custom_codes => None,
            Custom::None | Custom::Wanted(_) | Custom::Refused => Some(&self.generated),
        }
    }

    /// What it means that somebody has the code.
    pub(super) fn taken(&self, code: &ShortCode) -> Outcome {
        if *code == self.generated { Outcome::GeneratedTaken } else { Outcome::CustomTaken }
    }
}

/// Before whoever has this no other transaction comes, where only one may be at a time.
#[derive(Debug)]
pub struct Admission(Option<Gate>);

/// Waits to be the next who may make links.
///
/// # Errors
/// When others take too long.
pub async fn admit(store: &Store) -> Result<Admission, StoreError> {
    match store.kind() {
        Backend::Sqlite(sqlite) => Ok(Admission(Some(sqlite.pass_gate().await?))),
        Backend::Postgres(_) => Ok(Admission(None)),
    }
}

/// Makes the links in one transaction, as if one after the other; returns what became of each, in
/// their order, which nobody is to be told before a [`flush`]. Without an admission it does not wait for one.
///
/// # Errors
/// When the database fails. [`StoreError::Contended`]: nothing was made. Otherwise all of them may
/// have been made or none.
pub async fn make(
    store: &Store,
    links: &[NewLink],
    admission: Option<Admission>,
) -> Result<Vec<Outcome>, StoreError> {
    match store.kind() {
        Backend::Sqlite(sqlite) => {
            sqlite.make(links, admission.and_then(|Admission(gate)| gate)).await
        }
        Backend::Postgres(postgres) => Ok(postgres.make(links).await?),
    }
}

/// Lets what was made survive a loss of power. PostgreSQL does so when it commits; SQLite is not kept
/// from the next transaction meanwhile, but the thread is kept.
///
/// # Errors
/// When the disk fails; what was made may be there all the same.
pub fn flush(store: &Store) -> Result<(), StoreError> {
    match store.kind() {
        Backend::Sqlite(sqlite) => sqlite.flush(),
        Backend::Postgres(_) => Ok(()),
    }
}
