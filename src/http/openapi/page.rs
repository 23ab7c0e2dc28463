//! Lists of response objects: query parameters, and pages.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{Example, ToJSON, Type};
use serde::Serialize;
use serde_json::json;
use url::form_urlencoded::Serializer;

use super::field::{Nullable, integer_schema, label_schema, response_fields, text_schema};
use super::headers::PageLink;
use super::parameter::{number_error, parameter_value, whole_number};
use super::payload::{Json, ListResponse};
use crate::domain::page::{FoundPage, ListPosition, PageRequest};
use crate::http::cursor::{Cursor, OwnerList};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{Campaign, ErrorCode};

/// Maximum number of items on a page.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub u32);

impl Limit {
    const MAX: u32 = 1_000;
}

parameter_value!(
    Limit,
    |text| match whole_number(text) {
        Some(limit) if (1..=Self::MAX).contains(&limit) => Ok(Self(limit)),
        Some(_) | None => Err(number_error(text).because("must be a number from 1 to 1000")),
    },
    integer_schema(1, Self::MAX)
);

parameter_value!(
    bool,
    |text| text.parse().map_err(|_| ErrorCode::WrongType.because("must be true or false")),
    MetaSchema::new("boolean")
);

parameter_value!(Campaign, Self::parse, label_schema(Self::MAX_LENGTH));

parameter_value!(Cursor, Self::parse, text_schema(Self::LENGTH, Self::LENGTH, "^[0-9a-f]{32}$"));

/// Name of a query parameter, and its value if the request has it.
pub type Condition = (&'static str, Option<String>);

/// A list of an owner, and the page of it to return.
pub struct ListPage<'a> {
    app: &'a AppState,
    /// Path of the operation, and the conditions to which its cursors belong.
    path: String,
    conditions: Vec<Condition>,
    owner_id: i64,
    limit: Option<Limit>,
    /// Position after which the page begins.
    pub position: ListPosition,
}

/// Stands for the owner in lists of the operator's programs.
pub const NO_OWNER: i64 = 0;
/// Stands for it in lists whose cursors counted items in earlier versions, so that servers of two versions
/// reject each other's.
pub const FORMERLY_COUNTED: i64 = -1;

impl<'a> ListPage<'a> {
    /// Maximum number of items on a page without `limit`.
    pub(super) const DEFAULT_LIMIT: u32 = 100;

    /// Finds the page of a list at `path` that a request with these parameters asks for.
    ///
    /// # Errors
    /// If the list did not issue the cursor.
    pub fn find(
        app: &'a AppState,
        owner_id: i64,
        path: String,
        conditions: Vec<Condition>,
        limit: Option<Limit>,
        cursor: Option<Cursor>,
    ) -> Result<Self, Problem> {
        let list = with_query(&path, &conditions);
        let position = match cursor {
            None => ListPosition::START,
            Some(cursor) => app
                .cursor_cipher
                .decrypt(OwnerList { path: &list, owner_id }, cursor)
                .ok_or_else(|| ProblemExample::CURSOR_NOT_FOUND.problem())?,
        };
        Ok(Self { app, path, conditions, owner_id, limit, position })
    }

    /// Returns what the domain reads for the page.
    pub fn request(&self) -> PageRequest {
        let limit = self.limit.map_or(Self::DEFAULT_LIMIT, |Limit(limit)| limit);
        PageRequest { position: self.position, limit }
    }

    /// Returns the response with the items that the domain found, and the cursor of the next page in its body
    /// and its header `Link`.
    pub fn response<I: Into<T>, T, L>(&self, found: FoundPage<I>) -> ListResponse<List<T>, L>
    where
        T: Listed + Serialize,
        L: PageLink,
    {
        let FoundPage { items, next } = found;
        let next = next.map(|next| self.cursor(next));
        let link = next.map(|cursor| self.link_to(cursor, &[]));
        ListResponse::Ok(Json::new(&List::new(items, next)), link)
    }

    /// Returns the header `Link` (RFC 8288) to the next page, which begins after the position `next`, and has
    /// further conditions with which any cursor of the list is valid.
    pub fn link<L: PageLink>(
        &self,
        next: Option<ListPosition>,
        free_conditions: &[Condition],
    ) -> Option<L> {
        Some(self.link_to(self.cursor(next?), free_conditions))
    }

    /// Returns the cursor with which a page begins after `position`.
    fn cursor(&self, position: ListPosition) -> Cursor {
        let list = with_query(&self.path, &self.conditions);
        let list = OwnerList { path: &list, owner_id: self.owner_id };
        self.app.cursor_cipher.encrypt(list, position)
    }

    /// Returns the header to the page that begins with `cursor`.
    fn link_to<L: PageLink>(&self, cursor: Cursor, free_conditions: &[Condition]) -> L {
        let (limit, cursor) =
            (self.limit.map(|Limit(limit)| limit.to_string()), cursor.to_string());
        let all = [&self.conditions, &[("limit", limit)][..], free_conditions].concat();
        let target = with_query(&self.path, &[all, vec![("cursor", Some(cursor))]].concat());
        let base_url = if L::HAS_HOST { self.app.base_url.as_str() } else { "" };
        format!("<{base_url}{target}>; rel=\"next\"").into()
    }
}

/// Appends parameters that have a value to a path.
fn with_query(path: &str, parameters: &[(&str, Option<String>)]) -> String {
    let given = parameters.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// A thing that lists have.
pub trait Listed: Type + Example + ToJSON {
    /// Description of a page of its list.
    const PAGE: &'static str;
}

response_fields! {
    /// Where the next page of a list begins.
    CursorText(String): text_schema(Cursor::LENGTH, Cursor::LENGTH, "^[0-9a-f]{32}$");
}

/// A page of a list, whose schema has the name of the thing's and `List`.
#[derive(Debug, Serialize)]
pub struct List<T> {
    data: Vec<T>,
    next_cursor: Nullable<CursorText>,
}

impl<T> List<T> {
    /// Creates a page with these items, after which the list continues with `next`, if there is a next page.
    pub fn new<U: Into<T>>(items: Vec<U>, next: Option<Cursor>) -> Self {
        let next_cursor = next.map(|cursor| cursor.to_string()).into();
        Self { data: items.into_iter().map(Into::into).collect(), next_cursor }
    }
}

impl<T: Listed> Type for List<T> {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(Self::name().into_owned())
    }

    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>(Self::name().into_owned(), |registry| {
            T::register(registry);
            let described = |text| MetaSchema { description: Some(text), ..MetaSchema::ANY };
            let max_items = Some(Limit::MAX as usize);
            let data = MetaSchema { max_items, ..described("The items of the page.") };
            let next = described(
                "Where the next page begins: the parameter `cursor` of the next request. `null` on the last \
                 page.",
            );
            MetaSchema {
                title: Some(Self::name().into_owned()),
                description: Some(T::PAGE),
                required: vec!["data", "next_cursor"],
                properties: vec![
                    ("data", Vec::<T>::schema_ref().merge(data)),
                    ("next_cursor", Nullable::<CursorText>::schema_ref().merge(next)),
                ],
                example: Some(
                    json!({ "data": [T::example().to_json()], "next_cursor": Cursor::EXAMPLE }),
                ),
                ..MetaSchema::new("object")
            }
        });
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::openapi::parameter::ParameterValue as _;

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
