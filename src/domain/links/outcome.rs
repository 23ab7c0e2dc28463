//! Converts the outcomes of a batch's creations into responses to the requests.

use rand::Rng;

use super::queue::PendingCreate;
use crate::domain::Error;
use crate::domain::idempotency::{Idempotent, replay};
use crate::store::StoreError;
use crate::store::create_links::CreateOutcome;
use crate::values::ShortCode;

/// Maximum number of attempts to lock an owner. An attempt fails while the owner's plan changes.
const MAX_OWNER_LOOKUPS: u32 = 3;

impl PendingCreate {
    /// Responds to the request and returns `None`, or returns the creation if it must be retried.
    pub(super) fn respond(mut self, outcome: CreateOutcome) -> Option<Self> {
        let custom_error = self.responder.custom_error.take();
        let response = match outcome {
            CreateOutcome::Created(code) => Ok(Idempotent::Executed(code)),
            CreateOutcome::Replay { stored, is_invalid } => {
                let request = self.link.idempotent.as_ref();
                let replayed =
                    request.map_or(Err(Error::KeyReused), |request| replay(stored, request));
                match (replayed, custom_error) {
                    // The error of an invalid code takes precedence over that of a reused key.
                    (Err(Error::KeyReused), Some(error @ Error::Invalid(_))) if is_invalid => {
                        Err(error)
                    }
                    (replayed, _) => replayed.map(Idempotent::Replayed),
                }
            }
            CreateOutcome::CustomCodeInUse => Err(Error::CodeInUse),
            CreateOutcome::CustomCodeInvalid => Err(custom_error.unwrap_or(Error::CodeReserved)),
            CreateOutcome::PlanLimitReached(limit) => Err(Error::PlanLimitReached { limit }),
            CreateOutcome::OwnerUnavailable
                if self.responder.owner_lookups >= MAX_OWNER_LOOKUPS =>
            {
                Err(StoreError::OwnerUnavailable.into())
            }
            CreateOutcome::OwnerUnavailable
            | CreateOutcome::GeneratedCodeInUse
            | CreateOutcome::Retry => {
                self.responder.owner_lookups +=
                    u32::from(outcome == CreateOutcome::OwnerUnavailable);
                self.responder.custom_error = custom_error;
                return Some(self);
            }
        };
        self.responder.send(response);
        None
    }

    /// Replaces the generated code by a new one, because the old one may be in use.
    pub(super) fn with_new_code(mut self, rng: &mut impl Rng) -> Self {
        self.link.generated_code = ShortCode::generate(rng);
        self
    }
}
