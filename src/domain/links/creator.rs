//! Creating links: many share a transaction, each is answered alone.
//!
//! One task makes links. While it waits for the database, those who come wait for the next batch, so
//! that batches are as large as they need to be and nobody waits for a clock.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng;
use tokio::sync::oneshot;

use super::Wish;
use super::queue::{Queue, Taken, Waiting, Who, answer_all};
use super::settling::{OwnersKey, twins_in, used_by};
use crate::domain::Error;
use crate::domain::idempotency::{Done, replay};
use crate::metrics::Metrics;
use crate::store::creations::{self, Admission, NewLink, Outcome};
use crate::store::idempotency::{Answer, Describe, Keyed};
use crate::store::{self, Attempts, Store, StoreError};
use crate::values::{BaseUrl, Moment, ShortCode};

/// Links a transaction: clicks wait for one at most, and so it is to be short.
const MOST: usize = 256;
/// How often it is looked who has waited too long behind a transaction that hangs.
const INTERVAL: Duration = Duration::from_secs(1);

/// Takes wishes. Cloning it is cheap; all clones feed the same [`Creating`].
#[derive(Debug, Clone)]
pub struct Creator {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    queue: Queue,
    store: Store,
    service: BaseUrl,
    metrics: Arc<Metrics>,
}

impl Creator {
    /// A creator of links for the service, and the work that must run for them to be made. Those that
    /// wait take no more than `capacity` bytes.
    #[must_use]
    pub fn new(
        store: Store,
        service: BaseUrl,
        metrics: Arc<Metrics>,
        capacity: usize,
    ) -> (Self, Creating) {
        let queue = Queue::new(capacity);
        let shared = Arc::new(Shared { queue, store, service, metrics });
        (Self { shared: Arc::clone(&shared) }, Creating { shared })
    }

    /// Makes a link that belongs to the owner; returns its code when it is in the database, to stay
    /// whatever happens. A wish that is dropped before its transaction has begun is left out. Under a
    /// key it is made once, and what is to be answered then is kept with it.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::KeyReused`], [`Error::CodeReserved`], [`Error::CodeInUse`],
    /// [`Error::PlanLimitReached`], or when the database fails or too many wait for it.
    pub async fn create(
        &self,
        owner_id: i64,
        wish: &Wish,
        keyed: Option<(Keyed, Describe)>,
        now: Moment,
        rng: &mut impl Rng,
    ) -> Result<Done<ShortCode>, Error> {
        if let Err(error) = wish.check(&self.shared.store, &self.shared.service, owner_id).await {
            // What was made under another address of the service is answered as it was.
            // In a box: it is seldom needed and takes much room.
            let known = Box::pin(self.known(owner_id, keyed.as_ref(), now)).await?;
            return known.map(Done::Before).ok_or(error);
        }
        let (custom, refusal) = wish.custom();
        let link = NewLink {
            owner_id,
            custom,
            generated: ShortCode::generate(rng),
            destination_url: wish.destination.as_str().to_owned(),
            title: wish.title.as_ref().map(|title| title.as_str().to_owned()),
            campaign: wish.campaign.as_ref().map(|campaign| campaign.as_str().to_owned()),
            now,
            keyed,
        };
        let _counted = Counted::new(&self.shared.metrics);
        let (answer, answered) = oneshot::channel();
        let custom_bytes = wish.custom_code.as_ref().map_or(0, String::len);
        self.shared.queue.add(Waiting { who: Who::new(refusal, custom_bytes, answer), link })?;
        // Whoever takes a wish answers it, unless the program ends.
        answered.await.unwrap_or(Err(StoreError::Away.into()))
    }

    /// What was answered to the same request under its key.
    async fn known(
        &self,
        owner_id: i64,
        keyed: Option<&(Keyed, Describe)>,
        now: Moment,
    ) -> Result<Option<Answer>, Error> {
        let Some((keyed, _)) = keyed else { return Ok(None) };
        let reader = self.shared.store.reader();
        let kept = store::idempotency::find(reader, owner_id, &keyed.key, now).await?;
        Ok(kept.and_then(|kept| replay(kept, keyed).ok()))
    }

    /// Answers those who have waited too long, for as long as it is polled: [`Creating::run`] sees to
    /// nobody while a transaction hangs.
    pub async fn answer_late(self) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.shared.queue.answer_late(Instant::now());
        }
    }

    /// Lets [`Creating::run`] end when it has made what there is to make.
    pub fn close(&self) {
        self.shared.queue.close();
    }
}

/// One who waits, for as long as this is there.
struct Counted<'a>(&'a Metrics);

impl<'a> Counted<'a> {
    fn new(metrics: &'a Metrics) -> Self {
        metrics.links_waiting.inc();
        Self(metrics)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.links_waiting.dec();
    }
}

