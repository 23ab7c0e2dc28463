//! The startup of a database file: checks the file, and applies migrations of the schema in one transaction.

use std::sync::Arc;
use std::time::Duration;

use migration::schema_status;
use rusqlite::{Connection, ErrorCode, InterruptHandle};
use tokio::sync::{OwnedMutexGuard, oneshot};
use tokio::time::{sleep, timeout};

use super::Sqlite;
use super::connection::Opener;
use super::file::{OpenFile, is_damage};
use super::session::run_blocking;
use super::writer::{SqliteTransaction, WriterConnection};
use crate::store::error::{StoreError, missing_migrations};
use crate::store::options::Durability;

/// Maximum number of attempts to begin the transaction. Each attempt waits for up to five seconds,
/// because another process may apply the same migration, and an index of many links takes minutes.
const MAX_ATTEMPTS: u32 = 60;
/// Maximum time for which a server waits for the check before it serves requests. It suffices for
/// 30 MB, or for the structure of 400 MB.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum time of the whole check. Meanwhile, the write-ahead log cannot restart.
const MAX_TIME: Duration = Duration::from_secs(60);

impl Sqlite {
    /// Checks the file, applies missing migrations in one transaction, and returns their number. No other
    /// process can write meanwhile.
    pub(in crate::store) async fn migrate(&self) -> Result<usize, StoreError> {
        let guard = Arc::clone(&self.shared.startup_check).lock_owned().await;
        verify(self.readers.opener().clone(), self.writer().file().clone(), guard).await?;
        if missing_migrations(schema_status(&self.readers).await?)? == 0 {
            return Ok(0);
        }
        let transaction = begin(self.writer()).await?;
        // Another process may have migrated meanwhile.
        let missing = missing_migrations(schema_status(&transaction).await?)?;
        if missing == 0 {
            return Ok(0);
        }
        migration::apply(&transaction, self.now().millis() / 1_000).await?;
        transaction.commit().await?;
        Ok(missing)
    }
}

async fn begin(writer: &WriterConnection) -> Result<SqliteTransaction, StoreError> {
    let mut attempts = 1..MAX_ATTEMPTS;
    loop {
        match writer.begin(Durability::PowerLoss).await {
            Err(StoreError::Busy) if attempts.next().is_some() => {
                tracing::warn!("another process is writing to the database; waiting for it");
            }
            result => return result,
        }
    }
}

/// Stops a statement when it is dropped.
struct InterruptGuard(InterruptHandle);

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}

/// Checks a file. If that takes longer than [`STARTUP_TIMEOUT`], the check continues in the
/// background, and the log reports what it finds. The check drops `guard` when it ends.
///
/// # Errors
/// [`StoreError::Damaged`]
pub(super) async fn verify(
    opener: Opener,
    file: OpenFile,
    guard: OwnedMutexGuard<()>,
) -> Result<(), StoreError> {
    let mut check = tokio::spawn(find_fault(opener));
    if let Ok(ended) = timeout(STARTUP_TIMEOUT, &mut check).await {
        let fault = ended.unwrap_or(Ok(None))?;
        return fault.map_or(Ok(()), |fault| Err(file.damaged(&fault)));
    }
    tokio::spawn(async move {
        match check.await {
            Ok(Ok(None)) => tracing::info!("no damage found in the database file"),
            Ok(Ok(Some(fault))) => file.note(&fault),
            Ok(Err(error)) => tracing::warn!(%error, "the check of the database file failed"),
            Err(_) => {}
        }
        drop(guard);
    });
    Ok(())
}

/// Returns the first fault of a file, or `None` if there is none. The check ends if this future is
/// dropped.
async fn find_fault(opener: Opener) -> Result<Option<String>, StoreError> {
    let (sender, receiver) = oneshot::channel();
    let check = move || {
        // The connection is not one of the readers, because an interrupt could stop the next
        // statement on it.
        let db = opener.open_reader()?;
        let _ = sender.send(db.get_interrupt_handle());
        read_fault(&db)
    };
    let stop = async {
        let guard = receiver.await.map(InterruptGuard);
        sleep(MAX_TIME).await;
        drop(guard);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        fault = run_blocking(check) => Ok(fault??),
        () = stop => Ok(None),
    }
}

fn read_fault(db: &Connection) -> rusqlite::Result<Option<String>> {
    // SQLite checks the structure of all tables and indexes before it compares them.
    let found = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
    match found {
        Ok(text) if text == "ok" => Ok(None),
        // An earlier line names the schema.
        Ok(text) => Ok(Some(text.lines().last().unwrap_or_default().to_owned())),
        Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
