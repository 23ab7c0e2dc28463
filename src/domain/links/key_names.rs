//! The names of the keys that created links.

use std::collections::HashMap;

use crate::domain::Error;
use crate::store::links::{BY_IMPORT, Link};
use crate::store::{Store, keys};

/// Names of owners' keys, by their identifiers.
#[derive(Debug, Clone, Default)]
pub struct KeyNames(HashMap<i64, String>);

impl KeyNames {
    /// Returns the name of one key.
    pub fn from_key(id: i64, label: Option<&str>) -> Self {
        Self(HashMap::from([(id, key_name(id, label))]))
    }

    /// Finds the names of the keys that created these links.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn find(
        store: &Store,
        links: impl IntoIterator<Item = &Link>,
    ) -> Result<Self, Error> {
        let ids = links.into_iter().filter_map(|link| link.properties.created_by);
        let mut ids: Vec<i64> = ids.filter(|id| *id != BY_IMPORT).collect();
        ids.sort_unstable();
        ids.dedup();
        let labels = keys::labels(store.reader(), &ids).await?.into_iter();
        Ok(Self(labels.map(|(id, label)| (id, key_name(id, label.as_deref()))).collect()))
    }

    /// Returns the name of a key.
    pub fn get(&self, id: i64) -> Option<&str> {
        self.0.get(&id).map(String::as_str)
    }
}

/// Returns the name of a key: its label, or another name for it.
pub fn key_name(id: i64, label: Option<&str>) -> String {
    label.map_or_else(|| format!("key {id}"), str::to_owned)
}
