//! Lookups of the link that a path means, and the kinds of codes that exist.

use std::collections::{HashMap, HashSet};

use sea_orm::{ConnectionTrait, FromQueryResult};
use strum_macros::{EnumString, IntoStaticStr};

use super::error::StoreError;
use super::links::TargetRow;
use super::query::{execute, scalars};
use crate::values::ShortCode;

/// A kind of codes that are not narrow. The database stores each kind of which a link exists or existed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum CodeKind {
    /// Codes that only an import creates.
    Wide,
    /// Codes that answer in any letter case, without invisible characters and with any dashes.
    Folded,
}

/// Stores that a code of a kind exists, which instances then learn. The parameter is the kind.
pub(super) const STORE_KIND: &str =
    "INSERT INTO code_kinds (kind) VALUES ($1) ON CONFLICT (kind) DO NOTHING";

/// Returns the kinds of codes that exist.
pub async fn kinds(db: &impl ConnectionTrait) -> Result<HashSet<CodeKind>, StoreError> {
    let names: Vec<String> = scalars(db, "SELECT kind FROM code_kinds", []).await?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

/// Stores that codes of these kinds exist.
pub(super) async fn store_kinds(
    db: &impl ConnectionTrait,
    kinds: impl IntoIterator<Item = CodeKind>,
) -> Result<(), StoreError> {
    for kind in kinds {
        execute(db, STORE_KIND, [kind.into_str().into()]).await?;
    }
    Ok(())
}

/// The codes that a path may mean.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeLookup {
    /// Codes, most likely first; at most [`MAX_CANDIDATES`](crate::values::MAX_CANDIDATES).
    pub codes: Vec<ShortCode>,
    /// Folded codes, most likely first. Exact codes take precedence over them.
    pub folded: Vec<String>,
    /// Identifier of the owner whose links count. `None`: all links count.
    pub owner_id: Option<i64>,
}

impl CodeLookup {
    /// Returns whether a link counts.
    pub(super) fn accepts(&self, row: &TargetRow) -> bool {
        self.owner_id.is_none_or(|owner_id| row.owner_id == Some(owner_id))
    }
}

/// The link that a lookup has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTarget {
    /// Short code of the link.
    pub code: ShortCode,
    /// Data for its redirect.
    pub row: TargetRow,
}

/// A row that matches a code of a lookup.
#[derive(FromQueryResult)]
pub(super) struct Match {
    /// Short code of the link.
    pub(super) short_code: String,
    /// The folded code that matches, or `None` if the short code itself does.
    pub(super) folded: Option<String>,
    #[sea_orm(nested)]
    pub(super) row: TargetRow,
}

/// The rows that match one or more lookups.
pub(super) struct Matches {
    by_code: HashMap<String, TargetRow>,
    by_folded: HashMap<String, (String, TargetRow)>,
}

impl Matches {
    pub(super) fn new(matches: impl IntoIterator<Item = Match>) -> Self {
        let (mut by_code, mut by_folded) = (HashMap::new(), HashMap::new());
        for Match { short_code, folded, row } in matches {
            match folded {
                None => drop(by_code.insert(short_code, row)),
                Some(folded) => drop(by_folded.insert(folded, (short_code, row))),
            }
        }
        Self { by_code, by_folded }
    }

    /// Returns the match of the most likely code of a lookup.
    pub(super) fn choose(&self, lookup: &CodeLookup) -> Option<FoundTarget> {
        let exact = |code: &ShortCode| {
            let row = self.by_code.get(code.as_str()).filter(|row| lookup.accepts(row))?;
            Some(FoundTarget { code: code.clone(), row: row.clone() })
        };
        let folded = |folded: &String| {
            let found = self.by_folded.get(folded).filter(|(_, row)| lookup.accepts(row));
            let (code, row) = found?.clone();
            Some(FoundTarget { code: ShortCode::from_stored(&code), row })
        };
        let found = lookup.codes.iter().find_map(exact);
        found.or_else(|| lookup.folded.iter().find_map(folded))
    }
}
