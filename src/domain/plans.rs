//! What owners may do.

use super::AdminError;
use crate::store::entities::plan::Model;
use crate::store::{Durability, Store, plans};
use crate::values::Name;

/// The plan of owners who are given none.
pub const DEFAULT: &str = "free";
/// The plan of the first owner of a new database.
pub const UNLIMITED: &str = "unlimited";

/// How many links an owner may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkLimit {
    /// At most so many.
    AtMost(u32),
    /// Any number.
    Unlimited,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// How many links an owner may have; none: any number.
    pub max_links: Option<i64>,
    /// Whether an owner may choose codes.
    pub custom_codes: bool,
}

impl From<Model> for Plan {
    fn from(Model { name, max_links, custom_codes }: Model) -> Self {
        Self { name, max_links, custom_codes }
    }
}

/// All plans, by name.
///
/// # Errors
/// When the database fails.
pub async fn list(store: &Store) -> Result<Vec<Plan>, AdminError> {
    Ok(plans::list(store.reader()).await?.into_iter().map(Plan::from).collect())
}

/// Makes the plan or changes it; what is not given stays, or is without limit and custom codes on a
/// new plan. Links that are there already stay, however low the new limit.
///
/// # Errors
/// When the database fails.
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
