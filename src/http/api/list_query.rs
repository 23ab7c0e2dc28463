//! Which part of a list a client asks for.

use serde::Serialize;
use url::form_urlencoded::Serializer;

use super::Caller;
use super::answer::JsonList;
use super::case::Case;
use super::cursor::{Cursor, List};
use super::failure::{Failure, Operation};
use crate::domain::links::{self, Filter, ListPosition, Listed};
use crate::http::App;
use crate::http::query::whole_number;
use crate::values::{Campaign, Invalid};

/// At most so many links: 1 to 1,000.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub u32);

/// Only links that redirect (1), or only those that do not (0).
#[derive(Debug, Clone, Copy)]
pub struct Active(pub bool);

impl Limit {
    /// The largest.
    pub(super) const MAX: u32 = 1_000;

    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        match whole_number(text) {
            Some(limit) if (1..=Self::MAX).contains(&limit) => Ok(Self(limit)),
            Some(_) | None => Err(Invalid::because("must be a number from 1 to 1000")),
        }
    }
}

impl Active {
    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "0" => Ok(Self(false)),
            "1" => Ok(Self(true)),
            _ => Err(Invalid::because("must be 0 or 1")),
        }
    }
}

/// What a list is to show.
#[derive(Debug)]
pub struct ListQuery {
    pub(super) limit: Option<Limit>,
    pub(super) cursor: Option<Cursor>,
    pub(super) campaign: Option<Campaign>,
    pub(super) active: Option<Active>,
}

/// An operation that lists links.
pub(super) trait Lists: Operation {
    /// Where it is.
    const PATH: &'static str;
    /// A link in it.
    type Link: Listed;
    /// A link as it is shown.
    type Item: From<Self::Link> + Serialize;
    /// All of them.
    type List;
}

impl ListQuery {
    /// The caller's list, and the header `Link` where it goes on.
    pub(super) async fn answer<O: Lists>(
        &self,
        app: &App,
        caller: Caller,
    ) -> Result<(JsonList<O::List>, Option<String>), Failure<O>> {
        let Caller { owner_id, request_id } = caller;
        let list = List { path: O::PATH, owner_id };
        let position = match self.cursor {
            None => ListPosition::START,
            Some(cursor) => app.seal.open(list, cursor).ok_or_else(|| Case::NO_CURSOR.problem())?,
        };
        let limit = self.limit.map(|Limit(limit)| limit);
        let (pages, next) = links::list::<O::Link>(
            &app.store,
            &app.recorder,
            owner_id,
            self.filter(),
            position,
            limit,
        )
        .await?;
        let next = next.map(|next| self.next(app, list, next));
        Ok((JsonList::of::<O::Link, O::Item>(pages, request_id).await?, next))
    }

    fn filter(&self) -> Filter {
        Filter {
            campaign: self.campaign.clone().map(Campaign::into_string),
            active: self.active.map(|Active(active)| active),
        }
    }

    /// The header `Link` of an owner's list that goes on at `position`, with the same parameters.
    fn next(&self, app: &App, list: List, position: ListPosition) -> String {
        let Self { limit, cursor: _, campaign, active } = self;
        let mut query = Serializer::new(String::new());
        if let Some(Limit(limit)) = limit {
            query.append_pair("limit", &limit.to_string());
        }
        if let Some(campaign) = campaign {
            query.append_pair("campaign", campaign.as_str());
        }
        if let Some(Active(active)) = active {
            query.append_pair("active", if *active { "1" } else { "0" });
        }
        query.append_pair("cursor", &app.seal.close(list, position).to_string());
        format!("<{}{}?{}>; rel=\"next\"", app.base_url, list.path, query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_digits_from_1_to_1000() {
        assert!(["1", "1000", "0010"].iter().all(|text| Limit::parse(text).is_ok()));
        assert!(
            ["0", "1001", "+1", "-1", "1.0", "", "99999999999"]
                .iter()
                .all(|text| Limit::parse(text).is_err())
        );
    }
}
