//! What becomes of those whose links were to be made together.

use std::collections::HashSet;

use rand::Rng;

use super::queue::Waiting;
use crate::domain::Error;
use crate::domain::idempotency::{Done, replay};
use crate::store::StoreError;
use crate::store::creations::{NewLink, Outcome};
use crate::values::{IdempotencyKey, ShortCode};

/// How often an owner is looked for whose plan is being changed.
const LOOKS: u32 = 3;

impl Waiting {
    /// Answers; gives itself back where it is to be tried again.
    pub(super) fn settle(mut self, outcome: Outcome) -> Option<Self> {
        let answer = match outcome {
            Outcome::Made(code) => Ok(Done::Now(code)),
            Outcome::Known { kept, is_refused } => {
                let known = self.link.keyed.as_ref().map(|(keyed, _)| replay(kept, keyed));
                match (known, self.who.refusal.take()) {
                    // What is invalid comes first.
                    (Some(Err(Error::KeyReused)), Some(error @ Error::Invalid(_)))
                        if is_refused =>
                    {
                        Err(error)
                    }
                    (known, _) => known.unwrap_or(Err(Error::KeyReused)).map(Done::Before),
                }
            }
            Outcome::CustomTaken => Err(Error::CodeInUse),
            Outcome::Refused => Err(self.who.refusal.take().unwrap_or(Error::CodeReserved)),
            Outcome::Full => Err(Error::PlanLimitReached),
            Outcome::NoOwner if self.who.looks >= LOOKS => Err(StoreError::Busy.into()),
            Outcome::NoOwner => {
                self.who.looks += 1;
                return Some(self);
            }
            Outcome::GeneratedTaken | Outcome::Undecided => return Some(self),
        };
        self.who.tell(answer);
        None
    }

    /// With another generated code: with 2·10¹² of them the first one nearly always is free.
    pub(super) fn anew(mut self, rng: &mut impl Rng) -> Self {
        self.link.generated = ShortCode::generate(rng);
        self
    }
}

/// Keys are their owner's own.
pub(super) type OwnersKey = (i64, IdempotencyKey);

fn key_of(link: &NewLink) -> Option<OwnersKey> {
    link.keyed.as_ref().map(|(keyed, _)| (link.owner_id, keyed.key.clone()))
}

/// The keys under which something is kept.
pub(super) fn used_by(links: &[NewLink], outcomes: &[Outcome]) -> Vec<OwnersKey> {
    let is_kept = |outcome: &Outcome| matches!(outcome, Outcome::Made(_) | Outcome::Known { .. });
    let kept = links.iter().zip(outcomes).filter(|(_, outcome)| is_kept(outcome));
    kept.filter_map(|(link, _)| key_of(link)).collect()
}

/// Takes out those who ask under a key that another of them uses as well, unless it is `used`: they wait
/// until that one is decided.
pub(super) fn twins_in(part: &mut Vec<Waiting>, used: &HashSet<OwnersKey>) -> Vec<Waiting> {
    let mut seen = HashSet::new();
    let is_twin = |waiting: &mut Waiting| {
        key_of(&waiting.link).is_some_and(|key| !used.contains(&key) && !seen.insert(key))
    };
    part.extract_if(.., is_twin).collect()
}
