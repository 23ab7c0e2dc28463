//! `POST /api/manage/v1/link-batches`

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::pending;

use futures_util::stream::{self, StreamExt as _};
use poem::http::StatusCode;
use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaMediaType, MetaRequest, Registry};
use poem_openapi::types::Type as _;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::links::{describe, read};
use crate::domain::idempotency::{Fingerprint, Idempotent, combined_fingerprint, fingerprint};
use crate::domain::keys;
use crate::domain::links::{self, BatchLink, CreateLink, LinkEdit, OwnerPermit, PutLink};
use crate::http::caller::authenticated;
use crate::http::objects::batch::{IfExists, LinkBatch, LinkBatchCreate, LinkBatchItem};
use crate::http::objects::fields::{CodeSegment, Identifier};
use crate::http::objects::link::LinkCreate;
use crate::http::openapi::field::{FromJson as _, Nullable};
use crate::http::openapi::json_body::{check_is_json, elements, read_then_check_headers};
use crate::http::openapi::json_fields::{FromFields as _, complete_schema};
use crate::http::openapi::payload::JSON;
use crate::http::prelude::*;
use crate::http::problem::FieldError;

/// Maximum size of the body in bytes.
const MAX_BATCH_BODY: usize = 4 * 1024 * 1024;
/// Number of links that are read at the same time.
const MAX_READS: usize = 16;
/// Number of links that are parsed before other tasks may run.
const PARSED_AT_ONCE: usize = 50;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[Operation::new(
    "createLinks",
    Permission::Create,
    "The result of each link, in the order of the request.",
)
.with(&[
    ProblemExample::MALFORMED_BODY,
    ProblemExample::BATCH_TOO_LARGE,
    ProblemExample::MALFORMED_KEY,
    ProblemExample::invalid("/links", "must have 1 to 1000 elements, not 0")
        .with_code(ErrorCode::OutOfRange),
])];

/// The body of the request: links to create, or the problems of malformed ones.
#[derive(Debug)]
pub struct BatchBody {
    /// Each with the changes of the link that may exist already.
    links: Vec<Result<(CreateLink, Option<LinkEdit>), Problem>>,
    fingerprint: Fingerprint,
    /// Bounds the memory of all batches.
    permit: OwnerPermit,
}

impl<'a> ApiExtractor<'a> for BatchBody {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        LinkBatchCreate::register(registry);
        LinkCreate::register_with_example(registry);
        let example = json!({ "links": [LinkCreate::example()] });
        complete_schema(registry, &LinkBatchCreate::name(), example, true);
    }

    fn request_meta() -> Option<MetaRequest> {
        let schema = LinkBatchCreate::schema_ref();
        let content = vec![MetaMediaType { content_type: JSON, schema }];
        Some(MetaRequest { description: None, content, required: true })
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> Result<Self> {
        check_is_json(request)?;
        let caller: Caller = authenticated(request)?;
        let app = &caller.app;
        // Held until the body is parsed.
        let mut parts = Vec::new();
        let has_room = |length| app.body_permits.hold_body(&mut parts, caller.owner_id, length);
        let too_large = &ProblemExample::BATCH_TOO_LARGE;
        let bytes = read_then_check_headers(request, MAX_BATCH_BODY, too_large, has_room).await?;
        let permit = app.batch_permits.acquire(caller.owner_id).await;
        let permit = permit.map_err(|error| Problem::from(Error::from(error)))?;
        let (mut links, mut fingerprints) = (Vec::new(), Vec::new());
        let max = LinkBatchCreate::MAX_LINKS;
        let (option, elements) = elements::<LinkCreate>(&bytes, "links", "if_exists", max)?;
        let updates = if_exists(option)? == IfExists::Update;
        if updates && !caller.scope.allows(Permission::Edit) {
            return Err(ProblemExample::KEY_SCOPE.problem().into());
        }
        let mut external_ids = HashSet::new();
        for (index, element) in elements.enumerate() {
            let link = element.parsed.map(|link| {
                let link = CreateLink::from(link);
                let edit = updates.then(|| link.edit());
                (link, edit)
            });
            fingerprints.push(link.as_ref().map_or_else(
                |_| fingerprint("malformed", &[Some(element.text)]),
                |(link, _)| link.full_fingerprint(),
            ));
            let external_id = link.as_ref().ok().and_then(|(link, _)| link.external_id.clone());
            let is_first = external_id.is_none_or(|id| external_ids.insert(id.into_string()));
            links
                .push(link.and_then(|link| if is_first { Ok(link) } else { Err(repeated(index)) }));
            if links.len() % PARSED_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
        }
        drop((bytes, parts));
        let operation = if updates { "link-batches update" } else { "link-batches" };
        let fingerprint = combined_fingerprint(operation, &fingerprints);
        Ok(Self { links, fingerprint, permit })
    }
}

/// Parses what happens to links that exist.
fn if_exists(text: Option<&str>) -> Result<IfExists, Problem> {
    let Some(text) = text else { return Ok(IfExists::default()) };
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let invalid = |error| Problem::invalid(vec![FieldError::at_pointer("/if_exists", &error)]);
    IfExists::from_json(&value).map_err(invalid)
}

/// Returns the problem of a link whose external identifier an earlier one of the batch has.
fn repeated(index: usize) -> Problem {
    let error = ErrorCode::NotAllowed.because("must not be that of another link of the batch");
    Problem::invalid(vec![FieldError::at_pointer(format!("/links/{index}/external_id"), &error)])
}

