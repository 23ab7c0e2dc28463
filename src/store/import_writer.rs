//! Writer of imports into either database.

mod dry_run;

use self::dry_run::DryRun;
use super::database::Store;
use super::error::StoreError;
use super::import::{ImportLink, ImportOutcome};
use super::sessions::Importer;

/// Imports links of one owner, or determines what an import would do.
#[derive(Debug)]
pub struct ImportWriter(ImportTarget);

#[derive(Debug)]
enum ImportTarget {
    Database(Importer),
    DryRun(Box<DryRun>),
}

impl ImportWriter {
    /// Opens an import of links of this owner.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn open(store: &Store, owner_id: i64) -> Result<Self, StoreError> {
        Ok(Self(ImportTarget::Database(store.importer(owner_id).await?)))
    }

    /// Opens a dry run, which changes nothing and returns the outcomes that an import would have.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn dry_run(store: &Store, owner_id: i64) -> Result<Self, StoreError> {
        Ok(Self(ImportTarget::DryRun(Box::new(DryRun::new(store, owner_id).await?))))
    }

    /// Imports as many of the first links as one transaction takes, and returns their outcomes in
    /// the same order.
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
    ///
    /// # Errors
    /// If the database fails.
    pub async fn finish(self) -> Result<(), StoreError> {
        match self.0 {
            ImportTarget::Database(importer) => importer.finish().await,
            ImportTarget::DryRun(_) => Ok(()),
        }
    }
}
