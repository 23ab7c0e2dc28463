//! Plans, which limit what owners may create.

use super::AdminError;
use super::events::{self, Action, ChangeContext, ChangeResult, Subject};
use crate::store::entities::plan::Model;
use crate::store::{Durability, Store, StoreError, plans};
use crate::values::Name;

/// Default plan of a new owner.
pub const DEFAULT: &str = "free";
/// Plan of the first owner of a new database.
pub const UNLIMITED: &str = "unlimited";

/// Maximum number of links per owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkLimit {
    /// The owner may have this number of links.
    AtMost(u32),
    /// The owner may have any number of links.
    Unlimited,
}

/// A plan: limits that apply to every owner with this plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Name of the plan.
    pub name: String,
    /// Maximum number of links per owner. `None`: no limit.
    pub max_links: Option<i64>,
    /// Whether an owner may request custom codes.
    pub custom_codes: bool,
}

impl From<Model> for Plan {
    fn from(Model { name, max_links, custom_codes }: Model) -> Self {
        Self { name, max_links, custom_codes }
    }
}

/// Returns all plans in the order of their names.
///
/// # Errors
/// If the database fails.
pub async fn list(store: &Store) -> Result<Vec<Plan>, AdminError> {
    Ok(plans::list(store.reader()).await?.into_iter().map(Plan::from).collect())
}

/// Creates a plan. Without `max_links` it has no limit, and without `custom_codes` it allows none.
///
/// # Errors
/// [`AdminError::PlanExists`], or if the database fails.
pub async fn add(
    store: &Store,
    name: &Name,
    max_links: Option<LinkLimit>,
    custom_codes: Option<bool>,
    context: &ChangeContext,
) -> Result<(ChangeResult, Plan), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let mut plan = Model { name: name.as_str().to_owned(), max_links: None, custom_codes: false };
    apply(&mut plan, max_links, custom_codes);
    match plans::insert(&transaction, plan.clone()).await {
        Ok(()) => {}
        Err(StoreError::Conflict) => return Err(AdminError::PlanExists(plan.name)),
        Err(error) => return Err(error.into()),
    }
    let subject = Subject { text: name.as_str(), owner: None };
    let event = events::record(&transaction, context, Action::PlanAdd, subject, 1).await?;
    Ok((events::commit(transaction, context, event, 1).await?, plan.into()))
}

/// Changes a plan. Omitted settings keep their values. A lower limit deletes no links.
///
/// # Errors
/// [`AdminError::NoSuchPlan`], or if the database fails.
pub async fn set(
    store: &Store,
    name: &Name,
    max_links: Option<LinkLimit>,
    custom_codes: Option<bool>,
    context: &ChangeContext,
) -> Result<(ChangeResult, Plan), AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let before = plans::lock(db, name.as_str()).await?;
    let before = before.ok_or_else(|| AdminError::NoSuchPlan(name.as_str().to_owned()))?;
    let mut plan = before.clone();
    apply(&mut plan, max_links, custom_codes);
    let changed = u64::from(plan != before);
    if changed > 0 {
        plans::update(db, plan.clone()).await?;
    }
    let subject = Subject { text: name.as_str(), owner: None };
    let event = events::record(db, context, Action::PlanSet, subject, changed).await?;
    Ok((events::commit(transaction, context, event, changed).await?, plan.into()))
}

fn apply(plan: &mut Model, max_links: Option<LinkLimit>, custom_codes: Option<bool>) {
    match max_links {
        Some(LinkLimit::AtMost(limit)) => plan.max_links = Some(i64::from(limit)),
        Some(LinkLimit::Unlimited) => plan.max_links = None,
        None => {}
    }
    plan.custom_codes = custom_codes.unwrap_or(plan.custom_codes);
}
