//! Loads the patterns in force for commands.

use super::super::error::CommandError;
use super::super::output::warn;
use crate::config::Settings;
use crate::domain::blocks::{self, BlockFile, Blocklist};
use crate::store::Store;

/// Loads the patterns from the database, and from the block file if there is one.
pub(in crate::cli) async fn load(
    store: &Store,
    settings: &Settings,
) -> Result<Blocklist, CommandError> {
    let blocklist = Blocklist::default();
    for source in blocks::load_into(store, &blocklist).await? {
        warn(&format!(
            "the list of the source '{source}' is left out, because parts of it are missing in the \
             database; import it again"
        ));
    }
    if let Some(path) = &settings.block_file {
        BlockFile::open(path, &blocklist)
            .map_err(|error| CommandError::Other(error.to_string()))?;
    }
    Ok(blocklist)
}
