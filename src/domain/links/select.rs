//! Which links a change concerns: selectors, which choose links, and the one link of a change with what must
//! hold for it, such as its version.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::rules::LinkRules;
use super::search::SearchScope;
use crate::domain::blocks::BlockSnapshot;
use crate::domain::changes::{Change, ChangeTransaction, Subject};
use crate::domain::owners::OwnerRef;
use crate::domain::{Error, Realm};
use crate::store::entities::link::Model;
use crate::store::link_changes::{self, LinkConditions};
use crate::store::links::{self, Link};
use crate::store::{Connection, Store, entities, events, owners};
use crate::values::{ShortCode, Timestamp};

/// Conditions by which a caller selects links. A link must meet all of them.
#[derive(Debug, Clone)]
pub struct LinkSelector {
    /// Whose links the caller may select.
    pub realm: Realm,
    /// Lists of short codes. The code of a link must be in every list; without lists, any code
    /// matches.
    pub code_lists: Vec<Vec<String>>,
    /// The owner.
    pub owner: Option<OwnerRef<'static>>,
    /// Further conditions.
    pub conditions: LinkConditions,
}

/// What decides the states of links.
#[derive(Debug, Clone)]
pub(super) struct StateSource {
    /// The owners, some of whom may be suspended.
    pub(super) scope: SearchScope,
    /// Patterns of blocked destinations.
    pub(super) blocks: Arc<BlockSnapshot>,
    /// The time.
    pub(super) now: Timestamp,
}

/// A selector whose owner and codes have been looked up in the database.
#[derive(Debug, Clone)]
pub(super) struct ResolvedSelector {
    /// Conditions that the chosen links meet.
    pub(super) conditions: LinkConditions,
    /// What decides the states of the links.
    pub(super) states: StateSource,
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
    pub fn of_code(realm: Realm, code: &str) -> Self {
        let code_lists = vec![vec![code.to_owned()]];
        Self { realm, code_lists, owner: None, conditions: LinkConditions::default() }
    }

    /// Returns the code if the selector is a single code and nothing else, or else `None`.
    pub fn single_code(&self) -> Option<&str> {
        match self.code_lists.as_slice() {
            [codes] if self.is_only_codes() && codes.len() == 1 => {
                codes.first().map(String::as_str)
            }
            _ => None,
        }
    }

    /// Returns whether the selector has no condition, so that it chooses all links.
    pub fn is_empty(&self) -> bool {
        self.code_lists.is_empty() && self.owner.is_none() && self.conditions.are_none()
    }

    /// Returns whether the selector lists codes and nothing else, or only a state besides.
    pub(super) fn is_only_codes(&self) -> bool {
        let conditions = LinkConditions { state: None, ..self.conditions.clone() };
        !self.code_lists.is_empty() && self.owner.is_none() && conditions.are_none()
    }

    /// Describes the chosen links for the subject of an event. It leaves out the destination, which
    /// the deletion of a link must erase everywhere, and for a deletion (`is_deletion`) also
    /// campaign and host.
    pub(super) fn description(&self, owner: Option<&str>, is_deletion: bool) -> String {
        let Self { realm: _, code_lists, owner: _, conditions } = self;
        let LinkConditions { owner_id: _, external_id, campaign, state, .. } = conditions;
        let LinkConditions { host, destination, text, created_by, .. } = conditions;
        let LinkConditions { created_after, created_before, updated_after, .. } = conditions;
        let named = |name: &str, value: &String| match is_deletion {
            true => format!("one {name}"),
            false => format!("{name} {value}"),
        };
        let codes = code_lists.iter().map(|codes| match codes.as_slice() {
            [code] => code.clone(),
            codes => format!("{} codes", codes.len()),
        });
        let since =
            |verb: &str, time: &Option<Timestamp>| time.map(|time| format!("{verb} {time}"));
        let others = [
            owner.map(|owner| format!("{} {owner}", events::OWNER_SELECTOR)),
            campaign.as_ref().map(|campaign| named(events::CAMPAIGN_SELECTOR, campaign)),
            host.as_ref().map(|host| named(events::HOST_SELECTOR, host)),
            destination.as_ref().map(|_| "one destination".to_owned()),
            external_id.as_ref().map(|_| "one external identifier".to_owned()),
            text.as_ref().map(|_| "one text".to_owned()),
            state.map(|state| format!("state {state}")),
            created_by.map(|key| format!("created by key {key}")),
            since("created after", created_after),
            since("created before", created_before),
            since("updated after", updated_after),
        ];
        codes.chain(others.into_iter().flatten()).collect::<Vec<_>>().join(", ")
    }