/// Batches of links.
#[derive(Debug, Default)]
pub struct BatchesApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl BatchesApi {
    /// Create many links
    ///
    /// Creates up to 1,000 links, each as `POST /links` does, and returns their results in order. Each
    /// link stands for itself: one that is malformed, or for which there is no room in the plan, fails
    /// alone. One link may have as many bytes as the body of `POST /links`. The batch counts as one
    /// request.
    ///
    /// With `"if_exists": "update"`, a link whose `external_id` exists changes that link instead, as `PUT
    /// /external-links/{external_id}` does, and has the status 200. All such changes are one event, `event_id`.
    ///
    /// With `Idempotency-Key`, a repetition returns the links that it has created as the first time, and those
    /// that it has changed as they are now, with the same event; it tries to create or change the others.
    #[oai(path = "/link-batches", method = "post", operation_id = "createLinks")]
    async fn create_links(
        &self,
        caller: Caller,
        /// The links to create; the body may have 4 MiB.
        body: BatchBody,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the links that it has
        /// created, and creates only the others. Up to 255 visible ASCII characters; surrounding
        /// quotation marks are not part of the key.
        #[oai(name = "Idempotency-Key")]
        key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<LinkBatch>> {
        let app = &caller.app;
        let BatchBody { links: parsed, fingerprint, permit: _permit } = body;
        let change = caller.change(Audit::default());
        let now = change.now;
        let idempotent = key.for_link_of(caller.owner_id, &app.addresses, || fingerprint);
        let (mut links, mut problems) = (Vec::new(), Vec::new());
        let count = parsed.len();
        for (position, parsed) in parsed.into_iter().enumerate() {
            match parsed {
                Ok((link, edit)) => links.push(BatchLink { position, link, edit }),
                Err(problem) => problems.push((position, problem)),
            }
        }
        let stop = CancellationToken::new();
        // A key that is revoked meanwhile creates no more links.
        let watch = async {
            keys::wait_until_invalid(&app.store, &app.caches.keys, caller.key).await;
            stop.cancel();
            pending::<Infallible>().await
        };
        let rng = app.randomness();
        let creation = links::put_batch(
            &app.creator,
            caller.creator(),
            links,
            idempotent,
            &stop,
            &change,
            rng,
        );
        let (results, event) = tokio::select! {
            results = creation => results?,
            never = watch => match never {},
        };
        let mut items: Vec<(usize, LinkBatchItem)> = Vec::with_capacity(count);
        let (mut existing, mut are_all_replays) = (Vec::new(), problems.is_empty());
        for (BatchLink { position, link, .. }, result) in results {
            are_all_replays &= matches!(
                result,
                Ok(PutLink::Created(Idempotent::Replayed(_))
                    | PutLink::Changed { replay: Some(_), .. })
            );
            match result {
                Ok(PutLink::Changed { code, replay, .. }) => {
                    // What it says if the link was deleted since.
                    let first = match replay {
                        Some(stored) => {
                            let first = Idempotent::Replayed(stored);
                            let first = first.first_response(&app.addresses, caller.owner_id, now);
                            Some(describe(&link, &caller, &first).await?)
                        }
                        None => None,
                    };
                    existing.push((position, code, first));
                }
                Ok(PutLink::Created(done)) => {
                    let first = done.first_response(&app.addresses, caller.owner_id, now);
                    let link = describe(&link, &caller, &first).await?;
                    items.push((position, LinkBatchItem::from_link(StatusCode::CREATED, link)));
                }
                Err(error) => {
                    let pointer = format!("/links/{position}");
                    problems.push((position, Problem::from(error).below(&pointer)));
                }
            }
        }
        let describe_existing = |(position, code, first)| {
            let read = read(&caller, CodeSegment(Some(code)));
            async move { (position, read.await, first) }
        };
        let mut described = stream::iter(existing).map(describe_existing).buffered(MAX_READS);
        while let Some((position, link, first)) = described.next().await {
            match (link, first) {
                (Ok(link), _) | (Err(Error::LinkNotFound), Some(link)) => {
                    items.push((position, LinkBatchItem::from_link(StatusCode::OK, link)));
                }
                (Err(error), _) => problems.push((position, error.into())),
            }
        }
        drop(described);
        items.extend(describe_problems(&caller, problems).await);
        items.sort_unstable_by_key(|(position, _)| *position);
        let data = items.into_iter().map(|(_, item)| item).collect();
        let event_id = Nullable(event.map(Identifier));
        Ok(RepeatedResponse::from_object(LinkBatch { data, event_id }, are_all_replays))
    }
}

/// Describes the problems of single links. If the key has become invalid meanwhile, or its owner is
/// suspended, that is the problem. The log reports only the first cause.
async fn describe_problems(
    caller: &Caller,
    mut problems: Vec<(usize, Problem)>,
) -> Vec<(usize, LinkBatchItem)> {
    let app = &caller.app;
    let cause = problems.iter_mut().find_map(|(_, problem)| problem.cause.take());
    if let Some(cause) = cause {
        app.request_log.log_failure(&cause, caller.request_id);
    }
    let is_in_doubt = problems.iter().any(|(_, problem)| problem.is_owner_unavailable);
    let invalid = if is_in_doubt { caller.check_again().await.err() } else { None };
    let describe = |(position, problem): (usize, Problem)| {
        let problem = match &invalid {
            Some(Problem { problem_type, detail, .. }) if problem.is_owner_unavailable => {
                Problem::new(problem_type, detail.clone())
            }
            Some(_) | None => problem,
        };
        let status = problem.problem_type.status;
        let details = problem.into_details(app.base_url.as_str(), caller.request_id.to_string());
        (position, LinkBatchItem::from_problem(status, details))
    };
    problems.into_iter().map(describe).collect()
}
