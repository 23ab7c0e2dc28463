//! How the write-ahead log is moved into the database file.

use sea_orm::{ConnectionTrait as _, DatabaseConnection, DbBackend, Statement};

use super::Sqlite;
use crate::store::{Durability, StoreError};

/// Pages of the write-ahead log (4 KiB each) above which writers pause for a checkpoint: 64 MiB.
const LONG_LOG: i32 = 16_384;

impl Sqlite {
    /// Moves the write-ahead log into the database file as far as readers let it, so that the next
    /// writer begins again at its start. Nobody waits for anybody in a passive checkpoint; only where
    /// the log has grown long beside writers who never pause, it is done while they do.
    pub(in crate::store) async fn checkpoint(&self) -> Result<(), StoreError> {
        if self.shared.flusher.has_failed() {
            return self.close_gap().await;
        }
        let log = run(&self.readers, "PASSIVE").await?;
        if log.pages > LONG_LOG {
            let turn = self.shared.queue.take_turn(Durability::ProcessDeath).await?;
            run(turn.connection(), "PASSIVE").await?;
        }
        Ok(())
    }

    /// After a flush that failed: what is in the log is moved and the next writer begins it anew,
    /// whichever process it is. Until then nothing is begun here that is to survive a loss of power.
    async fn close_gap(&self) -> Result<(), StoreError> {
        let turn = self.shared.queue.take_turn(Durability::ProcessDeath).await?;
        if !run(turn.connection(), "RESTART").await?.is_in_use {
            self.shared.flusher.forget();
        }
        Ok(())
    }
}

/// What a checkpoint came to.
struct Checkpointed {
    /// Somebody kept the checkpoint from doing all that its mode asks for.
    is_in_use: bool,
    /// How many pages the log has.
    pages: i32,
}

/// Runs a checkpoint of that mode (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
async fn run(db: &DatabaseConnection, mode: &str) -> Result<Checkpointed, StoreError> {
    let checkpoint = format!("PRAGMA wal_checkpoint({mode})");
    let row = db.query_one_raw(Statement::from_string(DbBackend::Sqlite, checkpoint)).await?;
    let Some(row) = row else { return Ok(Checkpointed { is_in_use: false, pages: 0 }) };
    Ok(Checkpointed {
        is_in_use: row.try_get_by_index::<i32>(0)? != 0,
        pages: row.try_get_by_index(1)?,
    })
}
