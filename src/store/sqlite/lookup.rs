//! How links are read that are not in the cache, one link's clicks, and lists: on connections without
//! threads of their own, for the reason that the ledger has one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension as _, Row, ToSql};
use sea_orm::DbBackend;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::connection::Opener;
use super::{BUSY_TIMEOUT, READERS, joined};
use crate::store::links::{CountedLink, TargetRow};
use crate::store::pages::Filter;
use crate::store::{Limits, StoreError};
use crate::values::ShortCode;

/// As many connections as have been needed at once: at most one a thread of the runtime, where links
/// are looked up and clicks are added up, one for those that are counted together, and one for each
/// page of a list that may be read at a time.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    opener: Opener,
    idle: Arc<Mutex<Vec<Connection>>>,
    pages: Arc<Semaphore>,
    /// How long a page waits for others.
    patience: Duration,
}

impl Lookup {
    pub(super) fn new(opener: Opener, limits: &Limits) -> Self {
        let pages = limits.connections.unwrap_or(READERS) as usize;
        Self {
            opener,
            idle: Arc::default(),
            pages: Arc::new(Semaphore::new(pages)),
            patience: limits.acquire_timeout,
        }
    }

    pub(super) fn target(&self, code: &ShortCode) -> rusqlite::Result<Option<TargetRow>> {
        self.read(|connection| find(connection, code))
    }

    /// At most `limit` of the owner's links below the identifier `before`, newest first. It takes
    /// longer than a look at one, and so has a thread; of those there are not more than may read.
    pub(super) async fn count_page(
        &self,
        owner_id: i64,
        filter: &Filter,
        before: i64,
        limit: u32,
    ) -> Result<Vec<CountedLink>, StoreError> {
        let permit = timeout(self.patience, Arc::clone(&self.pages).acquire_owned());
        let permit = permit.await.map_err(|_| StoreError::Busy)?;
        let (lookup, filter) = (self.clone(), filter.clone());
        let reading = move || {
            let _permit = permit;
            lookup.read_page(owner_id, &filter, before, limit)
        };
        Ok(joined(spawn_blocking(reading)).await.ok_or(StoreError::Away)??)
    }

    fn read_page(
        &self,
        owner_id: i64,
        filter: &Filter,
        before: i64,
        limit: u32,
    ) -> rusqlite::Result<Vec<CountedLink>> {
        // As this driver writes parameters.
        let query = filter.count_page(DbBackend::Sqlite).replace('$', "?");
        let mut values: Vec<&dyn ToSql> = vec![&owner_id, &before, &limit];
        if let Some(campaign) = &filter.campaign {
            values.push(campaign);
        }
        self.read(|connection| {
            connection.prepare_cached(&query)?.query_map(values.as_slice(), counted_link)?.collect()
        })
    }

    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let kept = self.idle().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => open(&self.opener)?,
        };
        let found = work(&connection);
        // One on which something failed is not used again.
        if found.is_ok() {
            self.idle().push(connection);
        }
        found
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open(opener: &Opener) -> rusqlite::Result<Connection> {
    let connection = opener.open(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    // A statement is compiled once, whatever its parameters are.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

pub(super) fn find(
    connection: &Connection,
    code: &ShortCode,
) -> rusqlite::Result<Option<TargetRow>> {
    connection
        .prepare_cached("SELECT id, destination_url, is_active FROM links WHERE short_code = ?1")?
        .query_one([code.as_str()], |row| {
            Ok(TargetRow {
                link_id: row.get(0)?,
                destination_url: row.get(1)?,
                is_active: row.get(2)?,
            })
        })
        .optional()
}

pub(super) fn counted_link(row: &Row<'_>) -> rusqlite::Result<CountedLink> {
    Ok(CountedLink {
        id: row.get(0)?,
        short_code: row.get(1)?,
        destination_url: row.get(2)?,
        campaign: row.get(3)?,
        is_active: row.get(4)?,
        clicks: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    /// A list of few of an owner's links must not read the others.
    #[tokio::test]
    async fn each_list_has_its_index() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let _store = Store::new_in(directory.path()).await;
        let connection = open(&Opener::new(&path, true)).unwrap();
        let all = "links_owner_id (owner_id=? AND id<?)";
        let with_qr = "links_with_qr (owner_id=? AND id<?)";
        let disabled = "links_disabled (owner_id=? AND id<?)";
        let campaign_with_qr = "links_with_qr_of_campaigns (owner_id=? AND campaign=? AND rowid<?)";
        let of_campaign = "links_of_campaigns (owner_id=? AND campaign=? AND rowid<?)";
        let campaign_disabled =
            "links_disabled_of_campaigns (owner_id=? AND campaign=? AND rowid<?)";
        for (campaign, active, index, qr_index) in [
            (None, None, all, with_qr),
            (None, Some(true), all, with_qr),
            (None, Some(false), disabled, disabled),
            (Some("c"), None, of_campaign, campaign_with_qr),
            (Some("c"), Some(true), of_campaign, campaign_with_qr),
            (Some("c"), Some(false), campaign_disabled, campaign_disabled),
        ] {
            let filter = Filter { campaign: campaign.map(str::to_owned), active };
            for (query, index) in [
                (filter.count_page(DbBackend::Sqlite), index),
                (filter.qr_page(DbBackend::Sqlite), qr_index),
            ] {
                let explain = format!("EXPLAIN QUERY PLAN {}", query.replace('$', "?"));
                let mut explain = connection.prepare(&explain).unwrap();
                let values: Vec<&dyn ToSql> = vec![&1; explain.parameter_count()];
                let steps: Vec<String> = explain
                    .query_map(values.as_slice(), |row| row.get(3))
                    .unwrap()
                    .collect::<Result<_, _>>()
                    .unwrap();
                let step = format!("SEARCH links USING INDEX {index}");
                assert!(steps.contains(&step), "{filter:?}: {steps:#?}");
                assert!(!steps.iter().any(|step| step.contains("ORDER BY")), "{steps:#?}");
            }
        }
    }
}
