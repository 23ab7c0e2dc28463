//! State that all requests share.

use std::sync::Arc;

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::cursor::CursorCipher;
use crate::domain::Caches;
use crate::domain::clicks::Recorder;
use crate::domain::links::Creator;
use crate::metrics::Metrics;
use crate::store::Store;
use crate::values::BaseUrl;

/// State that all requests share.
pub struct AppState {
    /// The database.
    pub store: Store,
    /// Cached links and API keys.
    pub caches: Arc<Caches>,
    /// Records clicks.
    pub recorder: Recorder,
    /// Creates links.
    pub creator: Creator,
    /// The service's public address.
    pub base_url: BaseUrl,
    /// Encrypts positions in lists.
    pub cursor_cipher: CursorCipher,
    /// Counters and histograms of the service.
    pub metrics: Arc<Metrics>,
}

impl AppState {
    /// Returns the operating system's random number generator.
    #[must_use]
    pub fn randomness(&self) -> UnwrapErr<SysRng> {
        UnwrapErr(SysRng)
    }
}