/// The one task that makes links. It keeps its thread while it writes to SQLite and the disk.
#[derive(Debug)]
pub struct Creating {
    shared: Arc<Shared>,
}

impl Creating {
    /// Makes links until the creator is closed and nobody waits any more.
    pub async fn run(self, mut rng: impl Rng) {
        while let Some((admission, batch)) = self.next().await {
            self.make_all(admission, batch, &mut rng).await;
        }
    }

    /// The next batch; none when no more will come. It is taken when it is its turn: who waits until
    /// then may still be told that it takes too long.
    async fn next(&self) -> Option<(Admission, Vec<Waiting>)> {
        loop {
            let Ok(admission) = creations::admit(&self.shared.store).await else { continue };
            match self.shared.queue.take(MOST) {
                Taken::Some(batch) => return Some((admission, batch)),
                Taken::Closed => return None,
                Taken::Nothing => {}
            }
            drop(admission);
            self.shared.queue.changed().await;
        }
    }

    /// Makes what can be made and answers all.
    async fn make_all(&self, admission: Admission, mut batch: Vec<Waiting>, rng: &mut impl Rng) {
        batch.retain(|waiting| !waiting.who.is_gone());
        let now = Instant::now();
        let late = batch.extract_if(.., |waiting| !waiting.is_in_time(now));
        answer_all(late.map(|waiting| waiting.who), StoreError::Busy);
        let mut used = HashSet::new();
        let twins = twins_in(&mut batch, &used);
        let (mut admission, mut parts) = (Some(admission), VecDeque::from([batch, twins]));
        while let Some(mut part) = parts.pop_front() {
            // A key under which an answer is kept by now decides all who ask under it at once. Under any
            // other one goes first, and its twins queue again.
            self.shared.queue.wait_again(twins_in(&mut part, &used));
            if part.is_empty() {
                continue;
            }
            match self.make(admission.take(), part).await {
                Made::Decided { others, used: keys } => {
                    used.extend(keys);
                    let others = others.into_iter().map(|waiting| waiting.anew(rng)).collect();
                    self.shared.queue.wait_again(others);
                }
                Made::Contended(mut all) => {
                    all.extend(parts.drain(..).flatten());
                    self.shared.queue.put_back(all);
                }
                // Only one of them may be at fault: each alone, before the others.
                Made::Refused(all, _) if all.len() > 1 => {
                    for one in all.into_iter().rev() {
                        parts.push_front(vec![one]);
                    }
                }
                Made::Refused(all, error) => {
                    answer_all(all.into_iter().map(|waiting| waiting.who), error);
                }
            }
        }
    }

    /// Makes all in one transaction, and answers those that it decided when it is flushed.
    async fn make(&self, mut admission: Option<Admission>, batch: Vec<Waiting>) -> Made {
        let (who, links): (Vec<Who>, Vec<NewLink>) =
            batch.into_iter().map(|Waiting { who, link }| (who, link)).unzip();
        let started = Instant::now();
        let mut attempts = Attempts::default();
        let outcomes = loop {
            match self.make_durably(admission.take(), &links).await {
                Err(error) if attempts.may_retry(&error).await => {}
                result => break result,
            }
        };
        let used = outcomes.as_ref().map(|outcomes| used_by(&links, outcomes)).unwrap_or_default();
        let batch = who.into_iter().zip(links).map(|(who, link)| Waiting { who, link });
        match outcomes {
            Ok(outcomes) => {
                self.note(&outcomes, started.elapsed());
                let others =
                    batch.zip(outcomes).filter_map(|(one, outcome)| one.settle(outcome)).collect();
                Made::Decided { others, used }
            }
            Err(error @ StoreError::Refused(_)) => Made::Refused(batch.collect(), error),
            Err(StoreError::Contended(_)) => Made::Contended(batch.collect()),
            Err(error) => {
                answer_all(batch.map(|waiting| waiting.who), error);
                Made::Decided { others: Vec::new(), used }
            }
        }
    }

    async fn make_durably(
        &self,
        admission: Option<Admission>,
        links: &[NewLink],
    ) -> Result<Vec<Outcome>, StoreError> {
        let outcomes = creations::make(&self.shared.store, links, admission).await?;
        creations::flush(&self.shared.store)?;
        Ok(outcomes)
    }

    fn note(&self, outcomes: &[Outcome], took: Duration) {
        let metrics = &self.shared.metrics;
        let made = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Made(_))).count();
        metrics.links_created.inc_by(made as u64);
        metrics.link_batches.inc();
        metrics.link_commit_seconds.observe(took.as_secs_f64());
    }
}

/// What a transaction came to.
enum Made {
    /// All are answered but these others, who are to be tried again; something is kept under these keys
    /// now.
    Decided { others: Vec<Waiting>, used: Vec<OwnersKey> },
    /// Others had the database, and none is made: all are to wait on, each for its own time.
    Contended(Vec<Waiting>),
    /// The database did not like the data of one of them, and made none.
    Refused(Vec<Waiting>, StoreError),
}

