//! Links to import, whose codes, clicks and times come from a file, and their outcomes.

use std::collections::{HashMap, HashSet};

use sea_orm::prelude::async_trait::async_trait;

use super::code_lookup::CodeKind;
use super::error::StoreError;
use super::links::NewProperties;
use crate::values::ShortCode;

/// Query for the number of links that an owner may still create under the plan. It returns no row
/// if the owner is suspended or does not exist.
pub(super) const IMPORT_ALLOWANCE: &str = "
    SELECT COALESCE(max_links, 9223372036854775807) - link_count
    FROM owners JOIN plans ON plans.name = owners.plan
    WHERE owners.id = $1 AND owners.suspended_reason IS NULL";

/// Writer that imports links of one owner or, in a dry run, only determines the outcomes.
#[async_trait(?Send)]
pub trait ImportWriter: std::fmt::Debug {
    /// Imports links in one transaction, from the first link on and as many as fit. Returns the
    /// outcomes of these links in the same order.
    ///
    /// # Errors
    /// If the database fails. If it did not confirm the commit, the links may exist.
    async fn put(&mut self, links: &[ImportLink]) -> Result<Vec<ImportOutcome>, StoreError>;

    /// Makes the imported links durable across a power loss.
    async fn finish(self: Box<Self>) -> Result<(), StoreError>;
}

/// A link to import.
#[derive(Debug)]
pub struct ImportLink {
    /// Short code of the link.
    pub code: ShortCode,
    /// Whether the link answers in any letter case of its code.
    pub ignores_case: bool,
    /// Number of clicks that the link already has.
    pub clicks: i64,
    /// Other properties of the link.
    pub properties: NewProperties,
}

impl ImportLink {
    /// Returns whether lookups find the link by [`Self::folded`], too.
    pub(super) fn is_folded(&self) -> bool {
        self.ignores_case || self.code.as_seen().is_some()
    }

    /// Returns the text by which lookups find the link in any letter case, without invisible characters
    /// and with any dashes, or `None` if they find it only by its code.
    pub(super) fn folded(&self) -> Option<String> {
        let seen = self.code.as_seen();
        (self.ignores_case || seen.is_some()).then(|| seen.as_ref().unwrap_or(&self.code).folded())
    }
}

/// Outcome of an [`ImportLink`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// The link was created.
    Created,
    /// The link was created, but answers only to its exact code, because another link has the code
    /// in any letter case.
    CreatedWithoutCase,
    /// The owner already has a link with this code and destination.
    AlreadyExists,
    /// The same, and from now on it answers in any letter case.
    CaseAdded,
    /// The same, but it answers only to its exact code, because another link has the code in any
    /// letter case.
    ExistsWithoutCase,
    /// Another link has the code.
    CodeInUse,
    /// Another link of the owner has the external identifier.
    ExternalIdInUse,
    /// The owner has as many links as the plan allows.
    PlanLimitReached,
}

impl ImportOutcome {
    /// Returns whether the owner has the link now.
    pub(super) fn is_there(self) -> bool {
        match self {
            Self::Created
            | Self::CreatedWithoutCase
            | Self::AlreadyExists
            | Self::CaseAdded
            | Self::ExistsWithoutCase => true,
            Self::CodeInUse | Self::ExternalIdInUse | Self::PlanLimitReached => false,
        }
    }

    /// Returns the outcome of a link if another link has its code in any letter case.
    pub(super) fn without_case(self) -> Self {
        match self {
            Self::Created | Self::CreatedWithoutCase => Self::CreatedWithoutCase,
            Self::AlreadyExists | Self::CaseAdded | Self::ExistsWithoutCase => {
                Self::ExistsWithoutCase
            }
            Self::CodeInUse | Self::ExternalIdInUse | Self::PlanLimitReached => self,
        }
    }

    /// Returns the outcome of a link that did not answer in any letter case before.
    pub(super) fn with_case(self) -> Self {
        if self == Self::AlreadyExists { Self::CaseAdded } else { self }
    }
}

/// Returns the kinds of the codes of links.
pub(super) fn code_kinds<'a>(links: impl IntoIterator<Item = &'a ImportLink>) -> Vec<CodeKind> {
    let mut kinds = HashSet::new();
    for link in links {
        kinds.extend((!link.code.is_narrow()).then_some(CodeKind::Wide));
        kinds.extend(link.is_folded().then_some(CodeKind::Folded));
    }
    kinds.into_iter().collect()
}

/// A link in the database that has the same code as a link to import.
#[derive(Debug, sea_orm::FromQueryResult)]
pub(super) struct ExistingLink {
    pub(super) short_code: String,
    /// Identifier of the owner. `None`: the link is deleted.
    pub(super) owner_id: Option<i64>,
    pub(super) destination_url: String,
}

/// Links to import, some of which have no outcome yet.
#[derive(Debug)]
pub(super) struct UnresolvedLinks<'a> {
    links: &'a [ImportLink],
    outcomes: Vec<Option<ImportOutcome>>,
    owner_id: i64,
}

impl<'a> UnresolvedLinks<'a> {
    pub(super) fn new(links: &'a [ImportLink], owner_id: i64) -> Self {
        Self { links, outcomes: vec![None; links.len()], owner_id }
    }

    /// Returns the codes that callers must look up before the next
    /// [`Self::choose_links_to_create`].
    pub(super) fn codes(&self) -> Vec<String> {
        let unresolved = self.links.iter().zip(&self.outcomes).filter(|(_, known)| known.is_none());
        unresolved.map(|(link, _)| link.code.as_str().to_owned()).collect()
    }

    /// Sets the outcomes of links whose codes are in use, and returns the indexes of at most
    /// `allowance` links to create. Of several links with the same code it returns only the first;
    /// the others wait for the next call. Links beyond the allowance get
    /// [`ImportOutcome::PlanLimitReached`].
    pub(super) fn choose_links_to_create(
        &mut self,
        existing: impl IntoIterator<Item = ExistingLink>,
        mut allowance: i64,
    ) -> Vec<usize> {
        let existing: HashMap<String, (Option<i64>, String)> = existing
            .into_iter()
            .map(|link| (link.short_code, (link.owner_id, link.destination_url)))
            .collect();
        let mut chosen: HashMap<&str, usize> = HashMap::new();
        for (index, link) in self.links.iter().enumerate() {
            if self.outcomes[index].is_some() {
                continue;
            }
            let code = link.code.as_str();
            if let Some((owner_id, destination)) = existing.get(code) {
                let is_same = *owner_id == Some(self.owner_id)
                    && *destination == link.properties.link.destination_url;
                self.outcomes[index] = Some(if is_same {
                    ImportOutcome::AlreadyExists
                } else {
                    ImportOutcome::CodeInUse
                });
            } else if !chosen.contains_key(code) {
                if allowance > 0 {
                    allowance -= 1;
                    chosen.insert(code, index);
                } else {
                    self.outcomes[index] = Some(ImportOutcome::PlanLimitReached);
                }
            }
        }
        let mut indexes: Vec<usize> = chosen.into_values().collect();
        indexes.sort_unstable();
        indexes
    }

    pub(super) fn mark(&mut self, index: usize, outcome: ImportOutcome) {
        self.outcomes[index] = Some(outcome);
    }

    /// Returns the outcomes of all links, or `None` if any outcome is unknown.
    pub(super) fn resolved(&self) -> Option<Vec<ImportOutcome>> {
        self.outcomes.iter().copied().collect()
    }
}
