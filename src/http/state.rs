//! State that all requests share.

use std::sync::Arc;

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::client_address::ClientAddresses;
use super::cursor::CursorCipher;
use super::request_log::RequestLog;
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
    /// Recorder of clicks.
    pub recorder: Recorder,
    /// Creator of links.
    pub creator: Creator,
    /// Public address of the service.
    pub base_url: BaseUrl,
    /// Cipher for positions in lists.
    pub cursor_cipher: CursorCipher,
    /// Rules that find the client of a request.
    pub client_addresses: ClientAddresses,
    /// Metrics of the service.
    pub metrics: Arc<Metrics>,
    /// Log of requests.
    pub request_log: Arc<RequestLog>,
}

impl AppState {
    /// Returns the operating system's random number generator.
    #[must_use]
    pub fn randomness(&self) -> UnwrapErr<SysRng> {
        UnwrapErr(SysRng)
    }
}
