//! Rate limits of owners and of clients. They live in the memory of one instance: each instance has
//! its own.
//!
//! All limits use the generic cell rate algorithm, which needs one number per owner or client.

mod clients;
mod decision;
mod owners;
mod table;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

pub use self::clients::{ClientLimit, ClientLimits, ClientRates};
pub use self::decision::RateDecision;
pub use self::owners::OwnerLimits;

/// Interval at which limits forget owners and clients. Together with the longest window
/// of a client's limit, it is far below the ten minutes for which addresses may stay in memory.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// Forgets owners and clients whose limits have refilled. It runs until it is dropped.
pub async fn run(owners: Arc<OwnerLimits>, clients: Arc<ClientLimits>) {
    let mut ticks = interval(CLEANUP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        owners.forget_refilled();
        clients.forget_refilled();
    }
}
