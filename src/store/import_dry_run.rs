//! The dry run of an import into either database.

use rusqlite::{Connection, OptionalExtension as _, params};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};

use super::database::{Reader, Store};
use super::entities::link::{Column, Entity};
use super::error::StoreError;
use super::import::{
    ExistingLink, IMPORT_ALLOWANCE, ImportLink, ImportOutcome, ImportWriter, UnresolvedLinks,
};
use super::links::{NewProperties, code_of_external_id};
use super::query::scalar;

/// Maximum number of codes per query.
const MAX_CODES: usize = 1_000;

/// A dry run: the database, and the links that an import would have created in it so far.
#[derive(Debug)]
pub struct DryRun {
    reader: Reader,
    owner_id: i64,
    /// Number of links that the plan still allows.
    allowance: i64,
    /// Temporary SQLite database with the links that an import would have created so far. SQLite
    /// moves it to disk if it grows.
    created: Connection,
}

impl DryRun {
    /// Opens a writer which changes nothing and returns the outcomes that an import would have.
    pub async fn open(store: &Store, owner_id: i64) -> Result<Box<dyn ImportWriter>, StoreError> {
        let reader = store.reader().clone();
        let allowance = scalar(&reader, IMPORT_ALLOWANCE, [owner_id.into()]).await?;
        let created = Connection::open("")?;
        created.execute_batch(
            "CREATE TABLE created (code text PRIMARY KEY, destination text NOT NULL) WITHOUT ROWID;
             CREATE TABLE external (id text PRIMARY KEY) WITHOUT ROWID;
             CREATE TABLE folded (folded text PRIMARY KEY, code text NOT NULL) WITHOUT ROWID",
        )?;
        Ok(Box::new(Self { reader, owner_id, allowance: allowance.unwrap_or(0), created }))
    }

    /// Returns whether a link has the external identifier, and otherwise takes it.
    async fn has_external_id(&self, properties: &NewProperties) -> Result<bool, StoreError> {
        let Some(id) = &properties.link.external_id else { return Ok(false) };
        let insert = "INSERT OR IGNORE INTO external (id) VALUES (?1)";
        Ok(code_of_external_id(&self.reader, self.owner_id, id).await?.is_some()
            || self.created.prepare_cached(insert)?.execute([id])? == 0)
    }

    /// Returns the outcome of a link that answers to a folded code, unless another one does so already.
    async fn fold(
        &self,
        code: &str,
        folded: &str,
        outcome: ImportOutcome,
    ) -> Result<ImportOutcome, StoreError> {
        let find = "SELECT short_code FROM folded_codes JOIN links ON links.id = link_id
                    WHERE folded = $1";
        let mut holder: Option<String> = scalar(&self.reader, find, [folded.into()]).await?;
        if holder.is_none() {
            let insert = "INSERT OR IGNORE INTO folded (folded, code) VALUES (?1, ?2)";
            if self.created.prepare_cached(insert)?.execute([folded, code])? > 0 {
                return Ok(outcome.with_case());
            }
            let find = "SELECT code FROM folded WHERE folded = ?1";
            holder = self.created.prepare_cached(find)?.query_one([folded], |row| row.get(0))?;
        }
        let is_own = holder.is_some_and(|holder| holder == code);
        Ok(if is_own { outcome } else { outcome.without_case() })
    }

    async fn existing(&self, codes: &[String]) -> Result<Vec<ExistingLink>, StoreError> {
        let mut existing: Vec<ExistingLink> = Entity::find()
            .select_only()
            .columns([Column::ShortCode, Column::OwnerId, Column::DestinationUrl])
            .filter(Column::ShortCode.is_in(codes))
            .into_model()
            .all(&self.reader)
            .await?;
        let mut created =
            self.created.prepare_cached("SELECT destination FROM created WHERE code = ?1")?;
        for code in codes {
            let found: Option<String> = created.query_one([code], |row| row.get(0)).optional()?;
            existing.extend(found.map(|destination_url| ExistingLink {
                short_code: code.clone(),
                owner_id: Some(self.owner_id),
                destination_url,
            }));
        }
        Ok(existing)
    }
}

#[async_trait(?Send)]
impl ImportWriter for DryRun {
    async fn put(&mut self, links: &[ImportLink]) -> Result<Vec<ImportOutcome>, StoreError> {
        let mut unresolved = UnresolvedLinks::new(links, self.owner_id);
        let mut outcomes = loop {
            if let Some(outcomes) = unresolved.resolved() {
                break outcomes;
            }
            let mut existing = Vec::new();
            for codes in unresolved.codes().chunks(MAX_CODES) {
                existing.extend(self.existing(codes).await?);
            }
            for index in unresolved.choose_links_to_create(existing, self.allowance) {
                let ImportLink { code, properties, .. } = &links[index];
                if self.has_external_id(properties).await? {
                    unresolved.mark(index, ImportOutcome::ExternalIdInUse);
                    continue;
                }
                self.created
                    .prepare_cached("INSERT INTO created (code, destination) VALUES (?1, ?2)")?
                    .execute(params![code.as_str(), properties.link.destination_url])?;
                self.allowance -= 1;
                unresolved.mark(index, ImportOutcome::Created);
            }
        };
        for (link, outcome) in links.iter().zip(&mut outcomes) {
            if let Some(folded) = link.folded().filter(|_| outcome.is_there()) {
                *outcome = self.fold(link.code.as_str(), &folded, *outcome).await?;
            }
        }
        Ok(outcomes)
    }

    async fn finish(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}
