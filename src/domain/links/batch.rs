//! The creation of many links by one request.

use futures_util::stream::{self, StreamExt as _};
use rand::Rng;
use tokio_util::sync::CancellationToken;

use super::create_link::CreateLink;
use super::creator::Creator;
use crate::domain::Error;
use crate::domain::idempotency::{Idempotent, Namespace, replay};
use crate::store::StoreError;
use crate::store::idempotency::{self, IdempotentRequest};
use crate::values::{ShortCode, Timestamp};

/// Maximum number of links of one batch in the queue. Other creations of the same owner wait for
/// them, and those of other owners for a transaction with them. With half as many, batches create
/// fewer links per second than 16 connections with single creations do.
const MAX_QUEUED: usize = 32;

/// A link of a batch.
#[derive(Debug)]
pub struct BatchLink {
    /// Position in the batch, from 0.
    pub position: usize,
    /// The link to create.
    pub link: CreateLink,
}

impl Creator {
    /// Creates links of an owner as if each had a request of its own, and returns them with their
    /// results, in order. Once `stop` is cancelled, it creates no more.
    ///
    /// `idempotent` has the idempotency key of the whole batch. If the batch is repeated, it creates
    /// only links that do not exist yet.
    ///
    /// # Errors
    /// [`Error::KeyReused`] if another request has the idempotency key; or if the database fails
    /// before the first link.
    pub async fn create_batch<R: Rng + Clone + Send + 'static>(
        &self,
        owner_id: i64,
        links: Vec<BatchLink>,
        idempotent: Option<IdempotentRequest>,
        stop: &CancellationToken,
        now: Timestamp,
        rng: R,
    ) -> Result<Vec<(BatchLink, Result<Idempotent<ShortCode>, Error>)>, Error> {
        if let Some(request) = &idempotent {
            let (reader, namespace) = (self.store().reader(), Namespace::Owner(owner_id));
            if let Some(stored) = idempotency::find(reader, namespace, request, now).await? {
                replay(stored, request)?;
            }
        }
        let create = |link: BatchLink| {
            let (creator, stop, mut rng) = (self.clone(), stop.clone(), rng.clone());
            let member = Some(link.position);
            let idempotent = idempotent.clone().map(|all| IdempotentRequest { member, ..all });
            async move {
                if stop.is_cancelled() {
                    return (link, Err(StoreError::OwnerUnavailable.into()));
                }
                let result = creator.create(owner_id, &link.link, idempotent, now, &mut rng).await;
                (link, result)
            }
        };
        let results: Vec<_> = stream::iter(links).map(create).buffered(MAX_QUEUED).collect().await;
        let is_reused = |(_, result): &(_, _)| matches!(result, Err(Error::KeyReused));
        if results.iter().any(is_reused) { Err(Error::KeyReused) } else { Ok(results) }
    }
}