#[cfg(test)]
mod tests {
    use rand::rand_core::UnwrapErr;
    use rand::rngs::SysRng;

    use super::*;
    use crate::domain::links::queue::{Created, PATIENCE};
    use crate::domain::owners;
    use crate::values::{Destination, IdempotencyKey, Name, Title};

    fn wish() -> Wish {
        let destination = Destination::parse("https://example.org/").unwrap();
        Wish { destination, title: None, campaign: None, custom_code: None }
    }

    /// The owner is the first.
    async fn store_with_owner(directory: &std::path::Path) -> Store {
        let store = Store::new_in(directory).await;
        let name = Name::parse("somebody").unwrap();
        let mut rng = UnwrapErr(SysRng);
        owners::add(&store, &name, "free", Moment::now(), &mut rng).await.unwrap();
        store
    }

    fn creator_on(store: &Store) -> (Creator, Creating) {
        let service = BaseUrl::parse("http://127.0.0.1:8080").unwrap();
        let metrics = Arc::new(Metrics::new().unwrap());
        Creator::new(store.clone(), service, metrics, 1 << 20)
    }

    #[tokio::test]
    async fn who_went_away_before_the_turn_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let store = store_with_owner(directory.path()).await;
        let (now, mut rng) = (Moment::now(), UnwrapErr(SysRng));

        let (creator, creating) = creator_on(&store);
        let (gone, stayed) = (wish(), wish());
        let mut other = rng;
        let mut first = Box::pin(creator.create(1, &gone, None, now, &mut rng));
        tokio::select! {
            biased;
            _ = &mut first => panic!("nobody makes links yet"),
            () = std::future::ready(()) => drop(first),
        }
        let second = creator.create(1, &stayed, None, now, &mut other);
        let close = async {
            tokio::task::yield_now().await;
            creator.close();
        };
        let (made, ..) = tokio::join!(second, creating.run(UnwrapErr(SysRng)), close);
        made.unwrap();
        assert_eq!(owners::list(&store).await.unwrap()[0].links, 1);
    }

    /// However many they are, others do not wait for them all.
    #[tokio::test]
    async fn those_under_one_key_are_answered_together() {
        let directory = tempfile::tempdir().unwrap();
        let store = store_with_owner(directory.path()).await;
        let now = Moment::now();

        let (creator, creating) = creator_on(&store);
        let (same, other) = (wish(), Wish { title: Title::parse("other").ok(), ..wish() });
        let create = |wish| {
            let key = IdempotencyKey::parse(b"key").unwrap();
            let keyed = Keyed { key, fingerprint: Wish::fingerprint(wish) };
            let answer = |code: &ShortCode| Answer {
                status: 201,
                location: code.to_string(),
                body: String::new(),
            };
            let describe = Describe(Arc::new(answer));
            let creator = creator.clone();
            async move {
                let mut rng = UnwrapErr(SysRng);
                creator.create(1, wish, Some((keyed, describe)), now, &mut rng).await
            }
        };
        let all = (0..20).map(|number| create(if number % 4 == 3 { &other } else { &same }));
        let close = async {
            tokio::task::yield_now().await;
            creator.close();
        };
        let all = futures_util::future::join_all(all);
        let (told, ..) = tokio::join!(all, creating.run(UnwrapErr(SysRng)), close);
        let count = |is: fn(&Created) -> bool| told.iter().filter(|told| is(told)).count();
        let made = count(|told| matches!(told, Ok(Done::Now(_))));
        let again = count(|told| matches!(told, Ok(Done::Before(_))));
        let refused = count(|told| matches!(told, Err(Error::KeyReused)));
        assert_eq!((made, again, refused), (1, 14, 5));
        assert_eq!(creator.shared.metrics.link_batches.get(), 2);
    }

    #[tokio::test]
    async fn who_has_waited_too_long_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        // Nobody makes links, as while a transaction hangs.
        let (creator, _creating) = creator_on(&store);
        let (wish, mut rng) = (wish(), UnwrapErr(SysRng));
        let mut created = Box::pin(creator.create(1, &wish, None, Moment::now(), &mut rng));
        for (waited, is_told) in [(PATIENCE / 2, false), (PATIENCE, true)] {
            tokio::select! {
                biased;
                _ = &mut created => panic!("it was told too early"),
                () = std::future::ready(()) => creator.shared.queue.answer_late(Instant::now() + waited),
            }
            assert_eq!(creator.shared.queue.bytes() == 0, is_told);
        }
        let told = created.await;
        assert!(matches!(&told, Err(Error::Store(error)) if matches!(**error, StoreError::Busy)));
    }
}
