//! Many links at once, with the codes, clicks and times that they had elsewhere.

mod rehearsal;

use std::collections::HashMap;

use self::rehearsal::Rehearsal;
use super::{Backend, Store, StoreError, postgres, sqlite};
use crate::values::{Moment, ShortCode};

/// How many more links the owner's plan allows.
pub(super) const ROOM: &str = "
    SELECT COALESCE(max_links, 9223372036854775807) - link_count
    FROM owners JOIN plans ON plans.name = owners.plan WHERE owners.id = $1";

/// A link to be.
#[derive(Debug)]
pub struct Wanted {
    /// Its code.
    pub code: ShortCode,
    /// Where it leads.
    pub destination: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its campaign, if it has one.
    pub campaign: Option<String>,
    /// Clicks so far.
    pub clicks: i64,
    /// Whether it redirects.
    pub is_active: bool,
    /// Whether its QR code is enabled.
    pub has_qr: bool,
    /// When it was made.
    pub created_at: Moment,
}

/// What became of a link to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is there.
    Made,
    /// It was there: the owner's, and with the same destination.
    Known,
    /// Its code is another link's.
    Taken,
    /// The owner's plan allows no more.
    NoPlace,
}

/// Where links to be go.
#[derive(Debug)]
pub struct Writer(Importer);

#[derive(Debug)]
enum Importer {
    Sqlite(Box<sqlite::Importer>),
    Postgres(Box<postgres::Importer>),
    Rehearsal(Box<Rehearsal>),
}

impl Writer {
    /// Makes links of that owner.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn open(store: &Store, owner_id: i64) -> Result<Self, StoreError> {
        Ok(Self(match store.kind() {
            Backend::Sqlite(sqlite) => Importer::Sqlite(Box::new(sqlite.importer(owner_id)?)),
            Backend::Postgres(postgres) => {
                Importer::Postgres(Box::new(postgres.importer(owner_id).await?))
            }
        }))
    }

    /// Makes nothing, and says what would be made.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rehearse(store: &Store, owner_id: i64) -> Result<Self, StoreError> {
        Ok(Self(Importer::Rehearsal(Box::new(Rehearsal::of(store, owner_id).await?))))
    }

    /// Puts the first of them there, in this order, as many as go into one transaction; says what became
    /// of each of these.
    ///
    /// # Errors
    /// When the database fails. Where nobody knows whether it has committed, they may be there.
    pub async fn put(&mut self, links: &[Wanted]) -> Result<Vec<Fate>, StoreError> {
        match &mut self.0 {
            Importer::Sqlite(importer) => importer.put(links).await,
            Importer::Postgres(importer) => importer.put(links).await,
            Importer::Rehearsal(rehearsal) => rehearsal.put(links).await,
        }
    }

    /// Sees to it that what was put survives a loss of power.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn finish(self) -> Result<(), StoreError> {
        match self.0 {
            Importer::Sqlite(importer) => importer.finish().await,
            Importer::Postgres(importer) => importer.finish().await,
            Importer::Rehearsal(_) => Ok(()),
        }
    }
}

/// A link that has a code that is wanted.
#[derive(Debug, sea_orm::FromQueryResult)]
pub(super) struct Holder {
    pub(super) short_code: String,
    pub(super) owner_id: i64,
    pub(super) destination_url: String,
}

/// Links to be of which is not known what becomes of them.
#[derive(Debug)]
pub(super) struct Undecided<'a> {
    links: &'a [Wanted],
    fates: Vec<Option<Fate>>,
    owner_id: i64,
}

impl<'a> Undecided<'a> {
    pub(super) fn of(links: &'a [Wanted], owner_id: i64) -> Self {
        Self { links, fates: vec![None; links.len()], owner_id }
    }

    /// The codes to look for before the next [`Undecided::choose`].
    pub(super) fn codes(&self) -> Vec<String> {
        let undecided = self.links.iter().zip(&self.fates).filter(|(_, fate)| fate.is_none());
        undecided.map(|(link, _)| link.code.as_str().to_owned()).collect()
    }

    /// Decides on those whose codes somebody has, and chooses those that may be made where there is
    /// room for so many. Of several with one code the first is chosen, and the others wait.
    pub(super) fn choose(
        &mut self,
        holders: impl IntoIterator<Item = Holder>,
        mut room: i64,
    ) -> Vec<usize> {
        let holders: HashMap<String, (i64, String)> = holders
            .into_iter()
            .map(|holder| (holder.short_code, (holder.owner_id, holder.destination_url)))
            .collect();
        let mut chosen: HashMap<&str, usize> = HashMap::new();
        for (place, link) in self.links.iter().enumerate() {
            if self.fates[place].is_some() {
                continue;
            }
            let code = link.code.as_str();
            if let Some((owner_id, destination)) = holders.get(code) {
                let is_same = *owner_id == self.owner_id && *destination == link.destination;
                self.fates[place] = Some(if is_same { Fate::Known } else { Fate::Taken });
            } else if !chosen.contains_key(code) {
                if room > 0 {
                    room -= 1;
                    chosen.insert(code, place);
                } else {
                    self.fates[place] = Some(Fate::NoPlace);
                }
            }
        }
        let mut places: Vec<usize> = chosen.into_values().collect();
        places.sort_unstable();
        places
    }

    pub(super) fn is_made(&mut self, place: usize) {
        self.fates[place] = Some(Fate::Made);
    }

    /// What became of all, once it is known.
    pub(super) fn decided(&self) -> Option<Vec<Fate>> {
        self.fates.iter().copied().collect()
    }
}
