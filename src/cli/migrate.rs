//! `terse migrate`

use super::{Failure, database};
use crate::config::Settings;
use crate::store::{Missing, Store};

pub(super) async fn run(settings: &Settings) -> Result<(), Failure> {
    let url = database(&settings.database_url)?;
    let store = Store::open(&url, Missing::Create, &settings.patient_limits()).await?;
    store.migrate().await?;
    Ok(store.close().await?)
}
