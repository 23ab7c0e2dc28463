//! Which lines of the file have the codes of an import.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher as _, RandomState};

use formats::{FileLink, RowLocation};

use crate::values::ShortCode;

/// Maximum number of codes, which bounds the memory to about 30 MB.
const MAX_CODES: usize = 900_000;

/// The lines of the first codes of a file.
#[derive(Debug, Default)]
pub(super) struct CodeLines {
    state: RandomState,
    /// Places by the hashes of codes, because the codes would need more memory.
    places: HashMap<u64, Place>,
    /// Domains of rows that the import does not read.
    other_domains: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    line: u32,
    /// Number of the object in the line, or 0.
    object: u32,
    /// Index of the domain, or `None` for a row that the import reads.
    other_domain: Option<u16>,
}

/// A code in a row of another domain than the chosen one.
#[derive(Debug)]
pub(super) struct OtherRow {
    pub(super) code: ShortCode,
    pub(super) location: RowLocation,
    /// `default` if the row has no domain of its own.
    pub(super) domain: String,
}

impl OtherRow {
    /// Returns `None` for a link without a code that Terse accepts.
    pub(super) fn new(link: &FileLink<'_>, location: RowLocation) -> Option<Self> {
        let code = ShortCode::parse_imported(link.short_code.as_deref()?).ok()?;
        let domain = link.domain.as_deref().unwrap_or("default").to_owned();
        Some(Self { code, location, domain })
    }
}

/// The row that has a code.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) location: RowLocation,
    /// The domain, if it is another one than the chosen one.
    pub(super) other_domain: Option<String>,
}

impl CodeLines {
    /// Notes that the link at `location` has this code, unless an earlier one does.
    pub(super) fn note(&mut self, code: &ShortCode, location: RowLocation) {
        self.note_place(code, location, None);
    }

    /// Notes that a row which the import does not read has this code.
    pub(super) fn note_other(&mut self, row: OtherRow) {
        let OtherRow { code, location, domain } = row;
        let known = self.other_domains.iter().position(|other| *other == domain);
        let index = known.unwrap_or_else(|| {
            self.other_domains.push(domain);
            self.other_domains.len() - 1
        });
        if let Ok(index) = index.try_into() {
            self.note_place(&code, location, Some(index));
        }
    }

    /// Returns the row that has this code. Returns `None` if it is no row of this file, or one
    /// beyond the limit.
    pub(super) fn find(&self, code: &ShortCode) -> Option<Holder> {
        let place = self.places.get(&self.state.hash_one(code.as_str()))?;
        let Place { line, object, other_domain } = *place;
        let object = (object > 0).then_some(object.into());
        let other_domain =
            other_domain.and_then(|index| self.other_domains.get(usize::from(index)).cloned());
        Some(Holder { location: RowLocation { line: line.into(), object }, other_domain })
    }

    fn note_place(&mut self, code: &ShortCode, location: RowLocation, other_domain: Option<u16>) {
        let RowLocation { line, object } = location;
        let (Ok(line), Ok(object)) = (line.try_into(), object.unwrap_or(0).try_into()) else {
            return;
        };
        let place = Place { line, object, other_domain };
        let hash = self.state.hash_one(code.as_str());
        let has_room = self.places.len() < MAX_CODES;
        match self.places.entry(hash) {
            // A row that the import reads has the code rather than one that it does not.
            Entry::Occupied(mut earlier) => {
                if earlier.get().other_domain.is_some() && other_domain.is_none() {
                    earlier.insert(place);
                }
            }
            Entry::Vacant(entry) if has_room => {
                entry.insert(place);
            }
            Entry::Vacant(_) => {}
        }
    }
}
