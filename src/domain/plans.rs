//! Plans, which limit what owners may create.

use super::AdminError;
use crate::store::entities::plan::Model;
use crate::store::{Durability, Store, plans};
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

/// What owners with this plan may do.
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

/// Creates or updates a plan. Omitted settings keep their values; a new plan has no limit and no
/// custom codes. A lower limit removes no links.
///
/// # Errors
/// If the database fails.
pub async fn set(
    store: &Store,
    name: &Name,
    max_links: Option<LinkLimit>,
    custom_codes: Option<bool>,
) -> Result<Plan, AdminError> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let existing = plans::lock(db, name.as_str()).await?;
    let is_new = existing.is_none();
    let mut plan = existing.unwrap_or(Model {
        name: name.as_str().to_owned(),
        max_links: None,
        custom_codes: false,
    });
    match max_links {
        Some(LinkLimit::AtMost(limit)) => plan.max_links = Some(i64::from(limit)),
        Some(LinkLimit::Unlimited) => plan.max_links = None,
        None => {}
    }
    plan.custom_codes = custom_codes.unwrap_or(plan.custom_codes);
    if is_new {
        plans::insert(db, plan.clone()).await?;
    } else {
        plans::update(db, plan.clone()).await?;
    }
    transaction.commit().await?;
    Ok(plan.into())
}
