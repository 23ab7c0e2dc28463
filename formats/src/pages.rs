//! What the pages of a service's API say about the number of links.

use std::collections::HashMap;

use serde_json::Value;

use crate::record::MAX_NAME;
use crate::values::{is_one_of, plain_name};

/// Names of the number of all links, of which a page has some.
const TOTALS: &str = "\
    total pagination.totalitems stats.totallinks pagination.total meta.total totalcount";
/// Names of what leads to the next page.
const NEXT: &str = "\
    next pagination.next nextpagetoken nextcursor nextpage hasnext hasmore pagination.hasnext \
    meta.next";

/// Other names of members with a meaning.
const OTHERS: &str = "type name listcomplete pagination.pagescount pagination.currentpage";

/// What a file has of the links of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPart {
    /// Number of records in the file.
    pub records: u64,
    /// Number of links of the service, if the file says so.
    pub total: Option<u64>,
}

/// A list or an object around records.
#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) is_list: bool,
    pub(crate) line: u64,
    pub(crate) is_first: bool,
    /// Members of a page other than the records.
    pub(crate) head: Option<PageHead>,
    /// Whether a member of the page, or a table in the list, had the records.
    pub(crate) has_records: bool,
    /// Names of the fields of the first object in a list that has no links.
    pub(crate) other_names: Option<Vec<String>>,
}

/// Members of an object around records, by their names.
#[derive(Debug, Default)]
pub(crate) struct PageHead(HashMap<String, String>);

impl PageHead {
    /// Adds a member. Larger objects are left out.
    pub(crate) fn add(&mut self, name: &str, text: &[u8]) {
        const MAX_MEMBER: usize = 64 << 10;
        if text.len() <= MAX_MEMBER
            && let Ok(value) = serde_json::from_slice(text)
        {
            self.add_value(&plain_name(name), value);
        }
    }

    fn add_value(&mut self, name: &str, value: Value) {
        let is_known = [TOTALS, NEXT, OTHERS].iter().any(|names| is_one_of(name, names));
        match value {
            // Of names within names, only short ones are known.
            Value::Object(members) if name.len() <= MAX_NAME => {
                for (inner, value) in members {
                    self.add_value(&format!("{name}.{}", plain_name(&inner)), value);
                }
            }
            _ if !is_known => {}
            Value::String(text) => drop(self.0.insert(name.to_owned(), text)),
            Value::Number(number) => drop(self.0.insert(name.to_owned(), number.to_string())),
            Value::Bool(flag) => drop(self.0.insert(name.to_owned(), flag.to_string())),
            Value::Null | Value::Array(_) | Value::Object(_) => {}
        }
    }

    /// Returns the name of the table of phpMyAdmin that the object is.
    pub(crate) fn table(&self) -> Option<&str> {
        self.0.get("type").filter(|kind| *kind == "table")?;
        self.0.get("name").map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.parse().ok()
    }

    /// Returns the number of all links.
    fn total(&self) -> Option<u64> {
        TOTALS.split(' ').find_map(|name| self.number(name))
    }

    /// Returns whether there is a further page.
    fn has_next(&self) -> bool {
        let is_set = |name: &str| {
            self.0.get(name).is_some_and(|text| !matches!(text.as_str(), "" | "false" | "0"))
        };
        let pages = self.number("pagination.pagescount").zip(self.number("pagination.currentpage"));
        NEXT.split(' ').any(is_set)
            || self.0.get("listcomplete").is_some_and(|text| text == "false")
            || pages.is_some_and(|(count, current)| current < count)
    }
}

/// What all pages of a file have said.
#[derive(Debug, Default)]
pub(crate) struct SeenPages {
    pub(crate) records: u64,
    total: Option<u64>,
    has_next: bool,
}

impl SeenPages {
    /// Adds what is around the records of a page.
    pub(crate) fn add(&mut self, head: &PageHead) {
        self.total = self.total.max(head.total());
        self.has_next = head.has_next();
    }

    /// Returns what the file has, if it is not all.
    pub(crate) fn partial(&self) -> Option<KnownPart> {
        let Self { records, total, has_next } = *self;
        let is_partial = total.map_or(has_next, |total| records < total);
        is_partial.then_some(KnownPart { records, total })
    }
}
