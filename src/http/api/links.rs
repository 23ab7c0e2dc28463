//! `GET /api/v1/links` and `GET /api/v1/stats/{code}`

use std::borrow::Cow;

use poem_openapi::ApiResponse;
use poem_openapi::registry::MetaSchemaRef;
use poem_openapi::types::{ParseFromParameter, ParseResult, Type};

use super::Caller;
use super::answer::{Json, JsonList};
use super::failure::{Failure, Operation, problems};
use super::schema::code_schema;
use super::wire::{Link, LinkList, LinkStats, StatsResponse};
use crate::app::App;
use crate::domain::{self, links};
use crate::http::problem::Kind;
use crate::values::ShortCode;

/// A code in a path: one that no link can have is answered like any other that no link has.
#[derive(Debug)]
pub struct CodeInPath(Option<ShortCode>);

impl Type for CodeInPath {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "CodeInPath".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(code_schema()))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromParameter for CodeInPath {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Ok(Self(ShortCode::parse(value).ok()))
    }
}

/// Listing links.
#[derive(Debug)]
pub struct ListLinks;

impl Operation for ListLinks {
    const PROBLEMS: &'static [Kind] = problems![];
}

/// How listing succeeds.
#[derive(Debug, ApiResponse)]
pub enum Listed {
    /// All links of the owner.
    #[oai(status = 200)]
    Ok(JsonList<LinkList>),
}

pub(super) async fn list(app: &App, caller: Caller) -> Result<Listed, Failure<ListLinks>> {
    let pages = links::list(app.store.clone(), caller.owner_id);
    Ok(Listed::Ok(JsonList::of::<_, Link>(pages).await?))
}

/// Reading statistics.
#[derive(Debug)]
pub struct GetStats;

impl Operation for GetStats {
    const PROBLEMS: &'static [Kind] = problems![LinkNotFound];
}

/// How reading statistics succeeds.
#[derive(Debug, ApiResponse)]
pub enum Counted {
    /// The statistics of the link.
    #[oai(status = 200)]
    Ok(Json<StatsResponse>),
}

pub(super) async fn statistics(
    app: &App,
    caller: Caller,
    code: CodeInPath,
) -> Result<Counted, Failure<GetStats>> {
    let code = code.0.ok_or(domain::Error::LinkNotFound)?;
    let link = links::statistics(&app.store, caller.owner_id, &code).await?;
    Ok(Counted::Ok(Json(StatsResponse { data: LinkStats::from(link) })))
}
