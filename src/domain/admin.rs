//! Operations of the operator on links of any owner.

use super::AdminError;
use super::links::Link;
use crate::store::links::LinkKey;
use crate::store::{Durability, Store, changes, links, owners};
use crate::values::{Reason, ShortCode, Timestamp};

/// Returns a link of any owner, and the name of its owner.
///
/// # Errors
/// [`AdminError::NoSuchLink`], or if the database fails.
pub async fn show(store: &Store, code: &str) -> Result<(Link, String), AdminError> {
    let missing = || AdminError::NoSuchLink(code.to_owned());
    let code = ShortCode::parse(code).map_err(|_| missing())?;
    let found = store.find_with_clicks(LinkKey { owner_id: None, code }).await?;
    let link = found.ok_or_else(missing)?;
    let owner = owners::name_of(store.reader(), link.owner_id).await?.unwrap_or_default();
    Ok((link, owner))
}

/// Disables a link of any owner for a reason, or enables it without one. Running servers apply the change within a second.
///
/// # Errors
/// [`AdminError::NoSuchLink`], or if the database fails.
pub async fn set_disabled(
    store: &Store,
    code: &str,
    disabled: Option<Reason>,
    now: Timestamp,
) -> Result<(), AdminError> {
    let missing = || AdminError::NoSuchLink(code.to_owned());
    let code = ShortCode::parse(code).map_err(|_| missing())?;
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    if !links::set_disabled(db, &code, disabled).await? {
        return Err(missing());
    }
    changes::publish(db, &changes::Change::Link(code.clone()), now).await?;
    Ok(transaction.commit().await?)
}
