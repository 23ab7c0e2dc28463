//! Selectors, by which an operator chooses links.

use std::collections::HashMap;

use crate::domain::AdminError;
use crate::domain::owners::find_by_name;
use crate::store::link_changes::{self, LinkConditions};
use crate::store::{Connection, entities};
use crate::values::ShortCode;

/// Conditions by which an operator selects links. A link must meet all of them.
#[derive(Debug, Clone, Default)]
pub struct LinkSelector {
    /// Short codes. `None`: links of any code.
    pub codes: Option<Vec<String>>,
    /// Name of the owner.
    pub owner: Option<String>,
    /// Campaign.
    pub campaign: Option<String>,
    /// Host of the destination in Punycode, or a parent domain of it.
    pub host: Option<String>,
    /// Destination, exactly as the client sent it.
    pub destination: Option<String>,
}

/// A selector whose names are resolved.
#[derive(Debug, Clone)]
pub(super) struct ResolvedSelector {
    /// Conditions that the chosen links meet.
    pub(super) conditions: LinkConditions,
    /// Identifiers of the chosen links, oldest first.
    pub(super) ids: Vec<i64>,
    /// The deleted links among the listed codes.
    pub(super) deleted: Vec<entities::link::Model>,
    /// Identifier and name of the owner, if the selector has one.
    pub(super) owner: Option<(i64, String)>,
}

impl LinkSelector {
    /// Returns whether the selector is a single code and nothing else.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.is_only_codes() && self.codes.as_ref().is_some_and(|codes| codes.len() == 1)
    }

    /// Returns whether the selector lists codes and nothing else.
    pub(super) fn is_only_codes(&self) -> bool {
        let Self { codes, owner, campaign, host, destination } = self;
        codes.is_some() && [owner, campaign, host, destination].iter().all(|o| o.is_none())
    }

    /// Describes the chosen links in an event. A destination is left out, because the deletion of a
    /// link must erase it everywhere.
    pub(super) fn description(&self) -> String {
        let Self { codes, owner, campaign, host, destination } = self;
        let mut parts = Vec::new();
        match codes.as_deref() {
            Some([code]) => parts.push(code.clone()),
            Some(codes) => parts.push(format!("{} codes", codes.len())),
            None => {}
        }
        let named = [("owner", owner), ("campaign", campaign), ("host", host)];
        parts.extend(
            named
                .iter()
                .filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}"))),
        );
        if destination.is_some() {
            parts.push("one destination".to_owned());
        }
        parts.join(", ")
    }

    /// Finds the chosen links.
    ///
    /// # Errors
    /// [`AdminError::NoSuchOwner`]; [`AdminError::NoSuchLinks`] for listed codes that no link ever
    /// had; or if the database fails.
    pub(super) async fn resolve(
        &self,
        db: &impl Connection,
    ) -> Result<ResolvedSelector, AdminError> {
        let Self { codes, owner, campaign, host, destination } = self;
        let owner = match owner {
            Some(name) => Some((find_by_name(db, name).await?.id, name.clone())),
            None => None,
        };
        let conditions = LinkConditions {
            owner_id: owner.as_ref().map(|(id, _)| *id),
            campaign: campaign.clone(),
            host: host.clone(),
            destination: destination.clone(),
        };
        let Some(codes) = codes else {
            let ids = link_changes::select(db, &conditions).await?;
            return Ok(ResolvedSelector { conditions, ids, deleted: Vec::new(), owner });
        };
        let parsed: Vec<Option<ShortCode>> =
            codes.iter().map(|code| ShortCode::parse(code).ok()).collect();
        let known: Vec<ShortCode> = parsed.iter().flatten().cloned().collect();
        let found = link_changes::with_codes(db, &known).await?;
        let found: HashMap<String, entities::link::Model> =
            found.into_iter().map(|link| (link.short_code.clone(), link)).collect();
        let unknown: Vec<&String> =
            codes.iter().filter(|code| !found.contains_key(*code)).collect();
        if !unknown.is_empty() {
            return Err(AdminError::NoSuchLinks(unknown.into_iter().cloned().collect()));
        }
        let (mut links, mut deleted): (Vec<_>, Vec<_>) =
            found.into_values().partition(|link| link.owner_id.is_some());
        deleted.sort_unstable_by_key(|link| link.id);
        links.sort_unstable_by_key(|link| link.id);
        let ids = links.iter().map(|link| link.id).collect();
        Ok(ResolvedSelector { conditions, ids, deleted, owner })
    }
}
