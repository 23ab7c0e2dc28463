//! Batches of links to create, and their results.

use poem::http::StatusCode;
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::Serialize;

use super::link::{Link, LinkCreate};
use crate::http::openapi::field::{example, integer_schema, response_fields};
use crate::http::problem::{EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID, ProblemDetails};
use crate::http::problem_examples::ProblemExample;

/// Links to create.
#[derive(Debug, Object)]
pub struct LinkBatchCreate {
    /// The links, from 1 to 1,000.
    #[oai(validator(min_items = 1, max_items = 1000))]
    links: Vec<LinkCreate>,
}

impl LinkBatchCreate {
    /// Maximum number of links.
    pub const MAX_LINKS: usize = 1_000;
}

response_fields! {
    /// Status of one link of a batch.
    ItemStatus(u16): integer_schema(201, 503);
}

/// The result of one link of a batch.
#[derive(Debug, Serialize, Object)]
pub struct LinkBatchItem {
    /// 201 if the link was created; otherwise the status with which `POST /links` would have failed.
    status: ItemStatus,
    /// The link, if it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    link: Option<Link>,
    /// Why the link was not created, otherwise. Pointers lead from the body of the batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    problem: Option<ProblemDetails>,
}

impl LinkBatchItem {
    /// Describes a link that was created.
    pub fn created(link: Link) -> Self {
        let status = ItemStatus(StatusCode::CREATED.as_u16());
        Self { status, link: Some(link), problem: None }
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
}

fn example_items() -> Vec<LinkBatchItem> {
    let detail = "must start with http:// or https://";
    let problem = ProblemExample::invalid("/links/1/destination_url", detail).problem();
    let status = problem.problem_type.status;
    let details = problem.into_details(EXAMPLE_BASE_URL, EXAMPLE_REQUEST_ID.to_owned());
    vec![LinkBatchItem::created(Link::example()), LinkBatchItem::from_problem(status, details)]
}

example!(LinkBatch, Self { data: example_items() });
