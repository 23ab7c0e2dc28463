//! Links as the operator sees them, whoever's they are.

use super::AdminError;
use super::clicks::MOST_CLICKS;
use crate::store::{Durability, Store, changes, links, owners};
use crate::values::{Moment, ShortCode};

/// A link as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkInfo {
    /// The code.
    pub short_code: String,
    /// The owner's name.
    pub owner: String,
    /// Where it leads.
    pub destination_url: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its campaign, if it has one.
    pub campaign: Option<String>,
    /// All clicks.
    pub clicks: i64,
    /// Whether it redirects.
    pub is_active: bool,
    /// Whether its QR code is enabled.
    pub has_qr: bool,
    /// When it was made.
    pub created_at: Moment,
}

/// A link, whoever's it is.
///
/// # Errors
/// [`AdminError::NoSuchLink`], or when the database fails.
pub async fn show(store: &Store, code: &str) -> Result<LinkInfo, AdminError> {
    let db = store.reader();
    let missing = || AdminError::NoSuchLink(code.to_owned());
    let code = ShortCode::parse(code).map_err(|_| missing())?;
    let link = links::find(db, &code).await?.ok_or_else(missing)?;
    let owner = owners::name_of(db, link.owner_id).await?.unwrap_or_default();
    let counted = links::count_one(store, link.owner_id, &code).await?.ok_or_else(missing)?;
    Ok(LinkInfo {
        short_code: link.short_code,
        owner,
        destination_url: link.destination_url,
        title: link.title,
        campaign: link.campaign,
        clicks: counted.clicks.min(MOST_CLICKS),
        is_active: link.is_active == 1,
        has_qr: link.has_qr == 1,
        created_at: Moment::from_millis(link.created_at),
    })
}

/// Enables or disables a link, whoever's it is; running servers follow within a second.
///
/// # Errors
/// [`AdminError::NoSuchLink`], or when the database fails.
pub async fn set_active(
    store: &Store,
    code: &str,
    active: bool,
    now: Moment,
) -> Result<(), AdminError> {
    let missing = || AdminError::NoSuchLink(code.to_owned());
    let code = ShortCode::parse(code).map_err(|_| missing())?;
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    if !links::set_active(db, &code, active).await? {
        return Err(missing());
    }
    changes::announce(db, &changes::Change::Link(code.clone()), now).await?;
    Ok(transaction.commit().await?)
}
