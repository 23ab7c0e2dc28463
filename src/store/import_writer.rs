//! The writer of an import into either database.

mod dry_run;

use self::dry_run::DryRun;
use super::database::Store;
use super::error::StoreError;
use super::import::{ImportLink, ImportOutcome};
use super::sessions::Importer;

/// Writer that imports links of one owner or, in a dry run, only determines the outcomes.
#[derive(Debug)]
pub struct ImportWriter(ImportTarget);

#[derive(Debug)]
enum ImportTarget {
    Database(Importer),
    DryRun(Box<DryRun>),
}

impl ImportWriter {
    /// Opens a writer that imports links of this owner.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn open(store: &Store, owner_id: i64) -> Result<Self, StoreError> {
        Ok(Self(ImportTarget::Database(store.importer(owner_id).await?)))
    }

    /// Opens a writer for a dry run, which changes nothing and returns the outcomes that an import
    /// would have.
    pub async fn dry_run(store: &Store, owner_id: i64) -> Result<Self, StoreError> {
        Ok(Self(ImportTarget::DryRun(Box::new(DryRun::new(store, owner_id).await?))))
    }

    /// Imports links in one transaction, from the first link on and as many as fit. Returns the
    /// outcomes of these links in the same order.
    ///
    /// # Errors
    /// If the database fails. If it did not confirm the commit, the links may exist.
    pub async fn put(&mut self, links: &[ImportLink]) -> Result<Vec<ImportOutcome>, StoreError> {
        match &mut self.0 {
            ImportTarget::Database(importer) => importer.put(links).await,
            ImportTarget::DryRun(dry_run) => dry_run.put(links).await,
        }
    }

    /// Makes the imported links durable across a power loss.
    pub async fn finish(self) -> Result<(), StoreError> {
        match self.0 {
            ImportTarget::Database(importer) => importer.finish().await,
            ImportTarget::DryRun(_) => Ok(()),
        }
    }
}