    /// Finds the chosen links.
    ///
    /// # Errors
    /// [`Error::OwnerNotFound`], or if the database fails.
    pub(super) async fn resolve(
        &self,
        db: &impl Connection,
        states: StateSource,
    ) -> Result<ResolvedSelector, Error> {
        let Self { realm, code_lists, owner, conditions } = self;
        let owner = match owner {
            Some(owner) => Some(owner.find(db).await?).map(|owner| (owner.id, owner.name)),
            None => None,
        };
        let conditions = LinkConditions {
            owner_id: realm.owner_id().or(owner.as_ref().map(|(id, _)| *id)),
            ..conditions.clone()
        };
        let (ids, deleted, missing) = (Vec::new(), Vec::new(), Vec::new());
        let empty = ResolvedSelector { conditions, states, ids, deleted, missing, owner };
        if code_lists.is_empty() {
            let ids = link_changes::select(db, &empty.conditions).await?;
            if !empty.needs_rows() {
                return Ok(ResolvedSelector { ids, ..empty });
            }
            let mut chosen = Vec::new();
            for part in ids.chunks(link_changes::MAX_IDS) {
                let links = link_changes::with_ids(db, part).await?;
                let links = links.into_iter().filter(|link| empty.chooses(link));
                chosen.extend(links.map(|link| link.id));
            }
            return Ok(ResolvedSelector { ids: chosen, ..empty });
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
        let ids = links.iter().filter(|link| empty.chooses(link)).map(|link| link.id).collect();
        Ok(ResolvedSelector { ids, deleted, missing, ..empty })
    }
}

impl StateSource {
    /// Returns what decides the states of the links that a selector chooses, as far as it asks for them.
    pub(super) async fn of_selector(
        store: &Store,
        selector: &LinkSelector,
        blocks: Arc<BlockSnapshot>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let scope = match selector.realm {
            Realm::Everyone if selector.conditions.state.is_some() => {
                SearchScope::of_operator(store, None).await?
            }
            Realm::Everyone | Realm::Owner(_) => {
                SearchScope::own(selector.realm.owner_id().unwrap_or(0))
            }
        };
        Ok(Self { scope, blocks, now })
    }
}

impl ResolvedSelector {
    /// Returns whether only a row itself shows that it is chosen.
    fn needs_rows(&self) -> bool {
        self.conditions.state.is_some() || self.conditions.text.is_some()
    }

    /// Returns whether a link meets the conditions.
    pub(super) fn chooses(&self, link: &entities::link::Model) -> bool {
        let StateSource { scope, blocks, now } = &self.states;
        Link::from_row(link.clone(), 0).is_some_and(|link| {
            let state = scope.state(&link, blocks, *now);
            self.conditions.are_met_by(&link, state.into_str())
        })
    }

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

/// The link of a change, and what must hold for it.
#[derive(Debug, Clone, Copy)]
pub struct LinkTarget<'a> {
    /// Whose links the caller may change.
    pub realm: Realm,
    /// Short code.
    pub code: &'a str,
    /// External identifier that the link must have. `None`: any, or none.
    pub external_id: Option<&'a str>,
}

impl<'a> LinkTarget<'a> {
    /// Returns the target of an operator.
    pub const fn of_code(code: &'a str) -> Self {
        Self { realm: Realm::Everyone, code, external_id: None }
    }

    /// Finds the link.
    ///
    /// # Errors
    /// [`Error::LinksNotFound`] or [`Error::LinksDeleted`].
    pub(super) async fn find(self, db: &impl Connection) -> Result<Model, Error> {
        let missing = || Error::LinksNotFound(vec![self.code.to_owned()]);
        let code = ShortCode::parse(self.code).map_err(|_| missing())?;
        let found = links::find(db, &code).await?.ok_or_else(missing)?;
        match found.owner_id {
            of if !self.realm.includes(of) => Err(missing()),
            None => Err(Error::LinksDeleted(vec![self.code.to_owned()])),
            Some(_) => Ok(found),
        }
    }

    /// Returns the subject of the event.
    pub(super) async fn subject(self, store: &Store, link: &Model) -> Result<Subject, Error> {
        let owner = match link.owner_id {
            Some(id) => owners::name_of(store.reader(), id).await?.map(|name| (id, name)),
            None => None,
        };
        Ok(Subject { text: self.code.to_owned(), owner })
    }

    /// Checks that an owner's key may still make the change. Callers lock the link afterwards.
    pub(super) async fn authorize(self, transaction: &ChangeTransaction<'_>) -> Result<(), Error> {
        if let Realm::Owner(id) = self.realm {
            transaction.authorize(id).await?;
        }
        Ok(())
    }

    /// Checks the locked link: its version, and that an owner does not destroy the evidence of an
    /// operator.
    ///
    /// # Errors
    /// [`Error::LinksNotFound`], [`Error::PreconditionFailed`] or [`Error::LinkDisabled`]
    pub(super) fn check(
        self,
        link: &Model,
        rules: &LinkRules,
        change: &Change,
    ) -> Result<(), Error> {
        if self.external_id.is_some_and(|id| link.external_id.as_deref() != Some(id)) {
            return Err(Error::LinksNotFound(vec![self.code.to_owned()]));
        }
        if let Some(link) = Link::from_row(link.clone(), 0) {
            change.check(&link)?;
        }
        if rules.is_held(self.realm, link, change.now) { Err(Error::LinkDisabled) } else { Ok(()) }
    }
}
