//! Selectors, which choose links.

use std::collections::{HashMap, HashSet};

use crate::domain::owners::OwnerRef;
use crate::domain::{Error, Realm};
use crate::store::link_changes::{self, LinkConditions};
use crate::store::{Connection, entities, events};
use crate::values::ShortCode;

/// Conditions by which a caller selects links. A link must meet all of them.
#[derive(Debug, Clone)]
pub struct LinkSelector {
    /// Whose links the caller may select.
    pub realm: Realm,
    /// Lists of short codes. The code of a link must be in every list; without lists, any code
    /// matches.
    pub code_lists: Vec<Vec<String>>,
    /// Name of the owner.
    pub owner: Option<String>,
    /// Campaign.
    pub campaign: Option<String>,
    /// Host of the destination in Punycode, or a parent domain of it.
    pub host: Option<String>,
    /// Destination, exactly as the client sent it.
    pub destination: Option<String>,
}

/// A selector whose owner and codes have been looked up in the database.
#[derive(Debug, Clone)]
pub(super) struct ResolvedSelector {
    /// Conditions that the chosen links meet.
    pub(super) conditions: LinkConditions,
    /// Identifiers of the chosen links, oldest first.
    pub(super) ids: Vec<i64>,
    /// Deleted links whose codes the selector lists.
    pub(super) deleted: Vec<entities::link::Model>,
    /// Listed codes that no link has, in the order of the lists.
    pub(super) missing: Vec<MissingCode>,
    /// Identifier and name of the owner, if the selector has one.
    pub(super) owner: Option<(i64, String)>,
}

/// A listed code that no link has.
#[derive(Debug, Clone)]
pub(super) struct MissingCode {
    pub(super) code: String,
    /// Whether a link had it that was deleted.
    is_retired: bool,
}

impl LinkSelector {
    /// Returns the selector of the link with this code.
    #[must_use]
    pub fn of_code(realm: Realm, code: &str) -> Self {
        let code_lists = vec![vec![code.to_owned()]];
        Self { realm, code_lists, owner: None, campaign: None, host: None, destination: None }
    }

    /// Returns the code if the selector is a single code and nothing else, or else `None`.
    #[must_use]
    pub fn single_code(&self) -> Option<&str> {
        match self.code_lists.as_slice() {
            [codes] if self.is_only_codes() && codes.len() == 1 => {
                codes.first().map(String::as_str)
            }
            _ => None,
        }
    }

    /// Returns whether the selector has no condition, so that it chooses all links.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { realm: _, code_lists, owner, campaign, host, destination } = self;
        code_lists.is_empty() && [owner, campaign, host, destination].iter().all(|o| o.is_none())
    }

    /// Returns whether the selector lists codes and nothing else.
    pub(super) fn is_only_codes(&self) -> bool {
        let Self { realm: _, code_lists, owner, campaign, host, destination } = self;
        !code_lists.is_empty() && [owner, campaign, host, destination].iter().all(|o| o.is_none())
    }

    /// Describes the chosen links for the subject of an event. It leaves out the destination, which
    /// the deletion of a link must erase everywhere, and for a deletion (`is_deletion`) also
    /// campaign and host.
    pub(super) fn description(&self, is_deletion: bool) -> String {
        let Self { realm: _, code_lists, owner, campaign, host, destination } = self;
        let named = |name: &str, value: &String| match is_deletion {
            true => format!("one {name}"),
            false => format!("{name} {value}"),
        };
        let codes = code_lists.iter().map(|codes| match codes.as_slice() {
            [code] => code.clone(),
            codes => format!("{} codes", codes.len()),
        });
        let owner = owner.iter().map(|owner| format!("{} {owner}", events::OWNER_SELECTOR));
        let campaign = campaign.iter().map(|campaign| named(events::CAMPAIGN_SELECTOR, campaign));
        let host = host.iter().map(|host| named(events::HOST_SELECTOR, host));
        let destination = destination.iter().map(|_| "one destination".to_owned());
        let parts: Vec<String> =
            codes.chain(owner).chain(campaign).chain(host).chain(destination).collect();
        parts.join(", ")
    }

    /// Finds the chosen links.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`], or if the database fails.
    pub(super) async fn resolve(&self, db: &impl Connection) -> Result<ResolvedSelector, Error> {
        let Self { realm, code_lists, owner, campaign, host, destination } = self;
        let owner = match owner {
            Some(name) => Some((OwnerRef::from(name).find(db).await?.id, name.clone())),
            None => None,
        };
        let conditions = LinkConditions {
            owner_id: realm.owner_id().or(owner.as_ref().map(|(id, _)| *id)),
            campaign: campaign.clone(),
            host: host.clone(),
            destination: destination.clone(),
        };
        if code_lists.is_empty() {
            let ids = link_changes::select(db, &conditions).await?;
            let (deleted, missing) = (Vec::new(), Vec::new());
            return Ok(ResolvedSelector { conditions, ids, deleted, missing, owner });
        }
        // A code has one normal form. A text that cannot be a code is reported as it is.
        let normalise =
            |text: &String| ShortCode::parse(text).map_or_else(|_| text.clone(), String::from);
        let code_lists: Vec<HashSet<String>> =
            code_lists.iter().map(|codes| codes.iter().map(normalise).collect()).collect();
        let mut codes: Vec<String> = self.code_lists.iter().flatten().map(normalise).collect();
        let mut seen = HashSet::new();
        codes.retain(|code| seen.insert(code.clone()));
        let known: Vec<ShortCode> =
            codes.iter().filter_map(|code| ShortCode::parse(code).ok()).collect();
        let found = link_changes::with_codes(db, &known).await?;
        let found = found.into_iter().filter(|link| realm.includes(link.owner_id));
        let found: HashMap<String, entities::link::Model> =
            found.map(|link| (link.short_code.clone(), link)).collect();
        let missing = codes.into_iter().filter_map(|code| match found.get(&code) {
            Some(link) if link.owner_id.is_some() => None,
            link => Some(MissingCode { is_retired: link.is_some(), code }),
        });
        let missing = missing.collect();
        let (mut links, mut deleted): (Vec<_>, Vec<_>) = found
            .into_values()
            .filter(|link| code_lists.iter().all(|codes| codes.contains(&link.short_code)))
            .partition(|link| link.owner_id.is_some());
        deleted.sort_unstable_by_key(|link| link.id);
        links.sort_unstable_by_key(|link| link.id);
        let ids = links.iter().map(|link| link.id).collect();
        Ok(ResolvedSelector { conditions, ids, deleted, missing, owner })
    }
}

impl ResolvedSelector {
    /// Returns the selection unless it names codes that no link has, or ever had.
    ///
    /// # Errors
    /// [`Error::LinksNotFound`].
    pub(super) fn known(self) -> Result<Self, Error> {
        let unknown = self.missing.iter().filter(|missing| !missing.is_retired);
        let unknown: Vec<String> = unknown.map(|missing| missing.code.clone()).collect();
        if unknown.is_empty() { Ok(self) } else { Err(Error::LinksNotFound(unknown)) }
    }
}
