//! `terse migrate`

use super::{Failure, database};
use crate::config::Settings;
use crate::store::{IfMissing, Store};

pub(super) async fn run(settings: &Settings) -> Result<(), Failure> {
    let store =
        Store::open(&database(&settings.database_url)?, IfMissing::Create, &settings.limits())
            .await?;
    store.migrate().await?;
    Ok(store.close().await?)
}
