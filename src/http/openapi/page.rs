//! Query parameters of lists.

use poem_openapi::registry::MetaSchema;
use url::form_urlencoded::Serializer;

use super::field::{integer_schema, label_schema, text_schema};
use super::headers::{NextPageLink, NextPathLink};
use super::parameter::{ParameterValue, parameter_value};
use crate::domain::links::ListPosition;
use crate::http::cursor::{Cursor, OwnerList};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::http::query::whole_number;
use crate::http::state::AppState;
use crate::values::{Campaign, ValidationError};

/// Maximum number of items on a page.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub u32);

impl Limit {
    const MAX: u32 = 1_000;
}

impl ParameterValue for Limit {
    fn schema() -> MetaSchema {
        integer_schema(1, Self::MAX)
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        match whole_number(text) {
            Some(limit) if (1..=Self::MAX).contains(&limit) => Ok(Self(limit)),
            Some(_) | None => Err(ValidationError::because("must be a number from 1 to 1000")),
        }
    }
}

/// Values of the parameter `active`: `0` and `1`.
impl ParameterValue for bool {
    fn schema() -> MetaSchema {
        integer_schema(0, 1)
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        match text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(ValidationError::because("must be 0 or 1")),
        }
    }
}

parameter_value!(Campaign, Self::parse, label_schema(Self::MAX_LENGTH));

parameter_value!(Cursor, Self::parse, text_schema(Self::LENGTH, Self::LENGTH, "^[0-9a-f]{32}$"));

/// A list of an owner that comes in pages, and the page to return.
pub struct ListPage<'a> {
    app: &'a AppState,
    /// Path of the operation, and the conditions to which its cursors belong.
    path: String,
    conditions: Vec<(&'static str, Option<String>)>,
    owner_id: i64,
    limit: Option<Limit>,
    /// Position after which the page begins.
    pub position: ListPosition,
}

/// Stands for the owner in lists of the operator's programs.
pub const NO_OWNER: i64 = 0;

impl<'a> ListPage<'a> {
    /// Maximum number of items on a page without `limit`.
    pub const DEFAULT_LIMIT: u32 = 100;

    /// Finds the page of a list at `path` that a request with these parameters asks for.
    ///
    /// # Errors
    /// If the list did not issue the cursor.
    pub fn find(
        app: &'a AppState,
        owner_id: i64,
        path: String,
        conditions: Vec<(&'static str, Option<String>)>,
        limit: Option<Limit>,
        cursor: Option<Cursor>,
    ) -> Result<Self, Problem> {
        let mut page =
            Self { app, path, conditions, owner_id, limit, position: ListPosition::START };
        if let Some(cursor) = cursor {
            let list = with_query(&page.path, &page.conditions);
            let list = OwnerList { path: &list, owner_id };
            let position = app.cursor_cipher.decrypt(list, cursor);
            page.position = position.ok_or_else(|| ProblemExample::CURSOR_NOT_FOUND.problem())?;
        }
        Ok(page)
    }

    /// Returns the maximum number of items.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit.map_or(Self::DEFAULT_LIMIT, |Limit(limit)| limit)
    }

    /// Returns the number of items before the page, in a list whose positions count items.
    #[must_use]
    pub fn skipped(&self) -> usize {
        usize::try_from(ListPosition::START.0 - self.position.0).unwrap_or(usize::MAX)
    }

    /// Removes the items after the page, in a list whose positions count items. Returns the position
    /// after the page, if there were any.
    pub fn truncate<T>(&self, items: &mut Vec<T>) -> Option<ListPosition> {
        let max = i64::from(self.limit());
        let continues = items.len() > self.limit() as usize;
        items.truncate(self.limit() as usize);
        continues.then(|| ListPosition(self.position.0 - max))
    }

    /// Returns the items of the page out of all of a list whose positions count the items that follow,
    /// so that neither new items at the beginning nor the removal of seen ones moves a page. Also returns
    /// the position after the page, if the list continues.
    pub fn slice<T>(&self, mut all: Vec<T>) -> (Vec<T>, Option<ListPosition>) {
        let following = usize::try_from(self.position.0).unwrap_or(usize::MAX).min(all.len());
        let mut items = all.split_off(all.len() - following);
        let rest = items.len().saturating_sub(self.limit() as usize);
        items.truncate(self.limit() as usize);
        (items, i64::try_from(rest).ok().filter(|rest| *rest > 0).map(ListPosition))
    }

    /// Removes the items after the page, in a list whose positions are identifiers. Returns the
    /// position after the page, if there were any.
    pub fn truncate_by_id<T>(
        &self,
        items: &mut Vec<T>,
        id: impl FnOnce(&T) -> i64,
    ) -> Option<ListPosition> {
        let continues = items.len() > self.limit() as usize;
        items.truncate(self.limit() as usize);
        items.last().filter(|_| continues).map(|last| ListPosition(id(last)))
    }

    /// Returns the header `Link` to the next page, which begins after the position `next`.
    #[must_use]
    pub fn link(self, next: Option<ListPosition>) -> Option<NextPageLink> {
        let base_url = self.app.base_url.as_str();
        Some(NextPageLink(next_link(&format!("{base_url}{}", self.target(next?)))))
    }

    /// Returns the header `Link` to that page as a path, without a host.
    #[must_use]
    pub fn path_link(self, next: Option<ListPosition>) -> Option<NextPathLink> {
        Some(NextPathLink(next_link(&self.target(next?))))
    }

    /// Returns the path and the query of the page after `next`.
    fn target(self, next: ListPosition) -> String {
        let Self { app, path, conditions, owner_id, limit, position: _ } = self;
        let list = with_query(&path, &conditions);
        let cursor = app.cursor_cipher.encrypt(OwnerList { path: &list, owner_id }, next);
        let further = [
            ("limit", limit.map(|Limit(limit)| limit.to_string())),
            ("cursor", Some(cursor.to_string())),
        ];
        let all: Vec<_> = conditions.into_iter().chain(further).collect();
        with_query(&path, &all)
    }
}

/// Appends parameters that have a value to a URL or a path.
pub fn with_query(url: &str, parameters: &[(&str, Option<String>)]) -> String {
    let given = parameters.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    if query.is_empty() { url.to_owned() } else { format!("{url}?{query}") }
}

/// Returns the value of the header `Link` for the URL of the next page (RFC 8288).
pub fn next_link(url: &str) -> String {
    format!("<{url}>; rel=\"next\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_accepts_only_digits_from_1_to_1000() {
        assert!(["1", "1000", "0010"].iter().all(|text| Limit::from_text(text).is_ok()));
        assert!(
            ["0", "1001", "+1", "-1", "1.0", "", "99999999999"]
                .iter()
                .all(|text| Limit::from_text(text).is_err())
        );
    }
}
