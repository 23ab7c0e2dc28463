//! Batches of links to create, and their results.

use poem::http::StatusCode;
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::Serialize;
use strum::VariantNames as _;
use strum_macros::{EnumString, VariantNames};

use super::fields::{Identifier, enum_schema};
use super::link::{Link, LinkCreate};
use crate::http::openapi::field::{
    Nullable, example, integer_schema, request_field, response_fields, text,
};
use crate::http::problem::{EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID, ProblemDetails};
use crate::http::problem_examples::ProblemExample;
use crate::values::ErrorCode;

/// Links to create.
#[derive(Debug, Object)]
pub struct LinkBatchCreate {
    /// The links, from 1 to 1,000.
    #[oai(validator(min_items = 1, max_items = 1000))]
    links: Vec<LinkCreate>,
    /// What happens to a link whose `external_id` exists: `fail`, with 409, or `update`, which changes the
    /// given members of the link that has it. `update` needs a key of the scope `edit`. Without it, `fail`.
    if_exists: Option<IfExists>,
}

impl LinkBatchCreate {
    /// Maximum number of links.
    pub const MAX_LINKS: usize = 1_000;
}

/// What a batch does with links that exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum IfExists {
    /// They fail.
    #[default]
    Fail,
    /// They get the given values.
    Update,
}

request_field!(
    IfExists,
    |value| text(value)?
        .parse()
        .map_err(|_| ErrorCode::NotAllowed.because("must be fail or update")),
    enum_schema(IfExists::VARIANTS)
);

response_fields! {
    /// Status of one link of a batch.
    ItemStatus(u16): integer_schema(200, 503);
}

/// The result of one link of a batch.
#[derive(Debug, Serialize, Object)]
pub struct LinkBatchItem {
    /// 201 if the link was created, 200 if it existed and has the given values; otherwise the status with
    /// which `POST /links` would have failed.
    status: ItemStatus,
    /// The link, if it was created or existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    link: Option<Link>,
    /// Why the link was not created, otherwise. Pointers lead from the body of the batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    problem: Option<ProblemDetails>,
}

impl LinkBatchItem {
    /// Describes a link that was created, or existed.
    pub fn from_link(status: StatusCode, link: Link) -> Self {
        Self { status: ItemStatus(status.as_u16()), link: Some(link), problem: None }
    }

    /// Describes why a link was not created.
    pub fn from_problem(status: StatusCode, problem: ProblemDetails) -> Self {
        Self { status: ItemStatus(status.as_u16()), link: None, problem: Some(problem) }
    }
}

/// The results of a batch, in the order of its links.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct LinkBatch {
    /// One result for each link.
    #[oai(validator(max_items = 1000))]
    pub data: Vec<LinkBatchItem>,
    /// Identifies the event of the changes of existing links; `null` if there are none.
    pub event_id: Nullable<Identifier>,
}

fn example_items() -> Vec<LinkBatchItem> {
    let detail = "must start with http:// or https://";
    let problem = ProblemExample::invalid("/links/1/destination_url", detail).problem();
    let status = problem.problem_type.status;
    let details = problem.into_details(EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID.to_owned());
    vec![
        LinkBatchItem::from_link(StatusCode::CREATED, Link::example()),
        LinkBatchItem::from_problem(status, details),
    ]
}

example!(LinkBatch, Self { data: example_items(), event_id: Nullable(None) });
