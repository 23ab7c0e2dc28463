//! Plans, which limit what owners may create.

use serde_json::{Value, json};

use super::Error;
use super::changes::{Action, Change, ChangeTransaction, Changed, Subject};
use super::idempotency::{Fingerprint, IdempotentRequest, Namespace, audit_of, fingerprint};
use super::page::{FoundPage, ListPosition, PageRequest};
use super::version::Versioned;
pub use crate::store::entities::plan::Model as Plan;
use crate::store::events::{self, ChangeKind, EventChange};
use crate::store::idempotency::Created;
use crate::store::invalidations::{self, Invalidation};
use crate::store::{Store, StoreError, owners, plans};
use crate::values::{Name, RateLimit, RequestCount, RequestLimit};

/// Default plan of a new owner.
pub const DEFAULT: &str = "free";
/// Plan of the first owner of a new database.
pub const UNLIMITED: &str = "unlimited";

/// Action of the events that remove plans.
const REMOVAL: &str = Action::PlanRemove.into_str();

/// Maximum number of links of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkLimit {
    /// This number of links.
    AtMost(u32),
    /// Any number of links.
    Unlimited,
}

impl LinkLimit {
    fn stored(self) -> Option<i64> {
        match self {
            Self::AtMost(limit) => Some(i64::from(limit)),
            Self::Unlimited => None,
        }
    }
}

/// Settings of a plan. A setting that is `None` keeps its value. In a new plan, it means no limit,
/// or no custom codes.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlanSettings {
    /// Maximum number of links per owner.
    pub max_links: Option<LinkLimit>,
    /// Whether an owner may request custom codes.
    pub custom_codes: Option<bool>,
    /// Maximum rate of an owner's requests.
    pub requests: Option<RequestLimit>,
    /// Number of requests that an owner may send at once. The inner `None` is the number of the rate.
    pub burst: Option<Option<RequestCount>>,
    /// Maximum number of links that an owner may create per day.
    pub links_per_day: Option<LinkLimit>,
}

impl PlanSettings {
    /// Returns the fingerprint of a request that creates a plan.
    pub fn fingerprint(&self, name: &Name, change: &Change) -> Fingerprint {
        let settings = format!("{self:?}");
        let own = [Some(name.as_str()), Some(settings.as_str())];
        fingerprint("plans", &[&own[..], &audit_of(change)].concat())
    }

    fn apply_to(&self, plan: &mut Plan) -> Result<(), Error> {
        let Self { max_links, custom_codes, requests, burst, links_per_day } = *self;
        if let Some(limit) = max_links {
            plan.max_links = limit.stored();
        }
        if let Some(limit) = links_per_day {
            plan.links_per_day = limit.stored();
        }
        match requests {
            Some(RequestLimit::AtMost(rate)) => plan.requests = Some(rate.to_string()),
            // A later rate does not revive an old burst.
            Some(RequestLimit::Unlimited) => (plan.requests, plan.burst) = (None, None),
            None => {}
        }
        if let Some(burst) = burst {
            if burst.is_some() && plan.requests.is_none() {
                return Err(Error::BurstWithoutRate(plan.name.clone()));
            }
            plan.burst = burst.map(|burst| burst.get().into());
        }
        plan.custom_codes = custom_codes.unwrap_or(plan.custom_codes);
        Ok(())
    }
}

/// Returns the limit of an owner's requests on this plan, or `None` if there is none.
pub(super) fn request_limit(plan: &Plan) -> Option<RateLimit> {
    let rate = plan.requests.as_deref()?.parse().ok()?;
    let burst = plan.burst.and_then(|burst| RequestCount::new(u32::try_from(burst).ok()?).ok());
    Some(RateLimit::new(rate, burst))
}

/// Returns all plans in the order of their names.
pub async fn list(store: &Store) -> Result<Vec<Plan>, Error> {
    let mut plans = plans::list(store.reader()).await?;
    // A database may order them by the rules of a language.
    plans.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(plans)
}

/// Returns a page of the plans in the order of their names. A position is a hash of the last name, which
/// is that of a plan or of one that an event removed. `None` if there was no such plan.
pub async fn page(store: &Store, request: PageRequest) -> Result<Option<FoundPage<Plan>>, Error> {
    let PageRequest { position, limit } = request;
    let mut plans = list(store).await?;
    if position != ListPosition::START {
        let is_last = |name: &String| ListPosition::hash(name) == position.0;
        let mut last = plans.iter().map(|plan| plan.name.clone()).find(is_last);
        if last.is_none() {
            let removed = events::subjects_of(store.reader(), REMOVAL).await?;
            last = removed.into_iter().find(is_last);
        }
        let Some(last) = last else { return Ok(None) };
        plans.retain(|plan| plan.name > last);
    }
    Ok(Some(FoundPage::cut(plans, limit, |plan| ListPosition::hash(&plan.name))))
}

