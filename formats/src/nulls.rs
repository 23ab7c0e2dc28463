//! Words such as `null` in columns of texts.

use std::collections::{BTreeMap, VecDeque};

use crate::record::Record;
use crate::row::{RawContent, Row};
use crate::values::is_null;

/// The columns of texts in which a word means a missing text, by their indexes.
///
/// In other columns, such as those of times, the word can only mean that. A title may be `None`, so a
/// column shows the meaning if it has the word again and again, and is never empty.
#[derive(Debug, Default)]
pub(crate) struct NullWords(Vec<(usize, String)>);

impl NullWords {
    /// Finds the words in the first rows of a file.
    pub(crate) fn find(rows: &VecDeque<Row>) -> Self {
        let records: Vec<&Record> = rows
            .iter()
            .filter_map(|row| match &row.content {
                RawContent::Record { record, .. } => Some(record),
                RawContent::Broken { .. } => None,
            })
            .collect();
        let Some(first) = records.first() else { return Self::default() };
        let fields = first.layout.fields.iter().enumerate();
        let texts = fields.filter(|(_, field)| field.role.is_text());
        let words = texts.filter_map(|(index, _)| {
            let values = || records.iter().map(|record| record.values[index].as_deref());
            let word = values().flatten().find(|value| is_null(value))?;
            let count = values().filter(|value| *value == Some(word)).count();
            let has_empty = values().any(|value| value.is_none_or(str::is_empty));
            let is_shown = !has_empty && (count > 1 || count == records.len());
            is_shown.then(|| (index, word.to_owned()))
        });
        Self(words.collect())
    }

    /// Removes the words from a record, and counts them by the names of their columns.
    pub(crate) fn remove(&self, record: &mut Record, counts: &mut BTreeMap<String, u64>) {
        for (index, word) in &self.0 {
            if record.values[*index].as_ref() == Some(word) {
                record.values[*index] = None;
                *counts.entry(record.layout.fields[*index].name.clone()).or_default() += 1;
            }
        }
    }
}
