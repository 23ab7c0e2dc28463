//! Query parameters of lists, and the code that the two list operations share.

use poem_openapi::registry::MetaSchema;
use serde::Serialize;
use url::form_urlencoded::Serializer;

use super::caller::Caller;
use super::list_aborter::ListAborter;
use super::operation::Operation;
use super::parameter::ParameterValue;
use super::problem_examples::ProblemExample;
use super::response::{OperationResponse, OperationResult, list_body};
use super::schema::{integer_schema, label_schema};
use crate::domain::links::{self, ActiveAt, Link, LinkFilter, ListPosition, ListSource};
use crate::http::cursor::{Cursor, OwnerList};
use crate::http::query::whole_number;
use crate::http::state::AppState;
use crate::values::{Campaign, Timestamp, ValidationError};

/// Problems that both list operations return.
pub(super) const LIST_PROBLEMS: &[ProblemExample] = &[
    ProblemExample::MALFORMED_LIMIT,
    ProblemExample::UNAUTHORIZED,
    ProblemExample::OWNER_SUSPENDED,
    ProblemExample::KEY_SCOPE,
    ProblemExample::CURSOR_NOT_FOUND,
    ProblemExample::RATE_LIMITED,
    ProblemExample::INTERNAL_ERROR,
    ProblemExample::UNAVAILABLE,
];

/// Maximum number of links on a page.
#[derive(Debug, Clone, Copy)]
pub struct Limit(u32);

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

impl ParameterValue for Campaign {
    fn schema() -> MetaSchema {
        label_schema(Self::MAX_LENGTH)
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        Self::parse(text)
    }
}

impl ParameterValue for Cursor {
    fn schema() -> MetaSchema {
        MetaSchema {
            min_length: Some(Self::LENGTH),
            max_length: Some(Self::LENGTH),
            pattern: Some("^[0-9a-f]{32}$".to_owned()),
            ..MetaSchema::new("string")
        }
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        Self::parse(text)
    }
}

/// Query parameters of a list.
#[derive(Debug)]
pub struct ListQuery {
    pub(super) limit: Option<Limit>,
    pub(super) cursor: Option<Cursor>,
    pub(super) campaign: Option<Campaign>,
    pub(super) active: Option<bool>,
}

/// An operation that returns a list of links.
pub(super) trait ListOperation: Operation {
    /// Path of the operation.
    const PATH: &'static str;
    /// Whether the operation lists only links with a QR code.
    const WITH_QR: bool;
    /// Representation of a link in the response.
    type Item: From<Link> + Serialize;
}

impl ListQuery {
    /// Returns the response of operation `O` with the caller's links.
    pub(super) async fn run<O: ListOperation>(
        &self,
        app: &AppState,
        caller: Caller,
    ) -> OperationResult<O> {
        let Caller { owner_id, key, request_id } = caller;
        let list = OwnerList { path: O::PATH, owner_id };
        let position = match self.cursor {
            None => ListPosition::START,
            Some(cursor) => app
                .cursor_cipher
                .decrypt(list, cursor)
                .ok_or_else(|| ProblemExample::CURSOR_NOT_FOUND.problem())?,
        };
        let source =
            ListSource { store: &app.store, recorder: &app.recorder, permits: &app.list_permits };
        let (pages, next) = links::list(
            source,
            app.caches.blocks.snapshot(),
            owner_id,
            self.filter(O::WITH_QR, app.store.now()),
            position,
            self.limit.map(|Limit(limit)| limit),
        )
        .await?;
        let aborter = ListAborter::new(app, key, request_id);
        let body = list_body::<O::Item>(pages, aborter).await?;
        Ok(OperationResponse::list(body, next.map(|next| self.next(app, list, next))))
    }

    fn filter(&self, with_qr: bool, now: Timestamp) -> LinkFilter {
        let campaign = self.campaign.clone().map(Campaign::into_string);
        let active = self.active.map(|is_active| ActiveAt { is_active, now });
        LinkFilter { campaign, active, with_qr }
    }

    /// Returns the value of the header `Link`, whose URL continues the list after `position`.
    fn next(&self, app: &AppState, list: OwnerList, position: ListPosition) -> String {
        let Self { limit, cursor: _, campaign, active } = self;
        let mut query = Serializer::new(String::new());
        if let Some(Limit(limit)) = limit {
            query.append_pair("limit", &limit.to_string());
        }
        if let Some(campaign) = campaign {
            query.append_pair("campaign", campaign.as_str());
        }
        if let Some(active) = active {
            query.append_pair("active", if *active { "1" } else { "0" });
        }
        query.append_pair("cursor", &app.cursor_cipher.encrypt(list, position).to_string());
        format!("<{}{}?{}>; rel=\"next\"", app.base_url, list.path, query.finish())
    }
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
