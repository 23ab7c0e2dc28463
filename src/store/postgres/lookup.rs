//! How links are found that are not in the cache: those that are asked for while a query is under way
//! share the next one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sea_orm::FromQueryResult;
use tokio::sync::oneshot;

use super::{Lane, Postgres};
use crate::store::links::TargetRow;
use crate::store::{StoreError, rows};
use crate::values::ShortCode;

/// Queries under way at once: while one is on its way, another is carried out.
pub(super) const QUERIES: u32 = 2;
/// Codes a query.
const CODES: usize = 256;

/// Codes are joined by what none of them has: an array would be a value of another type in each of
/// the databases that the drivers know.
const FIND: &str = "
    SELECT short_code, id AS link_id, destination_url, is_active FROM links
    WHERE short_code = ANY (string_to_array($1, ','))";

type Answer = Result<Option<TargetRow>, Arc<StoreError>>;

/// Who waits for which link.
#[derive(Debug, Default)]
pub(super) struct Lookups(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    codes: HashMap<ShortCode, Vec<oneshot::Sender<Answer>>>,
    /// Of the codes: who asked first is in the next query, however many come.
    order: VecDeque<ShortCode>,
    queries: u32,
}

#[derive(FromQueryResult)]
struct Found {
    short_code: String,
    #[sea_orm(nested)]
    target: TargetRow,
}

impl Lookups {
    /// Takes part in the next query; tells whether somebody has to ask it.
    fn join(&self, code: &ShortCode) -> (oneshot::Receiver<Answer>, bool) {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.lock();
        match waiting.codes.get_mut(code) {
            Some(senders) => senders.push(sender),
            None => {
                waiting.codes.insert(code.clone(), vec![sender]);
                waiting.order.push_back(code.clone());
            }
        }
        let is_needed = waiting.queries < QUERIES;
        if is_needed {
            waiting.queries += 1;
        }
        (receiver, is_needed)
    }

    /// Those who wait, unless there are none: then a query less is under way.
    fn take(&self) -> Option<HashMap<ShortCode, Vec<oneshot::Sender<Answer>>>> {
        let mut waiting = self.lock();
        if waiting.codes.is_empty() {
            waiting.queries -= 1;
            return None;
        }
        if waiting.codes.len() <= CODES {
            waiting.order.clear();
            return Some(std::mem::take(&mut waiting.codes));
        }
        let Waiting { codes, order, .. } = &mut *waiting;
        Some(order.drain(..CODES).filter_map(|code| codes.remove_entry(&code)).collect())
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Postgres {
    /// Where the link of that code leads, as the database has it at a moment after this call.
    pub(in crate::store) async fn target(&self, code: &ShortCode) -> Answer {
        let (answer, is_needed) = self.shared.lookups.join(code);
        if is_needed {
            // A task of its own: whoever asks may go away, and others wait for the same answer.
            tokio::spawn(self.in_lane(Lane::Lookups).look_up());
        }
        // The runtime is ending where nobody answers.
        answer.await.unwrap_or_else(|_| Err(Arc::new(StoreError::Away)))
    }

    async fn look_up(self) {
        while let Some(mut waiting) = self.shared.lookups.take() {
            let codes: Vec<&str> = waiting.keys().map(ShortCode::as_str).collect();
            let found: Result<Vec<Found>, _> = rows(&self, FIND, [codes.join(",").into()]).await;
            let nothing = match found {
                Ok(found) => {
                    for Found { short_code, target } in found {
                        let waiting = waiting.remove(short_code.as_str());
                        answer_all(waiting.into_iter().flatten(), &Ok(Some(target)));
                    }
                    Ok(None)
                }
                Err(error) => Err(Arc::new(error)),
            };
            answer_all(waiting.into_values().flatten(), &nothing);
        }
    }
}

fn answer_all(waiting: impl Iterator<Item = oneshot::Sender<Answer>>, answer: &Answer) {
    for sender in waiting {
        // Whoever went away needs no answer.
        let _ = sender.send(answer.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asked_first_is_in_the_next_query() {
        let lookups = Lookups::default();
        let code = |number: usize| ShortCode::parse(&format!("code{number}")).unwrap();
        let mut receivers = Vec::new();
        for number in 0..3 * CODES {
            receivers.push(lookups.join(&code(number)));
            // Once more for one who waits already: the place stays.
            receivers.push(lookups.join(&code(number / 2)));
        }
        for first in [0, CODES, 2 * CODES] {
            let taken = lookups.take().unwrap();
            assert_eq!(taken.len(), CODES);
            assert!((first..first + CODES).all(|number| taken.contains_key(&code(number))));
        }
        assert!(lookups.take().is_none());
    }
}