/// Returns a plan.
///
/// # Errors
/// [`Error::PlanNotFound`].
pub async fn get(store: &Store, name: &str) -> Result<Plan, Error> {
    let missing = || Error::PlanNotFound(name.to_owned());
    // No plan has an invalid name, and PostgreSQL refuses to look for some of them.
    let valid = Name::parse(name).map_err(|_| missing())?;
    let found = plans::find(store.reader(), valid.as_str()).await?;
    found.ok_or_else(missing)
}

/// Creates a plan.
///
/// # Errors
/// [`Error::PlanExists`], [`Error::BurstWithoutRate`] or [`Error::KeyReused`].
pub async fn add(
    store: &Store,
    name: &Name,
    settings: &PlanSettings,
    repeatable: Option<&IdempotentRequest>,
    change: &Change,
) -> Result<Changed<Plan>, Error> {
    let added = change.apply(store, Action::PlanAdd, async |mut transaction| {
        let mut plan = Plan {
            name: name.as_str().to_owned(),
            max_links: None,
            custom_codes: false,
            requests: None,
            burst: None,
            links_per_day: None,
        };
        settings.apply_to(&mut plan)?;
        if transaction.earlier_response(Namespace::Operator, repeatable).await?.is_some() {
            return transaction.done(plan);
        }
        let inserted = plans::insert(&transaction.db, plan.clone()).await;
        let exists = |error| Error::of_write(error, Error::PlanExists(plan.name.clone()));
        inserted.map_err(exists)?;
        record(&mut transaction, None, Some(&plan)).await?;
        let created = Created::Subject(name.as_str(), None);
        transaction.store_response(Namespace::Operator, repeatable, created).await?;
        transaction.done(plan)
    });
    added.await
}

/// Changes a plan. A lower limit deletes no links. Running servers apply another rate within a
/// second.
///
/// # Errors
/// [`Error::PlanNotFound`], [`Error::PreconditionFailed`] or [`Error::BurstWithoutRate`].
pub async fn set(
    store: &Store,
    name: &Name,
    settings: &PlanSettings,
    change: &Change,
) -> Result<Changed<Plan>, Error> {
    let set = change.apply(store, Action::PlanSet, async |mut transaction| {
        let db = &transaction.db;
        let before = plans::lock(db, name.as_str()).await?;
        let before = before.ok_or_else(|| Error::PlanNotFound(name.as_str().to_owned()))?;
        change.check(&before)?;
        let mut plan = before.clone();
        settings.apply_to(&mut plan)?;
        if plan != before {
            plans::update(db, plan.clone()).await?;
            if request_limit(&plan) != request_limit(&before) {
                // Servers cache the rate of an owner's plan with the owner's keys.
                invalidations::publish(db, &Invalidation::Keys, change.now).await?;
            }
            record(&mut transaction, Some(&before), Some(&plan)).await?;
        }
        transaction.done(plan)
    });
    set.await
}

/// Deletes a plan that no owner has.
///
/// # Errors
/// [`Error::PlanNotFound`], [`Error::PreconditionFailed`] or [`Error::PlanInUse`].
pub async fn remove(store: &Store, name: &str, change: &Change) -> Result<Changed, Error> {
    let missing = || Error::PlanNotFound(name.to_owned());
    // No plan has an invalid name, and PostgreSQL refuses to look for some of them.
    let valid = Name::parse(name).map_err(|_| missing())?;
    let removed = change.apply(store, Action::PlanRemove, async |mut transaction| {
        let db = &transaction.db;
        // An owner who gets the plan holds its row.
        let plan = plans::lock(db, valid.as_str()).await?.ok_or_else(missing)?;
        change.check(&plan)?;
        let owners = owners::count_on_plan(db, &plan.name).await?;
        if owners > 0 {
            return Err(Error::PlanInUse { name: plan.name, owners });
        }
        plans::delete(db, &plan.name).await?;
        record(&mut transaction, Some(&plan), None).await?;
        transaction.done(())
    });
    removed.await
}

impl Versioned for Plan {
    fn writable(&self) -> Value {
        let Self { name: _, max_links, custom_codes, requests, burst, links_per_day } = self;
        json!({
            "max_links": max_links, "links_per_day": links_per_day, "request_rate": requests,
            "burst": burst, "custom_codes": custom_codes,
        })
    }
}

/// Records the change of a plan. `before` is `None` for a new one, and `after` for a deleted one.
async fn record(
    transaction: &mut ChangeTransaction<'_>,
    before: Option<&Plan>,
    after: Option<&Plan>,
) -> Result<(), StoreError> {
    let Some(Plan { name, .. }) = after.or(before) else { return Ok(()) };
    let name = name.as_str();
    let change = EventChange::between(
        name,
        &json!(before.map(Plan::writable)),
        &json!(after.map(Plan::writable)),
    );
    transaction.record_values(&Subject::new(name), ChangeKind::Plan, vec![change]).await?;
    Ok(())
}
